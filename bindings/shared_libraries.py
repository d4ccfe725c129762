"""The shared libraries that a package of libspoor must hold, for the packers of all languages."""
import os
import pathlib
import platform
import re
import subprocess
import tempfile

# What manylinux lets a package take from the system (PEP 599 and later).
SYSTEM = re.compile(r"lib(c|m|dl|pthread|rt|stdc\+\+|gcc_s)\.so\.\d+|ld-linux.*")


def printed(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def processor_of(file):
    """Returns the processor that it is compiled for, as `uname -m` names it."""
    machine = re.search(r"Machine:\s+(.*)", printed("readelf", "--file-header", file)).group(1)
    return {"AArch64": "aarch64"}.get(machine, "x86_64" if "X86-64" in machine else machine)


def libraries_of(library):
    """Returns the files that the package must hold, by the names that the loader asks for."""
    found = {"libspoor.so.0": library}
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", printed("readelf", "--wide", "--dynamic", library))
    if all(SYSTEM.fullmatch(name) for name in needed):
        return found  # Without its loader, which may be another system's.
    for name, path in re.findall(r"^\s*(\S+) => (/\S+)", printed("ldd", library), re.M):
        if not SYSTEM.fullmatch(name):
            found[name] = path
    return found


def glibc_of(files):
    """Returns the newest version of glibc that one of the files needs."""
    versions = {(0, 0)}
    for file in files:
        needs = printed("readelf", "--wide", "--version-info", file)
        versions.update((int(major), int(minor))
                        for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", needs))
    return max(versions)


def stripped(file):
    if processor_of(file) != platform.machine():  # The packages' own builds have no symbols.
        return pathlib.Path(file).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "stripped"
        subprocess.run(["strip", "--strip-unneeded", "-o", out, os.path.realpath(file)], check=True)
        return out.read_bytes()
