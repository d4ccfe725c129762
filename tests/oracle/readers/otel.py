"""Traces of OpenTelemetry as JSON: OTLP, Tempo's and Jaeger's exports, dumps of span objects.

From the files, and https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
(gen_ai.input.messages, gen_ai.output.messages), https://github.com/traceloop/openllmetry
(gen_ai.prompt.N), https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
(llm.input_messages.N), https://ai-sdk.dev/docs/ai-sdk-core/telemetry (ai.prompt.messages,
ai.response.text), https://github.com/mozilla-ai/any-agent (gen_ai.output).

Spans of one conversation id, or of one trace, are a conversation. A span of a model's call has the
prompt and the answer; each next one has the prompt of the one before, its answer, and what was
new. Where a span has no prompt, what its tools gave is in their spans. One call may be in spans of
several libraries: that with the words counts. A span around others (`ai.generateText` around
`ai.generateText.doGenerate`) is no call of its own.
"""

import json
import re

from model import Branch, Call, Message, Session, Usage
from rawjson import read_text, slice_of

from ._chat import text_of

FORMAT = "otel"
PATHS = ["otel-agentevals/samples/*.json", "otel-any-agent/docs/traces/*.json",
         "otel-openinference-vercel/**/*-spans.json"]

_CONVERSATION = ("gen_ai.conversation.id", "session.id")


class _Span:
    def __init__(self, span_id, trace, start, end, attributes):
        self.id, self.trace, self.start, self.end = span_id, trace, start, end
        self.attributes = attributes

    def get(self, *names):
        """Returns the first of these attributes that is there."""
        return next((self.attributes[n] for n in names if self.attributes.get(n) is not None), None)


def read(path):
    """Returns the conversations of one file."""
    document = json.loads(read_text(path))
    spans = sorted(_spans(document), key=lambda span: span.start)
    groups = {}
    for span in spans:
        named = span.get(*_CONVERSATION)
        groups.setdefault(named or span.trace, (named, []))[1].append(span)
    sessions = [_session(name, found) for name, found in groups.values()]
    return [session for session in sessions if session.branches]


def _spans(document):
    if isinstance(document, list):
        for span in document:
            if "resourceSpans" in span:
                yield from _spans(span)
            elif "context" in span:  # Phoenix's, whose kind is beside the attributes.
                kind = {"openinference.span.kind": span.get("span_kind")}
                yield _Span(span["context"]["span_id"], span["context"]["trace_id"],
                            span["start_time"], span["end_time"], {**kind, **span["attributes"]})
            else:
                yield _Span(span["spanContext"]["spanId"], span["spanContext"]["traceId"],
                            tuple(span["startTime"]), tuple(span["endTime"]), span["attributes"])
    elif "spans" in document:
        for span in document["spans"]:
            yield _Span(span["context"]["span_id"], span["context"]["trace_id"],
                        span["start_time"], span["end_time"], span["attributes"])
    elif "data" in document:
        for trace in document["data"]:
            for span in trace["spans"]:
                yield _Span(span["spanID"], span["traceID"], span["startTime"],
                            span["startTime"] + span["duration"],
                            {tag["key"]: tag["value"] for tag in span["tags"]})
    else:
        for batch in document.get("resourceSpans") or document["batches"]:
            for scope in batch.get("scopeSpans") or batch.get("instrumentationLibrarySpans") or []:
                for span in scope["spans"]:
                    yield _Span(span["spanId"], span["traceId"], int(span["startTimeUnixNano"]),
                                int(span["endTimeUnixNano"]),
                                {a["key"]: _value(a["value"]) for a in span.get("attributes", [])})


def _value(value):
    kind, inner = next(iter(value.items()), (None, None))
    if kind == "intValue":
        return int(inner)
    if kind == "arrayValue":
        return [_value(v) for v in inner.get("values", [])]
    return inner


