"""Kimi Code's wire log (agents/*/wire.jsonl): one record of what happened a line.

From the files. `context.append_message` is a message of the context; an answer is a step: its
parts and calls between `step.begin` and `step.end`, which has its tokens. `config.update` has the
system prompt. A compaction leaves messages that the person wrote, and the summary after them: the
last `keptUserMessageCount` that are in the context, or of these the first
`keptHeadUserMessageCount` and the last others (packages/agent-core, src/agent/compaction/
handoff.ts of https://github.com/MoonshotAI/kimi-code). A record without the count is of a version
that put the summary before all messages after the first `compactedCount`.
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
    written = set()  # indices of what the person wrote
    context = []  # what the model is sent, but for the system prompt: indices of each message
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
                messages.append(Message("system", record["systemPrompt"], place))
            else:
                session.passed_over("the same system prompt again")
        elif kind == "context.append_message":
            said = record["message"]
            if (said.get("origin") or {}).get("kind") == "user":
                written.add(len(messages))
            context.append([len(messages)])
            messages.append(Message(said["role"], text_of(said["content"]), place))
        elif kind == "context.apply_compaction":
            count = record.get("keptUserMessageCount")
            if count is None:
                context = [[len(messages)]] + context[record["compactedCount"]:]
            else:
                context = _kept([m for m in context if m[0] in written], count,
                                record.get("keptHeadUserMessageCount") or 0) + [[len(messages)]]
            keeps = [i for i, m in enumerate(messages) if m.kind == "system"]
            messages.append(Message(
                "compaction", record.get("contextSummary") or record["summary"], place,
                keeps=sorted(keeps + [i for m in context for i in m if i < len(messages)]),
                is_last=count is not None, usage=spent))
        elif kind == "context.append_loop_event":
            event = record["event"]
            if event["type"] == "step.begin":
                step, results, answer = [], {}, None
            elif event["type"] == "step.end":
                last = answer or (step[-1] if step else None)
                if last is not None:
                    last.usage = _usage(event.get("usage"))
                context.append(list(range(len(messages), len(messages) + len(step))))
                messages += step
                for call in answer.calls if answer else []:
                    if call.id in results:
                        context.append([len(messages)])
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


def _kept(candidates, count, head):
    """Returns the first `head` of the candidates, and the last others of `count`."""
    last = candidates[len(candidates) - (count - head):] if count > head else []
    return candidates[:head] + last


def _usage(given):
    if not given:
        return None
    return Usage(given["inputOther"], given["output"], given["inputCacheRead"],
                 given["inputCacheCreation"], raw=given)
