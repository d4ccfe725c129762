#!/usr/bin/env python3
"""Writes the wheel of the Python package: its sources, libspoor.so.0, and the shared libraries that
no system must have. One wheel serves every Python 3, since nothing in it is compiled for one.

usage: wheel.py LIBRARY VERSION OUT [NOTICES]

The name tells the glibc that the libraries in it need (PEP 600). SOURCE_DATE_EPOCH is the time of
its files: equal contents give equal bytes."""
import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from shared_libraries import glibc_of, libraries_of, processor_of, stripped  # noqa: E402


def main():
    library, version, out = sys.argv[1:4]
    contents = {f"spoor/{path.name}": path.read_bytes()
                for path in sorted((HERE / "spoor").iterdir()) if path.suffix in (".py", ".typed")}
    libraries = libraries_of(library)
    contents.update({f"spoor/{name}": stripped(path) for name, path in sorted(libraries.items())})
    major, minor = glibc_of(libraries.values())
    tag = f"py3-none-manylinux_{major}_{minor}_{processor_of(library)}"
    info = f"spoor-{version}.dist-info"
    contents[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: spoor\nVersion: {version}\n"
        "Summary: Version control for what an agent was thinking\nLicense: MIT\n"
        "Requires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n"
        + (HERE.parents[1] / "docs/python.md").read_text()).encode()
    contents[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: spoor\nRoot-Is-Purelib: false\n"
                                 f"Tag: {tag}\n").encode()
    contents[f"{info}/LICENSE"] = (HERE.parents[1] / "LICENSE").read_bytes()
    if len(sys.argv) > 4:
        contents[f"{info}/NOTICES"] = pathlib.Path(sys.argv[4]).read_bytes()
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in contents.items())
    contents[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()

    # The earliest time that a zip file can tell.
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]
    wheel = pathlib.Path(out) / f"spoor-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            packed.writestr(entry, data)
    print(wheel)


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main()
