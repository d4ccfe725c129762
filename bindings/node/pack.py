#!/usr/bin/env python3
"""Packs the TypeScript package and the package of its addon for the library's processor, by `npm pack`.

usage: pack.py ADDON LIBRARY VERSION OUT [NOTICES]

ADDON is spoor.node, LIBRARY the libspoor.so.0 that it loads. Prints the two tarballs. Needs npm, and
nothing from a registry: the sources are packed as they are."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from shared_libraries import glibc_of, libraries_of, processor_of, stripped  # noqa: E402

PROCESSORS = {"x86_64": "x64", "aarch64": "arm64"}  # As Node calls them.


def write_manifest(folder, members):
    (folder / "package.json").write_text(json.dumps(members, indent=2) + "\n")


def pack(folder, out):
    listed = subprocess.run(["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", out],
                            cwd=folder, check=True, capture_output=True, text=True).stdout
    packed = json.loads(listed)
    packed = packed if isinstance(packed, list) else list(packed.values())
    print(out / packed[0]["filename"])


def main():
    addon, library, version = sys.argv[1:4]
    out = pathlib.Path(sys.argv[4]).absolute()
    texts = [HERE.parents[1] / "LICENSE", *sys.argv[5:6]]
    processor = PROCESSORS.get(processor_of(library), processor_of(library))
    addons = {each: f"@spoor/linux-{each}-gnu" for each in sorted({*PROCESSORS.values(), processor})}
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder) / "binary"
        binary.mkdir()
        libraries = libraries_of(library)
        (binary / "spoor.node").write_bytes(stripped(addon))
        for each, path in libraries.items():
            (binary / each).write_bytes(stripped(path))
        glibc = ".".join(map(str, glibc_of([addon, *libraries.values()])))
        write_manifest(binary, {
            "name": addons[processor], "version": version, "description": f"The addon of spoor; needs glibc {glibc}",
            "license": "MIT", "main": "spoor.node", "os": ["linux"], "cpu": [processor], "libc": ["glibc"]})
        package = pathlib.Path(folder) / "package"
        shutil.copytree(HERE / "spoor", package)
        manifest = json.loads((package / "package.json").read_text())
        manifest.update(version=version, optionalDependencies=dict.fromkeys(addons.values(), version))
        write_manifest(package, manifest)
        shutil.copy(HERE.parents[1] / "docs/node.md", package / "README.md")
        for each in texts:
            shutil.copy(each, binary)
            shutil.copy(each, package)
        pack(package, out)
        pack(binary, out)


if __name__ == "__main__":
    main()
