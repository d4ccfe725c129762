"""The script for a real model (live.py), with the strict model server in its place: it must run all parts, and notice faults."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

from server import Server

MODEL = "anthropic/claude-opus-5-5"


def call(name, **arguments):
    return {"answer": {"thinking": "Next.", "text": '<rationale call="1">{"why": "next"}</rationale>',
                       "calls": [{"name": name, "input": arguments}]}}


def fenced(value):
    return {"answer": {"text": f"```json\n{json.dumps(value)}\n```"}}


EDIT = {"path": "slug.sh", "old": "tr ' ' '_'", "new": "tr ' ' '-'"}
MEND = [call("run_command", argv=["./check.sh"]), call("edit_file", **EDIT), call("run_command", argv=["./check.sh"]),
        {"answer": {"text": "It passes."}}]
PLAN = [fenced({"plan": [{"action": "edit_file", "action_input": EDIT, "rationale": {"why": "next"}}, {"action": "finish", "final_answer": "It passes."}]}),
        {"answer": {"text": "It passes."}}]
CRITIC = [fenced({"verdict": "accept", "critique": "It passes."})]
YES = [{"answer": {"text": "yes"}}]


class Live(unittest.TestCase):
    def run_live(self, steps, **environment):
        with Server(steps=steps) as server:
            said = subprocess.run([sys.executable, str(HERE / "live.py")], capture_output=True, text=True, timeout=300, env={
                **os.environ, "ANTHROPIC_API_KEY": "sk-of-a-test-0123", "SPOOR_TEST_MODEL": MODEL,
                "SPOOR_TEST_URL": server.url, **environment}, check=False)
            return said, {one["verdict"] for one in server.entries()}

    def test_all_parts_run_and_do_their_tasks(self):
        said, verdicts = self.run_live([*YES, *MEND, *PLAN, *MEND, *CRITIC, *MEND, *YES])
        self.assertEqual((said.returncode, said.stderr, verdicts), (0, "", {"ok"}), said.stdout)
        self.assertEqual(said.stdout.count("task done"), 4, said.stdout)
        self.assertIn("proxy: recorded", said.stdout)
        self.assertTrue(said.stdout.endswith("live model: all parts ran\n"))

    def test_a_refusing_server_fails_the_parts(self):
        said, _ = self.run_live([{"fault": {"status": 403}}] * 60)
        self.assertEqual(said.returncode, 1)
        self.assertIn("chat: FAILED", said.stdout)

    def test_without_a_model_nothing_is_run(self):
        said, verdicts = self.run_live([], SPOOR_TEST_MODEL="")
        self.assertEqual((said.returncode, verdicts), (0, set()))
        self.assertEqual(said.stdout, "live model: not run (SPOOR_TEST_MODEL=PROVIDER/MODEL names one)\n")


if __name__ == "__main__":
    unittest.main()
