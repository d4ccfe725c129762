#!/usr/bin/env python3
"""The Python package: the examples of its docstrings, and what they do not show. Needs SPOOR_LIBRARY
or an installed package."""
import asyncio
import datetime
import doctest
import gc
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import spoor
import spoor.aio

MODULES = ["spoor", "spoor.errors", "spoor.store", "spoor.recording", "spoor.runs"]


class PackageTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "talk.spoor"

    def opened(self, name="talk.spoor", **options):
        store = spoor.open(self.path.with_name(name), create=True, relaxed=True, **options)
        self.addCleanup(lambda: close(store))
        return store

    def test_the_examples_run(self):
        ran = 0
        for name in MODULES:
            with tempfile.TemporaryDirectory() as folder:
                scope = {"spoor": spoor, "folder": pathlib.Path(folder)}
                with spoor.open(scope["folder"] / "doc.spoor", create=True) as store:
                    module = sys.modules[name]
                    outcome = doctest.testmod(module, extraglobs={**scope, "store": store})
                    self.assertEqual(outcome.failed, 0, name)
                    ran += outcome.attempted
        self.assertGreater(ran, 15)

    def test_a_block_that_raises_writes_nothing(self):
        store = self.opened()
        with self.assertRaises(ZeroDivisionError), store.branch("main") as b:
            b.user("hi")
            1 / 0
        with self.assertRaises(spoor.NotFoundError):
            store.tip("main")

    def test_ids_are_known_when_the_transaction_ended(self):
        store = self.opened()
        with store.branch("main") as b:
            turn = b.user("hi")
            with self.assertRaises(spoor.InvalidError):
                turn.id
        self.assertEqual(turn.id, store.tip("main"))
        self.assertEqual(len(store.call("operations")["operations"]), 1)

    def test_a_turn_comes_back_as_it_was(self):
        store = self.opened(author="ada")
        call = spoor.ToolCall("c1", "look", '{"at": "x"}')
        branch = store.branch("main")
        branch.user("naïve \0 \U0001f600", metadata={"n": [1, None]})
        branch.assistant("", [call])
        branch.tool("nothing", call, is_error=True, author="bot")
        tool, answer, question = store.log("main")
        self.assertEqual(question.text, "naïve \0 \U0001f600")
        self.assertEqual(question.metadata, {"n": [1, None]})
        self.assertEqual((question.author, tool.author), ("ada", "bot"))
        self.assertEqual(answer.tool_calls, (call,))
        self.assertEqual((tool.call_id, tool.name, tool.is_error), ("c1", "look", True))
        self.assertIsNotNone(tool.time.tzinfo)
        with self.assertRaises(AttributeError):
            tool.text = "something"
        shown = store.show("main~2")
        self.assertEqual(store.content(shown["content"]["hash"]).decode(), question.text)

    def test_a_long_log_is_read_in_order(self):
        store = self.opened()
        with store.branch("main") as b:
            for i in range(200):
                b.user(str(i))
        self.assertEqual([turn.text for turn in store.log("main")],
                         [str(i) for i in reversed(range(200))])

    def test_each_code_is_an_exception(self):
        store = self.opened()
        with self.assertRaises(spoor.InvalidError) as caught:
            store.call("logg")
        self.assertEqual(caught.exception.hint, "did you mean 'log'?")
        with self.assertRaises(spoor.InvalidError):
            store.compile(store.branch("main").user("hi").id, to="latin")
        store.close()
        with self.assertRaises(spoor.InvalidError):
            store.tip("main")

    def test_reasoning_is_in_the_prompt_on_request_only(self):
        store = self.opened()
        with store.branch("main") as b:
            b.user("hi")
            b.reasoning("why")
            b.assistant("hello")
        self.assertNotIn("why", str(store.compile("main", to="anthropic")))
        self.assertIn("why", str(store.compile("main", to="anthropic", include_reasoning=True)))
        prompt = store.compile("main")
        self.assertEqual([message.role for message in prompt.messages], ["user", "assistant"])
        self.assertEqual(prompt.hash, store.compile("main").hash)

    def test_watching_sees_other_threads(self):
        store = self.opened()
        moves = store.watch("main", timeout=10)
        writer = threading.Thread(target=lambda: store.branch("main").user("hi"))
        writer.start()
        moved = next(moves)
        writer.join()
        self.assertEqual((moved.branch, moved.turns), ("main", (store.tip("main"),)))
        moves.close()
        self.assertEqual(list(store.watch(timeout=0)), [])

    def test_ctrl_c_ends_a_watch(self):
        code = ("import spoor, sys; store = spoor.open(sys.argv[1], create=True)\n"
                "print('watches', flush=True)\nlist(store.watch('main'))")
        child = subprocess.Popen([sys.executable, "-c", code, str(self.path)], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.kill)
        child.stdout.readline()
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        self.assertIn("KeyboardInterrupt", child.communicate(timeout=30)[1])

    def test_waiting_tasks_hold_up_nobody_and_can_be_cancelled(self):
        async def run():
            async with await spoor.aio.open(self.path, create=True, relaxed=True) as store:
                async def watches():
                    async for moved in store.watch("main"):
                        seen.append(moved.branch)

                seen = []
                tasks = [asyncio.create_task(watches()) for _ in range(40)]  # More than to_thread() has threads.
                while len(seen) < 40:
                    await asyncio.wait_for(store.branch("main").append("user", "hi"), 30)
                    await asyncio.sleep(0.05)
                for task in tasks:
                    task.cancel()
                ended = await asyncio.gather(*tasks, return_exceptions=True)
                self.assertEqual({type(each) for each in ended}, {asyncio.CancelledError})

        asyncio.run(asyncio.wait_for(run(), 60))

    def test_a_forgotten_store_is_closed(self):
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(20):
            spoor.open(self.path, create=True, relaxed=True).branch("main").user("hi")
        turns = spoor.open(self.path).log("main")
        gc.collect()
        self.assertEqual(len(list(turns)), 20)
        del turns
        gc.collect()
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_closing_again_does_nothing(self):
        with self.opened() as store:
            store.close()
        with self.assertRaises(spoor.InvalidError):
            store.tip("main")
        with self.assertRaises(ZeroDivisionError), self.opened("other.spoor") as store, store.branch("main"):
            store.close()
            1 / 0

    def test_a_clock_without_a_zone_is_local(self):
        store = self.opened(clock=lambda: datetime.datetime(2026, 7, 1, 12))
        store.branch("main").user("hi")
        self.assertEqual(next(store.log("main")).time, datetime.datetime(2026, 7, 1, 12).astimezone())

    def test_values_of_other_types_are_refused(self):
        branch = self.opened().branch("main")
        for value in (b"hi", 7, ["hi"], None, 0, b""):
            with self.assertRaisesRegex(TypeError, "a text is a str, not "):
                branch.user(value)
        for hash in ("ab", "zz", "", "0" * 63 + "A"):
            with self.assertRaises(spoor.InvalidError):
                branch.store.content(hash)

    def test_threads_share_a_store(self):
        store = self.opened()

        def work():
            for _ in range(50):
                store.branch("main").user("hi")
                store.compile("main")

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(list(store.log("main"))), 200)

    def test_a_forked_child_is_told_and_a_spawned_one_works(self):
        store = self.opened()
        store.branch("main").user("hi")
        fork = multiprocessing.get_context("fork")
        answers = fork.Queue()
        child = fork.Process(target=ask, args=(store, answers))
        child.start()
        self.assertEqual(answers.get(timeout=30), ["UnavailableError", "UnavailableError"])
        child.join()
        spawn = multiprocessing.get_context("spawn")
        with spawn.Pool(2) as pool:
            pool.map(append, [str(self.path)] * 4)
        self.assertEqual(len(list(store.log("main"))), 5)

    def test_the_async_twin_does_the_same(self):
        async def run():
            path = self.path.with_name("async.spoor")
            async with await spoor.aio.open(path, create=True, relaxed=True) as store:
                async with store.branch("main") as b:
                    b.user("hi")
                    b.assistant("hello")
                await asyncio.gather(*(store.branch("main").append("user", str(i)) for i in range(20)))
                self.assertEqual(len([turn async for turn in store.log("main")]), 22)
                self.assertEqual(await store.tip("main"), await store.resolve("main"))
                self.assertEqual(await store.branches(), ["main"])
                prompt = await store.compile("main~20", to="openai")
                self.assertEqual(prompt[1], {"role": "assistant", "content": "hello"})
                self.assertEqual(len((await store.diff("main~20", "main")).changes), 20)
                self.assertEqual(len((await store.history("main", limit=3)).commits), 3)
                with self.assertRaises(ZeroDivisionError):
                    async with store.branch("other") as b:
                        b.user("hi")
                        1 / 0
                self.assertEqual(await store.branches(), ["main"])
                self.assertEqual([each async for each in store.watch(timeout=0)], [])

        asyncio.run(run())


def close(store):
    try:
        store.close()
    except spoor.InvalidError:
        pass


def ask(store, answers):
    """Runs in a forked child."""
    told = []
    for attempt in (lambda: store.branch("main").user("x"), lambda: spoor.open(store.where)):
        try:
            attempt()
        except spoor.Error as error:
            told.append(type(error).__name__)
    answers.put(told)
    answers.close()
    answers.join_thread()
    os._exit(0)


def append(path):
    """Runs in a spawned child."""
    with spoor.open(path, relaxed=True) as store:
        store.branch("main").user("hi")


if __name__ == "__main__":
    unittest.main()
