#!/usr/bin/env python3
"""The session store for the Claude Agent SDK: the owner's conformance suite, and transcripts.

Environment: SPOOR_LIBRARY and PYTHONPATH, or the installed package."""
import asyncio
import importlib.util
import pathlib
import re
import sys
import tempfile
import unittest

import examples
import spoor

if not importlib.util.find_spec("claude_agent_sdk"):
    print("skipped: no claude-agent-sdk")
    sys.exit(0)
import claude_agent_sdk.testing.session_store_conformance as suite  # noqa: E402
from claude_agent_sdk import get_session_messages_from_store  # noqa: E402

from spoor._journal import retried  # noqa: E402
from spoor.claude_agent import SpoorSessionStore  # noqa: E402

KEY = {"project_key": "-home-ada", "session_id": "6d0b4a0e-5d2b-4c6e-9a57-0d5b7c1f2a31"}
BRANCH = "claude/" + KEY["project_key"] + "/" + KEY["session_id"]


def entry(number, type, message=None, **more):
    said = {"message": message} if message else {}
    return {"type": type, "uuid": f"00000000-0000-4000-8000-{number:012d}", "zeta": 1.0, "alpha": None,
            "sessionId": KEY["session_id"], "timestamp": f"2026-01-01T00:00:{number:02d}.000Z",
            "parentUuid": f"00000000-0000-4000-8000-{number - 1:012d}" if number else None,
            **said, **more}


def blocks(role, *content):
    return {"role": role, "content": list(content)}


TRANSCRIPT = [
    entry(0, "user", {"role": "user", "content": "What is in x?"}),
    entry(1, "assistant", blocks("assistant", {"type": "thinking", "thinking": "I look.",
                                               "signature": "s"})),
    entry(2, "assistant", blocks("assistant", {"type": "text", "text": "Looking."},
                                 {"type": "tool_use", "id": "c1", "name": "Read",
                                  "input": {"path": "x", "limit": 2}})),
    entry(3, "user", blocks("user", {"type": "tool_result", "tool_use_id": "c1", "is_error": True,
                                     "content": [{"type": "text", "text": "no x"}]})),
    entry(4, "assistant", blocks("assistant", {"type": "thinking", "thinking": "So none."},
                                 {"type": "text", "text": "There is no x. \U0001f600"})),
    entry(5, "system", None, subtype="turn_duration", durationMs=3),
    {"type": "custom-title", "customTitle": "half \ud800"},
]


class ClaudeAgentTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.opened = 0
        self.store = self.open()

    def open(self):
        self.opened += 1
        return spoor.open(self.folder / f"{self.opened}.spoor", create=True, relaxed=True)

    def run_async(self, work):
        return asyncio.run(work)

    def test_the_owners_suite(self):
        made = []

        def make():
            made.append(SpoorSessionStore(self.open()))
            return made[-1]

        self.run_async(suite.run_session_store_conformance(make))
        contracts = len(set(re.findall(r"^ +# (\d+)\. ", pathlib.Path(suite.__file__).read_text(),
                                       re.M)))
        self.assertEqual(len(made) - 1, contracts)  # One is made to see which methods there are.
        print(f"claude_agent_sdk.testing.run_session_store_conformance: {contracts} of {contracts} "
              "contracts hold")

    def test_a_transcript_is_turns_and_comes_back_as_it_was(self):
        async def work():
            await SpoorSessionStore(self.store).append(KEY, TRANSCRIPT[:3])
            await SpoorSessionStore(self.store).append(KEY, TRANSCRIPT[2:])
            return await SpoorSessionStore(self.store).load(KEY)

        loaded = self.run_async(work())
        self.assertEqual(loaded, TRANSCRIPT)
        self.assertEqual([list(each) for each in loaded], [list(each) for each in TRANSCRIPT])
        self.assertEqual(type(loaded[0]["zeta"]), float)
        turns = list(self.store.log(BRANCH))[::-1]
        self.assertEqual([(turn.type, turn.text) for turn in turns], [
            ("user", "What is in x?"), ("reasoning", "I look."), ("assistant", "Looking."),
            ("tool", "no x"), ("reasoning", "So none."), ("assistant", "There is no x. \U0001f600"),
            ("note", ""), ("note", "")])
        self.assertEqual(turns[2].tool_calls,
                         (spoor.ToolCall("c1", "Read", '{"path": "x", "limit": 2}'),))
        self.assertEqual((turns[3].call_id, turns[3].is_error), ("c1", True))

    def test_a_writer_waits_for_many_others(self):
        def attempt():
            tries.append(1)
            if len(tries) < 30:
                raise spoor.ConflictError("another writer was first")
            return "written"

        tries = []
        self.assertEqual(retried(attempt), "written")

    def test_each_text_and_result_of_an_entry_is_a_turn(self):
        blocks = {"user": [[{"type": "tool_result", "tool_use_id": id, "content": "found " + id} for id in "ab"]
                           + [{"type": "text", "text": "And?"}]],
                  "assistant": [[{"type": "text", "text": "First"}, {"type": "thinking", "thinking": "Hm."},
                                 {"type": "tool_use", "id": "a", "name": "Read", "input": {}},
                                 {"type": "tool_use", "id": "b", "name": "Read", "input": {}}]]}
        entries = [{"type": role, "uuid": role, "message": {"role": role, "content": content}}
                   for role in ("assistant", "user") for content in blocks[role]]

        async def work():
            await SpoorSessionStore(self.store).append(KEY, entries)
            return await SpoorSessionStore(self.store).load(KEY)

        self.assertEqual(self.run_async(work()), entries)
        self.assertEqual([(turn.type, turn.text, turn.call_id, len(turn.tool_calls))
                          for turn in self.store.log(BRANCH)][::-1], [
            ("assistant", "First", "", 0), ("reasoning", "Hm.", "", 0), ("assistant", "", "", 2),
            ("tool", "found a", "a", 0), ("tool", "found b", "b", 0), ("user", "And?", "", 0)])

    def test_a_turn_of_somebody_else_changes_nothing(self):
        sessions = SpoorSessionStore(self.store)

        async def work():
            await sessions.append(KEY, TRANSCRIPT)
            before = await sessions.list_sessions(KEY["project_key"])
            self.store.branch(BRANCH).append("note", "seen")
            self.assertEqual(await sessions.list_sessions(KEY["project_key"]), before)
            return await sessions.load(KEY)

        self.assertEqual(self.run_async(work()), TRANSCRIPT)

    def test_the_sdk_reads_it(self):
        store = SpoorSessionStore(self.store)

        async def work():
            await store.append(KEY, TRANSCRIPT)
            return await get_session_messages_from_store(store, KEY["session_id"],
                                                         directory="/home/ada")

        self.assertEqual([each.type for each in self.run_async(work())],
                         ["user", "assistant", "assistant", "user", "assistant"])

    def test_writers_at_once_lose_and_repeat_nothing(self):
        async def work():
            stores = [SpoorSessionStore(self.store) for _ in range(4)]
            await asyncio.gather(*(store.append(KEY, [entry(number, "x")])
                                   for number in range(10) for store in stores))
            return await stores[0].load(KEY)

        uuids = [each["uuid"] for each in self.run_async(work())]
        self.assertEqual(len(uuids), 10)
        self.assertEqual(len(set(uuids)), 10)

    def test_the_example_of_the_page(self):
        examples.run("Claude Agent SDK", {"store": self.store})


if __name__ == "__main__":
    unittest.main()
