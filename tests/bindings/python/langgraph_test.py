#!/usr/bin/env python3
"""LangGraph's checkpointer: the owner's conformance suite, and graphs that end in the same states as
with LangGraph's own saver.

Environment: SPOOR_LIBRARY and PYTHONPATH, or the installed package."""
import asyncio
import importlib.util
import operator
import pathlib
import sys
import tempfile
import threading
import typing
import unittest

import examples
import spoor

if not all(importlib.util.find_spec(each) for each in ("langgraph", "langchain_core")) or (
        not importlib.util.find_spec("langgraph.checkpoint.conformance")):
    print("skipped: no langgraph or langgraph-checkpoint-conformance")
    sys.exit(0)
from langchain_core.messages import (AIMessage, HumanMessage, RemoveMessage,  # noqa: E402
                                     SystemMessage, ToolMessage)
from langgraph.checkpoint.conformance import checkpointer_test, validate  # noqa: E402
from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer  # noqa: E402
from langgraph.graph import END, START, StateGraph  # noqa: E402
from langgraph.graph.message import add_messages  # noqa: E402
from langgraph.types import Command, interrupt  # noqa: E402

from spoor.langgraph import SpoorSaver  # noqa: E402


class State(typing.TypedDict, total=False):
    messages: typing.Annotated[list, add_messages]
    seen: typing.Annotated[list, operator.add]
    mark: typing.Any


def agent(state):
    count = len(state["messages"])
    if isinstance(state["messages"][-1], ToolMessage):
        content = [{"type": "thinking", "thinking": "It found two.", "signature": "s"},
                   {"type": "text", "text": "Two, naïve \U0001f600."}]
        return {"messages": [AIMessage(content, id=f"a{count}")], "seen": [{"z": 1, "at": count}]}
    call = {"id": f"t{count}", "name": "look", "args": {"q": "x", "a": 1.0}}
    return {"messages": [AIMessage("", id=f"c{count}", tool_calls=[call])],
            "seen": [{"z": 0, "at": count}], "mark": {"b": (1, 2), "a": {3}}}


def tool(state):
    last = state["messages"][-1]
    return {"messages": [ToolMessage("found 2", id="r" + last.id, name="look",
                                     tool_call_id=last.tool_calls[0]["id"])]}


def build(saver):
    graph = StateGraph(State)
    graph.add_node("agent", agent)
    graph.add_node("tool", tool)
    graph.add_edge(START, "agent")
    graph.add_conditional_edges(
        "agent", lambda state: "tool" if state["messages"][-1].tool_calls else END)
    graph.add_edge("tool", "agent")
    return graph.compile(checkpointer=saver)


def shape(snapshot):
    """What of a state does not depend on ids of a run."""
    return (snapshot.values, snapshot.next, snapshot.metadata["source"], snapshot.metadata["step"],
            [(task.name, task.error, task.result, [each.value for each in task.interrupts])
             for task in snapshot.tasks])


class LangGraphTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "graph.spoor"
        self.store = spoor.open(self.path, create=True, relaxed=True)
        self.saver = SpoorSaver(self.store)
        self.config = {"configurable": {"thread_id": "a/b ü"}}

    def texts(self, branch):
        return [(turn.type, turn.text) for turn in self.store.log(branch)][::-1]

    def same(self, act, build=build):
        """Acts on a graph with each saver, and compares what is there, also in a new process."""
        own, theirs = build(self.saver), build(InMemorySaver())
        act(own, self.config), act(theirs, self.config)
        wanted = [shape(each) for each in theirs.get_state_history(self.config)]
        self.assertGreater(len(wanted), 1)
        for graph in (own, build(SpoorSaver(self.store))):
            self.assertEqual(shape(graph.get_state(self.config)), wanted[0])
            self.assertEqual([shape(each) for each in graph.get_state_history(self.config)], wanted)
        return own

    def test_the_owners_suite(self):
        @checkpointer_test(name="spoor")
        async def made():
            with tempfile.TemporaryDirectory() as folder:
                with spoor.open(folder + "/s.spoor", create=True, relaxed=True) as store:
                    yield SpoorSaver(store)

        report = asyncio.run(validate(made))
        results = report.results.values()
        failures = [each for result in results for each in result.failures or []]
        self.assertEqual(failures, [])
        self.assertTrue(all(result.detected for result in results))
        passed = sum(result.tests_passed for result in results)
        self.assertGreater(passed, 70)
        print(f"langgraph-checkpoint-conformance: {passed} of {passed} tests pass, "
              f"{len(results)} of {len(results)} capabilities")

    def test_a_conversation_is_turns_and_equal_after_all(self):
        def act(graph, config):
            for text in ("one", "two"):
                graph.invoke({"messages": [SystemMessage("be brief", id="s")] * (text == "one") +
                              [HumanMessage(text, id=text)]}, config)

        self.same(act)
        self.assertEqual(self.texts("langgraph/a%2Fb%20%C3%BC")[:6], [
            ("system", "be brief"), ("user", "one"), ("assistant", ""), ("tool", "found 2"),
            ("reasoning", "It found two."), ("assistant", "Two, naïve \U0001f600.")])
        prompt = self.store.compile("langgraph/a%2Fb%20%C3%BC", to="openai")
        self.assertEqual([each["role"] for each in prompt],
                         ["system"] + ["user", "assistant", "tool", "assistant"] * 2)
        kept = self.saver.get_tuple(self.config).checkpoint["channel_values"]
        self.assertEqual(list(kept["messages"][2].tool_calls[0]["args"]), ["q", "a"])
        self.assertEqual(list(kept["seen"][0]), ["z", "at"])

    def test_a_thread_that_goes_on_from_an_earlier_checkpoint(self):
        def act(graph, config):
            graph.invoke({"messages": [HumanMessage("one", id="1")]}, config)
            graph.invoke({"messages": [HumanMessage("two", id="2")]}, config)
            past = [each for each in graph.get_state_history(config)
                    if len(each.values.get("messages", [])) == 4][0]
            graph.invoke({"messages": [HumanMessage("other", id="3")]}, past.config)

        self.same(act)
        name = "langgraph/a%2Fb%20%C3%BC"
        self.assertIn(("user", "other"), self.texts(name))
        self.assertNotIn(("user", "two"), self.texts(name))
        self.assertIn(("user", "two"), self.texts(name + ".1"))

    def test_messages_that_are_replaced_and_removed(self):
        def act(graph, config):
            graph.invoke({"messages": [HumanMessage("one", id="1")]}, config)
            graph.update_state(config, {"messages": [RemoveMessage("1")]}, as_node="tool")
            graph.update_state(config, {"messages": [AIMessage("changed", id="c1")]},
                               as_node="tool")
            graph.invoke({"messages": [HumanMessage("two", id="2")]}, config)

        self.same(act)

    def test_a_message_that_is_changed_in_place(self):
        def changes(state):
            state["messages"][0].content += "!"
            state["messages"][0].additional_kwargs["k"] = [1]
            return {"messages": state["messages"]}

        def build(saver):
            graph = StateGraph(State)
            graph.add_node("begins", lambda state: {})  # LangGraph waits for checkpoints after a node, not before the first.
            graph.add_node("changes", changes)
            graph.add_edge(START, "begins")
            graph.add_edge("begins", "changes")
            return graph.compile(checkpointer=saver)

        def act(graph, config):
            for number in "12":
                # Else a checkpoint may be written only after the next node changed its messages.
                result = graph.invoke({"messages": [HumanMessage("one", id=number)]}, config,
                                      durability="sync")
                result["messages"][0].content = "not kept"

        graph = self.same(act, build)
        self.assertEqual(graph.get_state(self.config).values["messages"][0].content, "one!!")

    def test_an_interrupt_is_resumed(self):
        def asks(state):
            return {"mark": interrupt("may I?"), "messages": [AIMessage("done", id="d")]}

        def build(saver):
            graph = StateGraph(State)
            graph.add_node("asks", asks)
            graph.add_edge(START, "asks")
            return graph.compile(checkpointer=saver)

        def act(graph, config):
            graph.invoke({"messages": [HumanMessage("go", id="1")]}, config)
            self.assertEqual(graph.get_state(config).next, ("asks",))
            graph.invoke(Command(resume="yes"), config)

        self.same(act, build)

    def test_a_subgraph_has_a_conversation_of_its_own(self):
        inner = build(None)

        def outer(saver):
            graph = StateGraph(State)
            graph.add_node("inner", inner)
            graph.add_edge(START, "inner")
            return graph.compile(checkpointer=saver)

        self.same(lambda graph, config: graph.invoke(
            {"messages": [HumanMessage("one", id="1")]}, config), outer)
        self.assertEqual(len([name for name in self.store.branches() if "+inner" in name]), 1)

    def test_what_is_encrypted_is_not_a_turn(self):
        class Cipher:
            def encrypt(self, text):
                return "xor", bytes(byte ^ 7 for byte in text)

            def decrypt(self, name, text):
                return bytes(byte ^ 7 for byte in text)

        saver = SpoorSaver(self.store, serde=EncryptedSerializer(Cipher()))
        graph = build(saver)
        graph.invoke({"messages": [HumanMessage("my secret", id="1")]}, self.config)
        self.assertEqual(len(graph.get_state(self.config).values["messages"]), 4)
        self.assertEqual([name for name in self.store.branches() if name.startswith("langgraph/")],
                         [])
        self.store.close()
        self.assertNotIn(b"my secret", self.path.read_bytes())

    def test_pruned_and_deleted(self):
        graph = build(self.saver)
        for text in "12":
            graph.invoke({"messages": [HumanMessage(text, id=text)]}, self.config)
        wanted = shape(graph.get_state(self.config))
        thread = self.config["configurable"]["thread_id"]
        self.saver.copy_thread(thread, "copy")
        self.saver.prune([thread])
        for saver in (self.saver, SpoorSaver(self.store)):
            self.assertEqual(shape(build(saver).get_state(self.config))[0], wanted[0])
            self.assertEqual(len(list(saver.list(self.config))), 1)
        graph.invoke({"messages": [HumanMessage("3", id="3")]}, self.config)
        self.assertEqual(len(graph.get_state(self.config).values["messages"]), 12)
        self.saver.delete_thread(thread)
        self.assertEqual([name for name in self.store.branches() if "copy" not in name], [])
        self.assertEqual(len(list(self.saver.list({"configurable": {"thread_id": "copy"}}))), 10)
        self.saver.delete_thread("copy")
        self.assertEqual(self.store.branches(), [])

    def test_two_savers_at_once_lose_nothing(self):
        other = SpoorSaver(self.store)

        def work(saver, name):
            for number in range(20):
                saver.put_writes({"configurable": {"thread_id": "t", "checkpoint_ns": "",
                                                   "checkpoint_id": "1"}}, [("x", number)],
                                 f"{name}{number}")

        threads = [threading.Thread(target=work, args=each)
                   for each in ((self.saver, "a"), (other, "b"))]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.saver.put({"configurable": {"thread_id": "t", "checkpoint_ns": ""}},
                       {"v": 4, "id": "1", "ts": "", "channel_values": {}, "channel_versions": {},
                        "versions_seen": {}}, {}, {})
        found = other.get_tuple({"configurable": {"thread_id": "t"}})
        self.assertEqual(len(found.pending_writes), 40)

    def test_another_savers_messages_are_replaced(self):
        def texts(graph):
            return [[each.content for each in state.values.get("messages", ())]
                    for state in graph.get_state_history(config)]

        config = {"configurable": {"thread_id": "t"}}
        other = build(SpoorSaver(self.store))
        graph = build(self.saver)
        graph.update_state(config, {"messages": [HumanMessage("1", id="1")]}, as_node="tool")
        other.get_state(config)  # Now it knows one message.
        graph.update_state(config, {"messages": [HumanMessage("2", id="2")]}, as_node="tool")
        graph.update_state(config, {"messages": [RemoveMessage("1"), HumanMessage("3", id="3"),
                                                 HumanMessage("4", id="4")]}, as_node="tool")
        self.assertEqual(texts(other), [["2", "3", "4"], ["1", "2"], ["1"]])
        self.assertEqual(texts(other), texts(graph))

    def test_the_example_of_the_page(self):
        examples.run("LangGraph", {"store": self.store})


if __name__ == "__main__":
    unittest.main()
