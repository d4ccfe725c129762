"""ShareGPT: conversations of `from` and `value`, rows of data sets.

From the files, and https://github.com/hiyouga/LLaMA-Factory/blob/main/data/README.md. `human`,
`gpt` and `system` are messages; a `function_call` is a call, as JSON with name and arguments or as
a block `<function=…>`; an `observation` is its result. A row's `system` is the first message; its
`tools` are a list of tools, as JSON text.
"""

import json

from model import Branch, Call, Message, Session
from rawjson import read_text, slice_of

from ._functions import block_of, call_of, result_of

FORMAT = "sharegpt"
PATHS = ["llamafactory-chat/data/glaive_toolcall_en_demo.json",
         "adp-samples/datasets/*/sample_sft.json"]

_KINDS = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant",
          "system": "system", "observation": "tool", "function_response": "tool", "tool": "tool"}


def read(path):
    """Returns a session for each row."""
    text = read_text(path)
    return [_session(row, index) for index, row in enumerate(json.loads(text))]


def _session(row, number):
    session = Session(FORMAT, loose=frozenset({"ids"}))
    messages = []
    if row.get("system"):
        messages.append(Message("system", row["system"], f"[{number}].system"))
    waiting = []
    for index, turn in enumerate(row["conversations"]):
        place = f"[{number}].conversations[{index}]"
        value = turn["value"]
        if turn["from"] == "function_call":
            answer = Message("assistant", "", place)
            block = block_of(value)
            if block:
                answer.text, answer.calls_in_text = value, True
                answer.calls = [call_of(block, f"call of {place}")]
                session.loose = frozenset({"ids", "text", "members"})
            else:
                call = json.loads(value)
                answer.calls = [Call(f"call of {place}", call["name"],
                                     slice_of(value, ["arguments"]))]
            waiting = list(answer.calls)
            messages.append(answer)
            continue
        kind = _KINDS[turn["from"]]
        if kind == "user" and waiting and result_of(value, waiting[0]):
            kind = "tool"
        message = Message(kind, value, place)
        if kind == "tool" and waiting:
            message.call_id = waiting.pop(0).id
        messages.append(message)
    session.branches = [Branch(messages)]
    return session
