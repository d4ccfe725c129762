"""`spoor mcp` and `/mcp` of `spoor serve`, asked by clients of the official SDK. SPOOR_MCP_PYTHON names a Python that has
the package 'mcp', of version 1 (revision 2025-11-25) or 2 (2026-07-28); else this one is asked.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

from client import LEGACY, MODERN, PROGRAM, Place, Web
from server_test import READING, filled

CLIENT = pathlib.Path(__file__).with_name("official_client.py")


PYTHON = os.environ.get("SPOOR_MCP_PYTHON", sys.executable)
VERSION = subprocess.run([PYTHON, "-c", "import importlib.metadata; print(importlib.metadata.version('mcp'))"],
                         capture_output=True, text=True, check=False).stdout.strip()


class Official(unittest.TestCase):
    def check(self, place, *where):
        done = subprocess.run([PYTHON, CLIENT, *where], cwd=place.folder, env=place.environment, text=True, timeout=120,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual(told["revision"], LEGACY if VERSION.startswith("1.") else MODERN)
        self.assertEqual((told["tools"], told["required"]), (READING, ["text"]))
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
    if not VERSION:
        print("skipped: no package 'mcp' for", PYTHON)
        sys.exit()
    unittest.main()
