#!/usr/bin/env python3
"""The wheel, installed into an empty environment, without a registry: all of the package's tests run
on it, and its name tells what it needs.

usage: wheel_test.py LIBRARY VERSION [WHEEL]"""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[2] / "bindings/python"


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, **options)


def wheel_of(folder):
    """Returns the wheel to test, which is made if none is given."""
    if len(sys.argv) > 3:
        return pathlib.Path(sys.argv[3])
    made = run(sys.executable, PACKAGE / "wheel.py", *sys.argv[1:3], folder, capture_output=True)
    return pathlib.Path(made.stdout.strip())


def check_name(wheel, folder):
    """The glibc in the name is the newest that one of the libraries asks for."""
    zipfile.ZipFile(wheel).extractall(folder)
    needed = set()
    for library in folder.glob("spoor/*.so*"):
        listed = run("readelf", "--wide", "--version-info", library, capture_output=True).stdout
        needed.update(map(int, re.findall(r"GLIBC_2\.(\d+)", listed)))
    assert f"-py3-none-manylinux_2_{max(needed)}_" in wheel.name, (wheel.name, needed)


def main():
    if not all(importlib.util.find_spec(module) for module in ("ensurepip", "venv")):
        print("skipped: no module venv here")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wheel = wheel_of(folder)
        check_name(wheel, folder / "unpacked")
        run(sys.executable, "-m", "venv", folder / "empty")
        python = folder / "empty/bin/python"
        run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel)
        # Nothing of this tree may help: no path, no library.
        clean = {key: value for key, value in os.environ.items()
                 if not key.startswith(("PYTHON", "SPOOR", "LD_"))}
        run(python, HERE / "package_test.py", cwd=folder, env=clean)
        size = wheel.stat().st_size / 1e6
        print(f"{wheel.name}: {size:.1f} MB")


if __name__ == "__main__":
    main()
