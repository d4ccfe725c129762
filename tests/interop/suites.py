#!/usr/bin/env python3
"""Runs the tests of the Python package's adapters, with the suites of the frameworks' owners in them, of its tables with
their readers, and of frameworks that send their telemetry; prints a figure of each, and with --page writes them into
docs/interop.md.

Environment: as of tests/bindings/python/recording_test.py. Run it with the Python that has the packages:
./dev interop does."""
import datetime
import importlib.metadata
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
]


def version(package):
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{package} (not installed)"


def main():
    rows, failed = [], False
    for test, packages in TESTS:
        done = subprocess.run([sys.executable, ROOT / "tests" / test], text=True,
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
        rows.append((", ".join(map(version, packages)), "; ".join(figures)))
        print(f"{test}: {'; '.join(figures)}", flush=True)
    if "--page" in sys.argv and not failed:
        today = datetime.datetime.now(datetime.timezone.utc).date()
        table = "\n".join(["| packages | result |", "| --- | --- |", *(f"| {a} | {b} |" for a, b in rows)])
        text = PAGE.read_text(encoding="utf-8")
        made = f"<!-- suites -->\nRun on {today}.\n\n{table}\n<!-- end -->"
        PAGE.write_text(re.sub(r"<!-- suites -->.*?<!-- end -->", lambda _: made, text, flags=re.S),
                        encoding="utf-8")
    sys.exit(failed)


if __name__ == "__main__":
    main()
