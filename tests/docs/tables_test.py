#!/usr/bin/env python3
"""The columns of docs/python.md are those of docs/schema, with the same words."""
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Arrow has no empty date: a day that is not known is null.
DATES = {"day": "the day in UTC; null if it is not known, or costs are not listed by day"}
PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")

for table, schema in {"sessions": "sessions", "calls": "calls", "costs": "cost"}.items():
    [rows] = json.loads((ROOT / f"docs/schema/{schema}.json").read_text())["properties"].values()
    members = [(name, DATES.get(name, member["description"])) for name, member in rows["items"]["properties"].items()]
    section = PAGE.partition(f"### `store.{table}()`\n")[2].partition("\n#")[0]
    columns = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", section, re.M)
    assert columns == members, f"docs/python.md, store.{table}(): {set(columns) ^ set(members)}"
print("the tables of docs/python.md have the columns of docs/schema")
