#!/usr/bin/env python3
"""The conversation store for Pydantic AI: random steps next to the owner's store in memory, messages next to the owner's JSON,
and runs of agents with the owner's function model.

Environment: SPOOR_LIBRARY and PYTHONPATH, or the installed package. SPOOR_SEED: the seed of the random steps."""
import asyncio
import dataclasses
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import examples
import spoor

if not importlib.util.find_spec("pydantic_ai"):
    print("skipped: no pydantic-ai")
    sys.exit(0)
from pydantic_ai import Agent, BinaryContent, DeferredToolRequests, ImageUrl, ModelRetry, Tool  # noqa: E402
from pydantic_ai import messages as m  # noqa: E402
from pydantic_ai.conversation import Conversation  # noqa: E402
from pydantic_ai.conversation_store import (  # noqa: E402
    ConversationConflict, ConversationRecord, InMemoryConversationStore)
from pydantic_ai.exceptions import UserError  # noqa: E402
from pydantic_ai.models.function import FunctionModel  # noqa: E402
from pydantic_ai.models.test import TestModel  # noqa: E402
from pydantic_ai.usage import RunUsage  # noqa: E402

from spoor.pydantic_ai import SpoorConversationStore  # noqa: E402

SEED = int(os.environ.get("SPOOR_SEED", "1"))
PNG = bytes.fromhex("89504e470d0a1a0a") + bytes(range(256))  # Its base64 differs between the two alphabets.
PDF = b"%PDF-1.7 \xff\xfb\xef"
Adapter = m.ModelMessagesTypeAdapter


def request(*parts, **more):
    return m.ModelRequest(parts=list(parts), **more)


def response(*parts, **more):
    return m.ModelResponse(parts=list(parts), model_name="made", **more)


MESSAGES = [
    request(m.SystemPromptPart("Be brief."),
            m.UserPromptPart([BinaryContent(PNG, media_type="image/png", identifier="p1"), "What is this?",
                              BinaryContent(PDF, media_type="application/pdf"), m.TextContent("And that?", metadata={"a": 1.5}),
                              ImageUrl("https://example.org/a.png"), m.CachePoint()]),
            instructions="You look at pictures.", run_id="r1", conversation_id="all"),
    response(m.ThinkingPart("A picture.", signature="c2ln", provider_name="anthropic", id="t1"),
             m.TextPart("I look, naïve \U0001f600", provider_name="x", provider_details={"b": 1, "a": [0.5]}),
             m.ToolCallPart("look", '{"at":  "x"}', "c1"), m.ToolCallPart("look", {"b": 1, "a": {"c": None}}, "c2"),
             m.ThinkingPart("", signature="only signed"), m.ToolCallPart("look", None, "c3"),
             usage=m.RequestUsage(input_tokens=3, output_tokens=2, details={"reasoning": 1}),
             provider_details={"x": 1}, finish_reason="tool_call"),
    request(m.ToolReturnPart("look", "a dog", "c1", metadata={"rows": [1, 2]}),
            m.ToolReturnPart("look", {"b": 1, "a": ["ä", 0.1]}, "c2"),
            m.ToolReturnPart("look", "say where", "c3", outcome="retried"), instructions="You look at pictures."),
    response(m.NativeToolCallPart("web_search", {"query": "dog"}, "n1", provider_name="openai"),
             m.NativeToolReturnPart("web_search", [{"url": "https://example.org"}], "n1", provider_name="openai"),
             m.TextPart("One."), m.TextPart("Two.", id="x"),
             m.FilePart(BinaryContent(PNG, media_type="image/png")), m.CompactionPart("All before.", provider_name="openai")),
    request(m.RetryFeedbackPart([{"type": "missing", "loc": ("a", 0), "msg": "Field required", "input": {}}],
                                retry=m.RetryInfo(cause="validation_error")),
            m.RetryFeedbackPart("Again.", retry=m.RetryInfo(cause="model_retry")), instructions="Other instructions."),
    response(m.ToolCallPart("draw", "", "d1")),
    request(m.ToolReturnPart("draw", ["a drawing", BinaryContent(PNG, media_type="image/png"), "and more"], "d1"),
            m.ToolReturnPart("draw", BinaryContent(PDF, media_type="not a type"), "d2"),
            m.ToolReturnPart("draw", None, "d3", outcome="failed"), m.UserPromptPart("")),
    response(),
    request(m.ToolAvailabilityDeltaPart(tools_added=["draw"]), m.InstructionDeltaPart(id=None, content="Draw."),
            m.CapabilityLoadDeltaPart(loaded=["web"]), m.ModelSettingsDeltaPart(settings={"thinking": "high"}),
            m.InstructionBaselinePart(instructions=[m.InstructionPart("Be brief.")]), metadata={"b": 1, "a": [None, 0.25]}),
    request(m.SpeechPart(speaker="user", transcript="hello", audio=BinaryContent(PNG, media_type="audio/wav"))),
    response(m.SpeechPart(speaker="assistant", transcript="good day"), m.TextPart("\0\r\n\u2028")),
]


