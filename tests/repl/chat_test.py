"""A conversation with an agent, as a person sees it: the recording chat.txt is typed again, and the screen must be the same.

What was typed is in the recording, after a prompt. Its line that begins with `#` is Ctrl-C, which leaves nothing on the
screen. SPOOR_RECORD=1 writes a new screen into the file: look at it before you keep it.
"""
import json
import os
import pathlib
import re
import shutil
import sys
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "conformance"))

from server import Server
from typist import CTRL_C, CTRL_D, ENTER, Home, Typist

RECORDING = HERE / "chat.txt"
INTERRUPT = "# Ctrl-C while step 5 runs"
PROMPTS = re.compile(r"^(slug (?:\(no commits\)|[0-9a-f]{8})> |run it\? .*why not: )(.+)$")


def call(name, why, thinking, text="", **arguments):
    reason = "<rationale call=\"1\">" + json.dumps({"why": why}) + "</rationale>"
    return {"answer": {"thinking": thinking, "text": text + reason, "calls": [{"name": name, "input": arguments}]}}


STEPS = [
    call("run_command", "see what is wrong before anything is changed",
         "The check fails. Its output tells me where, so I should run it before I read anything.",
         "I run the check first.\n", argv=["./check.sh"]),
    call("read_file", "slugs are made there", "Underscores; slug.sh must write them.", path="slug.sh"),
    call("run_command", "old results may be in the way", "Perhaps a cache.", argv=["rm", "-rf", "cache"]),
    call("edit_file", "hyphens are wanted", "tr writes underscores.", path="slug.sh", old="tr ' ' '_'", new="tr ' ' '-'"),
    call("run_command", "wait for the file system", "I wait.", argv=["sleep", "60"]),
    call("run_command", "an edit proves nothing", "Again.", argv=["./check.sh"]),
    {"answer": {"thinking": "It passes now.", "text": "slug.sh wrote underscores. It writes hyphens now, and the check passes."}},
    {"answer": {"thinking": "One line.", "text": "One line of slug.sh: tr writes hyphens."}},
]


def normal(screen):
    """Without what differs from one folder and one version to the next."""
    return re.sub(r"\b[0-9a-f]{8}\b", "0123abcd", re.sub(r"/tmp/\S+?/", "~/", screen))


class Chat(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)
        self.slug = os.path.join(self.home.path, "slug")
        shutil.copytree(HERE.parent.parent / "examples" / "data" / "slug", self.slug)
        self.serve(STEPS)
        self.home.environment["ANTHROPIC_API_KEY"] = "sk-of-a-test-0123"

    def serve(self, steps):
        self.server = Server(steps=steps)
        self.server.__enter__()
        self.addCleanup(self.server.__exit__)
        config = pathlib.Path(self.home.path, ".config", "spoor", "config.toml")
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(f'[providers.anthropic]\nbase_url = "{self.server.url}"\n')

    def open(self, *words, tools="read_file,edit_file,run_command"):
        self.home.path, was = self.slug, self.home.path
        typist = Typist(self.home, columns=100, rows=70, words=(
            "chat", "--model", "anthropic/claude-opus-5-5", "--tools", tools, *words))
        self.home.path = was
        self.addCleanup(typist.__exit__)
        return typist

    def replay(self, recording):
        """Types what was typed; returns the screen after the last prompt."""
        person = self.open()
        for line in recording.splitlines():
            if line == INTERRUPT:
                person.wait_for("step 5: run_command")
                person.type(CTRL_C)
            if typed := PROMPTS.match(line):
                prompt = typed[1][:4]
                person.wait(lambda screen: screen.before_cursor().startswith(prompt)
                            and re.search(r"(> |why not: )$", screen.before_cursor()), line)
                person.type(typed[2])
                person.wait(lambda screen: screen.before_cursor().endswith(typed[2]), typed[2])
                person.type(ENTER)
                person.wait(lambda screen: not screen.before_cursor().endswith(typed[2]), "the next line")
        person.prompt()
        screen = person.screen.text()
        person.type(CTRL_D)
        self.assertEqual(person.wait_for_exit(), 0)
        return screen

    def test_the_recording_is_what_the_screen_shows(self):
        recording = RECORDING.read_text()
        screen = normal(self.replay(recording)) + "\n"
        screen = re.sub(r"\n(?=.* interrupted; it was ended)", f"\n{INTERRUPT}\n", screen, count=1)
        if os.environ.get("SPOOR_RECORD"):
            RECORDING.write_text(screen)
        self.assertEqual(screen, recording)
        self.assertIn("tr ' ' '-'", pathlib.Path(self.slug, "slug.sh").read_text())
        verdicts = {one["verdict"] for one in self.server.entries() if one["method"] == "POST"}
        self.assertEqual(verdicts, {"ok"})

    def test_a_kept_rule_answers_for_the_person_and_a_refused_one_too(self):
        state = pathlib.Path(self.home.path, ".local", "state", "spoor", "approvals.json")
        state.parent.mkdir(parents=True)
        rules = [{"root": os.path.realpath(self.slug), "tool": "run_command", "is": ["./check.sh"], "allow": True},
                 {"root": os.path.realpath(self.slug), "tool": "run_command", "begins": ["rm"], "allow": False},
                 {"root": os.path.realpath(self.slug), "tool": "edit_file", "begins": ["elsewhere"], "allow": True}]
        state.write_text(json.dumps(rules))
        person = self.open()
        person.prompt()
        person.type("make ./check.sh pass" + ENTER)
        person.wait_for("rule: edit_file slug.sh")
        self.assertIn("a person refused this call: by the rule", person.screen.text())
        self.assertIn("FAILED: three_tea_tins", person.screen.text())

    def test_all_lines_of_a_patch_are_shown_before_it_is_approved(self):
        patch = "@@ -1,2 +1,2 @@\n-#!/bin/sh\n+#!/bin/bash\nno line of a patch\n\\ No newline at end of file"
        self.serve([call("patch_file", "bash is there", "Change the first line.", path="slug.sh", patch=patch)])
        person = self.open(tools="patch_file")
        person.prompt()
        person.type("use bash" + ENTER)
        person.wait_for("run it?")
        screen = person.screen.text()
        self.assertIn('patch_file {"path":"slug.sh"}\n', screen)
        for line in patch.splitlines():
            self.assertIn(f"\n    {line}\n", screen)

    def test_a_killed_conversation_goes_on(self):
        person = self.open()
        person.prompt()
        person.type("make ./check.sh pass" + ENTER)
        person.wait_for("run it?")
        os.kill(person.pid, 9)
        self.assertEqual(person.wait_for_exit(), -9)
        again = self.open()
        again.wait_for("hint: the last turn did not come to its end; '/resume' continues it")
        again.prompt()
        again.type("/resume" + ENTER)
        again.wait_for("run it?")
        again.type("y" + ENTER)
        again.wait_for("FAILED: three_tea_tins")


if __name__ == "__main__":
    unittest.main()
