#!/usr/bin/env python3
"""Runs tests of the TypeScript package in a folder that has the package and the clients.

usage: run.py FOLDER PACKAGE MODULES TEST...

FOLDER is made anew. PACKAGE is the folder of the package, MODULES a node_modules with what the tests
need (./dev interop installs it); TEST is a .mjs file of this folder, or `types`, which is `tsc --strict`
over the package, its tests and the examples of docs/node.md. Skips, with one line, where something is missing."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs/node.md"


def examples():
    """Returns the examples of the page, in order: the names of their files, and their text."""
    return re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", PAGE.read_text(), re.S)


def stage(folder, package, modules):
    shutil.rmtree(folder, ignore_errors=True)
    inner = folder / "node_modules"
    inner.mkdir(parents=True)
    if modules.is_dir():
        for each in modules.iterdir():
            (inner / each.name).symlink_to(each)
    shutil.copytree(package, inner / "spoor")
    for each in [*HERE.glob("*.m[jt]s"), *HERE.glob("*tsconfig.json")]:
        shutil.copy(each, folder)
    for name, text in examples():
        (folder / name).write_text(text)
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n')


def main():
    folder, package, modules = (pathlib.Path(each).absolute() for each in sys.argv[1:4])
    tests = sys.argv[4:]
    if shutil.which("node") is None:
        print("skipped: no node")
        return 0
    stage(folder, package, modules)
    if tests == ["types"]:
        compiler = folder / "node_modules/typescript/bin/tsc"
        if not compiler.exists():
            print("skipped: no typescript")
            return 0
        # The clients' own declarations are not ours to check.
        return max(subprocess.run(["node", compiler, "--project", folder / project]).returncode
                   for project in ("tsconfig.json", "clients.tsconfig.json"))
    environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data")}
    return subprocess.run(["node", "--test", "--test-reporter=spec", *tests], cwd=folder,
                          env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