def read(messages):
    """Returns messages as the owner's adapter gives them back: a picture has another class then."""
    return Adapter.validate_json(Adapter.dump_json(messages))


READ = read(MESSAGES)


class PydanticAiTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "agents.spoor"
        self.store = spoor.open(self.path, create=True, relaxed=True)
        self.conversations = SpoorConversationStore(self.store)

    def turns(self, branch):
        return [(turn.type, turn.text) for turn in self.store.log(branch)][::-1]

    def saved(self, messages, id="c1", **more):
        conversation = Conversation(messages=list(messages), conversation_id=id, **more)
        asyncio.run(self.conversations.save(conversation))
        return conversation

    def loaded(self, id="c1", **more):
        return asyncio.run(self.conversations.load(id, **more))

    # ---- Messages ----

    def test_messages_are_as_the_owners_json_gives_them_back(self):
        self.saved(MESSAGES)
        kept = self.loaded().messages
        self.assertEqual(kept, READ)
        self.assertEqual(Adapter.dump_json(kept), Adapter.dump_json(READ))
        parts = sum(len(each.parts) for each in MESSAGES)
        print(f"pydantic-ai: {len(MESSAGES)} messages of {parts} parts equal those of its JSON, byte for byte")

    def test_parts_are_turns_of_their_kinds(self):
        self.saved(MESSAGES)
        self.assertEqual(self.turns("pydantic-ai/c1"), [
            ("system", "You look at pictures."), ("system", "Be brief."), ("user", "What is this?"), ("user", "And that?"),
            ("reasoning", "A picture."), ("assistant", "I look, naïve \U0001f600"), ("reasoning", ""), ("assistant", ""),
            ("tool", "a dog"), ("tool", '{"b":1,"a":["ä",0.1]}'), ("tool", "say where"),
            ("assistant", ""), ("tool", '[{"url":"https://example.org"}]'), ("assistant", "One."), ("assistant", "Two."),
            ("assistant", ""), ("note", "All before."),
            ("system", "Other instructions."),
            ("user", '[{"type":"missing","loc":["a",0],"msg":"Field required","input":{}}]'), ("user", "Again."),
            ("assistant", ""), ("tool", "a drawing"), ("tool", ""), ("tool", ""), ("user", ""), ("note", ""),
            ("system", "Draw."), ("user", "hello"), ("assistant", "good day"), ("assistant", "\0\r\n\u2028"), ("note", "")])
        turns = list(self.store.log("pydantic-ai/c1"))[::-1]
        self.assertEqual([(call.id, call.name, call.arguments) for turn in turns for call in turn.tool_calls], [
            ("c1", "look", '{"at":  "x"}'), ("c2", "look", '{"b": 1, "a": {"c": null}}'), ("c3", "look", "{}"),
            ("n1", "web_search", '{"query": "dog"}'), ("d1", "draw", "{}")])
        self.assertEqual([(turn.call_id, turn.name, turn.is_error) for turn in turns if turn.type == "tool"], [
            ("c1", "look", False), ("c2", "look", False), ("c3", "look", True), ("n1", "web_search", False),
            ("d1", "draw", False), ("d2", "draw", False), ("d3", "draw", True)])

    def test_retry_prompts_of_older_versions_are_results_and_feedback(self):
        with warnings.catch_warnings(action="ignore"):
            messages = [response(m.ToolCallPart("look", {}, "c1")), request(
                m.RetryPromptPart("call again", tool_name="look", tool_call_id="c1"), m.RetryPromptPart("say again"))]
        self.saved(messages)
        self.assertEqual(self.loaded().messages, read(messages))
        self.assertEqual(self.turns("pydantic-ai/c1")[1:-1], [("tool", "call again"), ("user", "say again")])

    def test_files_are_attached_once(self):
        self.saved(MESSAGES)
        shown = [self.store.show(turn.id) for turn in self.store.log("pydantic-ai/c1")]
        attached = [each for turn in shown for each in turn["attach"]]
        self.assertEqual(sorted(each["media_type"] for each in attached),
                         ["application/pdf", "audio/wav", "image/png", "image/png", "image/png"])
        self.assertEqual({self.store.content(each["hash"]) for each in attached}, {PNG, PDF})
        self.assertEqual(len({each["hash"] for each in attached}), 2)
        self.assertNotIn("iVBORw0KGgo", json.dumps(shown))

    def test_an_append_writes_only_what_is_new(self):
        self.saved(MESSAGES[:3])
        before = [turn.id for turn in self.store.log("pydantic-ai/c1")]
        conversation = self.loaded()
        conversation.messages += MESSAGES[3:4]
        entries = asyncio.run(self.conversations.save(conversation))
        after = [turn.id for turn in self.store.log("pydantic-ai/c1")]
        self.assertEqual(after[-len(before):], before)
        self.assertEqual(len(after), len(before) + 7)
        self.assertEqual([entry.message for entry in entries], MESSAGES[3:4])

    def test_what_the_owners_json_cannot_have_is_refused(self):
        self.saved(MESSAGES[:1])
        conversation = self.loaded()
        conversation.messages.append(response(m.TextPart("\ud800")))
        self.assertRaises(ValueError, Adapter.dump_json, conversation.messages)
        with self.assertRaises(ValueError):
            asyncio.run(self.conversations.save(conversation))
        self.assertEqual(self.loaded().messages, READ[:1])

    def test_a_scrubbed_text_is_what_comes_back(self):
        store = spoor.open(self.path.parent / "scrubbed.spoor", create=True, relaxed=True,
                           scrub=lambda slot, text: "{" if text == "{}" else text.replace("sk-1", "[key]"))
        conversations = SpoorConversationStore(store)
        asyncio.run(conversations.save(Conversation(conversation_id="c", messages=[request(
            m.UserPromptPart(["the key is sk-1", "not this"]), m.ToolReturnPart("f", {}, "c1"))])))
        [kept] = asyncio.run(conversations.load("c")).messages
        self.assertEqual(kept.parts[0].content, ["the key is [key]", "not this"])
        self.assertEqual(kept.parts[1].content, "{")

    # ---- The store ----

    def test_random_steps_are_as_with_the_owners_store(self):
        steps = 0
        for seed in range(SEED, SEED + 12):
            with self.subTest(seed=seed):
                own, theirs = (asyncio.run(walk(conversations, seed)) for conversations in (
                    SpoorConversationStore(spoor.open(self.path.parent / f"{seed}.spoor", create=True, relaxed=True)),
                    InMemoryConversationStore()))
                for index, (mine, other) in enumerate(zip(own, theirs)):
                    self.assertEqual(mine, other, f"step {index}")
                self.assertEqual(len(own), len(theirs))
                steps += len(own)
        print(f"pydantic-ai: {steps} random steps as with its InMemoryConversationStore")

    def test_usage_and_deferred_requests_are_kept(self):
        agent = Agent(TestModel(), output_type=[str, DeferredToolRequests])

        @agent.tool_plain(requires_approval=True)
        def delete(name: str) -> str:
            return f"deleted {name}"

        async def run():
            first = await agent.run("delete it", conversation=Conversation(conversation_id="c1"))
            await self.conversations.save(first, scope="ada")
            loaded = await self.conversations.load("c1", scope="ada")
            self.assertEqual(loaded, first.conversation)
            self.assertEqual(len(loaded.deferred_tool_requests.approvals), 1)
            self.assertGreater(loaded.usage.input_tokens, 0)
            self.assertIsNone(await self.conversations.load("c1", scope="eve"))
            results = loaded.deferred_tool_requests.build_results(approve_all=True)
            second = await agent.run(conversation=loaded, deferred_tool_results=results)
            await self.conversations.save(second)
            return second, await self.conversations.load("c1")

        second, loaded = asyncio.run(run())
        self.assertEqual(loaded, second.conversation)
        self.assertIsNone(loaded.deferred_tool_requests)
        self.assertIn(("tool", "deleted a"), self.turns("pydantic-ai/c1"))

    def test_entries_are_found_by_their_ids(self):
        self.saved(MESSAGES[:4])
        entries = asyncio.run(self.conversations.load_entries("c1"))
        for entry in entries:
            plain = json.loads(json.dumps(entry.id))
            self.assertEqual(asyncio.run(self.conversations.read_entry(plain)), entry)
            self.assertIs(type(plain), str)
        with self.assertRaises(KeyError):
            asyncio.run(self.conversations.read_entry("nosuch"))
        with unittest.mock.patch("spoor.pydantic_ai.branches_of", side_effect=AssertionError("a search")):
            self.assertEqual(self.loaded().messages, READ[:4])

    def test_going_back_to_a_left_history_swaps_the_branches(self):
        self.saved(MESSAGES[:4])

        async def run():
            left = (await self.conversations.load_entries("c1"))[-1].id
            revision = (await self.conversations.load("c1")).revision
            shorter = await self.conversations.branch("c1", at=2, expected_revision=revision)
            shorter.messages.append(MESSAGES[4])
            [entry] = await self.conversations.save(shorter)
            back = await self.conversations.branch("c1", from_entry=left, expected_revision=shorter.revision)
            return entry.id, back.messages

        left, messages = asyncio.run(run())
        self.assertEqual(messages, READ[:4])
        self.assertEqual(sorted(self.store.branches()), ["pydantic-ai/c1", f"pydantic-ai/c1+{left}"])

    def test_a_left_history_is_a_branch_and_delete_takes_all(self):
        self.saved(MESSAGES[:4], "s/1 ü+")
        name = "pydantic-ai/s%2F1%20%C3%BC%2B"

        async def run():
            loaded = await self.conversations.load("s/1 ü+")
            left = (await self.conversations.load_entries("s/1 ü+"))[-1].id
            await self.conversations.branch("s/1 ü+", at=2, expected_revision=loaded.revision)
            await self.conversations.fork("s/1 ü+", at=1, new_conversation_id="fork")
            return left

        left = asyncio.run(run())
        self.assertEqual(sorted(self.store.branches()), ["pydantic-ai/fork", name, f"{name}+{left}"])
        self.assertEqual(self.turns(f"{name}+{left}")[-1], ("note", "All before."))
        self.assertEqual(self.turns(name)[-2], ("assistant", ""))
        asyncio.run(self.conversations.delete("s/1 ü+"))
        self.assertEqual(sorted(self.store.branches()), ["pydantic-ai/fork"])
        self.assertEqual(self.loaded("fork").messages, READ[:1])

    def test_turns_of_others_do_no_harm(self):
        self.store.branch("pydantic-ai/c1").user("before")
        self.saved(MESSAGES[:2])
        self.store.branch("pydantic-ai/c1").append("note", "a remark")
        conversation = self.loaded()
        conversation.messages += MESSAGES[2:4]
        asyncio.run(self.conversations.save(conversation))
        self.assertEqual(self.loaded().messages, READ[:4])
        self.assertIn(("note", "a remark"), self.turns("pydantic-ai/c1"))
        self.assertIn(("user", "before"), self.turns("pydantic-ai/c1"))

    def test_a_record_needs_its_entries(self):
        for conversations in (self.conversations, InMemoryConversationStore()):
            record = ConversationRecord(conversation_id="c1", head_id="nosuch")
            with self.assertRaises(ConversationConflict):
                asyncio.run(conversations.write_record(record, expected_revision=None))
            self.assertIsNone(asyncio.run(conversations.read_record("c1")))

    # ---- Runs ----

    def test_a_run_is_kept_and_continued(self):
        def model(messages, info):
            last = messages[-1].parts[-1]
            if isinstance(last, m.UserPromptPart):
                return response(m.ThinkingPart("Look it up.", signature="s1", provider_name="p"), m.TextPart("I look."),
                                m.ToolCallPart("weather", {"city": "Pariss"}, "c1"))
            if isinstance(last, m.ToolReturnPart) and last.outcome == "retried":
                return response(m.ToolCallPart("weather", {"city": "Paris"}, "c2"))
            return response(m.TextPart("18 degrees."))

        def weather(city: str) -> dict:
            if city != "Paris":
                raise ModelRetry(f"no city {city}")
            return {"degrees": 18}

        agent = Agent(FunctionModel(model), tools=[Tool(weather, name="weather")], instructions="Be brief.")

        async def run():
            conversation = Conversation(conversation_id="c1")
            first = await agent.run(["Where is this, and how warm?", BinaryContent(PNG, media_type="image/png")],
                                    conversation=conversation)
            await self.conversations.save(first)
            self.store.close()
            self.store = spoor.open(self.path)
            self.conversations = SpoorConversationStore(self.store)
            loaded = await self.conversations.load("c1")
            self.assertEqual(loaded.messages, read(first.all_messages()))
            second = await agent.run("And now?", conversation=loaded)
            await self.conversations.save(second)
            self.assertEqual((await self.conversations.load("c1")).messages, read(second.all_messages()))
            return second

        second = asyncio.run(run())
        turns = self.turns("pydantic-ai/c1")
        answer = [("reasoning", "Look it up."), ("assistant", "I look."), ("tool", "no city Pariss"), ("assistant", ""),
                  ("tool", '{"degrees":18}'), ("assistant", "18 degrees.")]
        self.assertEqual(turns, [("system", "Be brief."), ("user", "Where is this, and how warm?"), *answer, ("note", ""),
                                 ("user", "And now?"), *answer, ("note", "")])
        prompt = self.store.compile("pydantic-ai/c1", to="openai")
        self.assertEqual(prompt[0], {"role": "system", "content": "Be brief."})
        self.assertEqual([each["type"] for each in prompt[1]["content"]], ["text", "image_url"])
        self.assertEqual(prompt[2]["tool_calls"][0]["function"], {"name": "weather", "arguments": '{"city": "Pariss"}'})
        self.assertEqual([each["role"] for each in prompt[1:7]],
                         ["user", "assistant", "tool", "assistant", "tool", "assistant"])
        print(f"pydantic-ai: runs with a tool, a picture, thinking and a retry, {len(second.all_messages())} messages")

    # ---- Several writers ----

    def test_threads_that_save_lose_nothing(self):
        self.saved([])

        async def add(number):
            conflicts = 0
            while True:
                conversation = await self.conversations.load("c1")
                conversation.messages.append(request(m.UserPromptPart(str(number))))
                try:
                    await self.conversations.save(conversation)
                    return conflicts
                except ConversationConflict:
                    conflicts += 1

        async def run():
            return await asyncio.gather(*map(add, range(12)))

        self.assertGreater(sum(asyncio.run(run())), 0)
        kept = [each.parts[0].content for each in self.loaded().messages]
        self.assertEqual(sorted(map(int, kept)), list(range(12)))

    def test_processes_that_save_lose_nothing(self):
        self.saved([])
        script = f"""
import asyncio, sys, spoor
from pydantic_ai import messages as m
from pydantic_ai.conversation_store import ConversationConflict
from spoor.pydantic_ai import SpoorConversationStore
conversations = SpoorConversationStore(spoor.open({str(self.path)!r}, relaxed=True))
async def run():
    for number in range(8):
        while True:
            conversation = await conversations.load("c1")
            conversation.messages.append(m.ModelRequest(parts=[m.UserPromptPart(sys.argv[1] + str(number))]))
            try:
                await conversations.save(conversation)
                break
            except ConversationConflict:
                pass
asyncio.run(run())
"""
        others = [subprocess.Popen([sys.executable, "-c", script, name]) for name in "ab"]
        self.assertEqual([each.wait(600) for each in others], [0, 0])
        kept = [each.parts[0].content for each in self.loaded().messages]
        self.assertEqual([each for each in kept if each[0] == "a"], [f"a{number}" for number in range(8)])
        self.assertEqual([each for each in kept if each[0] == "b"], [f"b{number}" for number in range(8)])
        self.assertEqual(len(kept), 16)

    def test_a_save_between_reading_and_writing_is_noticed(self):
        self.saved([])
        ours, theirs = self.loaded(), self.loaded()
        ours.messages += MESSAGES[:1]
        theirs.messages += MESSAGES[1:2]
        write = spoor.pydantic_ai.write

        def late(*arguments):
            with unittest.mock.patch("spoor.pydantic_ai.write", write):
                if theirs.new_message_index == 0:
                    asyncio.run(self.conversations.save(theirs))
            return write(*arguments)

        with unittest.mock.patch("spoor.pydantic_ai.write", late), self.assertRaises(ConversationConflict):
            asyncio.run(self.conversations.save(ours))
        self.assertEqual(self.loaded().messages, READ[1:2])

    def test_a_stale_save_is_refused(self):
        first = self.saved(MESSAGES[:1])
        stale = self.loaded()
        first.messages.append(MESSAGES[1])
        asyncio.run(self.conversations.save(first))
        stale.messages.append(MESSAGES[3])
        with self.assertRaises(ConversationConflict):
            asyncio.run(self.conversations.save(stale))
        with self.assertRaises(ConversationConflict):
            self.saved(MESSAGES[:1])
        self.assertEqual(len(self.loaded().messages), 2)

    def test_the_example_of_the_page(self):
        examples.run("Pydantic AI", {"store": self.store})


