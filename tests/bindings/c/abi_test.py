#!/usr/bin/env python3
"""What libspoor.so.0 promises to programs that are compiled already: its symbols, the sizes of its
structs, the places of their members and the numbers of its codes, as abi.txt lists them.

usage: abi_test.py LIBRARY CC [--write]"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[2] / "include"


def symbols(library):
    """Yields one line for each symbol that the library exports."""
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                            capture_output=True, text=True).stdout
    for line in sorted(listed.splitlines(), key=lambda each: each.split()[-1]):
        if line.split()[-2] != "A":  # GNU's linker adds the name of the version, LLVM's does not.
            yield "symbol " + line.split()[-1]


def layout(compiler):
    """Yields the lines that a program prints which was compiled with the header."""
    header = re.sub(r"/\*.*?\*/", "", (INCLUDE / "spoor/c.h").read_text(), flags=re.S)
    prints = []
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\}", header, re.S):
        prints.append(f'printf("struct {name} %zu\\n", sizeof({name}));')
        for function, variable in re.findall(r"(?:\(\*(\w+)\)\([^)]*\)|(\w+)(?:\[\d+\])?);", body):
            member = function or variable
            prints.append(f'printf("  {member} %zu\\n", offsetof({name}, {member}));')
    for code in re.findall(r"\b(SPOOR_\w+) = -?\d+", header):
        prints.append(f'printf("code {code} %d\\n", {code});')
    source = "#include <stdio.h>\n#include <spoor/c.h>\nint main(void) {\n" + "\n".join(prints)
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "layout"
        subprocess.run([compiler, "-std=c11", f"-I{INCLUDE}", "-x", "c", "-", "-o", program],
                       input=source + "\n}\n", check=True, text=True)
        yield from subprocess.run([program], check=True, capture_output=True,
                                  text=True).stdout.splitlines()


def main():
    library, compiler = sys.argv[1:3]
    found = "\n".join([*symbols(library), *layout(compiler)]) + "\n"
    listed = HERE / "abi.txt"
    if "--write" in sys.argv:
        listed.write_text(found)
        return 0
    if found == listed.read_text():
        return 0
    sys.stderr.write(found)
    print(f"the interface above differs from {listed.name}: add only, and then write it with --write",
          file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
