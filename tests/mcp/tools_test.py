"""spoor run with tools that are programs, with skills, agents of files, AGENTS.md and notes."""
import json
import os
import signal
import subprocess
import time
import unittest

from mcp_test import PROGRAM, Place

LOOK = """#!/bin/sh
if [ "$1" = --describe ]; then echo '{"description": "Looks.", "input_schema": {"type": "object"}}'; exit; fi
read input
echo "$input" >> seen
echo "looked at $input"
"""
REVIEWER = """---
name: reviewer
description: Reviews a change.
tools: Read
---
You review. Be brief.
"""


class WithPlace(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.folder.cleanup)

    def put(self, path, text, mode=0o644):
        file = self.place.work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)

    def run_to(self, status, calls, *arguments, **more):
        done = self.place.run(calls, *arguments, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def system_prompt(self):
        """That of the run's branch."""
        return next(message["content"] for message in json.loads(self.place.spoor("compile", "--to", "openai").stdout)
                    if message["role"] == "system")


class Programs(WithPlace):
    def setUp(self):
        super().setUp()
        self.put("look", LOOK, 0o755)

    def test_a_call_runs_once_and_is_replayed_without_the_program(self):
        self.run_to(0, [("look", {"at": 1})], "--tool-command", "look=./look")
        self.assertEqual(self.place.results(), ['looked at {"at": 1}\n'])
        (self.place.work / "look").unlink()
        self.assertIn("no differences", self.place.spoor("replay").stdout)
        self.assertEqual((self.place.work / "seen").read_text(), '{"at": 1}\n')

    def test_approval_and_resume(self):
        self.run_to(1, [("look", {"at": 1})], "--tool-command", "look=./look", "--ask-before", "look")
        self.assertFalse((self.place.work / "seen").exists())
        self.put("look", LOOK.replace("Looks.", "Says something else now."), 0o755)
        done = self.place.spoor("resume", "--approve")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.place.results(), ['looked at {"at": 1}\n'])
        self.assertIn("no differences", self.place.spoor("replay").stdout)

    def test_a_copied_store_names_no_program(self):
        self.run_to(1, [("look", {})], "--tool-command", "look=./look", "--ask-before", "look")
        theirs = self.place.home / "theirs.spoor"
        theirs.write_bytes((self.place.home / ".local/share/spoor/.spoor").read_bytes())
        done = self.place.spoor("resume", "--approve", "--store", str(theirs))
        self.assertEqual(done.returncode, 1)
        self.assertIn("so it can only be read", done.stderr)
        self.assertFalse((self.place.work / "seen").exists())

    def test_the_run_does_not_begin_where_a_program_could_reach_the_store(self):
        done = self.run_to(1, [("look", {})], "--tool-command", "look=./look", "--root", str(self.place.home))
        self.assertIn("where a command could reach it", done.stderr)

    def test_mistakes_on_the_line(self):
        for given, words in (("look", "is not NAME=PROGRAM"), ("a b=./look", "is not NAME=PROGRAM"),
                             ("look=", "is not NAME=PROGRAM"), ("look=./nosuch", "cannot run")):
            done = self.place.run([], "--tool-command", given)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
        done = self.place.run([], "--tool-command", "grep=./look", "--tools", "grep")
        self.assertIn("the tool 'grep' already exists", done.stderr)

    def test_a_call_ends_with_the_run(self):
        self.put("slow", "#!/bin/sh\n[ \"$1\" ] && exit 2\nsleep 61; echo x > late\n", 0o755)
        process = subprocess.Popen(
            [PROGRAM, "run", "x", "--no-rationale", "--model", self.place.script([("slow", {})]), "--tool-command", "slow=./slow"],
            cwd=self.place.work, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
            env={"HOME": str(self.place.home), "PATH": os.environ["PATH"]})
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130, err)
        left = subprocess.run(["pgrep", "-f", "^sleep 61$"], capture_output=True, text=True, check=False).stdout
        self.assertEqual(left, "")


