#!/usr/bin/env python3
"""The official clients of OpenAI, Anthropic and Google, recorded: each call is in the store with its exact
request, and a recorder that fails does not fail the call.

Environment: SPOOR_PROGRAM, SPOOR_FAKE_PROVIDER; SPOOR_LIBRARY and PYTHONPATH, or the installed package."""
import asyncio
import importlib.util
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

import spoor

if not all(importlib.util.find_spec(each) for each in ("openai", "anthropic")) or (
        not importlib.util.find_spec("google")) or not importlib.util.find_spec("google.genai"):
    print("skipped: no openai or anthropic or google-genai")
    sys.exit(0)
import anthropic  # noqa: E402
import google.genai  # noqa: E402
import httpx  # noqa: E402
import openai  # noqa: E402

KEY = "sk-interop"
QUESTION = [{"role": "user", "content": "How is the weather in Paris?"}]
ANSWER = "It is 18 degrees in Paris."
ASK = {
    "chat": (lambda client, **more: client.chat.completions.create(
        model="gpt-5", messages=QUESTION, **more)),
    "responses": (lambda client, **more: client.responses.create(
        model="gpt-5", input=QUESTION, **more)),
    "messages": (lambda client, **more: client.messages.create(
        model="claude-sonnet-5", max_tokens=500, messages=QUESTION, **more)),
    "gemini": (lambda client, stream=False: getattr(
        client.models, "generate_content_stream" if stream else "generate_content")(
            model="gemini-3-pro", contents=QUESTION[0]["content"])),
}


class RecordingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.provider = subprocess.Popen([os.environ["SPOOR_FAKE_PROVIDER"]], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        cls.url = cls.provider.stdout.readline().strip()

    @classmethod
    def tearDownClass(cls):
        cls.provider.stdin.close()
        cls.provider.wait()
        cls.provider.stdout.close()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.store = spoor.open(self.home / "calls.spoor", create=True, relaxed=True)

    def client(self, api, is_async):
        """Returns a client, and the list of bodies that it sends."""
        if api == "gemini":
            return self.google_client(is_async)
        kinds = {"messages": (anthropic.Anthropic, anthropic.AsyncAnthropic)}
        kind = kinds.get(api, (openai.OpenAI, openai.AsyncOpenAI))[is_async]
        base = self.url if api == "messages" else self.url + "/v1"
        client = kind(api_key=KEY, base_url=base, max_retries=0)
        sent = []

        def note(request):
            sent.append(request.content)

        async def note_async(request):
            sent.append(request.content)

        client._client.event_hooks = {"request": [note_async if is_async else note]}
        return client, sent

    def google_client(self, is_async):
        sent = []

        async def note_async(request):
            sent.append(request.content)

        client = google.genai.Client(api_key=KEY, http_options={
            "base_url": self.url, "api_version": "v1beta",
            "client_args": {"event_hooks": {"request": [lambda request: sent.append(request.content)]}},
            "async_client_args": {"event_hooks": {"request": [note_async]}}})
        self.addCleanup(client.close)
        return client, sent

    def raw_request(self, answer):
        """Returns the request of an answer, as the program rebuilds it."""
        environment = {**os.environ, "HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "data")}
        return subprocess.run([os.environ["SPOOR_PROGRAM"], "--store", self.store.where, "prompt",
                               answer, "--raw"], env=environment, check=True,
                              capture_output=True).stdout

    def check(self, sent, calls=1):
        """One conversation was recorded, which ends with the answer; its request is the one sent."""
        [branch] = self.store.branches()
        turns = list(self.store.log(branch))
        self.assertEqual([turns[0].type, turns[-1].type], ["assistant", "user"])
        self.assertEqual((turns[0].text, turns[-1].text), (ANSWER, QUESTION[0]["content"]))
        self.assertEqual(len(sent), calls)
        self.assertEqual(self.raw_request(turns[0].id), sent[-1])
        self.assertNotIn(KEY.encode(), pathlib.Path(self.store.where).read_bytes())
        self.store.close()

    def test_each_api_whole_and_streamed(self):
        for api, ask in ASK.items():
            for streams in (False, True):
                with self.subTest(api=api, streams=streams):
                    self.setUp()
                    client, sent = self.client(api, False)
                    answer = ask(spoor.record(client, self.store), stream=streams)
                    if streams:
                        self.assertGreater(len(list(answer)), 1)
                    self.check(sent)

    def test_each_api_async_whole_and_streamed(self):
        async def run(client, ask, streams):
            recorded = spoor.record(client, self.store)
            recorded = getattr(recorded, "aio", recorded)
            answer = await ask(recorded, stream=streams)
            if streams:
                self.assertGreater(len([event async for event in answer]), 1)
            await (recorded.aclose() if hasattr(recorded, "aclose") else recorded.close())

        for api, ask in ASK.items():
            for streams in (False, True):
                with self.subTest(api=api, streams=streams):
                    self.setUp()
                    client, sent = self.client(api, True)
                    asyncio.run(run(client, ask, streams))
                    self.check(sent)

    def test_the_same_call_with_a_recorder_gives_the_same(self):
        client, _ = self.client("messages", False)
        plain = ASK["messages"](client).content[-1].text
        self.assertEqual(ASK["messages"](spoor.record(client, self.store)).content[-1].text, plain)

    def test_a_stream_that_is_left_is_recorded(self):
        client, _ = self.client("messages", False)
        with ASK["messages"](spoor.record(client, self.store), stream=True) as events:
            next(iter(events))
        [branch] = self.store.branches()
        self.assertEqual(list(self.store.log(branch))[-1].text, QUESTION[0]["content"])

    def test_a_recorder_that_fails_does_not_fail_the_call(self):
        client, _ = self.client("chat", False)
        spoor.record(client, self.store)
        self.store.close()
        with self.assertLogs("spoor", logging.WARNING) as logged:
            answer = ASK["chat"](client)
        self.assertEqual(answer.choices[0].message.content, ANSWER)
        self.assertIn("a call was not recorded", logged.output[0])

    def test_without_a_store_it_is_the_one_of_the_program(self):
        places = {"named": {"SPOOR_STORE": "named.spoor"}, "folder": {"SPOOR_STORE": "~/folder"},
                  "near": {}, "own": {}}
        for name, environment in places.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as home:
                home = pathlib.Path(home).resolve()
                (home / "folder").mkdir()
                work = home / "work" / "deeper"
                work.mkdir(parents=True)
                wanted = {"named": work / "named.spoor", "folder": home / "folder/.spoor",
                          "near": home / "work/.spoor", "own": home / "data/spoor/.spoor"}[name]
                if name != "own":
                    spoor.open(wanted, create=True).close()
                code = ("import openai, spoor, sys; client = spoor.record(openai.OpenAI("
                        "api_key='sk-interop', base_url=sys.argv[1], max_retries=0)); "
                        "client.responses.create(model='gpt-5', input='How is the weather?')")
                variables = {key: value for key, value in os.environ.items() if key != "SPOOR_STORE"}
                paths = os.pathsep.join(os.path.abspath(each) for each in
                                        os.environ.get("PYTHONPATH", "").split(os.pathsep) if each)
                subprocess.run([sys.executable, "-c", code, self.url + "/v1"], check=True, cwd=work, env={
                    **variables, **environment, "HOME": str(home), "PYTHONPATH": paths,
                    "XDG_DATA_HOME": str(home / "data")})
                with spoor.open(wanted) as store:
                    [branch] = store.branches()
                    self.assertEqual(next(store.log(branch)).text, ANSWER)

    def test_a_failed_call_fails_as_before(self):
        client = openai.OpenAI(api_key="sk-wrong", base_url=self.url + "/v1", max_retries=0)
        with self.assertRaises(openai.AuthenticationError):
            ASK["chat"](spoor.record(client, self.store))
        client = openai.OpenAI(api_key=KEY, base_url="http://127.0.0.1:1/v1", max_retries=0)
        with self.assertRaises(openai.APIConnectionError):
            ASK["chat"](spoor.record(client, self.store))


class OtherClientsTest(unittest.TestCase):
    def test_other_loops_and_responses_that_are_read(self):
        body = json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER}}]}).encode()

        async def pieces():
            yield body[:9]
            yield body[9:]

        for name, content in (("read", lambda: body), ("in pieces", pieces)):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder, (
                    spoor.open(folder + "/x.spoor", create=True)) as store:
                client = types.SimpleNamespace(_client=httpx.AsyncClient(transport=httpx.MockTransport(
                    lambda _, content=content: httpx.Response(200, content=content()))))
                call = spoor.record(client, store)._client.post(
                    "http://x/v1/chat/completions", json={"model": "gpt-5", "messages": QUESTION})
                with self.assertRaises(StopIteration) as ended:
                    call.send(None)  # Without a loop of asyncio, as in trio.
                self.assertEqual(ended.exception.value.content, body)
                [branch] = store.branches()
                self.assertEqual(next(store.log(branch)).text, ANSWER)


if __name__ == "__main__":
    unittest.main()
