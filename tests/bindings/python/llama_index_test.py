#!/usr/bin/env python3
"""The chat stores for LlamaIndex: random steps next to the owner's stores in memory and over SQLite, the owner's memories over
each, and runs of an agent with the owner's mock of a model.

Environment: SPOOR_LIBRARY and PYTHONPATH, or the installed package. SPOOR_SEED: the seed of the random steps."""
import asyncio
import concurrent.futures
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

import examples
import spoor

if not importlib.util.find_spec("llama_index"):
    print("skipped: no llama-index-core")
    sys.exit(0)
import sqlalchemy  # noqa: E402
from llama_index.core.agent.workflow import FunctionAgent  # noqa: E402
from llama_index.core.base.llms import types  # noqa: E402
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ThinkingBlock, ToolCallBlock  # noqa: E402
from llama_index.core.llms.mock import MockFunctionCallingLLM  # noqa: E402
from llama_index.core.memory import ChatMemoryBuffer, Memory, StaticMemoryBlock  # noqa: E402
from llama_index.core.storage.chat_store import SimpleChatStore  # noqa: E402
from llama_index.core.storage.chat_store.base_db import MessageStatus  # noqa: E402
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore  # noqa: E402

from spoor.llama_index import SpoorChatStore, SpoorMemoryStore  # noqa: E402

SEED = int(os.environ.get("SPOOR_SEED", "1"))
PNG = bytes.fromhex("89504e470d0a1a0a") + bytes(range(256))
PDF = b"%PDF-1.7 \xff\xfb\xef"
STATUSES = [MessageStatus.ACTIVE, MessageStatus.ARCHIVED]
MESSAGES = [
    ChatMessage(role="system", content="Be brief."),
    ChatMessage(role="user", blocks=[
        types.ImageBlock(image=PNG), TextBlock(text="What is this?"), types.DocumentBlock(data=PDF, title="a page"),
        TextBlock(text="And that, naïve \U0001f600?"), types.ImageBlock(url="https://example.org/a.png", detail="low"),
        types.CachePoint(cache_control=types.CacheControl(type="ephemeral"))]),
    ChatMessage(role="assistant", blocks=[
        ThinkingBlock(content="A picture.", num_tokens=3,
                      additional_information={"signature": "c2ln", "b": [0.5], "a": 1}),
        TextBlock(text="I look."), ToolCallBlock(tool_call_id="c1", tool_name="look", tool_kwargs={"b": 1, "a": "x"}),
        ToolCallBlock(tool_call_id=None, tool_name="look", tool_kwargs='{"at":  "x"}')],
                additional_kwargs={"b": 1, "a": {"c": [1.0, None]},
                                   "tool_calls": [{"id": "c1", "function": {"name": "look"}}]}),
    ChatMessage(role="tool", content="a dog", additional_kwargs={"tool_call_id": "c1", "name": "look"}),
    ChatMessage(role="assistant", content=None, additional_kwargs={"tool_calls": [
        {"id": "c2", "type": "function", "function": {"name": "draw", "arguments": '{"n":  1}'}}]}),
    ChatMessage(role="tool", blocks=[TextBlock(text="a drawing"), types.ImageBlock(image=PNG), TextBlock(text="and more")],
                additional_kwargs={"tool_call_id": "c2"}),
    ChatMessage(role="chatbot", blocks=[ThinkingBlock(content=None, additional_information={"signature": "only signed"})]),
    ChatMessage(role="model", blocks=[types.CitationBlock(
        cited_content="a dog", source="book", title="Dogs", additional_location_info={"page": 3}),
                                         TextBlock(text="It is a dog.")]),
    ChatMessage(role="developer", content=""),
    ChatMessage(role="user", blocks=[types.AudioBlock(audio=PNG, format="wav"), types.VideoBlock(video=PDF, fps=2),
                                     types.CitableBlock(title="t", source="s", content="cited")]),
    ChatMessage(role="assistant", content="No call.", additional_kwargs={"tool_calls": [{"id": 1, "function": "f"}, "x"]}),
    ChatMessage(role="user"),
    ChatMessage(role="user", content="\ud83d"),
]


def read(messages):
    """Returns messages as the owner's stores give them back from JSON."""
    return [ChatMessage.model_validate(json.loads(json.dumps(each.model_dump(mode="json")))) for each in messages]


