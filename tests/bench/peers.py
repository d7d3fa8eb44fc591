#!/usr/bin/env python3
"""Measures the table of docs/comparison.md: the same question to repo packers and to contextpack.

  peers.py --bin target/release/contextpack --eips FOLDER --tokenizer FOLDER [--repomix PROGRAM] [--gitingest PROGRAM]
           [--yek PROGRAM]

FOLDER of `--eips` has the EIPs with their contextpack.yml, that of `--tokenizer` the npm package `gpt-tokenizer`, which
counts o200k_base for all. A program that is not named is left out. Nothing is written outside a temporary folder.
"""
import argparse, filecmp, os, pathlib, random, shutil, string, subprocess, tempfile, time

PLANTED = "\nThe staging token is {token}.\nThe password of the staging database is `{password}`.\n"
ITEM = "docs/work/redaction.md"


def sh(command, cwd, check=True):
    return subprocess.run(command, cwd=cwd, check=check, capture_output=True, text=True,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "0", "HOME": str(cwd.parent)})


def commit(folder):
    for command in (["init", "-q"], ["add", "-fA"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        sh(["git", *command], folder)


def plant(folder, secrets):
    with open(folder / ITEM, "a", encoding="utf8") as item:
        item.write(PLANTED.format(**secrets))
    (folder / ".env").write_text(f"TOKEN={secrets['token']}\n", encoding="utf8")


def exported(source, to):
    to.mkdir(parents=True)
    sh(["sh", "-c", f"git -C '{source}' archive HEAD | tar x -C '{to}'"], to)


def tokens(tokenizer, texts):
    script = ("const {encode} = require('gpt-tokenizer/encoding/o200k_base'); const fs = require('fs');"
              "for (const f of process.argv.slice(1))"
              " console.log(encode(fs.readFileSync(f, 'utf8'), {disallowedSpecial: new Set()}).length)")
    done = subprocess.run(["node", "--max-old-space-size=6000", "-e", script, *map(str, texts)], cwd=tokenizer,
                          check=True, capture_output=True, text=True)
    return list(map(int, done.stdout.split()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("bin", "eips", "tokenizer", "repomix", "gitingest", "yek"):
        parser.add_argument(f"--{name}", required=name in ("bin", "eips", "tokenizer"))
    args = parser.parse_args()
    source = pathlib.Path(__file__).resolve().parents[2]
    work = pathlib.Path(tempfile.mkdtemp())
    letters, made = string.ascii_letters + string.digits, random.SystemRandom()
    secrets = {"token": "gh" + "p_" + "".join(made.choices(letters, k=36)),
               "password": "".join(made.choices(letters, k=16))}
    short, long, history = work / "a" / "repo", work / "a folder" / "deeper" / "other", work / "b" / "repo"
    for folder in (short, long):
        exported(source, folder)
        plant(folder, secrets)
        commit(folder)
    sh(["git", "clone", "-q", f"file://{source}", str(history)], work)
    plant(history, secrets)
    sh(["git", "add", "-fA"], history)
    sh(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"], history)
    eips = work / "eips"
    shutil.copytree(args.eips, eips, ignore=shutil.ignore_patterns(".git", ".contextpack"))
    commit(eips)

    binary = os.path.abspath(args.bin)
    program = lambda name: os.path.abspath(getattr(args, name))
    commands = {"whole folder": lambda out, *_: ["sh", "-c", f"git ls-files -z | sort -z | xargs -0 tail -v -n +1 > '{out}'"]}
    if args.repomix:
        commands["repomix"] = lambda out, *_: [program("repomix"), "--quiet", "--style", "markdown", "-o", str(out)]
    if args.gitingest:
        commands["gitingest"] = lambda out, *_: [program("gitingest"), ".", "-o", str(out)]
    if args.yek:
        commands["yek"] = lambda out, *_: ["sh", "-c", f"'{program('yek')}' . > '{out}'"]
    commands["contextpack"] = lambda out, item, *more: ["sh", "-c", f"'{binary}' render {item} {' '.join(more)} > '{out}'"]
    outputs = work / "outputs"
    outputs.mkdir()
    for name, command in commands.items():
        out = lambda what: outputs / f"{name.replace(' ', '-')}-{what}.txt"
        began = time.monotonic()
        for what, folder in (("short", short), ("again", short), ("long", long), ("history", history)):
            sh(command(out(what), "feat:redaction", "--max-tokens", "8000"), folder)
        seconds = (time.monotonic() - began) / 4
        sh(command(out("eips"), "EIP-1559", "--max-tokens", "8000"), eips)
        text = out("short").read_text(encoding="utf8", errors="replace")
        here, there = tokens(args.tokenizer, [out("short"), out("eips")])
        same = lambda what: "same bytes" if filecmp.cmp(out("short"), out(what), shallow=False) else "differs"
        print(f"{name}: this repo {here:,} tokens, EIPs {there:,}, {seconds:.1f} s a run; two runs: {same('again')}, "
              f"other folder: {same('long')}, with history: {same('history')}; "
              f"token {'kept' if secrets['token'] in text else 'gone'}, "
              f"password {'kept' if secrets['password'] in text else 'gone'}, "
              f"its sentence {'kept' if 'password of the staging database' in text else 'gone'}, "
              f".env {'included' if 'TOKEN=' + secrets['token'] in text else 'not'}")
    if args.repomix:
        done = sh([program("repomix"), "--quiet", "--token-budget", "8000", "-o", str(outputs / "budget.xml")], short, False)
        print(f"repomix --token-budget 8000: exit {done.returncode}, output {'written' if (outputs / 'budget.xml').exists() else 'not written'}")
        files = ",".join((ITEM, "docs/work/packs.md", "docs/work/spine.md", "docs/adr/0002-redacted-text.md", "docs/redaction.md",
                          "docs/overview.md"))
        named = outputs / "named.md"
        sh([program("repomix"), "--quiet", "--style", "markdown", "--include", files, "-o", str(named)], short)
        kept = "Redaction that finds what matters" in named.read_text(encoding="utf8")
        print(f"repomix with the item's files: {tokens(args.tokenizer, [named])[0]:,} tokens, the item {'in' if kept else 'left out'}")
    if args.yek:
        out = outputs / "yek-8000.txt"
        sh(["sh", "-c", f"'{program('yek')}' --tokens 8000 . > '{out}'"], short)
        print(f"yek --tokens 8000: {tokens(args.tokenizer, [out])[0]:,} tokens of "
              f"{sum(line.startswith('>>>> ') for line in out.read_text(encoding='utf8').splitlines())} files")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
