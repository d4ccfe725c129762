#!/usr/bin/env python3
"""Runs the tests of the Python package's adapters, with the suites of the frameworks' owners in them, of its tables with
their readers, and of frameworks that send their telemetry; prints a figure of each, and with --page writes them into
docs/interop.md; and the exports, read by the programs of their formats' owners.

Environment: as of tests/bindings/python/recording_test.py. Run it with the Python that has the packages:
./dev interop does. SPOOR_EXPORTS and SPOOR_PHOENIX name the Pythons that have Inspect, Harbor and TRL, and Phoenix, which
need other versions of packages; without them these tests are skipped. Words with a slash choose tests: suites.py --page
interop/phoenix_test.py replaces the row of that one."""
import datetime
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/interop.md"
# The test, and the packages that it is about.
TESTS = [
    ("bindings/python/langgraph_test.py", ["langgraph", "langgraph-checkpoint", "langgraph-checkpoint-conformance"]),
    ("bindings/python/claude_agent_test.py", ["claude-agent-sdk"]),
    ("bindings/python/openai_agents_test.py", ["openai-agents"]),
    ("bindings/python/pydantic_ai_test.py", ["pydantic-ai-slim"]),
    ("bindings/python/llama_index_test.py", ["llama-index-core"]),
    ("bindings/python/recording_test.py", ["openai", "anthropic", "google-genai"]),
    ("bindings/python/tables_test.py", ["pyarrow", "pandas", "polars", "duckdb"]),
    ("interop/telemetry_test.py", ["pydantic-ai-slim", "llama-index-core", "openinference-instrumentation-llama-index",
                                   "opentelemetry-exporter-otlp-proto-http"]),
    ("interop/exports_test.py", ["harbor", "inspect_ai", "datasets", "trl", "transformers"]),
    ("interop/phoenix_test.py", ["arize-phoenix"]),
]
# Tests that have a Python of their own.
PYTHONS = {"interop/exports_test.py": "SPOOR_EXPORTS", "interop/phoenix_test.py": "SPOOR_PHOENIX"}
VERSION = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"


def version(python, package):
    done = subprocess.run([python, "-c", VERSION, package], capture_output=True, text=True, check=False)
    return f"{package} {done.stdout.strip() or '(not installed)'}"


def main():
    rows, failed = [], False
    chosen = [word for word in sys.argv[1:] if "/" in word]
    for test, packages in TESTS:
        if chosen and test not in chosen:
            continue
        python = os.environ.get(PYTHONS.get(test, ""), "") if test in PYTHONS else sys.executable
        if not python:
            print(f"{test}: skipped: {PYTHONS[test]} names no Python")
            continue
        done = subprocess.run([python, ROOT / "tests" / test], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.stdout.startswith("skipped"):
            print(f"{test}: {done.stdout.strip()}")
            continue
        ran = re.search(r"^Ran (\d+) tests?", done.stderr, re.M)
        if done.returncode != 0 or ran is None:
            failed = True
            print(done.stderr, file=sys.stderr)
            figures = ["failed"]
        else:
            figures = re.findall(r"^\.*(\S[^\n]*: [^\n]+)$", done.stdout, re.M)
            figures.append(f"{ran[1]} tests in all")
        if skipped := re.search(r"skipped=(\d+)", done.stderr):
            figures.append(f"{skipped[1]} skipped")
        rows.append((", ".join(version(python, package) for package in packages), "; ".join(figures)))
        print(f"{test}: {'; '.join(figures)}", flush=True)
    if "--page" in sys.argv and not failed:
        today = datetime.datetime.now(datetime.timezone.utc).date()
        text = PAGE.read_text(encoding="utf-8")
        lines = [f"| {a} | {b} |" for a, b in rows]
        if chosen:
            mine = tuple(" ".join(line.split()[:2]) + " " for line in lines)  # By the first package.
            old = re.search(r"<!-- suites -->.*?<!-- end -->", text, re.S)[0].splitlines()
            lines = [line for line in old if line.startswith("| ") and not line.startswith(("| packages", "| ---", *mine))] + lines
        table = "\n".join(["| packages | result |", "| --- | --- |", *lines])
        made = f"<!-- suites -->\nRun on {today}.\n\n{table}\n<!-- end -->"
        PAGE.write_text(re.sub(r"<!-- suites -->.*?<!-- end -->", lambda _: made, text, flags=re.S),
                        encoding="utf-8")
    sys.exit(failed)


if __name__ == "__main__":
    main()
