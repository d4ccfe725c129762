"""Kimi Code's wire log (agents/*/wire.jsonl): one record of what happened a line.

From the files. `context.append_message` is a message of
the context; an answer is a step: its parts and calls between `step.begin` and `step.end`, which has
its tokens. `config.update` has the system prompt. A compaction leaves the messages that the person
wrote, and the summary after them (packages/agent-core, contextMemory/compactionHandoff.ts of
https://github.com/MoonshotAI/kimi-code).
"""

from model import Branch, Call, Edit, Message, Session, Usage, lines_of
from rawjson import read_text, records, slice_of

from ._chat import text_of

FORMAT = "kimi"
PATHS = ["record-type-coverage/**/agents/kimi/*.jsonl"]


def read(path):
    """Returns the session of one file."""
    session = Session(FORMAT)
    messages = []
    written = set()  # indices of what the person wrote, and of the system prompt
    answer = None
    spent = None  # the tokens of the last compaction
    step = []
    results = {}
    for line, text, record in records(read_text(path)):
        place = f"line {line}"
        kind = record["type"]
        if kind in ("config.update", "profile.bind") and isinstance(
                record.get("systemPrompt"), str):
            if not any(m.kind == "system" and m.text == record["systemPrompt"] for m in messages):
                written.add(len(messages))
                messages.append(Message("system", record["systemPrompt"], place))
            else:
                session.passed_over("the same system prompt again")
        elif kind == "context.append_message":
            said = record["message"]
            if (said.get("origin") or {}).get("kind") == "user":
                written.add(len(messages))
            messages.append(Message(said["role"], text_of(said["content"]), place))
        elif kind == "context.apply_compaction":
            messages.append(Message("compaction", record.get("contextSummary") or record["summary"],
                                    place, keeps=sorted(written), is_last=True, usage=spent))
        elif kind == "context.append_loop_event":
            event = record["event"]
            if event["type"] == "step.begin":
                step, results, answer = [], {}, None
            elif event["type"] == "step.end":
                last = answer or (step[-1] if step else None)
                if last is not None:
                    last.usage = _usage(event.get("usage"))
                messages += step
                for call in answer.calls if answer else []:
                    if call.id in results:
                        messages.append(results.pop(call.id))
                step, answer = [], None
            elif event["type"] == "content.part" and event["part"]["type"] == "think":
                signature = event["part"].get("encrypted")
                step.append(Message("reasoning", event["part"]["think"], place,
                                    signatures=[signature] if signature else []))
            elif event["type"] == "tool.result":
                result = event["result"]
                results[event["toolCallId"]] = Message(
                    "tool", text_of(result.get("output")), place, call_id=event["toolCallId"],
                    is_error=bool(result.get("isError")))
            elif event["type"] in ("content.part", "tool.call"):
                if answer is None:
                    answer = Message("assistant", "", place)
                    step.append(answer)
                if event["type"] == "tool.call":
                    call = Call(event["toolCallId"], event["name"],
                                slice_of(text, ["event", "args"]))
                    if call.name == "Write":
                        # It may be a new file or not; that, nothing says.
                        call.edits = [Edit(event["args"]["path"],
                                           lines_of(event["args"]["content"]), None)]
                    answer.calls.append(call)
                else:
                    answer.text += event["part"]["text"]
            else:
                session.passed_over(f"event {event['type']}")
        else:
            if kind == "usage.record" and record.get("usageScope") == "session":
                spent = _usage(record["usage"])
            session.passed_over(kind)
    session.branches = [Branch(messages)]
    return [session]


def _usage(given):
    if not given:
        return None
    return Usage(given["inputOther"], given["output"], given["inputCacheRead"],
                 given["inputCacheCreation"], raw=given)
