"""What is installed says what the program is made of: materials_test.py PREFIX BUILD.NINJA

Every static library that the program is linked with stands in the SPDX document, with its version,
and in the notices; the program lists the same. A release is hardened.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

# The archives that make up what has another name.
NAMES = {"libsqlite3": "SQLite", "libcrypto": "OpenSSL", "libzstd": "Zstandard", "libz": "zlib",
         "libre2": "RE2", "libedit": "libedit", "libbsd": "libbsd", "libmd": "libmd",
         "libtinfo": "ncurses", "libncursesw": "ncurses",
         "libutf8proc": "utf8proc", "libbrotlidec": "Brotli", "libbrotlicommon": "Brotli"}


def check_materials(prefix, ninja):
    document = json.load(open(glob.glob(f"{prefix}/share/doc/*/spoor.spdx.json")[0]))
    notices = open(glob.glob(f"{prefix}/share/doc/*/NOTICES")[0]).read()
    packages = {each["name"]: each for each in document["packages"]}
    link = re.search(r"^build spoor: .*?(?=^build )", ninja, re.MULTILINE | re.DOTALL).group()
    archives = set(re.findall(r"(?<=/)lib[a-z0-9]+(?=\.a\b)", link))
    missing = [each for each in archives
               if not each.startswith("libspoor") and NAMES.get(each) not in packages]
    assert not missing, f"linked, but not in the document: {missing}"
    assert archives & set(NAMES), "no archive was found: this test has lost its way"
    for name, package in packages.items():
        assert package["versionInfo"] != "NOASSERTION", f"{name} has no version"
        origin = [each["referenceLocator"] for each in package.get("externalRefs", [])]
        assert name == "spoor" or not shutil.which("dpkg-query") or re.fullmatch(
            r"pkg:deb/[a-z]+/[a-z0-9%.B-]+@[^+:]+\?arch=[a-z0-9]+|pkg:npm/[a-z-]+@[0-9.]+", "".join(origin)), (name, origin)
        assert name == "spoor" or f"==== {name} {package['versionInfo']}" in notices, name
    related = {each["relatedSpdxElement"] for each in document["relationships"]}
    assert related == {each["SPDXID"] for each in document["packages"]}
    said = subprocess.run([os.path.join(prefix, "bin", "spoor"), "version", "--json"], capture_output=True, check=True)
    assert json.loads(said.stdout)["libraries"] == {
        name: each["versionInfo"] for name, each in packages.items() if name != "spoor"}


def check_hardening(program, ninja):
    if "-O3 -DNDEBUG" not in ninja or "-fsanitize" in ninja:
        print("skipped: only a release is hardened")
        return
    said = subprocess.run(["readelf", "--wide", "--headers", "--dynamic", "--dyn-syms", program],
                          capture_output=True, check=True, text=True).stdout
    for wanted in ["DYN (Position-Independent", "GNU_RELRO", "BIND_NOW", "__stack_chk_fail", "_chk@"]:
        assert wanted in said, f"the program is without {wanted}"
    stack = re.search(r"GNU_STACK.*", said).group()
    assert "E" not in stack.split()[-2], "its stack may be executed"


if __name__ == "__main__":
    with open(sys.argv[2]) as file:
        rules = file.read()
    check_materials(sys.argv[1], rules)
    check_hardening(os.path.join(sys.argv[1], "bin", "spoor"), rules)
