"""`spoor blame FILE` and `spoor why FILE:LINE` on the sample session, and in repositories that want to run programs."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["SPOOR_PROGRAM"]
SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/data/sample-session.jsonl"


def last_version(path):
    """The file after the last edit of it in the sample session."""
    text = None
    for line in SAMPLE.read_text().splitlines():
        result = json.loads(line).get("toolUseResult")
        if isinstance(result, dict) and str(result.get("filePath", "")).endswith(path):
            text = result["originalFile"].replace(result["oldString"], result["newString"], 1)
    return text


@unittest.skipIf(shutil.which("git") is None, "no git")
class CommandTest(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="spoor-blame-"))
        self.addCleanup(shutil.rmtree, self.home)
        self.top = self.home / "shop"
        (self.top / "shop").mkdir(parents=True)
        self.file = self.top / "shop/cart.py"
        self.file.write_text(last_version("shop/cart.py"))
        self.git("init", "-q", "-b", "trunk")
        self.spoor("import", str(SAMPLE))

    def environment(self):
        return {**os.environ, "HOME": str(self.home), "XDG_DATA_HOME": "", "XDG_STATE_HOME": "",
                "XDG_CONFIG_HOME": "", "SPOOR_STORE": "", "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
                "GIT_COMMITTER_EMAIL": "a@b"}

    def git(self, *words):
        subprocess.run(["git", "-C", str(self.top), *words], check=True, env=self.environment(),
                       capture_output=True)

    def run_spoor(self, *words, folder=None, text=None):
        return subprocess.run([PROGRAM, *words], cwd=folder or self.top, capture_output=True, text=True,
                              check=False, input=text, env=self.environment())

    def spoor(self, *words, **more):
        done = self.run_spoor(*words, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def number_of(self, text):
        return self.file.read_text().split("\n").index(text) + 1

    def test_each_line_has_its_turn(self):
        rows = json.loads(self.spoor("blame", "shop/cart.py", "--json"))
        self.assertEqual(rows["file"], "shop/cart.py")
        by_text = {row["text"]: row for row in rows["lines"]}
        edit = by_text["    def cents(self):"]["edit"]
        self.assertEqual((edit["agent"], edit["tool"], edit["turn"][:8]), ("claude-code", "Edit", "e5d39746"))
        self.assertEqual(by_text["class Line:"]["writer"], "other")
        self.assertIsNone(by_text["class Line:"]["edit"])
        self.assertEqual(len(rows["lines"]), len(self.file.read_text().splitlines()))

    def test_the_file_as_recorded_edits_left_it(self):
        text = self.file.read_text()
        shutil.rmtree(self.top / "shop")
        for path in ("/home/dev/shop/shop/cart.py", "shop/cart.py", "cart.py"):
            rows = json.loads(self.spoor("blame", "--recorded", path, "--json"))
            self.assertEqual(rows["file"], "/home/dev/shop/shop/cart.py")
            self.assertEqual([row["text"] for row in rows["lines"]], text.splitlines())
            self.assertEqual((rows["recorded"]["time"][:10], rows["recorded"]["missing"]), ("2026-03-14", 0))
            by_text = {row["text"]: row for row in rows["lines"]}
            self.assertEqual(by_text["    def cents(self):"]["edit"]["turn"][:8], "e5d39746")
            self.assertEqual(by_text["class Line:"]["writer"], "other")
        told = self.run_spoor("blame", "--recorded", "shop/cart.py")
        self.assertIn("the file was not read", told.stderr)

    def test_what_is_recorded_is_not_read(self):
        # The file is here, and another one than the edits give.
        self.file.write_text("other\n")
        self.assertNotIn("other\n", self.spoor("blame", "--recorded", str(self.file.relative_to(self.top))).split("1  ")[-1])
        for words, part in ((["/etc/passwd"], "no session edited '/etc/passwd'"), (["shop/none.py"], "no session edited"),
                            ([], "needs a file"), (["shop/cart.py", "--window", "2"], "is for prompts")):
            with self.subTest(words=words):
                failed = self.run_spoor("blame", "--recorded", *words)
                self.assertIn(part, failed.stderr)
                self.assertNotEqual(failed.returncode, 0)

    def test_the_example_of_the_page(self):
        page = (SAMPLE.parents[2] / "docs/blame.md").read_text()
        start = page.index("    $ spoor blame shop/cart.py:8-15\n")
        shown = page[start:page.index("    $ spoor why", start)].splitlines()[1:]
        told = self.spoor("blame", "shop/cart.py:8-15").splitlines()
        self.assertEqual([line[4:].rstrip() for line in shown], [line.rstrip() for line in told])

    def test_lines_and_working_folder(self):
        number = self.number_of("    def cents(self):")
        told = self.spoor("blame", f"cart.py:{number}-{number + 1}", folder=self.top / "shop")
        self.assertEqual([line.split()[0] for line in told.splitlines()], ["e5d39746"] * 2)
        failed = self.run_spoor("blame", "shop/cart.py:900")
        self.assertIn("has no line", failed.stderr)
        self.assertEqual(failed.returncode, 1)

    def test_after_commit_and_rename(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all")
        self.git("mv", "shop/cart.py", "basket.py")
        before = self.spoor("blame", "basket.py")
        self.git("commit", "-q", "-m", "rename")
        self.assertEqual(before, self.spoor("blame", "basket.py"))
        self.assertIn("e5d39746", before)

    def test_edits_under_the_name_that_another_branch_gave_the_file(self):
        # The sessions edited shop/cart.py, and HEAD has the text under a name that it never had.
        text = self.file.read_text()
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all")
        self.git("switch", "-q", "-c", "side")
        self.git("mv", "shop/cart.py", "basket.py")
        self.git("commit", "-q", "-m", "rename")
        self.git("switch", "-q", "--orphan", "alone")
        (self.top / "basket.py").write_text(text)
        self.git("add", "basket.py")
        self.git("commit", "-q", "-m", "squashed")
        self.assertIn("e5d39746", self.spoor("blame", "basket.py"))

    def test_edits_through_a_link_are_of_the_file(self):
        # The file was edited under a name that is a link now.
        shutil.move(self.file, self.top / "shop/real.py")
        self.file.symlink_to("real.py")
        folder = self.home / "linked"
        folder.symlink_to(self.top)
        session = SAMPLE.read_text().replace("/home/dev/shop/", f"{folder}/")
        for name in ("5b0e6c1a", "6b0e6c1a"):
            session = session.replace(name, "7c0e6c1a")
        (self.home / "linked.jsonl").write_text(session)
        self.spoor("import", str(self.home / "linked.jsonl"))
        rows = json.loads(self.spoor("blame", "shop/real.py", "--json"))["lines"]
        by_text = {row["text"]: row for row in rows}
        self.assertEqual(by_text["    def cents(self):"]["edit"]["agent"], "claude-code")

    def test_why_names_request_reasoning_change_and_tests(self):
        number = self.number_of("    def cents(self):")
        told = self.spoor("why", f"shop/cart.py:{number}")
        for part in ("e5d39746", "Thanks. Don't leave that cent", "Rounding rows one by one", "+    def cents(self):",
                     "python3 -m unittest -q  ok"):
            self.assertIn(part, told)
        reason = json.loads(self.spoor("why", "--file", "shop/cart.py", "--line", str(number), "--json"))["reason"]
        self.assertEqual((reason["source"], reason["tests"]["outcome"]), ("thinking", "ok"))
        self.assertIn("other", self.spoor("why", f"shop/cart.py:{self.number_of('class Line:')}"))

    def test_a_phrase_is_still_a_phrase(self):
        self.assertIn("message", self.spoor("why", "rows add up"))
        self.assertIn("user", self.spoor("blame"))

    def test_a_word_that_is_both_is_refused(self):
        (self.top / "main").write_text("text\n")
        self.spoor("branch", "main")
        failed = self.run_spoor("blame", "main")
        self.assertIn("'main' is a file and a revision", failed.stderr)
        self.assertIn("./main", failed.stderr)
        self.assertIn("other", self.spoor("blame", "./main"))
        self.assertIn("message", self.spoor("blame", "refs/heads/main", "--json"))

    def test_errors(self):
        for words, part in ((["blame", "./none.py"], "no file './none.py'"),
                            (["blame", "shop/cart.py", "--window", "2"], "is for prompts"),
                            (["why", "--file", "shop/cart.py"], "go together"),
                            (["why", "shop/cart.py:1-3"], "one line")):
            with self.subTest(words=words):
                failed = self.run_spoor(*words)
                self.assertIn(part, failed.stderr)
                self.assertNotEqual(failed.returncode, 0)
        (self.top / "picture").write_bytes(b"a\0b")
        self.assertIn("not a text file", self.run_spoor("blame", "./picture").stderr)

    def test_an_agent_asks_over_mcp(self):
        number = self.number_of("    def cents(self):")
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"name": "why", "arguments": {"file": "shop/cart.py", "line": number},
                              "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                                        "io.modelcontextprotocol/clientCapabilities": {},
                                        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}}}}
        told = self.spoor("mcp", text=json.dumps(request) + "\n")
        self.assertIn("Rounding rows one by one", told)

    def test_a_hostile_repository_runs_nothing(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all")
        trap = self.home / "trap.sh"
        trap.write_text(f"#!/bin/sh\ntouch {self.home}/sprung\ncat 2>/dev/null\n")
        trap.chmod(0o755)
        hooks = self.top / ".git/hooks"
        hooks.mkdir(exist_ok=True)
        for hook in ("post-index-change", "reference-transaction", "post-checkout"):
            shutil.copy(trap, hooks / hook)
        for setting in ("core.fsmonitor", "core.pager", "pager.log", "diff.external", "core.sshCommand",
                        "diff.bad.textconv", "diff.bad.command", "filter.bad.clean", "filter.bad.smudge",
                        "filter.bad.process", "gpg.program", "core.editor", "core.alternateRefsCommand"):
            self.git("config", setting, str(trap))
        self.git("config", "log.showSignature", "true")
        self.git("config", "core.hooksPath", str(hooks))
        (self.top / ".git/info").mkdir(exist_ok=True)
        (self.top / ".git/info/attributes").write_text("* diff=bad filter=bad\n")
        (self.home / "sprung").unlink(missing_ok=True)
        self.assertIn("e5d39746", self.spoor("blame", "shop/cart.py"))
        self.assertFalse((self.home / "sprung").exists())
        # The trap is armed: git itself falls into it.
        subprocess.run(["git", "-C", str(self.top), "diff"], env=self.environment(), capture_output=True, check=False)
        subprocess.run(["git", "-C", str(self.top), "status"], env=self.environment(), capture_output=True,
                       check=False)
        self.assertTrue((self.home / "sprung").exists())


if __name__ == "__main__":
    unittest.main()