def _session(name, spans):
    session = Session(FORMAT, name)
    tools = [s for s in spans if s.get("gen_ai.tool.name", "tool.name") is not None
             and s.get("gen_ai.operation.name", "openinference.span.kind")
             in ("execute_tool", "TOOL")]
    lines = []
    for span in spans:
        call = _model_call(span)
        if call is None:
            continue
        prompt, turns = call
        line = lines[-1] if lines else None
        if prompt is None and line is not None:
            _results(line, tools, span.start, session)
        elif prompt is not None:
            line = next((l for l in reversed(lines) if _is_front(l, prompt)), None)
            if line is not None:
                line += prompt[len(line):]
            else:
                line = prompt
                lines.append(line)
        else:
            line = []
            lines.append(line)
        turns[-1].usage = _usage(span)
        line += turns
    for line in lines:
        _results(line, tools, None, session)
        session.branches.append(Branch(line))
    if any(c.id is None for l in lines for m in l for c in m.calls):
        session.loose = frozenset({"ids"})
    _name(lines)
    return session


def _is_front(line, prompt):
    return len(line) <= len(prompt) and all(
        (a.kind, a.text.strip(), len(a.calls)) == (b.kind, b.text.strip(), len(b.calls))
        for a, b in zip(line, prompt))


def _results(line, tools, before, session):
    """Appends what the tools of the last answer gave, if the prompts do not have it."""
    if not line or not line[-1].calls:
        return
    for call in line[-1].calls[:]:
        for span in tools:
            wanted = span.get("gen_ai.tool.name", "tool.name") == call.name
            said = span.get("gen_ai.output", "gen_ai.tool.call.result", "output.value",
                            "gcp.vertex.agent.tool_response")
            if wanted and said is not None and (before is None or span.start <= before):
                tools.remove(span)
                line.append(Message("tool", said, f"span {span.id}", call_id=call))
                break


def _name(lines):
    """Gives calls without an id one, and their results the same."""
    for line in lines:
        for number, message in enumerate(line):
            for index, call in enumerate(message.calls):
                call.id = call.id or f"call {number}.{index}"
                if "write" in call.name or "edit" in call.name:
                    call.edits = "any"
        for message in line:
            if isinstance(message.call_id, Call):
                message.call_id = message.call_id.id


def _usage(span):
    given = span.get("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens",
                     "llm.token_count.prompt", "ai.usage.inputTokens", "ai.usage.promptTokens")
    if given is None:
        return None
    given = int(given)  # Phoenix writes numbers as texts.
    cached = span.get("gen_ai.usage.cache_read_input_tokens",
                      "gen_ai.usage.cache_read.input_tokens",
                      "llm.token_count.prompt_details.cache_read", "ai.usage.cachedInputTokens")
    said = span.get("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens",
                    "llm.token_count.completion", "ai.usage.outputTokens",
                    "ai.usage.completionTokens")
    thought = span.get("gen_ai.usage.reasoning_tokens",
                       "llm.token_count.completion_details.reasoning", "ai.usage.reasoningTokens")
    cached, said, thought = [None if n is None else int(n) for n in (cached, said, thought)]
    return Usage(given - (cached or 0), said, cached, None, thought)


def _model_call(span):
    """Returns (prompt or None, messages of the answer) of a span; None: no model was called."""
    place = f"span {span.id}"
    for read_dialect in (_indexed, _vercel, _any_agent, _semantic, _openinference):
        found = read_dialect(span, place)
        if found is not None:
            return found
    return None


def _indexed(span, place):
    """gen_ai.prompt.N.role and the like."""
    if span.get("gen_ai.completion.0.role", "gen_ai.completion.0.content") is None:
        return None
    return (_numbered(span, "gen_ai.prompt.", place),
            (_numbered(span, "gen_ai.completion.", place) or [Message("assistant", "", place)])[:1])


def _numbered(span, front, place):
    numbers = sorted({int(m.group(1)) for m in (
        re.match(re.escape(front) + r"(\d+)\.", key) for key in span.attributes) if m})
    messages = []
    for number in numbers:
        at = f"{front}{number}."
        message = Message(_kind(span.get(at + "role") or "assistant"),
                          span.get(at + "content") or "", f"{place} {at}")
        message.call_id = span.get(at + "tool_call_id")
        index = 0
        while span.get(f"{at}tool_calls.{index}.name") is not None:
            inner = f"{at}tool_calls.{index}."
            message.calls.append(Call(span.get(inner + "id"), span.get(inner + "name"),
                                      span.get(inner + "arguments") or ""))
            index += 1
        messages.append(message)
    return messages


def _kind(role):
    return {"human": "user", "ai": "assistant", "model": "assistant", "developer": "system",
            "function": "tool"}.get(role, role)


