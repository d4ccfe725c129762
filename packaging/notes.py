#!/usr/bin/env python3
"""Prints the notes of the release that CMakeLists.txt names, from CHANGELOG.md: the section of that
version, or the one of what is unreleased.

usage: notes.py [VERSION]"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def notes(changelog, version):
    """Returns the lines of the section, or None if there is neither a section of the version nor an unreleased one."""
    sections = dict(re.findall(r"^## (\S+)[^\n]*\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL))
    text = sections.get(version, sections.get("Unreleased"))
    return None if text is None else text.strip() + "\n"


def current_version():
    return re.search(r"project\(spoor VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def main():
    version = sys.argv[1] if len(sys.argv) > 1 else current_version()
    text = notes((ROOT / "CHANGELOG.md").read_text(), version)
    if text is None:
        sys.exit(f"error: CHANGELOG.md has no section of {version}")
    print(f"# spoor {version}\n\n{text}", end="")


if __name__ == "__main__":
    main()
