#!/usr/bin/env bash
# The steps of the action: install, sync, run. Inputs come as INPUT_* variables; none is ever evaluated.
set -euo pipefail

# Ends with a message, which an input cannot turn into a command or several lines.
fail() {
    local message=${1//'%'/%25}
    message=${message//$'\r'/%0D}
    printf '::error title=contextpack::%s\n' "${message//$'\n'/%0A}"
    exit "${2:-1}"
}

# The lines of $1 that are not empty, added to the arguments, each after $2 where that is given.
add_lines() {
    local line
    while IFS= read -r line; do
        line=${line%$'\r'}
        [ -n "$line" ] || continue
        [ -z "${2:-}" ] || arguments+=("$2")
        arguments+=("$line")
    done <<<"$1"
}

# Whether an input is true; anything but true, false and nothing is a mistake.
is_true() {
    case ${2:-false} in
        true) return 0 ;;
        false) return 1 ;;
        *) fail "\`$1\` is \`true\` or \`false\`, not \`$2\`" 2 ;;
    esac
}

sha256_of() {
    if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}

fetch() {
    curl --fail --silent --show-error --location --retry 3 --proto '=https,file' --proto-redir '=https' \
        --max-filesize 200000000 --max-time 600 --output "$2" "$1"
}

# Installs a released binary; fails if it cannot be fetched. Nothing of it is run, or even unpacked, before its digest is the
# one that is expected, and another digest ends the step.
release() {
    local archive base expected found target program=contextpack
    target=$(target)
    [ -n "$target" ] || fail "there is no release for ${RUNNER_OS:-?} on ${RUNNER_ARCH:-?}; use \`from: source\`"
    case $target in *-windows-*) program=contextpack.exe ;; esac
    [[ $INPUT_VERSION =~ ^[0-9A-Za-z.+-]+$ ]] || fail "\`$INPUT_VERSION\` is no version" 2
    base=${INPUT_RELEASES:-}
    if [ -z "$base" ]; then
        [ -n "${ACTION_REPOSITORY:-}" ] || fail "a local action has no releases; use \`from: source\`" 2
        base=https://github.com/$ACTION_REPOSITORY/releases/download
    fi
    base=${base%/}/v$INPUT_VERSION
    archive=contextpack-$INPUT_VERSION-$target.tar.gz
    # Whoever can replace a release can replace a list of checksums beside it. So the digest is of this commit of the
    # action, or of the workflow.
    expected=${INPUT_SHA256:-}
    if [ -z "$expected" ]; then
        expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$GITHUB_ACTION_PATH/SHA256SUMS")
    fi
    [[ $expected =~ ^[0-9a-fA-F]{64}$ ]] ||
        fail "this commit of the action has no SHA-256 of $archive; give it as \`sha256\`, or use \`from: source\`" 2
    mkdir -p "$home/bin"
    fetch "$base/$archive" "$home/$archive" || return 1
    found=$(sha256_of "$home/$archive")
    if [ "$found" != "$(tr 'A-F' 'a-f' <<<"$expected")" ]; then
        rm -f "$home/$archive"
        fail "$archive has the SHA-256 $found, not $expected"
    fi
    # By relative names: `tar` takes the drive of an absolute one on Windows for a host.
    (cd "$home" && tar -xzf "$archive" -C bin "$program") || fail "cannot unpack $archive"
    rm -f "$home/$archive"
}

# The target of releases for this machine, if there are any.
target() {
    local libc=gnu
    # A container without glibc, such as Alpine, has musl.
    if ls /lib/ld-musl-* >/dev/null 2>&1; then libc=musl; fi
    case ${RUNNER_OS:-}-${RUNNER_ARCH:-} in
        Linux-X64) echo "x86_64-unknown-linux-$libc" ;;
        Linux-ARM64) echo "aarch64-unknown-linux-$libc" ;;
        macOS-ARM64) echo aarch64-apple-darwin ;;
        macOS-X64) echo x86_64-apple-darwin ;;
        Windows-X64) echo x86_64-pc-windows-msvc ;;
    esac
}

