#!/usr/bin/env python3
"""Runs with tools, providers, clocks and scrubbers in Python. Needs SPOOR_LIBRARY or an installed package."""
import asyncio
import contextlib
import datetime
import functools
import io
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import typing
import unittest

import examples
import spoor


def reply(text="", **calls):
    """The body of an answer of OpenAI's Responses API, with calls by their tools' names."""
    made = [{"type": "function_call", "call_id": f"c{i}", "name": name, "arguments": json.dumps(arguments)}
            for i, (name, arguments) in enumerate(calls.items())]
    words = {"type": "message", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": text, "annotations": []}]}
    return {"id": "r", "object": "response", "status": "completed", "model": "gpt-5",
            "output": [words, *made] if text else made,
            "usage": {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}}


class Provider:
    """Answers with bodies, or with (status, body), one after the other."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def __call__(self, url, body):
        self.requests.append((url, json.loads(body)))
        answer = self.answers.pop(0)
        status, document = answer if isinstance(answer, tuple) else (200, answer)
        return status, json.dumps(document).encode()


def look(path: str, lines: typing.Optional[int] = None) -> dict:
    "Shows a file."
    return {"path": path, "lines": lines}


class RunsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.store = self.opened("runs.spoor")

    def opened(self, name, **options):
        store = spoor.open(self.folder / name, create=True, relaxed=True, **options)
        self.addCleanup(store.close)
        return store

    def run_with(self, *answers, goal="What is it?", **options):
        self.provider = Provider(*answers)
        return self.store.run(goal, "openai/gpt-5", send=self.provider, **options)

    def test_a_call_and_an_answer(self):
        events = []
        result = self.run_with(reply(look={"path": "a.txt"}), reply("It is a file."), tools=[look],
                               on_event=lambda event, text: events.append(event), instructions="Be brief.", rates="input=1 output=10")
        self.assertEqual((result.stopped, result.answer, result.error), ("goal_achieved", "It is a file.", ""))
        self.assertEqual(json.loads(json.loads(result.steps[0].observation)), {"path": "a.txt", "lines": None})
        self.assertEqual((result.tokens, result.dollars, result.is_cost_known), (220, 0.0004, True))
        url, body = self.provider.requests[1]
        self.assertTrue(url.endswith("/responses"), url)
        self.assertFalse(body.get("stream", False))
        self.assertIn("Be brief.", json.dumps(body))
        for event in ("started", "asking", "call", "result", "ended"):
            self.assertIn(event, events)
        # The record has what was sent, byte for byte in the requests that the provider got.
        tools = [turn for turn in self.store.log("main") if turn.type == "tool"]
        self.assertEqual(len(tools), 1)
        self.assertEqual(self.store.show("main")["meta"]["run"], result.run)

    def test_the_example_of_the_page(self):
        provider = Provider(reply(head={"path": str(self.folder / "README.md"), "lines": 1}), reply("A title."))
        (self.folder / "README.md").write_text("# Title\nmore\n", encoding="utf-8")

        class Scripted:
            run = staticmethod(functools.partial(self.store.run, send=provider))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            scope = examples.run("Agents", {"store": Scripted})
        self.assertEqual(scope["result"].steps[0].observation, '"# Title"')
        self.assertEqual(printed.getvalue(), "A title. 0.0\n")

    def test_what_the_model_is_told_of_a_tool(self):
        @spoor.tool(id="files.look", needs_approval=True)
        def find(pattern: str, kind: typing.Literal["file", "folder"] = "file", names: typing.Sequence[str] = ()):
            """Finds files."""
        self.assertEqual(find.parameters, {
            "type": "object", "required": ["pattern"], "additionalProperties": False, "properties": {
                "pattern": {"type": "string"}, "kind": {"enum": ["file", "folder"]},
                "names": {"type": "array", "items": {"type": "string"}}}})
        self.assertEqual((find.id, find.description, find.needs_approval), ("files.look", "Finds files.", True))

        def loose(names: typing.List, most: typing.Optional[int] = None):
            pass
        self.assertEqual(spoor.tool(loose).parameters["properties"], {
            "names": {"type": "array"}, "most": {"anyOf": [{"type": "integer"}, {"type": "null"}]}})
        with self.assertRaises(spoor.InvalidError):
            spoor.tool(functools.partial(loose, []))

        def many(*names: str):
            pass
        with self.assertRaises(spoor.InvalidError):
            self.run_with(tools=[many])

    def test_an_exception_of_a_tool_is_told_to_the_model(self):
        def fail():
            raise KeyError("nothing")
        result = self.run_with(reply(fail={}), reply("It failed."), tools=[fail])
        self.assertTrue(result.steps[0].is_error)
        self.assertIn("KeyError: 'nothing'", json.dumps(self.provider.requests[1]))

    def test_a_coroutine_function_is_a_tool(self):
        async def fetch(url: str):
            await asyncio.sleep(0)
            loops.append(asyncio.get_running_loop())
            return "page of " + url

        async def run():
            result = await spoor.aio.Store(self.store).run("x", "openai/gpt-5", branch="aio", tools=[fetch], send=Provider(
                reply(fetch={"url": "b"}), reply("Done.")))
            self.assertIs(loops[-1], asyncio.get_running_loop())
            return result

        loops = []
        result = self.run_with(reply(fetch={"url": "a"}), reply("Done."), tools=[fetch])
        self.assertEqual(result.steps[0].observation, '"page of a"')
        self.assertEqual(asyncio.run(run()).steps[0].observation, '"page of b"')

    def test_arguments_that_do_not_fit_do_not_reach_the_function(self):
        called = []
        strict = spoor.Tool("look", "Shows a file.", spoor.tool(look).parameters, lambda **given: called.append(given))
        result = self.run_with(reply(look={"path": 7}), reply("Sorry."), tools=[strict])
        self.assertTrue(result.steps[0].is_error)
        self.assertEqual(called, [])

    def test_an_exception_of_the_program_stops_the_run_and_is_raised(self):
        class Odd(Exception):
            pass

        def send(url, body):
            raise Odd("no network")
        with self.assertRaises(Odd):
            self.store.run("x", "openai/gpt-5", send=send)

        def on_event(event, text):
            if event == "result":
                raise Odd(event)
        with self.assertRaises(Odd):
            self.run_with(reply(look={"path": "a"}), reply("y"), tools=[look], on_event=on_event, branch="second")
        self.assertEqual(len(self.provider.requests), 1)
        # It can be gone on with: the call is not made again.
        self.provider = Provider(reply("Done."))
        result = self.store.resume("openai/gpt-5", branch="second", tools=[look], send=self.provider)
        self.assertEqual(result.answer, "Done.")
        self.assertEqual(len([t for t in self.store.log("second") if t.type == "tool"]), 1)

    def test_a_person_is_asked(self):
        done = []

        @spoor.tool(needs_approval=True)
        def deploy(where: str) -> str:
            "Deploys."
            done.append(where)
            return "deployed"
        waiting = self.run_with(reply(deploy={"where": "here"}), tools=[deploy])
        self.assertEqual((waiting.waits_for, json.loads(waiting.waits_with), done), ("deploy", {"where": "here"}, []))
        self.provider = Provider(reply("Deployed."))
        result = self.store.resume("openai/gpt-5", approval=spoor.Approval(True), tools=[deploy], send=self.provider)
        self.assertEqual((result.answer, done), ("Deployed.", ["here"]))
        asked = []

        def approve(tool, arguments):
            asked.append((tool, arguments))
            return spoor.Approval(False, "not on a Friday")
        self.run_with(reply(deploy={"where": "there"}), reply("Not now."), tools=[deploy], approve=approve,
                      branch="two")
        self.assertEqual((asked, done), ([("deploy", {"where": "there"})], ["here"]))
        self.assertIn("not on a Friday", json.dumps(self.provider.requests[1]))

    def test_a_person_is_asked_about_a_call_without_arguments(self):
        @spoor.tool(needs_approval=True)
        def stop() -> str:
            "Stops."
            return "stopped"
        call = reply(stop={})
        call["output"][0]["arguments"] = ""
        result = self.run_with(call, reply("Stopped."), tools=[stop],
                               approve=lambda tool, arguments: spoor.Approval(arguments == {}))
        self.assertEqual(result.steps[0].observation, '"stopped"')

    def test_a_refusal_of_the_provider_is_a_result(self):
        result = self.run_with((401, {"error": {"message": "no such key", "type": "auth"}}))
        self.assertEqual(result.stopped, "error")
        self.assertIn("no such key", result.error)

    def test_options_that_are_wrong(self):
        for options in ({"strategy": "magic"}, {"max_step": 3}, {"max_steps": "many"}):
            with self.assertRaises(spoor.InvalidError, msg=options):
                self.run_with(**options)
        with self.assertRaises(spoor.InvalidError):
            self.run_with(goal="")
        with self.assertRaises(spoor.NotFoundError):
            self.store.run("x", "nobody/m", send=lambda url, body: (200, b""))

    def test_read_only_tools_are_called_at_the_same_time(self):
        both = threading.Barrier(2, timeout=30)

        @spoor.tool(read_only=True)
        def wait(name: str) -> str:
            "Waits for the other."
            both.wait()
            return name

        @spoor.tool(read_only=True, id="wait2")
        def other(name: str) -> str:
            "Waits for the other."
            both.wait()
            return name
        result = self.run_with(reply(wait={"name": "a"}, wait2={"name": "b"}), reply("Both."), tools=[wait, other])
        self.assertEqual(result.answer, "Both.")
        self.assertEqual([step.is_error for step in result.steps[:2]], [False, False])

    def test_ctrl_c_ends_a_run_that_waits_for_the_provider(self):
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        program = """if True:
            import spoor, sys
            store = spoor.open(sys.argv[1], create=True)
            try:
                store.run("Wait.", "openai/m", base_url=sys.argv[2])
            except KeyboardInterrupt:
                print("interrupted", store.call("log", rev="main", limit=1)["commits"][0]["type"])
        """
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with subprocess.Popen([sys.executable, "-c", program, self.folder / "waits.spoor", url],
                              env={**os.environ, "OPENAI_API_KEY": "none"}, stdout=subprocess.PIPE, text=True) as running:
            silent.settimeout(60)
            connection, _ = silent.accept()
            connection.recv(1)
            pressed = time.monotonic()
            running.send_signal(signal.SIGINT)
            self.assertTrue(running.communicate(timeout=60)[0].startswith("interrupted "))
            self.assertLess(time.monotonic() - pressed, 30)  # The library would wait for 120 s.
            connection.close()

    def test_ctrl_c_ends_a_function_of_the_program(self):
        program = """if True:
            import json, spoor, sys, time
            def wait() -> str:
                "Waits."
                print("waiting", flush=True)
                time.sleep(60)
            store = spoor.open(sys.argv[1], create=True)
            try:
                store.run("Wait.", "openai/gpt-5", tools=[wait], send=lambda url, body: (200, sys.argv[2].encode()))
            except KeyboardInterrupt:
                print("interrupted")
        """
        with subprocess.Popen([sys.executable, "-c", program, self.folder / "waits.spoor", json.dumps(reply(wait={}))],
                              stdout=subprocess.PIPE, text=True) as running:
            self.assertEqual(running.stdout.readline(), "waiting\n")
            running.send_signal(signal.SIGINT)
            self.assertEqual(running.communicate(timeout=50)[0], "interrupted\n")

    def test_other_signals_reach_the_event_loop(self):
        program = """if True:
            import asyncio, os, signal, spoor, sys
            def send(url, body):
                os.kill(os.getpid(), signal.SIGTERM)
                return 200, sys.argv[2].encode()
            async def main():
                ended = asyncio.Event()
                asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
                spoor.open(sys.argv[1], create=True).run("Wait.", "openai/gpt-5", send=send)
                await asyncio.wait_for(ended.wait(), 30)
                print("told")
            asyncio.new_event_loop().run_until_complete(main())
        """
        ended = subprocess.run([sys.executable, "-c", program, self.folder / "told.spoor", json.dumps(reply("Done."))],
                               stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(ended.stdout, "told\n")

    def test_a_clock_and_a_scrubber(self):
        at = datetime.datetime(2030, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
        slots = set()

        def scrub(slot, text):
            slots.add(slot)
            return text.replace("s3cret", "[gone]")
        store = spoor.open(self.folder / "clean.spoor", create=True, clock=lambda: at, scrub=scrub)
        store.branch().user("the word is s3cret", metadata={"note": "s3cret"})
        turn = next(store.log())
        self.assertEqual((turn.text, turn.time), ("the word is [gone]", at))
        provider = Provider(reply("I know s3cret."))
        self.assertEqual(store.run("tell s3cret", "openai/gpt-5", branch="run", send=provider).stopped, "goal_achieved")
        store.close()
        self.assertNotIn(b"s3cret", (self.folder / "clean.spoor").read_bytes())
        self.assertLessEqual({"text", "facts"}, slots)

    def test_a_scrubber_that_refuses(self):
        def scrub(slot, text):
            raise ValueError("not this")
        store = self.opened("refused.spoor", scrub=scrub)
        with self.assertLogs("spoor"), self.assertRaises(spoor.DeniedError):
            store.branch().user("anything")
        with self.assertRaises(spoor.NotFoundError):
            store.tip()


if __name__ == "__main__":
    unittest.main()
