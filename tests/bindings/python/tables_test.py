#!/usr/bin/env python3
"""The tables of the Python package: their columns are those of docs/python.md, their values those
that the program prints. Needs SPOOR_LIBRARY, SPOOR_PROGRAM and pyarrow; what pandas, polars and DuckDB
read is tested where they are installed."""
import asyncio
import datetime
import decimal
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import spoor
import spoor.aio
from examples import PAGE, run

try:
    import pyarrow
except ImportError:
    print("skipped: no pyarrow")
    sys.exit(0)

ROOT = pathlib.Path(__file__).resolve().parents[3]
SESSIONS = [ROOT / "examples/data/sample-session.jsonl", ROOT / "examples/data/second-session.jsonl"]
OPS = {"sessions": "sessions", "calls": "calls", "costs": "cost"}
SUMS = ("answers", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
folder = tempfile.TemporaryDirectory()
STORE = pathlib.Path(folder.name) / "imported.spoor"


def program(*words):
    return subprocess.run([os.environ["SPOOR_PROGRAM"], "--store", STORE, *words], check=True,
                          capture_output=True, env={**os.environ, "HOME": folder.name}).stdout


def documents(command, *words):
    """Returns the rows that the program prints."""
    document = json.loads(program(command, *words, "--json"), parse_float=decimal.Decimal)
    [rows] = document.values()
    return rows


def plain(value):
    """Returns a value of a table as the program prints it."""
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, float):
        return decimal.Decimal(repr(value))
    return value.isoformat() if isinstance(value, datetime.date) else value


def dollars(rows):
    return sum(decimal.Decimal(str(row["cost_usd"])) for row in rows if row["cost_usd"] is not None)


class TablesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program("import", *SESSIONS)
        cls.store = spoor.open(STORE)
        cls.addClassCleanup(cls.store.close)

    def tables(self):
        return {"sessions": self.store.sessions(), "calls": self.store.calls(),
                "costs": self.store.costs()}

    def test_columns_and_their_types_are_those_of_the_page(self):
        page = PAGE.read_text(encoding="utf-8")
        for name, table in self.tables().items():
            section = page.partition(f"### `store.{name}()`\n")[2].partition("\n#")[0]
            listed = re.findall(r"^\| `(\w+)` \| ([^|]+) \| [^|]+ \|$", section, re.M)
            self.assertEqual(listed,
                             [(field.name, str(field.type).partition("<")[0]) for field in table.schema])

    def test_a_table_has_what_the_program_prints(self):
        by = [word for each in ("day", "model", "project", "agent") for word in ("--by", each)]
        for name, table in self.tables().items():
            rows = documents(OPS[name], *(by if name == "costs" else ()))
            self.assertGreater(len(rows), 1, name)
            printed = [{key: plain(value) for key, value in row.items()} for row in table.to_pylist()]
            self.assertEqual(printed, rows, name)

    def test_costs_add_up_to_what_the_program_prints(self):
        costs = self.store.costs().to_pylist()
        self.assertGreater(dollars(costs), 0)
        for words in ((), ("--by", "model"), ("--by", "agent", "--by", "day")):
            printed = documents("cost", *words)
            self.assertEqual(dollars(costs), dollars(printed))
            for name in SUMS:
                self.assertEqual(sum(row[name] for row in costs), sum(row[name] for row in printed))
        by_model = self.store.costs(by=["model"])
        self.assertEqual(by_model["day"].null_count, by_model.num_rows)
        self.assertEqual(dollars(by_model.to_pylist()), dollars(costs))

    def test_filters_are_those_of_the_program(self):
        some = self.store.calls(tool=["Bash"], failed=True)
        self.assertEqual([row["result"] for row in some.to_pylist()],
                         [row["result"] for row in documents("calls", "--tool", "Bash", "--failed")])
        self.assertTrue(0 < some.num_rows < self.store.calls().num_rows)
        [session] = self.store.sessions(limit=1).to_pylist()
        self.assertTrue(self.store.calls(session=[session["session"]]).num_rows)
        for table in (self.store.sessions, self.store.calls, self.store.costs):
            self.assertEqual(table(agent="nobody").num_rows, 0)
            self.assertEqual(table(agent="nobody").schema, table().schema)
            self.assertEqual(table(project="nowhere").num_rows, 0)
            self.assertEqual(table(since="2100-01-01").num_rows, 0)
        self.assertEqual(self.store.costs(model="nothing").num_rows, 0)
        with self.assertRaises(spoor.InvalidError):
            self.store.costs(by=["week"])

    def test_a_datetime_is_a_time(self):
        first = min(row["started"] for row in self.store.sessions().to_pylist())
        west = datetime.timezone(datetime.timedelta(hours=-9))
        self.assertEqual(self.store.calls(since=first.astimezone(west)).num_rows,
                         self.store.calls().num_rows)
        times = [row["time"] for row in self.store.calls().to_pylist()]
        middle = sorted(times)[len(times) // 2]
        self.assertEqual(self.store.calls(since=middle.astimezone(west)).num_rows,
                         sum(time >= middle for time in times))

    def test_the_async_twin_returns_the_same(self):
        async def read():
            async with await spoor.aio.open(STORE) as store:
                return await store.sessions(), await store.calls(limit=2), await store.costs()

        sessions, calls, costs = asyncio.run(read())
        self.assertEqual(sessions, self.store.sessions())
        self.assertEqual(calls, self.store.calls(limit=2))
        self.assertEqual(costs, self.store.costs())

    def test_unknown_values_are_null(self):
        with tempfile.TemporaryDirectory() as empty, spoor.open(
                pathlib.Path(empty) / "own.spoor", create=True) as store:
            store.branch("main").user("hi")
            call = spoor.ToolCall("c1", "look", "{}")
            store.branch("main").assistant("", [call])
            [row] = store.calls().to_pylist()
            self.assertEqual((row["tool"], row["outcome"]), ("look", "unanswered"))
            self.assertEqual((row["duration_ms"], row["exit_code"], row["result"]), (None,) * 3)
            [session] = store.sessions().to_pylist()
            self.assertIsNone(session["cost_usd"])

    def test_without_pyarrow_the_error_has_a_hint(self):
        with unittest.mock.patch.dict(sys.modules, pyarrow=None):
            with self.assertRaises(spoor.UnavailableError) as caught:
                self.store.calls()
        self.assertEqual(caught.exception.hint, "pip install pyarrow")

    def test_the_package_does_not_import_pyarrow(self):
        done = subprocess.run([sys.executable, "-c", "import spoor, sys; print('pyarrow' in sys.modules)"],
                              check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout, "False\n")

    def test_others_read_a_table(self):
        read = []
        spent, calls = self.store.costs(), self.store.calls()
        dollars_ = sum(value for value in spent["cost_usd"].to_pylist() if value is not None)
        try:
            import pandas
            frame = calls.to_pandas()
            self.assertEqual(str(frame["time"].dt.tz), "UTC")
            self.assertEqual(len(frame), calls.num_rows)
            self.assertAlmostEqual(spent.to_pandas()["cost_usd"].sum(), dollars_)
            read.append(f"pandas {pandas.__version__}")
        except ImportError:
            pass
        try:
            import polars
            frame = polars.from_arrow(calls)
            self.assertEqual(frame["time"].dtype, polars.Datetime("us", "UTC"))
            self.assertEqual(frame["outcome"].cast(polars.String).to_list(),
                             calls["outcome"].to_pylist())
            self.assertAlmostEqual(polars.DataFrame(spent)["cost_usd"].sum(), dollars_)
            read.append(f"polars {polars.__version__}")
        except ImportError:
            pass
        try:
            import duckdb
            found = duckdb.sql("SELECT sum(cost_usd), count(*) FROM spent").fetchall()[0]
            self.assertAlmostEqual(found[0], dollars_)
            self.assertEqual(found[1], spent.num_rows)
            self.assertEqual(duckdb.from_arrow(calls).aggregate("max(time)").fetchall()[0][0],
                             max(calls["time"].to_pylist()))
            read.append(f"DuckDB {duckdb.__version__}")
        except ImportError:
            pass
        print(f"\ntables: pyarrow {pyarrow.__version__}; read by {', '.join(read) or 'nothing else'}")

    def test_the_examples_of_the_page_run(self):
        with tempfile.TemporaryDirectory() as empty:
            scope = run("Tables", {"spoor": spoor, "store": self.store, "folder": empty})
            self.assertEqual(scope["calls"].num_rows, self.store.calls().num_rows)


if __name__ == "__main__":
    try:
        unittest.main()
    finally:
        folder.cleanup()
