"""A refund that a person approves: `approval.py start` asks, `approval.py yes` goes on."""
import sys

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command


def refund(order: str) -> str:
    """Refunds an order."""
    return f"refunded order {order}"


with SqliteSaver.from_conn_string("approval.db") as saver:
    agent = create_agent("anthropic:claude-sonnet-5", tools=[refund], checkpointer=saver,
                         middleware=[HumanInTheLoopMiddleware(interrupt_on={"refund": True})])
    thread = {"configurable": {"thread_id": "7"}}
    word = sys.argv[1]
    if word == "start":
        result = agent.invoke({"messages": [("user", "Refund order 7.")]}, thread)
        for request in result["__interrupt__"][0].value["action_requests"]:
            print(request["name"], request["args"])
    else:
        decision = {"type": "approve" if word == "yes" else "reject"}
        result = agent.invoke(Command(resume={"decisions": [decision]}), thread)
        print(result["messages"][-1].text)
