"""Counts habits of prose that hinder readers: prose.py [-l]

Per 10,000 words of the documentation, of comments, of the program's own texts (errors, hints, help) and of the
changelog. jj, git, LevelDB and ninja show at most a third of each limit. -l lists the places.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# A pattern, and the most hits in 10,000 words.
HABITS = {
    "stand(s) for 'is'": (r"\bstands?\b", 1),
    "told/tell(s)": (r"\b(told|tells|tell)\b", 6),
    "said/say(s)": (r"\b(said|says|say)\b", 8),
    "nobody/whoever/somebody": (r"\b(nobody|whoever|somebody|anybody)\b", 2),
    "'but for'": (r"\bbut for\b", 0.5),
    "a sentence begins with 'Of …'": (
        r"(?:^|[.:;] )Of (?:a|an|the|it|each|one|several|what|all|which|such|this|those|them)\b", 0.5),
    "a sentence begins with 'What …'": (r"(?:^|\. )What [a-z]+ ", 2),
    "'is no NOUN' for 'is not a'": (r"\b(is|are|was) no (?!longer|more)\w", 5),
    "'of Brand's'": (r"\bof (?:[A-Z]\w+ ?)+'s\b", 0.5),
    "'goes/gone/went'": (r"\b(goes|gone|went)\b", 4),
    "behind/beside": (r"\b(behind|besides?)\b", 4),
}


def lines_of_pages(paths):
    for path in paths:
        is_code = False
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            is_code ^= line.startswith("```")
            if not is_code:
                yield path, number, line


def sources():
    for folder in ("src", "include"):
        yield from (path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".h", ".cc"))


def lines_of_comments():
    for path in sources():
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            for text in re.findall(r"(?<!:)//+/?<?[ ]?(.*)", line):
                yield path, number, text


# What a model reads, or what is stored: another word there makes another hash, or another prompt.
NOT_FOR_PEOPLE = ("src/agent/", "src/report/event/", "src/guard/check/judge.cc", "src/cli/git/picture.cc", "src/import/")


def lines_of_texts():
    for path in sources():
        if str(path.relative_to(ROOT)).startswith(NOT_FOR_PEOPLE):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if re.match(r"\s*(//|#)", line):
                continue
            for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
                if len(re.findall(r"[A-Za-z']+ [a-z']", text)) >= 1:
                    yield path, number, text.replace("\\n", " ")


def main():
    kinds = {
        "docs": list(lines_of_pages([*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])),
        "comments": list(lines_of_comments()),
        "texts": list(lines_of_texts()),
        "changelog": list(lines_of_pages([ROOT / "CHANGELOG.md"])),
    }
    words = {kind: max(1, sum(len(re.findall(r"[A-Za-z']+", text)) for _, _, text in lines))
             for kind, lines in kinds.items()}
    over = False
    print(f"{'in 10,000 words':34}" + "".join(f"{kind:>11}" for kind in kinds) + f"{'limit':>8}")
    for habit, (pattern, limit) in HABITS.items():
        row = f"{habit:34}"
        for kind, lines in kinds.items():
            hits = [(path, number, text) for path, number, text in lines for _ in re.finditer(pattern, text)]
            figure = 1e4 * len(hits) / words[kind]
            over |= figure > limit
            row += f"{figure:11.1f}"
            if "-l" in sys.argv:
                for path, number, text in hits:
                    print(f"{path.relative_to(ROOT)}:{number}: {habit}: {text.strip()}")
        print(row + f"{limit:8.1f}")
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