READ = read(MESSAGES)


class LlamaIndexTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "agents.spoor"
        self.store = spoor.open(self.path, create=True, relaxed=True)
        self.chats = SpoorChatStore(self.store)

    def turns(self, branch):
        return [(turn.type, turn.text) for turn in self.store.log(branch)][::-1]

    def same(self, own, theirs):
        for index, (mine, other) in enumerate(zip(own, theirs)):
            self.assertEqual(mine, other, f"step {index}")
        self.assertEqual(len(own), len(theirs))
        return len(own)

    def fresh(self, seed):
        return spoor.open(self.path.parent / f"{seed}.spoor", create=True, relaxed=True)

    # ---- Messages ----

    def test_messages_are_as_the_owners_json_gives_them_back(self):
        async def run():
            theirs = SQLAlchemyChatStore("chats")
            await theirs.add_messages("c1", MESSAGES)
            found = await theirs.get_messages("c1")
            await theirs._async_engine.dispose()
            return found

        self.chats.set_messages("c1", MESSAGES)
        kept = self.chats.get_messages("c1")
        theirs = asyncio.run(run())
        self.assertEqual(kept, theirs)
        self.assertEqual([each.model_dump() for each in kept], [each.model_dump() for each in theirs])
        blocks = sum(len(each.blocks) for each in MESSAGES)
        print(f"llama-index: {len(kept)} messages of {blocks} blocks equal those of its SQLAlchemyChatStore")

    def test_blocks_are_turns_of_their_kinds(self):
        self.chats.set_messages("c1", MESSAGES)
        self.assertEqual(self.turns("llama-index/c1"), [
            ("system", "Be brief."), ("user", "What is this?"), ("user", "And that, naïve \U0001f600?"),
            ("reasoning", "A picture."), ("assistant", "I look."), ("tool", "a dog"), ("assistant", ""), ("tool", "a drawing"),
            ("reasoning", ""), ("assistant", "It is a dog."), ("system", ""), ("user", ""), ("assistant", "No call."),
            ("user", ""), ("user", "")])
        turns = list(self.store.log("llama-index/c1"))[::-1]
        self.assertEqual([(call.id, call.name, call.arguments) for turn in turns for call in turn.tool_calls], [
            ("c1", "look", '{"b": 1, "a": "x"}'), ("", "look", '{"at":  "x"}'), ("c2", "draw", '{"n":  1}')])
        self.assertEqual([(turn.call_id, turn.name) for turn in turns if turn.type == "tool"], [("c1", "look"), ("c2", "")])
        shown = [self.store.show(turn.id) for turn in turns]
        attached = [each for turn in shown for each in turn["attach"]]
        self.assertEqual([each["media_type"] for each in attached],
                         ["image/png", "application/pdf", "image/png", "audio/wav", "application/octet-stream"])
        self.assertEqual({self.store.content(each["hash"]) for each in attached}, {PNG, PDF})
        self.assertNotIn("iVBORw0KGgo", json.dumps(shown))

    # ---- The stores ----

    def test_random_steps_are_as_with_the_owners_store_in_memory(self):
        steps = sum(self.same(walk(SpoorChatStore(self.fresh(seed)), seed), walk(SimpleChatStore(), seed)) - len(KEYS)
                    for seed in range(SEED, SEED + 12))
        print(f"llama-index: {steps} random steps as with its SimpleChatStore")

    def test_random_steps_are_as_with_the_owners_store_over_sqlite(self):
        async def run(seed):
            theirs = SQLAlchemyChatStore("chats")
            own, other = (await walk_async(SpoorMemoryStore(self.fresh(f"m{seed}")), seed), await walk_async(theirs, seed))
            await theirs._async_engine.dispose()
            return self.same(own, other) - len(KEYS)

        steps = sum(asyncio.run(run(seed)) for seed in range(SEED, SEED + 12))
        print(f"llama-index: {steps} random steps as with its SQLAlchemyChatStore")

    def test_the_async_methods_are_the_same(self):
        async def run():
            await self.chats.aset_messages("c1", MESSAGES[:2])
            await self.chats.async_add_message("c1", MESSAGES[3])
            seen = [await self.chats.aget_messages("c1"), await self.chats.adelete_message("c1", 0),
                    await self.chats.adelete_last_message("c1"), await self.chats.aget_keys()]
            return [*seen, await self.chats.adelete_messages("c1"), await self.chats.aget_keys()]

        self.assertEqual(asyncio.run(run()), [[READ[0], READ[1], READ[3]], READ[0], READ[3], ["c1"], [READ[1]], []])

    def test_both_stores_share_a_conversation(self):
        memory = SpoorMemoryStore(self.store)

        async def run():
            await memory.add_messages("c1", MESSAGES[:4])
            await memory.archive_oldest_messages("c1", 2)
            self.chats.add_message("c1", MESSAGES[0])
            return await memory.get_messages("c1")

        self.assertEqual(asyncio.run(run()), [READ[2], READ[3], READ[0]])
        self.assertEqual(self.chats.get_messages("c1"), [*READ[:4], READ[0]])

    def test_an_append_writes_only_what_is_new(self):
        self.chats.set_messages("c1", MESSAGES[:3])
        before = [turn.id for turn in self.store.log("llama-index/c1")]
        self.chats.set_messages("c1", MESSAGES[:5])
        after = [turn.id for turn in self.store.log("llama-index/c1")]
        self.assertEqual((after[-len(before):], len(after)), (before, len(before) + 2))
        self.chats.set_messages("c1", MESSAGES[:5])
        self.assertEqual([turn.id for turn in self.store.log("llama-index/c1")], after)
        self.chats.delete_last_message("c1")
        self.assertEqual([turn.id for turn in self.store.log("llama-index/c1")], after[1:])
        self.store.call("undo")
        self.assertEqual(self.chats.get_messages("c1"), READ[:5])

    def test_a_store_reopened_and_keys_of_any_characters(self):
        for key in ("s/1 ü+", "", "%"):
            self.chats.add_message(key, MESSAGES[1])
        self.store.close()
        self.store = spoor.open(self.path)
        self.chats = SpoorChatStore(self.store)
        self.assertEqual(sorted(self.chats.get_keys()), ["", "%", "s/1 ü+"])
        self.assertEqual(self.chats.delete_messages("s/1 ü+"), [READ[1]])
        self.assertEqual(sorted(self.store.branches()), ["llama-index/%", "llama-index/%25"])

    def test_turns_of_others_do_no_harm(self):
        self.store.branch("llama-index/c1").user("before")
        self.assertEqual(self.chats.get_messages("c1"), [])
        self.chats.set_messages("c1", MESSAGES[:3])
        self.store.branch("llama-index/c1").append("note", "a remark")
        self.chats.set_messages("c1", MESSAGES[:4])
        self.assertEqual(self.chats.get_messages("c1"), READ[:4])
        self.assertIn(("note", "a remark"), self.turns("llama-index/c1"))
        self.assertIn(("user", "before"), self.turns("llama-index/c1"))

    # ---- Memories and agents ----

    def test_memories_are_as_over_the_owners_stores(self):
        chance = random.Random(SEED)
        words = [ChatMessage(role=role, content=" ".join(chance.choices(["dog", "cat", "house"], k=chance.randrange(1, 40))))
                 for _ in range(25) for role in ("user", "assistant")]

        def memory(chat_store):
            return Memory.from_defaults(session_id="c1", token_limit=200, token_flush_size=40, chat_store=chat_store,
                                        memory_blocks=[StaticMemoryBlock(name="who", static_content="Ada")])

        async def run(chat_store):
            memories, seen = memory(chat_store), []
            for index in range(0, len(words), 2):
                await memories.aput_messages(words[index:index + 2])
                seen += [await memories.aget(), await memories.aget_all(), await memories.aget_all(MessageStatus.ARCHIVED)]
            await memories.aset(words[:3])
            seen.append(await memories.aget_all())
            await memories.areset()
            return [*seen, await memories.aget_all()]

        async def both():
            theirs = SQLAlchemyChatStore("chats")
            found = await run(SpoorMemoryStore(self.store)), await run(theirs)
            await theirs._async_engine.dispose()
            return found

        own, theirs = asyncio.run(both())
        self.assertTrue(any(own[index] for index in range(2, len(own), 3)))  # Some were archived.
        steps = self.same(own, theirs)

        def buffer(chat_store):
            memories = ChatMemoryBuffer.from_defaults(chat_store=chat_store, chat_store_key="b", token_limit=100)
            seen = []
            for each in words:
                memories.put(each)
                seen += [list(memories.get()), list(memories.get_all())]
            memories.reset()
            return [*seen, memories.get_all()]

        steps += self.same(buffer(self.chats), buffer(SimpleChatStore()))
        print(f"llama-index: {steps} steps of Memory and ChatMemoryBuffer as over its own stores")

    def test_a_run_is_kept_and_continued(self):
        def model(messages, **_):
            last = messages[-1]
            if last.role == "user":
                return ChatMessage(role="assistant", blocks=[
                    ThinkingBlock(content="Look it up.", additional_information={"signature": "s1"}), TextBlock(text="I look."),
                    ToolCallBlock(tool_call_id="c1", tool_name="weather", tool_kwargs={"city": "Pariss"})])
            if "no city" in last.content:
                return ChatMessage(role="assistant", blocks=[
                    ToolCallBlock(tool_call_id="c2", tool_name="weather", tool_kwargs={"city": "Paris"})])
            return ChatMessage(role="assistant", content="18 degrees.")

        def weather(city: str) -> str:
            """Returns the weather."""
            if city != "Paris":
                raise ValueError(f"no city {city}")
            return "18 degrees in Paris"

        async def run(chat_store, agent):
            memory = Memory.from_defaults(session_id="c1", chat_store=chat_store)
            question = ChatMessage(role="user", blocks=[TextBlock(text="Where is this?"), types.ImageBlock(image=PNG)])
            await agent.run(user_msg=question, memory=memory)
            memory = Memory.from_defaults(session_id="c1", chat_store=chat_store)
            await agent.run(user_msg="And now?", memory=memory)
            return await memory.aget_all()

        async def both():
            agent = FunctionAgent(tools=[weather], llm=MockFunctionCallingLLM(response_generator=model), streaming=False)
            theirs = SQLAlchemyChatStore("chats")
            found = await run(SpoorMemoryStore(self.store), agent), await run(theirs, agent)
            await theirs._async_engine.dispose()
            return found

        own, theirs = asyncio.run(both())
        self.assertEqual(own, theirs)
        answer = [("reasoning", "Look it up."), ("assistant", "I look."), ("tool", own[2].content), ("assistant", ""),
                  ("tool", "18 degrees in Paris"), ("assistant", "18 degrees.")]
        self.assertIn("no city Pariss", own[2].content)
        self.assertEqual(self.turns("llama-index/c1"), [("user", "Where is this?"), *answer, ("user", "And now?"), *answer])
        prompt = self.store.compile("llama-index/c1", to="openai")
        self.assertEqual([each["type"] for each in prompt[0]["content"]], ["text", "image_url"])
        self.assertEqual([each["role"] for each in prompt[:6]], ["user", "assistant", "tool", "assistant", "tool", "assistant"])
        self.assertEqual(prompt[1]["tool_calls"][0]["function"], {"name": "weather", "arguments": '{"city": "Pariss"}'})
        print(f"llama-index: runs with a tool, a picture, thinking and a failed call, {len(own)} messages")

    # ---- Several writers ----

    def test_threads_that_write_lose_nothing(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: SpoorChatStore(self.store).add_message("c1", ChatMessage(content=str(number))),
                          range(20)))
            popped = list(pool.map(lambda _: SpoorChatStore(self.store).delete_last_message("c1"), range(8)))
        left = self.chats.get_messages("c1")
        self.assertEqual(sorted(int(each.content) for each in [*popped, *left]), list(range(20)))

    def test_processes_that_write_lose_nothing(self):
        script = f"""
import asyncio, sys, spoor
from llama_index.core.base.llms.types import ChatMessage
from spoor.llama_index import SpoorMemoryStore
chats = SpoorMemoryStore(spoor.open({str(self.path)!r}, relaxed=True))
async def run():
    for number in range(10):
        await chats.add_message("c1", ChatMessage(content=sys.argv[1] + str(number)))
        if number % 4 == 3:
            await chats.archive_oldest_messages("c1", 2)
asyncio.run(run())
"""
        others = [subprocess.Popen([sys.executable, "-c", script, name]) for name in "ab"]
        self.assertEqual([each.wait(600) for each in others], [0, 0])
        kept = [each.content for each in self.chats.get_messages("c1")]
        for name in "ab":
            self.assertEqual([each for each in kept if each[0] == name], [f"{name}{number}" for number in range(10)])
        active = asyncio.run(SpoorMemoryStore(self.store).get_messages("c1"))
        self.assertEqual([each.content for each in active], kept[8:])

    def test_what_another_archives_meanwhile_is_not_archived_again(self):
        memory = SpoorMemoryStore(self.store)
        self.chats.set_messages("c1", MESSAGES[:4])
        write, theirs = spoor.llama_index.write, []

        def late(*arguments):
            with unittest.mock.patch("spoor.llama_index.write", write):
                if not theirs:
                    theirs.extend(asyncio.run(memory.archive_oldest_messages("c1", 2)))
            return write(*arguments)

        with unittest.mock.patch("spoor.llama_index.write", late):
            ours = asyncio.run(memory.archive_oldest_messages("c1", 1))
        self.assertEqual((theirs, ours), (READ[:2], READ[2:3]))

    def test_the_example_of_the_page(self):
        examples.run("LlamaIndex", {"store": self.store})


