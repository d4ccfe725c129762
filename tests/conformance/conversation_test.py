"""Conversations with an agent through the server: what a script gets, and what another model is sent."""
import json
import unittest

from program_test import DONE, FIRST, READ, ProgramCase


class Conversation(ProgramCase):
    MODEL = "anthropic/claude-opus-5-5"

    def setUp(self):
        super().setUp()
        self.work = self.folder / "work"  # Without the store.
        self.work.mkdir()
        (self.work / "notes.txt").write_text("forty-two\n")

    def chat(self, *words, model=MODEL, **options):
        return self.spoor("chat", "--model", model, "--tools", "read_file,run_command", "--root", "work", *words, **options)

    def test_each_turn_only_adds_to_the_conversation(self):
        server = self.serve(READ, DONE, READ, DONE)
        self.assertEqual(self.chat("--print", "find it").stdout, "It is forty-two.\n")
        self.assertEqual(self.chat("--print", "again", new=False).returncode, 0)
        self.assertEqual(set(self.verdicts(server)), {"ok"})
        bodies = [one["body"] for one in server.entries() if one["method"] == "POST"]
        for before, after in zip(bodies, bodies[1:]):
            self.assertEqual(plain(after)[:len(plain(before))], plain(before))
            self.assertEqual(after["system"], before["system"])

    def test_a_run_after_a_chat_and_a_chat_after_a_run_that_ended_are_taken(self):
        refused = {}
        for model in FIRST:
            if model.startswith("openai-chat/") or model == "ollama/gemma3:4b":  # They make no calls, or without thinking.
                continue
            server = self.serve(DONE, READ, DONE)
            ends = [self.spoor("chat", "--model", model, "hello"),
                    self.run_agent(model, "--max-steps", "1", new=False),
                    self.spoor("chat", "--model", model, "and now?", new=False)]
            if [end.returncode for end in ends] != [0, 1, 0] or set(self.verdicts(server)) != {"ok"}:
                refused[model] = (self.verdicts(server), ends[-1].stderr)
            if not model.startswith(("anthropic/", "openai", "gemini/")):
                messages = server.entries()[-1]["body"]["messages"]
                self.assertEqual([at for at, one in enumerate(messages) if one["role"] == "system"], [0], model)
        self.assertEqual(refused, {})

    def test_another_model_is_not_sent_thinking_that_it_cannot_read(self):
        server = self.serve(READ, DONE, DONE)
        self.assertEqual(self.chat("--print", "find it").returncode, 0)
        result = self.chat("--print", "sure?", model="anthropic/claude-sonnet-5", new=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("does not read thinking of 'claude-opus-5-5'", result.stderr)
        self.assertNotIn('"thinking":"Let me look."', json.dumps(server.entries()[-1]["body"], separators=(",", ":")))
        self.assertEqual(set(self.verdicts(server)), {"ok"})

    def test_without_a_person_a_call_waits_and_all_others_are_made(self):
        run = {"answer": {"thinking": "Run it.", "calls": [{"name": "run_command", "input": {"argv": ["touch", "made"]}}]}}
        self.serve(READ, run)
        result = self.chat("--print", "make it")
        self.assertEqual(result.returncode, 1)
        self.assertIn("'run_command' waits for approval", result.stderr)
        self.assertFalse((self.work / "made").exists())
        self.serve(READ, run, DONE)
        result = self.chat("--approve-all", "make it")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.work / "made").exists())

    def test_a_script_gets_events_and_the_result_as_lines(self):
        self.serve(READ, DONE)
        result = self.chat("--json-lines", "find it")
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        events, last = lines[:-1], lines[-1]
        self.assertEqual(last["answer"], "It is forty-two.")
        self.assertEqual({one["run"] for one in lines}, {last["run"]})
        self.assertEqual([one["event"] for one in events if one["event"] not in ("text", "thinking")],
                         ["started", "asking", "call", "result", "asking", "ended"])
        self.assertEqual("".join(one["text"] for one in events if one["event"] == "thinking"), "Let me look.It is there.")
        self.assertEqual(json.loads(next(one for one in events if one["event"] == "call")["arguments"]), {"path": "notes.txt"})

    def test_options_of_requests_and_of_agents_exclude_each_other(self):
        self.serve()
        for words in (("--schema", "x"), ("--window", "3"), ("--no-stream",)):
            result = self.chat(*words, "x")
            self.assertEqual((result.returncode, result.stderr), (2, f"error: {words[0]} cannot be combined with tools\n"))
        result = self.spoor("chat", "--model", self.MODEL, "--approve-all", "x")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--approve-all needs --tools", result.stderr)


def plain(body):
    """The messages without the marks of the cache, which move."""
    return json.loads(json.dumps(body["messages"]), object_hook=lambda block: {
        key: value for key, value in block.items() if key != "cache_control"})


if __name__ == "__main__":
    unittest.main()
