"""spoor run with a server of the official SDK, over standard streams and HTTP. SPOOR_MCP_PYTHON names a Python that
has the package 'mcp', of version 1 (revision 2025-11-25) or 2 (2026-07-28); else this one is asked.
"""
import os
import pathlib
import socket
import subprocess
import sys
import time
import unittest

from mcp_test import Place

PYTHON = os.environ.get("SPOOR_MCP_PYTHON", sys.executable)
SERVER = pathlib.Path(__file__).with_name("official_server.py")
CALLS = [[("t.echo", {"text": "häl\"lo"}), ("t.add", {"a": 3, "b": 4})], ("t.fail", {}), ("t.picture", {}), ("t.slow", {}),
         ("t.echo", {"text": 7})]


def ask_python(code):
    return subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=False).stdout.strip()


class Official(unittest.TestCase):
    def check(self, *arguments):
        with Place() as place:
            (place.work / "official_server.py").write_text(SERVER.read_text(encoding="utf-8"), encoding="utf-8")
            done = place.run(CALLS, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            results = place.results()
            self.assertEqual(results[0], 'häl"lo')
            self.assertEqual(results[1].replace("\n", "").replace(" ", ""), '{"sum":7}')
            self.assertIn("rror executing tool fail", results[2])
            self.assertEqual(results[3], "[image: image/png, 15 bytes, attached]")
            self.assertEqual(results[4], "done")
            self.assertIn("expected string", results[5])
            self.assertIn("no differences", place.spoor("replay").stdout)

    def test_on_standard_streams(self):
        reads = ask_python("import sys; print(sys.prefix); print(sys.base_prefix)").split("\n")
        self.check("--mcp", f"t={PYTHON} official_server.py",
                   *[argument for path in reads for argument in ("--allow-read", path)])

    def test_over_http(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = subprocess.Popen([PYTHON, SERVER, "http", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(100):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.2)
            self.check("--mcp", f"t=http://127.0.0.1:{port}/mcp")
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    if ask_python("import mcp; print(1)") != "1":
        print("skipped: no package 'mcp' for", PYTHON)
        sys.exit()
    unittest.main()
