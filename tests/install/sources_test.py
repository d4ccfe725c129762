"""packaging/fetch.sh unpacks a package with the right sum and refuses any other; docs/packages.md has the
table of packaging/sources.txt. Needs no network: a client of its own stands in for npm."""
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def sources():
    lines = (ROOT / "packaging/sources.txt").read_text().splitlines()
    return [line.split("|") for line in lines if line and not line.startswith("#")]


def check_page():
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|", (ROOT / "docs/packages.md").read_text(), re.M)
    page = {name: (version, origin) for name, version, origin in rows}
    for name, version, _, package, release, _, checksum, _ in sources():
        assert re.fullmatch("[0-9a-f]{64}", checksum), name
        assert page[name][0] == version and f"`{package}` {release}" in page[name][1], (name, page.get(name))
    zig = re.search(r"ziglang==(\S+)", (ROOT / "packaging/zig.txt").read_text()).group(1)
    assert f"`ziglang` {zig}" in page["libc++, musl"][1]


def check_fetch(work):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in (("package/lib/code.c", b"code"), ("package/lib/LICENSE", b"free")):
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    (work / "made.tgz").write_bytes(packed.getvalue())
    (work / "bin").mkdir()
    (work / "bin/npm").write_text(f'#!/bin/sh\necho "$*" >>"{work}/asked"\ncp "{work}/made.tgz" made.tgz\necho made.tgz\n')
    (work / "bin/npm").chmod(0o755)
    shutil.copy(ROOT / "packaging/fetch.sh", work)

    def fetch(checksum, licence="LICENSE"):
        (work / "sources.txt").write_text(f"# a comment\nThing|1|npm|thing|1.0.0|lib|{checksum}|{licence}\n")
        return subprocess.run(["bash", work / "fetch.sh", work / "out"], capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{work / 'bin'}:{os.environ['PATH']}"})

    refused = fetch("0" * 64)
    assert refused.returncode == 1 and "is not the file that" in refused.stderr, refused
    assert not (work / "out/Thing").exists()
    right = hashlib.sha256(packed.getvalue()).hexdigest()
    unlicensed = fetch(right, "COPYING")
    assert unlicensed.returncode == 1 and "has no licence in COPYING" in unlicensed.stderr, unlicensed
    for _ in range(2):
        done = fetch(right)
        assert done.returncode == 0, done
    assert (work / "out/Thing/code.c").read_text() == "code"
    assert (work / "asked").read_text() == "pack --silent thing@1.0.0\n" * 3, "the second time nothing is fetched"


if __name__ == "__main__":
    check_page()
    with tempfile.TemporaryDirectory() as folder:
        check_fetch(pathlib.Path(folder))
