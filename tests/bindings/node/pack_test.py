#!/usr/bin/env python3
"""The tarballs, installed into an empty folder without a registry: the package's tests and the
examples of docs/node.md run there, with the addon out of its own package.

usage: pack_test.py FOLDER ADDON LIBRARY VERSION"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

from run import HERE, examples

PACK = HERE.parents[2] / "bindings/node/pack.py"


def main():
    folder = pathlib.Path(sys.argv[1]).absolute()
    if shutil.which("npm") is None:
        print("skipped: no npm")
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # Nothing of this tree may help: no addon, no library.
    clean = {key: value for key, value in os.environ.items()
             if not key.startswith(("SPOOR", "LD_", "NODE_"))}
    clean["npm_config_offline"] = "true"
    packed = subprocess.run([sys.executable, PACK, *sys.argv[2:5], folder], check=True, env=clean,
                            capture_output=True, text=True).stdout.split()
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n')
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
                    "--cache", folder / "cache", *packed], cwd=folder, env=clean, check=True)
    manifest = json.loads((folder / "node_modules/spoor/package.json").read_text())
    assert set(manifest["optionalDependencies"]) == {"@spoor/linux-arm64-gnu", "@spoor/linux-x64-gnu"}, manifest
    for name, text in examples():
        (folder / name).write_text(text)
    tests = ["package_test.mjs", "page_test.mjs"]
    for each in [*tests, "support.mjs"]:
        shutil.copy(HERE / each, folder)
    subprocess.run(["node", "--test", "--test-reporter=spec", *tests], cwd=folder, env=clean, check=True)
    for each in packed:
        print(f"{pathlib.Path(each).name}: {pathlib.Path(each).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
