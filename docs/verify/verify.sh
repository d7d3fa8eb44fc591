#!/bin/sh
# Checks that packs are as they were written: sh verify.sh PACK... It needs jq, and sha256sum or shasum.
#
# jq sorts keys by code point, and RFC 8785 by UTF-16 unit: they differ for keys beyond U+FFFF only, which packs do not have.
digest() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1; }
content='del(.hash, .pack_id, .generated_at, .generator)'
status=0
for path in "$@"; do
    told=ok
    if ! json=$(jq -cS "$content" "$path" 2>/dev/null) || [ -z "$json" ]; then
        told="no pack"
    else
        found=$(printf %s "$json" | digest)
        case $(jq -r '.hash + " " + .pack_id' "$path") in
            "sha256:$found "*_"$(printf %.12s "$found")") ;;
            "sha256:$found "*) told="the id is not that of the content" ;;
            *) told="the content was changed: its hash is sha256:$found" ;;
        esac
    fi
    echo "$path: $told"
    [ "$told" = ok ] || status=5
done
exit $status
