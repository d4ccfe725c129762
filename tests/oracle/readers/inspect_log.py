"""Inspect's logs: one JSON document, or a .eval archive with a document for each sample.

From the files, and https://inspect.aisi.org.uk/eval-logs.html. A sample's `messages` are its
conversation. What each answer took is in the event `model` whose output has the message's id; the
sample's `output` has it for the last. In early logs messages have no ids: the events come in the
order of the answers, and each is of the next answer with its text and calls. `attachment://HASH`
stands for a text of the sample's `attachments`. A tool's `error` is told to the model as `Error:
` and its message, whatever the result's content is (inspect_ai/model/_openai.py).
"""

import json
import zipfile

from model import Branch, Call, Message, Session, Usage
from rawjson import read_text, slice_of

from ._chat import pictures_of, text_of

FORMAT = "inspect"
PATHS = ["inspect-logs/tests/analysis/test_logs/*.json", "inspect-logs/tests/log/**/*.eval"]


def read(path):
    """Returns a session for each sample."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            texts = [archive.read(name).decode() for name in sorted(archive.namelist())
                     if name.startswith("samples/")]
        return [_sample(json.loads(text), text, []) for text in texts]
    text = read_text(path)
    return [_sample(sample, text, ["samples", index])
            for index, sample in enumerate(json.loads(text)["samples"])]


def _sample(sample, text, path):
    session = Session(FORMAT)
    attachments = sample.get("attachments") or {}
    usage_of = _usages(sample, attachments)
    messages = []
    for index, record in enumerate(sample["messages"]):
        place = f"sample {sample['id']} epoch {sample['epoch']}, messages[{index}]"
        content = record["content"]
        role = record["role"]
        if role == "assistant":
            for part in content if isinstance(content, list) else []:
                if part["type"] == "reasoning":
                    signature = part.get("signature")
                    messages.append(Message("reasoning", part.get("reasoning") or "", place,
                                            signatures=[signature] if signature else []))
            answer = Message("assistant", _text(content, attachments), place,
                             pictures=pictures_of(content))
            for number, call in enumerate(record.get("tool_calls") or []):
                answer.calls.append(Call(call["id"], call["function"], slice_of(
                    text, path + ["messages", index, "tool_calls", number, "arguments"])))
            answer.usage = usage_of.get(index)
            messages.append(answer)
        elif role == "tool":
            error = record.get("error")
            said = f"Error: {error['message']}" if error else _text(content, attachments)
            messages.append(Message("tool", said, place, call_id=record.get("tool_call_id"),
                                    is_error=error is not None))
        else:
            messages.append(Message(role, _text(content, attachments), place,
                                    pictures=pictures_of(content)))
    session.branches = [Branch(messages)]
    return session


def _text(content, attachments):
    said = text_of(content)
    return attachments.get(said.removeprefix("attachment://"), said) if said.startswith(
        "attachment://") else said


def _usages(sample, attachments):
    """Returns {index of an answer: usage}."""
    found = {}
    outputs = [e.get("output") or {} for e in sample.get("events") or [] if e["event"] == "model"]
    answers = [(i, m) for i, m in enumerate(sample["messages"]) if m["role"] == "assistant"]
    by_id = {m["id"]: i for i, m in answers if m.get("id")}
    following = list(answers)
    for output in outputs + [sample.get("output") or {}]:
        given = output.get("usage")
        for choice in output.get("choices") or [] if given else []:
            said = choice["message"]
            at = by_id.get(said.get("id"))
            if at is None:
                wanted = _said(said, attachments)
                at = next((i for i, m in following if _said(m, attachments) == wanted), None)
                following = [(i, m) for i, m in following if at is None or i > at]
            if at is not None:
                found[at] = Usage(
                    given["input_tokens"], given["output_tokens"],
                    given.get("input_tokens_cache_read"), given.get("input_tokens_cache_write"),
                    given.get("reasoning_tokens"), raw=given)
    return found


def _said(message, attachments):
    return (_text(message["content"], attachments),
            [(call["function"], call["arguments"]) for call in message.get("tool_calls") or []])
