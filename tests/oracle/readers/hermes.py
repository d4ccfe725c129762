"""Hermes Agent's sessions (session_*.json): one document with messages of the chat API.

From the files, and https://github.com/NousResearch/hermes-agent.
"""

from model import Branch, Message, Session

from ._chat import loads, turns_of

FORMAT = "hermes"
PATHS = ["record-type-coverage/**/agents/hermes/*.json"]


def read(path):
    """Returns the session of one file."""
    text, document = loads(path)
    session = Session(FORMAT, document.get("session_id"))
    messages = []
    if document.get("system_prompt"):
        messages.append(Message("system", document["system_prompt"], "system_prompt"))
    for index, record in enumerate(document["messages"]):
        if record["role"] == "session_meta":
            session.passed_over("session_meta")
            continue
        messages += turns_of(record, f"messages[{index}]", text, ["messages", index])
    session.branches = [Branch(messages)]
    return [session]
