"""Holds README.md, CONTRIBUTING.md and docs/ against the tree: `ctest -R docs/paths`, or python3 this-file.

- Every path that begins with a folder of ours is there; so is every file and heading that a link names.
- "`f()` in `src/x.cc`" means that x.cc defines f, "`T` in `src/x.h`" that x.h has the type T.
- Every other `f()` occurs in a file that its paragraph names, or does so in the step before.
- Every numbered step of docs/architecture.md names at least one function and its file.
- docs/fuzzing.md has one line for each fuzz target, and no other.

Exit status 1 with a line for each that is not so.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"(?<![\w./~-])(?:src|include|tests|docs|cmake|examples|fuzz|bench)/[\w./*-]*[\w*/]")
LINK = re.compile(r"\]\(([^)\s]+)\)")
FILE = r"`((?:src|include|tests|cmake)/[\w./-]+\.\w+)`"
FUNCTION_IN = re.compile(r"`([\w:]+)\(\)`\s+in\s+" + FILE)
TYPE_IN = re.compile(r"`([A-Z]\w+)`\s+in\s+" + FILE)
FUNCTION = re.compile(r"`([\w:]+)\(\)`")


def defines(text, function):
    """Whether C++ `text` has `function`, at the left margin or inside its class."""
    owner, _, name = function.rpartition("::")
    if owner and re.search(rf"^\S.*\b{re.escape(function)}\(", text, re.MULTILINE):
        return True
    if owner:
        found = re.search(rf"^ *(?:class|struct) {re.escape(owner)}\b[^;]*?{{(.*)", text,
                          re.MULTILINE | re.DOTALL)
        return bool(found and re.search(rf"^ +[\w:<>&*\[\] ,]* [&*]*{name}\(", found[1], re.MULTILINE))
    return bool(re.search(rf"^[\w\[].*[ &*]{name}\(", text, re.MULTILINE))


def has_type(text, name):
    return bool(re.search(rf"\b(?:class|struct|using) {name}\b|\benum class {name}\b", text))


def anchor(heading):
    """A heading's name in links, by GitHub's rule."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def anchors(text):
    return {anchor(heading) for heading in re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)}


class Page:
    """One Markdown file, and what is wrong with it."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.problems = []

    def complain(self, what):
        self.problems.append(f"{self.path.relative_to(ROOT)}: {what}")

    def check_paths(self):
        for path in sorted(set(PATH.findall(self.text))):
            exists = any(ROOT.glob(path)) if "*" in path else (ROOT / path).exists()
            if not exists:
                self.complain(f"no such file: {path}")

    def check_links(self):
        for link in LINK.findall(FENCE.sub("", self.text)):
            if re.match(r"\w+:", link):
                continue
            file, _, heading = link.partition("#")
            target = (self.path.parent / file) if file else self.path
            if not target.exists():
                self.complain(f"a link leads nowhere: {link}")
            elif heading and heading not in anchors(target.read_text(encoding="utf-8")):
                self.complain(f"a link names no heading there: {link}")

    def check_names(self):
        before = ""
        for part in re.split(r"\n\n|\n(?=\d+\. |- |\|)", FENCE.sub("", self.text)):
            self.check_part(part, before)
            before = part

    def check_part(self, part, before):
        def source(path):
            file = ROOT / path
            return file.read_text(encoding="utf-8") if file.is_file() and file.suffix != ".png" else ""

        for function, path in FUNCTION_IN.findall(part):
            if not defines(source(path), function):
                self.complain(f"{path} defines no {function}()")
        for name, path in TYPE_IN.findall(part):
            if not has_type(source(path), name):
                self.complain(f"{path} has no type {name}")
        near = "".join(source(path) for path in PATH.findall(part + "\n" + before))
        for function in FUNCTION.findall(FUNCTION_IN.sub("", part)):
            if not re.search(rf"\b{function.rpartition('::')[2]}\(", near):
                self.complain(f"no file named near it has {function}()")

    def check_steps(self):
        steps = re.findall(r"^\d+\. .*?(?=\n\d+\. |\n\n)", self.text, re.MULTILINE | re.DOTALL)
        if len(steps) < 20:
            self.complain(f"only {len(steps)} numbered steps")
        for step in steps:
            if not FUNCTION_IN.search(step):
                self.complain(f"a step without a function in its file: {step[:60]}…")

    def check_targets(self):
        named = re.findall(r"^\| `(\w+)` \|", self.text, re.MULTILINE)
        there = sorted(path.name.removesuffix("_fuzz.cc") for path in ROOT.glob("fuzz/*_fuzz.cc"))
        if named != there:
            self.complain(f"its targets are not those of fuzz/: {sorted(set(named) ^ set(there))}")


def main():
    problems = []
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        page = Page(path)
        page.check_paths()
        page.check_links()
        page.check_names()
        if path.name == "architecture.md":
            page.check_steps()
        if path.name == "fuzzing.md":
            page.check_targets()
        problems += page.problems
    print("\n".join(problems) or "every path, link and name holds")
    sys.exit(1 if problems else 0)


main()
