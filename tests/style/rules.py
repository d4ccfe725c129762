"""Rules a compiler does not know. `./dev lint` and the test `style/rules` run this file.

Prints one line `file:line: rule` for each offence; exit status 1 if there is any.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = ("src", "include", "tests", "fuzz", "bench", "examples")

# (what is forbidden, where, why). Folders are relative to the root.
PATTERNS = [
    (r'#\s*include\s*"\.\./', CODE, "include by layer, \"store/oid.h\", not by a relative path"),
    (r"#\s*include\s*<bits/", CODE, "<bits/...> belongs to one compiler"),
    (r"\busing namespace (std|spoor)\b\s*;", ("src", "include"), "name what is used"),
    (r"[Ff]acts\w*(\(\))?(\.|->)(set_text|set_integer|set_json|text|json)\(\"", ("src",),
     "a fact's key stands in src/compile/fact.h and nowhere else"),
    (r"\t", CODE, "tab"),
    (r"[ \t]+$", CODE, "space at the end of a line"),
]
HEADER_PATTERNS = [
    (r"#\s*include\s*[<\"](sqlite3\.h|nlohmann/json\.hpp|openssl/|curl/)", ("src",),
     "a heavy header belongs in a .cc file"),
]
MAY_BE_HEAVY = {"src/llm/http/curl_library.h"}  # The functions of libcurl, for two .cc files.
PARTS_OF_C_PLUS_PLUS = (".cc", ".h")


def files(folders, suffixes):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path


def offences_by_pattern(patterns, suffixes):
    for pattern, folders, why in patterns:
        compiled = re.compile(pattern)
        for path in files(folders, suffixes):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            for number, line in enumerate(lines, 1):
                if compiled.search(line):
                    yield path, number, why


def missing_guards():
    for path in files(("src", "include", "tests", "bench"), (".h",)):
        if "#pragma once" not in path.read_text(encoding="utf-8"):
            yield path, 1, "a header starts with #pragma once"


def vector_strings():
    """The names of the conformance vectors, and their longer texts."""
    found = {}

    def texts(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                # A single word may be anybody's; a phrase is the vector's own.
                if key == "text" and isinstance(inner, str) and len(inner.split()) >= 3:
                    yield inner
                yield from texts(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from texts(inner)

    for path in sorted((ROOT / "tests" / "vectors").rglob("*.json")):
        for vector in json.loads(path.read_text(encoding="utf-8")).get("vectors", []):
            # So may a name of one or two plain words; `a_name_like_this` is the vector's own.
            if "_" in vector["name"] or len(vector["name"].split()) >= 3:
                found[vector["name"]] = path.name
            for part in ("ops", "input"):
                for text in texts(vector.get(part, [])):
                    found[text] = path.name
    return found


def vectors_in_sources():
    """The program must not know its own test."""
    strings = vector_strings()
    for path in files(("src", "include"), PARTS_OF_C_PLUS_PLUS):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for string, source in strings.items():
                if string in line:
                    yield path, number, f"'{string}' comes from the vectors ({source})"


# Programs include these headers: they stay small, and show no other header of ours.
MOST_FACADE_TYPES = 30
FACADE_INCLUDES = {"base/result.h", "store/oid.h", "spoor/spoor.h"}


def facade():
    types = 0
    for path in files(["include"], (".h",)):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            types += bool(re.match(r"\s*(struct|class|enum class) \w+ \{", line))
            include = re.match(r'#include "(.*)"', line)
            if include and include[1] not in FACADE_INCLUDES:
                yield path, number, "the facade includes no header of a layer"
            if types > MOST_FACADE_TYPES:
                yield path, number, f"the facade has more than {MOST_FACADE_TYPES} types"
                return


def main():
    rules = [
        offences_by_pattern(PATTERNS, PARTS_OF_C_PLUS_PLUS),
        (each for each in offences_by_pattern(HEADER_PATTERNS, (".h",))
         if str(each[0].relative_to(ROOT)) not in MAY_BE_HEAVY),
        missing_guards(),
        vectors_in_sources(),
        facade(),
    ]
    count = 0
    for rule in rules:
        for path, number, why in rule:
            print(f"{path.relative_to(ROOT)}:{number}: {why}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
