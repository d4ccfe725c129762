#!/usr/bin/env python3
"""The official clients of OpenAI and Anthropic, recorded: each call is in the store with its exact
request, and a recorder that fails does not fail the call.

Environment: SPOOR_PROGRAM, SPOOR_FAKE_PROVIDER; SPOOR_LIBRARY and PYTHONPATH, or the installed package."""
import asyncio
import importlib.util
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import spoor

if not all(importlib.util.find_spec(each) for each in ("openai", "anthropic")):
    print("skipped: no openai or anthropic")
    sys.exit(0)
import anthropic  # noqa: E402
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
            answer = await ask(spoor.record(client, self.store), stream=streams)
            if streams:
                self.assertGreater(len([event async for event in answer]), 1)
            await client.close()

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

    def test_a_failed_call_fails_as_before(self):
        client = openai.OpenAI(api_key="sk-wrong", base_url=self.url + "/v1", max_retries=0)
        with self.assertRaises(openai.AuthenticationError):
            ASK["chat"](spoor.record(client, self.store))
        client = openai.OpenAI(api_key=KEY, base_url="http://127.0.0.1:1/v1", max_retries=0)
        with self.assertRaises(openai.APIConnectionError):
            ASK["chat"](spoor.record(client, self.store))


if __name__ == "__main__":
    unittest.main()