async def walk(conversations, seed):
    """Does random steps, and returns what each gave; ids that were made are numbered as they come up."""
    chance = random.Random(seed)
    names = ["c1", "", "ü/+ 2"]
    numbers = {}
    held = {}
    seen = []

    def number(id):
        return id if id is None or id in names else numbers.setdefault(str(id), len(numbers))

    def plain(value):
        if isinstance(value, Conversation):
            return (value.conversation_id, value.messages, value.usage)
        if isinstance(value, list):
            return [plain(each) for each in value]
        if dataclasses.is_dataclass(value) and hasattr(value, "head_id"):
            return (value.conversation_id, number(value.head_id), value.usage, value.scope, value.forked_from,
                    number(value.forked_at), [number(tip) for tip in value.branches])
        if dataclasses.is_dataclass(value):
            return (number(value.id), number(value.parent_id), value.message)
        return value

    for _ in range(120):
        name, other = chance.choice(names), chance.choice([*names, f"fork {len(seen)}"])
        scope = chance.choice([None, None, None, None, None, None, "ada", "eve"])
        step = chance.choice(["save"] * 14 + ["load", "entries", "window", "list", "delete", "drop", "rewrite", "history"]
                             + ["branch", "back", "fork"] * 3)
        more = [chance.choice(READ) for _ in range(chance.randrange(3))]
        at = chance.randrange(4)
        try:
            if step in ("save", "rewrite"):
                conversation = held.get(name) or await conversations.load(name) or Conversation(conversation_id=name)
                if step == "rewrite":
                    conversation.messages = conversation.messages[:at]
                    conversation.new_message_index = None
                conversation.messages.extend(more)
                conversation.usage = conversation.usage + RunUsage(requests=1, input_tokens=at, details={"x": at})
                found = await conversations.save(conversation, scope=scope)
                held[name] = conversation
            elif step in ("load", "window"):
                found = await conversations.load(name, limit=at if step == "window" else None, scope=scope)
                if found:
                    held[name] = found
            elif step == "entries":
                found = await conversations.load_entries(name, limit=chance.choice([None, at]))
            elif step == "branch":
                found = held[name] = await conversations.branch(
                    name, at=at, expected_revision=(await conversations.load(name) or held[name]).revision)
            elif step == "back":
                record = await conversations.read_record(name)
                found = held[name] = await conversations.branch(
                    name, from_entry=record.branches[-1] if record and record.branches else "nosuch",
                    expected_revision=record.revision if record else None)
            elif step == "fork":
                found = await conversations.fork(name, at=at, new_conversation_id=other, scope=scope)
                held[other] = found
                names.append(other)
            elif step == "list":
                found = list(await conversations.list_conversations(scope=scope, limit=chance.choice([None, at])))
            elif step == "delete":
                found = await conversations.delete(name, scope=scope)
                held.pop(name, None)
            elif step == "drop":
                record = await conversations.read_record(name)
                revisions = ["nosuch", record.revision] if record else ["nosuch"]
                found = await conversations.delete_record(name, expected_revision=chance.choice(revisions))
            else:
                record = await conversations.read_record(name)
                tips = [record.head_id, *record.branches] if record else []
                found = [plain(record), *[await conversations.read_history(tip) for tip in tips]]
            seen.append((step, name, plain(found)))
        except (UserError, KeyError) as error:
            seen.append((step, name, type(error).__name__))
            if isinstance(error, ConversationConflict):
                held.pop(name, None)
    return seen


if __name__ == "__main__":
    unittest.main()