KEYS = ["c1", "", "ü/+ 2"]


def walk(chats, seed):
    """Does random steps, and returns what each gave."""
    chance = random.Random(seed)
    seen = []
    for _ in range(60):
        key, index = chance.choice(KEYS), chance.randrange(-2, 5)
        some = [chance.choice(READ).model_copy(deep=True) for _ in range(chance.randrange(4))]
        step = chance.choice(["set", "extend", "add", "add", "add", "pop", "last", "clear"])
        before = list(chats.get_messages(key))
        found = None
        if step == "set":
            chats.set_messages(key, some)
        elif step == "extend":
            chats.set_messages(key, before[:max(index, 0)] + some)
        elif step == "add":
            chats.add_message(key, chance.choice(READ).model_copy(deep=True))
        elif step == "pop" and before:  # The owner's raises for a key that has lost its last message.
            try:
                found = chats.delete_message(key, index)
            except IndexError:
                found = "IndexError"
        elif step == "last" and before:
            found = chats.delete_last_message(key)
        elif step == "clear":
            found = chats.delete_messages(key) or None
        # The owner's keeps a key that has lost its last message.
        seen.append((step, key, found, sorted(each for each in chats.get_keys() if chats.get_messages(each)),
                     list(chats.get_messages(key))))
    return [*seen, *[list(chats.get_messages(each)) for each in KEYS]]