class Agents(WithPlace):
    def setUp(self):
        super().setUp()
        self.put(".claude/agents/reviewer.md", REVIEWER)
        self.put("a.txt", "hello\n")

    def test_an_agent_of_a_file_has_its_own_run(self):
        # The script's answers are counted in each conversation: both read first, and the run delegates then.
        done = self.run_to(0, [("read_file", {"path": "a.txt"}), ("reviewer", {"goal": "review a.txt"})],
                           "--tools", "read_file,write_file", "--agents", ".claude/agents")
        self.assertEqual(self.place.results(), ["1\thello".rjust(12) + "\n", "done"], done.stderr)
        runs = self.place.spoor("runs").stdout
        self.assertIn("review a.txt", runs)
        branch = json.loads(self.place.spoor("compile", "agents/reviewer-1", "--to", "openai").stdout)
        self.assertIn("You review. Be brief.", branch[0]["content"])
        self.assertIn("there is no tool 'reviewer'", json.dumps(branch))
        inner = runs.split("\n")[0].split()[0]
        for run in (inner, runs.split("\n")[1].split()[0]):
            self.assertIn("no differences", self.place.spoor("replay", run).stdout)

    def test_an_agent_waits_for_approval_as_other_tools_do(self):
        done = self.run_to(1, [("reviewer", {"goal": "x"})], "--agents", ".claude/agents", "--ask-before", "reviewer")
        self.assertIn("'reviewer' waits for approval", done.stderr)

    def test_what_an_agent_lacks_is_told(self):
        done = self.run_to(0, [], "--agents", ".claude/agents")
        self.assertIn("the agent 'reviewer' wants the tool 'read_file', which this run does not have", done.stderr)
        self.put("bad/x.md", "no frontmatter\n")
        done = self.run_to(1, [], "--agents", "bad")
        self.assertIn("'x.md' does not describe an agent", done.stderr)


class Texts(WithPlace):
    def test_agents_md_follows_the_system_prompt_unless_it_is_off(self):
        self.put("AGENTS.md", "Use tabs.\n")
        done = self.run_to(0, [])
        self.assertIn("instructions from", done.stderr)
        self.assertIn("Instructions of the project, from AGENTS.md:\n\nUse tabs.\n", self.system_prompt())
        (self.place.work / "AGENTS.md").write_text("Use blanks.\n")
        self.assertIn("no differences", self.place.spoor("replay").stdout)
        done = self.run_to(0, [("read_file", {"path": "AGENTS.md"})], "--no-agents-md", "--tools", "read_file")
        self.assertNotIn("instructions from", done.stderr)

    def test_a_skill_is_read_on_demand(self):
        self.put("skills/slug/SKILL.md", "---\nname: slug\ndescription: How slugs are made.\n---\nUse hyphens.\n")
        self.run_to(0, [("read_skill", {"name": "slug"}), ("read_skill", {"name": "x"})], "--skills", "skills")
        self.assertEqual(self.place.results(), ["Use hyphens.\n", "error: there is no skill 'x'"])
        self.assertIn("no differences", self.place.spoor("replay").stdout)

    def test_notes_are_kept_for_the_run(self):
        self.run_to(1, [("notes.add", {"text": "tea tins"}), ("notes.read", {}), ("list", {})],
                    "--tools", "notes.add,notes.read,list", "--ask-before", "list")
        done = self.place.spoor("resume", "--approve")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.place.results()[:2], ["noted", "- tea tins\n"])

    def test_started_programs_end_with_the_run(self):
        self.run_to(0, [("start_command", {"argv": ["sh", "-c", "echo up; sleep 62"]}), ("read_command", {"id": 1, "wait_s": 10})],
                    "--tools", "start_command,read_command")
        self.assertEqual(self.place.results(), ["started; its id is 1", "running\nup\n"])
        left = subprocess.run(["pgrep", "-f", "^sleep 62$"], capture_output=True, text=True, check=False).stdout
        self.assertEqual(left, "")


if __name__ == "__main__":
    unittest.main()
