#!/usr/bin/env python3
"""The session and the tracing processor for the OpenAI Agents SDK: the behaviour of the SDK's own session
over SQLite, and a run of an agent against the fake provider.

Environment: SPOOR_FAKE_PROVIDER; SPOOR_LIBRARY and PYTHONPATH, or the installed package."""
import asyncio
import importlib.util
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import examples
import spoor

if not importlib.util.find_spec("agents") or not importlib.util.find_spec("openai"):
    print("skipped: no openai-agents")
    sys.exit(0)
import agents  # noqa: E402
import openai  # noqa: E402
from agents.memory import Session, SessionSettings, SQLiteSession  # noqa: E402

from spoor.openai_agents import SpoorSession, SpoorTracing  # noqa: E402

ITEMS = [
    {"role": "user", "content": "How is it in Paris?"},
    {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Look it up."}],
     "encrypted_content": "x"},
    {"type": "function_call", "name": "get_weather", "call_id": "c1", "id": "fc_1",
     "arguments": '{"city":  "Paris"}', "status": "completed"},
    {"type": "function_call_output", "call_id": "c1", "output": "18 degrees"},
    {"type": "message", "role": "assistant", "id": "m1", "status": "completed",
     "content": [{"type": "output_text", "text": "18 degrees, naïve \U0001f600", "annotations": [],
                  "logprobs": [0.5, 1.0]}]},
    {"role": "developer", "content": ""},
    {"type": "web_search_call", "id": "ws_1", "status": "completed"},
]


@agents.function_tool
def get_weather(city: str) -> str:
    """Returns the weather of a city."""
    return f"18 degrees in {city}"


class OpenAiAgentsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.store = spoor.open(self.folder / "agents.spoor", create=True, relaxed=True)

    def sessions(self, id="s/1 ü"):
        return SpoorSession(id, self.store), SQLiteSession(id, self.folder / "theirs.db")

    def same(self, act):
        """Acts on a session of each kind. What each step gives must be equal."""
        async def run():
            return [[step async for step in act(session)] for session in self.sessions()]
        own, theirs = asyncio.run(run())
        self.assertEqual(own, theirs)
        self.assertGreater(len(own), 1)
        return own

    def test_it_is_a_session(self):
        self.assertIsInstance(self.sessions()[0], Session)

    def test_items_are_as_with_the_owners_session(self):
        async def act(session):
            yield await session.get_items()
            yield await session.pop_item()
            yield await session.clear_session()
            yield await session.add_items([])
            yield await session.add_items(ITEMS[:3])
            yield await session.add_items(ITEMS[3:])
            for limit in (None, 0, 1, 3, len(ITEMS), 100):
                yield await session.get_items(limit)
            session.session_settings = SessionSettings(limit=2)
            yield await session.get_items()
            yield await session.get_items(limit=4)
            session.session_settings = SessionSettings()
            for _ in range(3):
                yield await session.pop_item()
                yield await session.get_items()
            yield await session.add_items(ITEMS[5:6])
            yield await session.get_items()
            while (item := await session.pop_item()) is not None:
                yield item
            yield await session.get_items()
            yield await session.add_items(ITEMS)
            yield await session.clear_session()
            yield await session.get_items()
            yield await session.add_items(ITEMS[:1])
            yield await session.get_items()

        steps = self.same(act)
        self.assertIn(ITEMS, steps)
        print(f"openai-agents: {len(steps)} steps as with its SQLiteSession")

    def test_items_keep_the_order_of_their_members_and_are_turns(self):
        async def run():
            await SpoorSession("s", self.store).add_items(ITEMS)
            return await SpoorSession("s", self.store).get_items()

        kept = asyncio.run(run())
        self.assertEqual([list(each) for each in kept], [list(each) for each in ITEMS])
        turns = list(self.store.log("openai-agents/s"))[::-1]
        self.assertEqual([(turn.type, turn.text) for turn in turns], [
            ("user", "How is it in Paris?"), ("reasoning", "Look it up."), ("assistant", ""),
            ("tool", "18 degrees"), ("assistant", "18 degrees, naïve \U0001f600"), ("system", ""),
            ("note", "")])
        self.assertEqual(turns[2].tool_calls,
                         (spoor.ToolCall("c1", "get_weather", '{"city":  "Paris"}'),))

    def test_a_popped_item_can_be_brought_back(self):
        async def run():
            session = SpoorSession("s", self.store)
            await session.add_items(ITEMS)
            await session.pop_item()
            self.store.call("undo")
            return await session.get_items()

        self.assertEqual(asyncio.run(run()), ITEMS)

    def test_writers_at_once_lose_nothing(self):
        async def run():
            sessions = [SpoorSession("s", self.store) for _ in range(4)]
            await asyncio.gather(*(session.add_items([{"role": "user", "content": str(number)}])
                                   for number in range(5) for session in sessions))
            popped = await asyncio.gather(*(session.pop_item() for session in sessions))
            return len(popped), len(await sessions[0].get_items())

        self.assertEqual(asyncio.run(run()), (4, 16))

    def run_agent(self, store, session):
        provider = subprocess.Popen([os.environ["SPOOR_FAKE_PROVIDER"]], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, text=True)
        url = provider.stdout.readline().strip()

        async def run():
            client = openai.AsyncOpenAI(api_key="sk-interop", base_url=url + "/v1", max_retries=0)
            model = agents.OpenAIResponsesModel("gpt-5", client)
            agent = agents.Agent("weather", model=model, tools=[get_weather])
            agents.set_trace_processors([SpoorTracing(store)])
            agents.set_tracing_disabled(False)
            first = await agents.Runner.run(agent, "How is the weather in Paris?", session=session)
            second = await agents.Runner.run(agent, "Thanks", session=session)
            await client.close()
            return first, second

        try:
            return asyncio.run(run())
        finally:
            provider.stdin.close()
            provider.wait()
            provider.stdout.close()

    def test_a_run_is_kept_and_traced(self):
        session = SpoorSession("s", self.store)
        first, second = self.run_agent(self.store, session)
        self.assertEqual(first.final_output, "It is 18 degrees in Paris.")
        kept = asyncio.run(session.get_items())
        self.assertEqual(kept[:len(first.to_input_list())], first.to_input_list())
        types = [turn.type for turn in self.store.log("openai-agents/s")][::-1]
        self.assertEqual(types[:3], ["user", "reasoning", "assistant"])
        self.assertIn("tool", types)
        traces = [name for name in self.store.branches() if name.startswith("openai-agents-traces/")]
        self.assertEqual(len(traces), 2)
        turns = [list(self.store.log(name))[::-1] for name in traces]
        turns = min(turns, key=lambda each: each[0].time)
        said = [(turn.type, turn.text) for turn in turns if turn.type not in ("note",) and turn.text]
        self.assertEqual(said, [
            ("user", "How is the weather in Paris?"), ("reasoning", "The weather is asked for."),
            ("assistant", "I look it up."), ("tool", "18 degrees in Paris"),
            ("reasoning", "The weather is asked for."), ("assistant", "It is 18 degrees in Paris.")])
        spans = [turn.metadata["span"] for turn in turns if "span" in turn.metadata]
        self.assertGreaterEqual(len(spans), 4)
        self.assertTrue(second.final_output)
        print(f"openai-agents: a run with a tool, {len(kept)} items, {len(spans)} spans in its trace")

    def test_a_store_that_fails_does_not_fail_the_run(self):
        broken = spoor.open(self.folder / "broken.spoor", create=True, relaxed=True)
        broken.close()
        with self.assertLogs("spoor", logging.WARNING) as logged:
            first, _ = self.run_agent(broken, SpoorSession("s", self.store))
        self.assertEqual(first.final_output, "It is 18 degrees in Paris.")
        self.assertIn("a span was not recorded", logged.output[0])

    def test_conversations_of_one_trace_are_kept_apart(self):
        def asked(*texts):
            return [{"role": "user" if number % 2 == 0 else "assistant", "content": text}
                    for number, text in enumerate(texts)]

        agents.set_trace_processors([SpoorTracing(self.store)])
        self.addCleanup(agents.set_trace_processors, [])
        with agents.trace("several") as trace:
            for texts in (("a", "b"), ("inner", "c"), ("a", "b", "d", "e"), ("inner", "c", "f", "g"),
                          ("b", "h"), ("d", "e", "i", "j")):  # Shortened at its beginning.
                with agents.generation_span(input=asked(*texts[:-1]), output=[
                        {"role": "assistant", "content": texts[-1]}]):
                    pass
        texts = [turn.text for turn in self.store.log("openai-agents-traces/" + trace.trace_id)
                 if turn.type in ("user", "assistant")][::-1]
        self.assertEqual(texts, ["a", "b", "inner", "c", "d", "e", "f", "g", "b", "h", "i", "j"])

    def test_each_text_of_an_item_is_a_turn(self):
        items = [{"role": "user", "content": [{"type": "input_text", "text": text} for text in ("x", "y")]},
                 {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": text}
                                                              for text in ("1", "2", "3")]}]
        session = SpoorSession("parts", self.store)
        asyncio.run(session.add_items(items))
        self.assertEqual(asyncio.run(session.get_items()), items)
        self.assertEqual([(turn.type, turn.text) for turn in self.store.log(session.branch)][::-1], [
            ("user", "x"), ("user", "y"), ("reasoning", "1"), ("reasoning", "2"), ("reasoning", "3")])
        self.assertEqual(asyncio.run(session.pop_item()), items[1])
        self.assertEqual([turn.text for turn in self.store.log(session.branch)], ["y", "x"])

    def test_the_example_of_the_page(self):
        examples.run("OpenAI Agents SDK", {"store": self.store})


if __name__ == "__main__":
    unittest.main()
