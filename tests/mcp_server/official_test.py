"""`spoor mcp` and `/mcp` of `spoor serve`, asked by clients of the official SDKs. SPOOR_MCP_PYTHON names a Python that has
the package 'mcp', of version 1 (revision 2025-11-25) or 2 (2026-07-28); else this one is asked. SPOOR_MCP_NODE names a
folder with `node_modules/@modelcontextprotocol/`: `sdk` (2025-11-25), `client` (2026-07-28), or both.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

from client import LEGACY, MODERN, PROGRAM, Place, Web
from server_test import READING, filled

HERE = pathlib.Path(__file__).parent
PYTHON = os.environ.get("SPOOR_MCP_PYTHON", sys.executable)
NODE = os.environ.get("SPOOR_MCP_NODE", "")


def clients():
    """The revision and the command of each client that is installed."""
    version = subprocess.run([PYTHON, "-c", "import importlib.metadata; print(importlib.metadata.version('mcp'))"],
                             capture_output=True, text=True, check=False).stdout
    if version:
        yield LEGACY if version.startswith("1.") else MODERN, [PYTHON, HERE / "official_client.py"]
    for package, number, revision in (("sdk", "1", LEGACY), ("client", "2", MODERN)):
        if NODE and (pathlib.Path(NODE) / "node_modules/@modelcontextprotocol" / package).is_dir():
            yield revision, ["node", HERE / "official_client.mjs", number]


CLIENTS = list(clients())


class Official(unittest.TestCase):
    def check(self, place, *where):
        for revision, command in CLIENTS:
            with self.subTest(command=command):
                done = subprocess.run([*command, *where], cwd=place.folder, text=True, timeout=120, capture_output=True,
                                      env={**place.environment, "PATH": os.environ["PATH"], "SPOOR_MCP_NODE": NODE}, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                told = json.loads(done.stdout)
                self.assertEqual((told["revision"], told["tools"], told["required"]), (revision, READING, ["text"]))
                self.assertIn("pin broke the import", told["found"])
                self.assertEqual((told["failed"], "colour" in told["why"]), (True, True))
                self.assertTrue(told["read"].startswith("commit "))
                self.assertEqual((told["resources"], told["templates"]), (["spoor://main"], 1))

    def test_on_standard_streams(self):
        with Place() as place:
            self.check(place, os.path.abspath(PROGRAM), filled(place, 2)[-1])

    def test_over_http(self):
        with Place() as place:
            last = filled(place, 2)[-1]
            token = place.spoor("serve", "allow", "agent", "--may", "read").strip()
            with Web(place) as web:
                self.check(place, web.url, last, token)


if __name__ == "__main__":
    if not CLIENTS:
        print("skipped: no package 'mcp' for", PYTHON)
        sys.exit()
    unittest.main()
