#!/usr/bin/env python3
"""The example of docs/c.md compiles as C11 without a warning, and prints what the page says.

usage: example_test.py CC LIBRARY-FOLDER"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]


def main():
    compiler, libraries = sys.argv[1:]
    page = (ROOT / "docs/c.md").read_text()
    source, expected = re.search(r"```c\n(.*?)```.*?```\n(.*?)```", page, re.S).groups()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "talk.c").write_text(source)
        subprocess.run([compiler, "-std=c11", "-Wall", "-Werror", "-pedantic", f"-I{ROOT}/include",
                        "talk.c", f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lspoor", "-o", "talk"],
                       cwd=folder, check=True)
        printed = subprocess.run(["./talk", "talk.spoor"], cwd=folder, check=True,
                                 capture_output=True, text=True).stdout
    if printed != expected:
        print(f"printed:\n{printed}\nthe page says:\n{expected}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