# Whether this commit of the action, or the workflow, says the digest of a release for this machine.
has_release() {
    [ -n "${INPUT_SHA256:-}" ] ||
        grep -qxE "[0-9a-f]{64}  contextpack-${INPUT_VERSION//./\\.}-$(target)\.tar\.gz" "$GITHUB_ACTION_PATH/SHA256SUMS"
}

# Builds the program from the source that this commit of the action holds.
from_source() {
    local rust cargo=(cargo)
    # Not in the caller's repo: its `rust-toolchain.toml` could choose, or bring, another compiler.
    cd "$GITHUB_ACTION_PATH/../../.."
    [ -f Cargo.lock ] || fail "the action has no source beside it; use \`from: release\` or \`from: path\`" 2
    if command -v rustup >/dev/null; then
        rust=$(sed -n 's/^rust-version = "\([0-9.]*\)"$/\1/p' Cargo.toml)
        rustup toolchain install "$rust" --profile minimal --no-self-update
        cargo=(cargo "+$rust")
    fi
    "${cargo[@]}" install --locked --path . --root "$home" --target-dir "$home/target"
}

install() {
    local home=$RUNNER_TEMP/contextpack
    case $INPUT_FROM in
        auto)
            if ! has_release; then
                from_source
            elif ! release; then
                printf '%s\n' '::warning title=contextpack::the release cannot be fetched: this commit of the action is built instead'
                from_source
            fi
            ;;
        release) release || fail "the release cannot be fetched; \`from: source\` builds the program instead" ;;
        source) from_source ;;
        path)
            contextpack --version || fail "contextpack is not on the path" 2
            return
            ;;
        *) fail "\`from\` is \`auto\`, \`source\`, \`release\` or \`path\`, not \`$INPUT_FROM\`" 2 ;;
    esac
    "$home/bin/contextpack" --version
    printf '%s\n' "$home/bin" >>"$GITHUB_PATH"
}

sync() {
    local word code=0
    arguments=(-C "${INPUT_WORKING_DIRECTORY:-.}" sync --)
    [ "${INPUT_ROOTS-*}" = '*' ] || add_lines "$INPUT_ROOTS"
    # Whatever an issue says is not obeyed before a word that its author could not know.
    word=contextpack-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    printf '::stop-commands::%s\n' "$word"
    contextpack "${arguments[@]}" 2>&1 || code=$?
    printf '::%s::\n' "$word"
    [ "$code" = 0 ] || fail "\`contextpack sync\` ended with exit code $code; the log above says why" "$code"
}

run() {
    arguments=(-C "${INPUT_WORKING_DIRECTORY:-.}")
    case $INPUT_COMMAND in
        build)
            arguments+=(build --outputs "$GITHUB_OUTPUT" --markdown "$RUNNER_TEMP/contextpack/markdown")
            [ -z "${INPUT_SHARD:-}" ] || arguments+=("--shard=$INPUT_SHARD")
            ;;
        check)
            arguments+=(check)
            [ -z "${INPUT_SHARD:-}" ] || arguments+=("--shard=$INPUT_SHARD")
            ;;
        *) fail "\`command\` is \`build\` or \`check\`, not \`$INPUT_COMMAND\`" 2 ;;
    esac
    arguments+=(--format github --summary "$GITHUB_STEP_SUMMARY")
    if is_true strict "${INPUT_STRICT:-}"; then arguments+=(--strict); fi
    add_lines "${INPUT_PROFILES:-}" --profile
    arguments+=(--)
    # An expression that gives nothing, such as the number of an issue in another event, is not "all roots".
    local roots=${INPUT_ROOTS-'*'}
    [ -n "$(tr -d ' \r\n\t' <<<"$roots")" ] ||
        fail "\`roots\` is empty: name work items or issues, or leave it out for all roots" 2
    [ "$roots" = '*' ] || add_lines "$roots"
    exec contextpack "${arguments[@]}"
}

case ${1:-} in
    install | sync | run) "$1" ;;
    *) fail "run.sh install|sync|run" 2 ;;
esac
