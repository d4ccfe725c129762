"""packaging/notes.py takes the section of a release out of the changelog, whole and alone."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
sys.dont_write_bytecode = True
from notes import current_version, notes  # noqa: E402

CHANGELOG = "# Changelog\n\n## Unreleased\n\n- new\n  and long\n\n## 1.2.0 (2020-01-02)\n\n- old\n\n## 1.1.0\n\n- older\n"


def main():
    assert notes(CHANGELOG, "1.2.0") == "- old\n"
    assert notes(CHANGELOG, "1.1.0") == "- older\n"
    assert notes(CHANGELOG, "1.3.0") == "- new\n  and long\n"
    assert notes("# Changelog\n\n## 1.2.0\n\n- old\n", "1.3.0") is None
    printed = subprocess.run([sys.executable, ROOT / "packaging/notes.py"], capture_output=True, text=True, check=True)
    assert printed.stdout.startswith(f"# spoor {current_version()}\n\n- "), printed.stdout[:80]


if __name__ == "__main__":
    main()
