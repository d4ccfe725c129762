#!/usr/bin/env python3
"""Opens the report and the debrief of a hostile run in a headless Chromium: nothing of the run is
heeded, the policy of the page refuses nothing that the page needs and every script, and so the page
is the same with JavaScript and without.

Usage: SPOOR_PROGRAM=build/dev/spoor report_test.py [FOLDER]. Screenshots go to FOLDER, if given.
"""

import html.parser
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("SPOOR_PROGRAM")
if PROGRAM is None:
    sys.exit("error: SPOOR_PROGRAM names no program")
PROGRAM = str(pathlib.Path(PROGRAM).resolve())

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
if BROWSER is None:
    print("skipped: there is no chromium here ('./dev browser' installs one)")
    sys.exit(0)

SHOTS = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None

# What a model, a tool or a file may say so that somebody's browser does something.
HOSTILE = ("</li></td></main><script>document.title='owned'</script>"
           "<img src=\"http://127.0.0.1:9/x\" onerror=\"document.title='owned'\">"
           "<svg onload=\"document.title='owned'\"></svg><style>body{display:none}</style>"
           "<a href=\"javascript:alert(1)\">\u202ego</a>'\"&amp;\x1b]0;owned\x07")

SWITCHES = ["--headless", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--enable-logging=stderr", "--v=0", "--window-size=1100,1600"]
if os.geteuid() == 0:
    SWITCHES.append("--no-sandbox")


class Elements(html.parser.HTMLParser):
    """Which elements and attributes a document has, and its text."""

    def __init__(self):
        super().__init__()
        self.names = []
        self.attributes = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def elements_of(document):
    elements = Elements()
    elements.feed(document)
    return elements


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "work").mkdir()
        (cls.path / "work" / "a.txt").write_text(HOSTILE)
        call = {"id": "c1", "type": "function", "function": {
            "name": "read_file", "arguments": json.dumps({"path": "a.txt"})}}
        edit = {"id": "c2", "type": "function", "function": {
            "name": "write_file", "arguments": json.dumps({"path": "<img src=x>.txt", "text": HOSTILE})}}
        why = '<rationale call="1">' + json.dumps({"why": "I assume " + HOSTILE[:200]}) + "</rationale>"
        messages = [{"content": HOSTILE + why, "tool_calls": [call]},
                    {"content": None, "tool_calls": [edit]},
                    {"content": HOSTILE}]
        replies = [json.dumps({"id": f"r{number}", "object": "chat.completion", "model": "m",
                               "choices": [{"index": 0, "finish_reason": "stop",
                                            "message": {"role": "assistant", **message}}],
                               "usage": {"prompt_tokens": 100 + number, "completion_tokens": 7}})
                   for number, message in enumerate(messages)]
        (cls.path / "replies.jsonl").write_text("\n".join(replies))
        cls.spoor("run", HOSTILE.replace("\x1b]0;owned\x07", ""), "--model", "scripted/replies.jsonl",
                  "--root", "work", "--tools", "read_file,write_file")
        cls.spoor("judge", "HEAD~2", "--fail", "--note", HOSTILE.replace("\x1b]0;owned\x07", ""))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def spoor(cls, *words):
        environment = {"PATH": "/usr/bin:/bin", "HOME": cls.folder.name, "LC_ALL": "C.UTF-8",
                       "SPOOR_AUTHOR": "ada"}
        done = subprocess.run([PROGRAM, *words], cwd=cls.path, env=environment, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60)
        if done.returncode != 0:
            raise AssertionError(f"spoor {words[0]}: {done.stderr.decode()}")
        return done.stdout.decode()

    def browse(self, page, *switches):
        """The document that the browser made of a page, and what it complained of."""
        with tempfile.TemporaryDirectory() as profile:
            done = subprocess.run(
                [BROWSER, *SWITCHES, *switches, f"--user-data-dir={profile}", page.as_uri()],
                check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode(), done.stderr.decode()

    def check(self, command):
        source = self.spoor(command, "--html")
        page = self.path / f"{command}.html"
        page.write_text(source)
        written = elements_of(source)
        document, complaints = self.browse(page, "--dump-dom")
        shown = elements_of(document)
        # What was written is what is there: no text has become an element or an attribute.
        self.assertEqual(sorted(set(shown.names)), sorted(set(written.names)))
        self.assertFalse(set(shown.names) & {"script", "img", "a", "iframe", "object", "form"})
        self.assertFalse({name for name in shown.attributes if name.startswith("on")})
        self.assertFalse(shown.attributes & {"src", "href", "style", "srcset"})
        self.assertIn("<script>document.title='owned'</script>", shown.text)
        self.assertNotIn("\u202e", shown.text)
        self.assertNotIn("\x1b", shown.text)
        self.assertNotIn("<title>owned", document)
        # It keeps its own policy, so it has its style.
        self.assertNotIn("Content Security Policy", complaints)
        if SHOTS is not None:
            self.browse(page, f"--screenshot={SHOTS / (command + '.png')}")

    def test_report(self):
        self.check("report")

    def test_debrief(self):
        self.check("debrief")

    def test_a_page_that_is_changed_is_found_out_by_its_policy(self):
        page = self.path / "changed.html"
        page.write_text(self.spoor("report", "--html").replace("</main>", """<p style="color: red">
            <script>document.title='owned'</script></p></main>"""))
        document, complaints = self.browse(page, "--dump-dom")
        self.assertIn("Content Security Policy", complaints)
        self.assertNotIn("<title>owned", document)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
