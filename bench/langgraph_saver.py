#!/usr/bin/env python3
"""The same conversation of a LangGraph agent, kept by spoor and by LangGraph's own saver for SQLite, and
without a checkpointer. Prints a table.

usage: langgraph_saver.py [--cpu] [TURNS [TURNS_OF_SQLITE]]

--cpu: the processor's time of all threads, for a machine that does other work too; else the wall's.

A turn is one call of the graph: a question, a tool call, its result and an answer, 4 messages of
together about 2.1 kB. Needs langgraph and langgraph-checkpoint-sqlite, and SPOOR_LIBRARY and PYTHONPATH or
the installed package. The files are in memory where there is /dev/shm, since a disk would be most of
what is measured. Both savers are as they are by default; the graph runs with durability `sync`, so that all
of a saver's work is within the turn."""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import typing

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

import spoor
from spoor.langgraph import SpoorSaver

clock = time.process_time if "--cpu" in sys.argv else time.perf_counter
CONFIG = {"configurable": {"thread_id": "t"}}
LAST = 5  # Turns, of which the fastest counts.


class State(typing.TypedDict):
    messages: typing.Annotated[list, add_messages]


class Words:
    def __init__(self):
        self.random = random.Random(1)
        self.words = ["word%d" % number for number in range(2000)]

    def __call__(self, count):
        return " ".join(self.random.choices(self.words, k=count))


def build(saver, words):
    def agent(state):
        count = len(state["messages"])
        if isinstance(state["messages"][-1], ToolMessage):
            return {"messages": [AIMessage(words(80), id=f"m{count}")]}
        call = {"id": f"t{count}", "name": "look", "args": {"q": words(5)}}
        return {"messages": [AIMessage("", id=f"m{count}", tool_calls=[call])]}

    def tool(state):
        call = state["messages"][-1].tool_calls[0]
        return {"messages": [ToolMessage(words(150), id=f"m{len(state['messages'])}", name="look",
                                         tool_call_id=call["id"])]}

    graph = StateGraph(State)
    graph.add_node("agent", agent)
    graph.add_node("tool", tool)
    graph.add_edge(START, "agent")
    graph.add_conditional_edges(
        "agent", lambda state: "tool" if state["messages"][-1].tool_calls else END)
    graph.add_edge("tool", "agent")
    return graph.compile(checkpointer=saver)


class Timed:
    """Adds up the time within a saver's methods."""

    def __init__(self, saver):
        self.spent = 0.0
        for name in ("put", "put_writes", "get_tuple"):
            setattr(saver, name, self.timed(getattr(saver, name)))

    def timed(self, method):
        def call(*given, **named):
            began = clock()
            try:
                return method(*given, **named)
            finally:
                self.spent += clock() - began
        return call


def milliseconds(work):
    began = clock()
    work()
    return (clock() - began) * 1e3


def size_of(path):
    return sum(file.stat().st_size for file in path.parent.glob(path.name + "*"))


def measure(name, opened, path, turns):
    """Returns one row of the table."""
    words = Words()
    whole, inside = [], []
    with opened(path) as saver:
        timed = Timed(saver)
        graph = build(saver, words)
        for number in range(turns):
            timed.spent = 0.0
            question = {"messages": [HumanMessage(words(30), id=f"m{4 * number}")]}
            whole.append(milliseconds(lambda: graph.invoke(question, CONFIG, durability="sync")))
            inside.append(timed.spent * 1e3)
    size = size_of(path)
    with opened(path) as saver:
        newest = milliseconds(lambda: saver.get_tuple(CONFIG))
        again = min(milliseconds(lambda: saver.get_tuple(CONFIG)) for _ in range(3))
        assert len(saver.get_tuple(CONFIG).checkpoint["channel_values"]["messages"]) == 4 * turns
    with opened(path) as saver:
        history = milliseconds(lambda: sum(1 for _ in saver.list(CONFIG)))
    return [name, f"{turns:,}", f"{size / 1e6:,.2f}", *(f"{min(each[-LAST:]):.1f}"
                                                         for each in (whole, inside)),
            f"{newest:.1f}", f"{again:.1f}", f"{history:,.1f}"]


def without(turns):
    words = Words()
    graph = build(None, words)
    messages, spent = [], []
    for number in range(turns):
        messages = messages + [HumanMessage(words(30), id=f"m{4 * number}")]
        began = clock()
        messages = graph.invoke({"messages": messages})["messages"]
        spent.append((clock() - began) * 1e3)
    return ["no checkpointer", f"{turns:,}", "", f"{min(spent[-LAST:]):.1f}", "", "", "", ""]


def main():
    counts = [int(word) for word in sys.argv[1:] if word.isdigit()]
    turns = counts[0] if counts else 400
    fewer = counts[1] if len(counts) > 1 else turns
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = pathlib.Path(tempfile.mkdtemp(dir=memory))
    try:
        def sqlite(path):
            return SqliteSaver.from_conn_string(str(path))

        class Spoor(SpoorSaver):
            def __init__(self, path):
                super().__init__(spoor.open(path, create=True))

            def __enter__(self):
                return self

            def __exit__(self, *_):
                self.store.close()

        rows = [without(turns), measure("spoor", Spoor, folder / "spoor", turns)]
        if program := os.environ.get("SPOOR_PROGRAM"):
            for words in (("trust",), ("gc", "--prune", "--vacuum")):
                subprocess.run([program, "--store", folder / "spoor", "store", *words], check=True,
                               capture_output=True, env={**os.environ, "HOME": str(folder)})
            rows.append(["spoor, after 'store gc'", f"{turns:,}",
                         f"{size_of(folder / 'spoor') / 1e6:,.2f}", "", "", "", "", ""])
        rows.append(measure("LangGraph's SqliteSaver", sqlite, folder / "sqlite", fewer))
    finally:
        shutil.rmtree(folder)
    print("| kept by | turns | file, MB | last turn, ms | of it the saver's, ms | newest state, first, ms "
          "| again, ms | all checkpoints, ms |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
