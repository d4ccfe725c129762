"""The program's requests, judged by the server: what spoor asks each family of models for is what that family takes."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

from server import Server

PROGRAM = os.environ["SPOOR_PROGRAM"]

# A model of each family, by the provider that serves it.
FIRST = [
    *(f"anthropic/{name}" for name in (
        "claude-3-5-haiku-20241022", "claude-sonnet-4-20250514", "claude-sonnet-4-5", "claude-opus-4-1",
        "claude-opus-4-5", "claude-haiku-4-5", "claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-7",
        "claude-opus-4-8", "claude-sonnet-5", "claude-opus-5", "claude-fable-5", "claude-mythos-5",
        "claude-fable-5-1", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5")),
    *(f"{provider}/{name}" for provider in ("openai", "openai-chat") for name in (
        "gpt-4o", "gpt-4.1", "o3", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-5.1", "gpt-5.2", "gpt-5.4", "gpt-5.5",
        "gpt-5.6-sol", "gpt-6-sol", "gpt-6-astra", "gpt-6.1-terra")),
    *(f"gemini/{name}" for name in (
        "gemini-2.0-flash", "gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro", "gemini-3-pro-preview",
        "gemini-3-flash-preview", "gemini-3.1-pro-preview", "gemini-3.8-flash")),
    *(f"ollama/{name}" for name in ("qwen3", "gpt-oss:20b", "gemma3:4b", "llama3.2")),
    "deepseek/deepseek-chat", "deepseek/deepseek-v4-pro", "mistral/mistral-large-latest", "mistral/magistral-medium-latest",
    "xai/grok-4", "xai/grok-4.7", "kimi/kimi-k2-thinking", "glm/glm-5", "openrouter/anthropic/claude-opus-5.5",
]
EFFORTS = ("none", "minimal", "high", "max")
WIRES = ("anthropic/claude-opus-5-5", "openai/gpt-5.2", "openai-chat/gpt-5.2", "gemini/gemini-3-pro-preview", "ollama/qwen3")
BASES = {"anthropic": "", "ollama": "", "gemini": "/v1beta"}
KEYS = ("ANTHROPIC", "OPENAI", "GEMINI", "DEEPSEEK", "MISTRAL", "XAI", "MOONSHOT", "ZAI", "OPENROUTER")


class ProgramCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "notes.txt").write_text("forty-two\n")
        self.stores, self.lock = 0, threading.Lock()

    def serve(self, *steps, **options):
        server = Server(steps=steps, **options)
        server.__enter__()
        self.addCleanup(server.__exit__)
        server.config = self.folder / f"config{server.port}"
        config = server.config / "spoor" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        names = {model.split("/")[0] for model in FIRST}
        config.write_text("".join(
            f'[providers.{name}]\nbase_url = "{server.url}{BASES.get(name, "/v1")}"\n' for name in sorted(names)))
        self.server = server
        return server

    def spoor(self, *words, new=True, at=None):
        with self.lock:
            self.stores += new
            store = self.stores
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "NO_COLOR": "1",
                       "XDG_CONFIG_HOME": str((at or self.server).config),
                       "XDG_STATE_HOME": str(self.folder / "state"), "XDG_DATA_HOME": str(self.folder / "data"),
                       **{f"{name}_API_KEY": "sk-of-a-test-0123" for name in KEYS}}
        return subprocess.run([PROGRAM, "--store", str(self.folder / f"store{store}"), *words], env=environment,
                              cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)

    def run_agent(self, model, *words, **options):
        return self.spoor("run", "find it", "--model", model, "--tools", "read_file", *words, **options)

    def verdicts(self, server):
        return [one["verdict"] for one in server.entries() if one["method"] == "POST" and one["path"] != "/api/show"]


READ = {"answer": {"thinking": "Let me look.", "calls": [{"name": "read_file", "input": {"path": "notes.txt"}}]}}
DONE = {"answer": {"thinking": "It is there.", "text": "It is forty-two."}}


class Requests(ProgramCase):
    def test_the_first_request_to_each_model_is_taken(self):
        server = self.serve()
        refused = {}
        for model in FIRST:
            before = len(server.entries())
            result = self.spoor("chat", "--model", model, "hello")
            verdicts = [one["verdict"] for one in server.entries()[before:]]
            if result.returncode != 0 or verdicts != ["ok"]:
                refused[model] = (verdicts, result.stderr)
        self.assertEqual(refused, {})

    def test_each_effort_is_asked_for_in_a_way_that_the_model_takes(self):
        server = self.serve()
        refused = {}
        for model in FIRST:
            if model.split("/")[0] not in ("anthropic", "openai", "gemini"):
                continue
            for effort in EFFORTS:
                before = len(server.entries())
                result = self.spoor("chat", "--model", model, "--effort", effort, "hello")
                verdicts = [one["verdict"] for one in server.entries()[before:]]
                if result.returncode != 0 or verdicts != ["ok"]:
                    refused[model, effort] = (verdicts, result.stderr)
        self.assertEqual(refused, {})

    def test_a_loop_with_tools_is_taken_by_each_model(self):
        failed = {}
        for model in FIRST:
            if model == "ollama/gemma3:4b":  # It makes no calls.
                continue
            server = self.serve(READ, READ, DONE)
            result = self.run_agent(model, "--calling", "native")
            # OpenAI's chat completions have tools or reasoning, not both. Of later models they have no tools
            # at all, which the error says; `openai/` is the Responses API.
            taken = {"ok", "chat.tools_with_effort", "chat.tools_with_effort_early"} if model.startswith("openai-chat/") else {"ok"}
            few = len(self.verdicts(server)) <= 6
            if "chat.tools_never" in self.verdicts(server) and "/v1/responses" in result.stderr:
                self.assertLess(len(self.verdicts(server)), 5)
                continue
            if result.returncode != 0 or not set(self.verdicts(server)) <= taken or not few or "forty-two" not in result.stdout:
                failed[model] = (self.verdicts(server), result.stdout, result.stderr[-400:])
        self.assertEqual(failed, {})

    def test_thinking_is_kept_and_sent_back(self):
        for model in WIRES[:2]:
            server = self.serve(READ, DONE)
            self.assertEqual(self.run_agent(model).returncode, 0)
            sent = json.dumps(server.entries()[-1]["body"])
            self.assertTrue("signature" in sent or "encrypted_content" in sent, model)
            log = self.spoor("log", new=False).stdout
            self.assertIn("Let me look.", log, model)

    def test_a_server_that_knows_less_than_the_table_is_learnt_from(self):
        # To this server the model is one of the family that takes no such thinking.
        server = self.serve()
        for model in ("anthropic/claude-3-5-haiku-20241022", "openai/gpt-4o"):
            params = {"anthropic": '{"thinking":{"type":"adaptive"}}', "openai": '{"reasoning":{"effort":"low"}}'}
            words = ("chat", "--model", model, "--params", params[model.split("/")[0]], "hello")
            before = len(server.entries())
            result = self.spoor(*words)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("refuses a parameter", result.stderr)
            self.assertEqual([one["verdict"] == "ok" for one in server.entries()[before:]], [False, True])
            before = len(server.entries())
            again = self.spoor(*words)
            self.assertEqual([one["verdict"] for one in server.entries()[before:]], ["ok"])
            self.assertEqual(again.stderr.count("refused a parameter before"), 1, again.stderr)
        # A further one is refused in the same call: what was known is told once.
        params = '{"thinking":{"type":"adaptive"},"max_tokens":900000}'
        third = self.spoor("chat", "--model", "anthropic/claude-3-5-haiku-20241022", "--params", params, "hello")
        self.assertIn("refuses a parameter", third.stderr)
        self.assertEqual(third.stderr.count("refused a parameter before"), 1, third.stderr)
        listed = (self.folder / "state" / "spoor" / "refused-parameters.json").read_text()
        self.assertEqual(sorted(json.loads(listed)), ["anthropic/claude-3-5-haiku-20241022", "openai/gpt-4o"])

    def test_the_context_of_a_model_of_ollama_is_asked_for(self):
        server = self.serve(READ, DONE)
        self.assertEqual(self.run_agent("ollama/qwen3").returncode, 0)
        chats = [one["body"] for one in server.entries() if one["path"] == "/api/chat"]
        self.assertGreater(chats[0]["options"]["num_ctx"], 4096)
        self.assertIn("tools", chats[0])
        self.assertEqual([one.get("dropped", 0) for one in server.entries() if one["path"] == "/api/chat"], [0, 0])


class Outcomes(ProgramCase):
    def test_a_refusal_is_not_success(self):
        for model in WIRES[:4]:
            for stop in ("refusal", "content_filter"):
                self.serve({"answer": {"text": "I will not.", "stop": stop}})
                result = self.run_agent(model, "--json")
                self.assertEqual(result.returncode, 1, (model, stop, result.stderr))
                self.assertEqual(json.loads(result.stdout)["stopped"], "refused", (model, stop))

    def test_a_paused_answer_goes_on(self):
        server = self.serve({"answer": {"text": "Looking", "stop": "pause_turn"}}, DONE)
        result = self.run_agent("anthropic/claude-3-5-haiku-20241022")
        self.assertEqual(result.stdout, "Looking\n\nIt is forty-two.\n", result.stderr)
        self.assertEqual(self.verdicts(server), ["ok", "ok"])

    def test_a_long_answer_is_put_together(self):
        for model in WIRES:
            server = self.serve({"answer": {"text": "It is for", "stop": "max_tokens"}}, {"answer": {"text": "ty-two."}})
            result = self.run_agent(model, "--calling", "native")
            self.assertEqual(result.stdout, "It is forty-two.\n", (model, result.stderr))
            self.assertEqual(self.verdicts(server), ["ok", "ok"], model)

    def test_faults_on_the_way_are_lived_through(self):
        faults = ({"cut_after": 200}, {"cut_in_event": 2}, "close", {"status": 529}, {"status": 503}, {"status": 500},
                  {"status": 429, "headers": {"retry-after": "0"}}, {"error_event": 529, "after": 2}, "empty")

        def live_through(model, fault):
            server = self.serve(*[{**DONE, "fault": fault}] * (1 if fault == "empty" else 2), READ, DONE)
            result = self.run_agent(model, "--calling", "native", at=server)
            if (result.returncode, result.stdout) == (0, "It is forty-two.\n"):
                return None
            return model, fault, result.stderr, self.verdicts(server)

        # They wait most of the time.
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            tries = [pool.submit(live_through, model, fault) for model in WIRES for fault in faults]
            self.assertEqual([failed for one in tries if (failed := one.result())], [])

    def test_a_prompt_that_is_too_long_is_made_shorter(self):
        (self.folder / "notes.txt").write_text("a line of the notes\n" * 400)
        for model in WIRES[:4]:
            server = self.serve(*[READ] * 8, DONE, window=9000)
            result = self.run_agent(model, "--max-steps", "20", "--no-rationale", "--answer-tokens", "500")
            self.assertEqual((result.returncode, result.stdout), (0, "It is forty-two.\n"), (model, result.stderr[-900:]))
            self.assertIn("too long for the model", result.stderr, model)
            refused = [verdict for verdict in self.verdicts(server) if verdict != "ok"]
            self.assertLess(len(refused), 6, (model, refused))

    def test_a_full_window_keeps_the_front_of_the_prompt(self):
        (self.folder / "notes.txt").write_text("a line of the notes\n" * 100)
        server = self.serve(*[READ] * 40, DONE)
        result = self.run_agent(WIRES[0], "--max-steps", "60", "--window-tokens", "6000", "--no-rationale")
        self.assertEqual(result.returncode, 0, result.stderr[-900:])
        chats = [one for one in server.entries() if one["verdict"] == "ok"]
        kept = sum(one["kept"] for one in chats[1:])
        sent = sum(one["prompt"] for one in chats[1:])
        self.assertGreater(kept / sent, 0.6)

    def test_sixty_steps_of_thinking_go_through_summaries(self):
        (self.folder / "notes.txt").write_text("a line of the notes\n" * 100)
        talks = {"answer": {**READ["answer"], "text": "I look at the notes once more. " * 20}}
        summary = {"answer": {"thinking": "What is there to keep?", "text": "SEEN: notes.txt has a hundred lines."}}
        for model in (*WIRES, "anthropic/claude-sonnet-4-5", "anthropic/claude-fable-5-1"):
            server = self.serve(*[talks] * 60, DONE, asked={"little room left": summary})
            result = self.run_agent(model, "--max-steps", "70", "--window-tokens", "8000", "--no-rationale",
                                    "--calling", "native")
            self.assertEqual((result.returncode, result.stdout), (0, "It is forty-two.\n"), (model, result.stderr[-900:]))
            self.assertEqual(set(self.verdicts(server)), {"ok"}, model)
            bodies = [json.dumps(one["body"]) for one in server.entries() if "body" in one]
            summaries = sum("little room left" in body for body in bodies)
            self.assertTrue(2 <= summaries <= 12, (model, summaries))
            self.assertTrue(any("result left out: " in body for body in bodies), model)
            self.assertIn("SEEN: ", bodies[-1], model)
            replayed = self.spoor("replay", new=False)
            self.assertEqual(replayed.returncode, 0, (model, replayed.stdout[-900:]))
            verified = self.spoor("prompt", "HEAD~1", new=False)
            self.assertEqual(verified.returncode, 0, (model, verified.stderr))


if __name__ == "__main__":
    unittest.main()