async def walk_async(chats, seed):
    chance = random.Random(seed)
    seen = []
    for _ in range(60):
        key, count, status = chance.choice(KEYS), chance.randrange(4), chance.choice(STATUSES)
        some = [chance.choice(READ) for _ in range(count)]
        step = chance.choice(["set", "add", "add", "many", "many", "pop", "oldest", "archive", "archive", "clear", "window"])
        found = None
        if step == "set":
            await chats.set_messages(key, some, status)
        elif step == "add":
            await chats.add_message(key, chance.choice(READ), status)
        elif step == "many" and some:
            await chats.add_messages(key, some, status)
        elif step == "pop":
            found = await chats.delete_message(key, await place(chats, key, count))
        elif step == "oldest":
            found = await chats.delete_oldest_messages(key, count)
        elif step == "archive":
            found = await chats.archive_oldest_messages(key, count)
        elif step == "clear":
            found = await chats.delete_messages(key, chance.choice([None, *STATUSES]))
        elif step == "window":
            found = await chats.get_messages(key, chance.choice([None, *STATUSES]), chance.choice([None, count]),
                                             chance.choice([None, 1]))
        seen.append((step, key, found, sorted(await chats.get_keys()), await chats.count_messages(key, status), [
            await chats.get_messages(key, each) for each in (None, *STATUSES)]))
    return [*seen, *[await chats.get_messages(each, None) for each in KEYS]]


async def place(chats, key, index):
    """Returns how a store names the message at an index of a key: the owner's has an id of its own for each."""
    if not isinstance(chats, SQLAlchemyChatStore):
        return index
    session, table = await chats._initialize()
    async with session() as open_session:
        query = sqlalchemy.select(table.c.id).where(table.c.key == key).order_by(table.c.timestamp, table.c.id)
        ids = [row.id for row in (await open_session.execute(query)).fetchall()]
    return ids[index] if index < len(ids) else -1


if __name__ == "__main__":
    unittest.main()
