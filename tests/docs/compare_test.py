"""Checks docs/compare.md: `ctest -R docs/compare`, or python3 this-file.

- Its table of lines is what the programs under examples/ have: lines with code, without blank ones,
  comments and docstrings.
- Where the Python packages are installed (in this interpreter, or in build/compare), the programs of
  the other SDKs run against a model of ours (compare_model.py), those of the Claude Agent SDK up to
  its query (compare_claude.py). A missing package is reported; the test is skipped if all are.

Exit status 1 with a diff where something differs. With SPOOR_UPDATE_TRANSCRIPTS=1 the table is written
anew instead.
"""

import ast
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from compare_model import Model

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "compare"
PAGE = ROOT / "docs" / "compare.md"
TABLE = re.compile(r"(?<=<!-- lines -->\n).*?(?=<!-- end -->)", re.DOTALL)
TASKS = {"budget": "a tool, a budget", "approval": "an approval", "agents": "two agents"}
SDKS = {"spoor": "spoor", "pydantic_ai": "Pydantic AI", "langgraph": "LangGraph",
        "claude_agent_sdk": "Claude Agent SDK"}
PACKAGES = {"pydantic_ai": "pydantic_ai.models.anthropic",
            "langgraph": "langchain.agents, langchain_anthropic, langgraph.checkpoint.sqlite",
            "claude_agent_sdk": "claude_agent_sdk"}
# What each program prints at least, by the word that it is given.
PRINTS = {
    "budget": {"": r"Three tea tins cost 1305 cents\."},
    "approval": {"start": "refund", "yes": r"Order 7 was refunded\."},
    "agents": {"": r"137 years(.|\n)*Eiffel Tower"},
}


def lines_of_python(text):
    """The numbers of lines with code."""
    docstrings = set()
    for node in ast.walk(ast.parse(text)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        # A function's docstring is what the model reads: it counts.
        if is_text and node.col_offset == 0:
            docstrings.update(range(node.lineno, node.end_lineno + 1))
    return [number for number, line in enumerate(text.splitlines(), 1)
            if line.strip() and not line.strip().startswith("#") and number not in docstrings]


def count(sdk, task):
    if sdk == "spoor":
        path = PROGRAMS / sdk / f"{task}.cc" if task != "budget" else ROOT / "examples/quickstart.cc"
        lines = path.read_text(encoding="utf-8").splitlines()
        return sum(bool(line.strip()) and not line.strip().startswith("//") for line in lines)
    return len(lines_of_python((PROGRAMS / sdk / f"{task}.py").read_text(encoding="utf-8")))


def table():
    rows = ["| lines of code | " + " | ".join(TASKS.values()) + " |",
            "| --- |" + " --- |" * len(TASKS)]
    for sdk, name in SDKS.items():
        rows.append(f"| {name} | " + " | ".join(str(count(sdk, task)) for task in TASKS) + " |")
    return "\n".join(rows) + "\n"


def has(python, packages):
    return subprocess.run([python, "-c", f"import {packages}"], check=False,
                          capture_output=True).returncode == 0


def run_one(command, words, address):
    """Returns what is wrong with a program; nothing if it prints what it has to."""
    with tempfile.TemporaryDirectory() as folder:
        for word, pattern in words.items():
            done = subprocess.run(
                [*command, *word.split()], cwd=folder, check=False, capture_output=True,
                text=True, timeout=300,
                env={"PATH": "/usr/bin:/bin", "HOME": folder, "ANTHROPIC_API_KEY": "none",
                     "ANTHROPIC_BASE_URL": address})
            if done.returncode != 0 or not re.search(pattern, done.stdout):
                return f"{command[-1]} {word} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return ""


def run_programs():
    """Runs what can be run. Returns the number of programs, and what is wrong."""
    own = ROOT / "build" / "compare" / "bin" / "python3"
    python = str(own) if own.exists() else sys.executable
    ran = 0
    wrong = []
    with Model() as model:
        for sdk, packages in PACKAGES.items():
            if not has(python, packages):
                print(f"not run: the packages of {SDKS[sdk]} are not installed")
                continue
            for task, words in PRINTS.items():
                program = [str(PROGRAMS / sdk / f"{task}.py")]
                if sdk == "claude_agent_sdk":
                    program.insert(0, str(ROOT / "tests" / "docs" / "compare_claude.py"))
                    words = {word: "" for word in words}
                wrong.append(run_one([python, *program], words, model.address))
                ran += 1
    return ran, [each for each in wrong if each]


def main():
    text = PAGE.read_text(encoding="utf-8")
    wanted = TABLE.sub(lambda _: table(), text)
    if "SPOOR_UPDATE_TRANSCRIPTS" in os.environ:
        PAGE.write_text(wanted, encoding="utf-8")
        text = wanted
    sys.stdout.writelines(difflib.unified_diff(
        text.splitlines(keepends=True), wanted.splitlines(keepends=True),
        "docs/compare.md", "docs/compare.md as it should be"))
    ran, wrong = run_programs()
    for each in wrong:
        print(each)
    if text != wanted or wrong:
        sys.exit(1)
    print(f"{ran} programs of other SDKs ran" if ran else
          "skipped: the table is right; no other SDK is installed")


main()