def _vercel(span, place):
    given = span.get("ai.prompt.messages")
    if given is None:
        return None
    prompt = []
    for index, record in enumerate(json.loads(given)):
        content = record["content"]
        parts = content if isinstance(content, list) else []
        results = [p for p in parts if p.get("type") == "tool-result"]
        for part in results:
            output = part.get("output", part.get("result"))
            if isinstance(output, dict) and "value" in output:
                output = output["value"]
            prompt.append(Message("tool", output if isinstance(output, str) else json.dumps(output),
                                  place, call_id=part["toolCallId"]))
        if results:
            continue
        for part in parts:
            if part.get("type") == "reasoning":
                prompt.append(Message("reasoning", part["text"], place))
        said = Message(record["role"], text_of(content), place)
        for number, part in enumerate(parts):
            if part.get("type") == "tool-call":
                key = "input" if "input" in part else "args"
                said.calls.append(Call(part["toolCallId"], part["toolName"],
                                       slice_of(given, [index, "content", number, key])))
        prompt.append(said)
    answer = Message("assistant", span.get("ai.response.text", "ai.response.object") or "", place)
    made = span.get("ai.response.toolCalls")
    for index, call in enumerate(json.loads(made) if made else []):
        key = "input" if "input" in call else "args"
        value = call[key]
        answer.calls.append(Call(call["toolCallId"], call["toolName"], value if isinstance(
            value, str) else slice_of(made, [index, key])))
    return prompt, [answer]


def _any_agent(span, place):
    said = span.get("gen_ai.output")
    if said is None or span.get("gen_ai.operation.name") != "call_llm":
        return None
    given = span.get("gen_ai.input.messages")
    prompt = None if given is None else [
        Message(_kind(m["role"]), text_of(m["content"]), place) for m in json.loads(given)]
    answer = Message("assistant", "", place)
    try:
        value = json.loads(said)
    except ValueError:
        value = None
    if isinstance(value, list) and value and all("tool.name" in v for v in value):
        for index, call in enumerate(value):
            args = call["tool.args"]
            answer.calls.append(Call(None, call["tool.name"], args if isinstance(args, str)
                                     else slice_of(said, [index, "tool.args"])))
    else:
        answer.text = said
    return prompt, [answer]


def _semantic(span, place):
    """gen_ai.input.messages and gen_ai.output.messages, in parts."""
    said = span.get("gen_ai.output.messages")
    if said is None:
        return None
    given = span.get("gen_ai.input.messages")
    prompt = []
    system = span.get("gen_ai.system_instructions")
    if system:
        prompt.append(Message("system", "".join(
            p.get("content") or "" for p in json.loads(system)), place))
    for index, record in enumerate(json.loads(given) if given else []):
        prompt += _in_parts(record, given, [index], place)
    return (prompt if given else None), _in_parts(json.loads(said)[0], said, [0], place)


def _in_parts(record, text, path, place):
    turns = []
    said = Message(_kind(record["role"]), "", place)
    for index, part in enumerate(record["parts"]):
        if part["type"] == "text":
            said.text += part["content"]
        elif part["type"] in ("reasoning", "thinking"):
            turns.append(Message("reasoning", part["content"], place))
        elif part["type"] == "tool_call":
            value = part.get("arguments")
            said.calls.append(Call(part.get("id"), part["name"], value if isinstance(value, str)
                                   else slice_of(text, path + ["parts", index, "arguments"])))
        elif part["type"] == "tool_call_response":
            value = part.get("response", part.get("result"))
            turns.append(Message("tool", value if isinstance(value, str) else json.dumps(value),
                                 place, call_id=part.get("id")))
    if said.text or said.calls or not turns:
        turns.append(said)
    return turns


def _openinference(span, place):
    if span.get("openinference.span.kind") != "LLM":
        return None
    flat = _Span(span.id, span.trace, span.start, span.end, {})
    for key, value in span.attributes.items():
        match = re.match(r"llm\.(input|output)_messages\.(\d+)\.message\.(.*)", key)
        if match:
            name = match.group(3).replace(".tool_call.function.", ".").replace(".tool_call.", ".")
            flat.attributes[f"{match.group(1)}.{match.group(2)}.{name}"] = value
    answers = _numbered(flat, "output.", place)
    return (_numbered(flat, "input.", place), answers[:1]) if answers else None
