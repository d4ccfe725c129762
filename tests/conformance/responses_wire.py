"""The Responses API of OpenAI: what it refuses, and its answers, whole and streamed."""
import re

from answers import event, pieces
from chat_check import kind_of, listed
from chat_wire import error_body, model_entry  # noqa: F401 The server asks each wire for these.
from families import digest, is_number, is_whole, packed, refusal_of, sign, signed, tokens
from schema import fault_of, strict_fault

WIRE = "responses"
MEMBERS = {"access_programs", "background", "background_options", "context_management", "conversation", "image", "include",
           "input", "instructions", "max_output_tokens", "max_tool_calls", "metadata", "model", "moderation",
           "parallel_tool_calls", "previous_response_id", "prompt", "prompt_cache_key", "prompt_cache_options",
           "prompt_cache_retention", "reasoning", "safety_identifier", "service_tier", "store", "stream", "stream_options",
           "temperature", "text", "tool_choice", "tools", "top_logprobs", "top_p", "truncation", "user"}
MOVED = {"messages": "input", "max_tokens": "max_output_tokens", "max_completion_tokens": "max_output_tokens",
         "reasoning_effort": "reasoning.effort", "response_format": "text.format", "functions": "tools"}
# By type of an item: its members, and those that it must have. Other types are not looked into.
ITEMS = {
    "message": ({"type", "role", "content", "id", "status", "phase"}, ("role", "content")),
    "reasoning": ({"type", "id", "summary", "content", "encrypted_content", "status"}, ("summary",)),
    "function_call": ({"type", "id", "call_id", "name", "arguments", "status", "namespace", "caller"},
                      ("call_id", "name", "arguments")),
    "function_call_output": ({"type", "id", "call_id", "output", "status", "caller"}, ("call_id", "output")),
    "item_reference": ({"type", "id"}, ("id",)),
}
TOOL = {"type", "name", "description", "parameters", "strict", "defer_loading", "output_schema", "allowed_callers"}
PREFIXES = {"message": "msg", "reasoning": "rs", "function_call": "fc"}
PARTS = {"assistant": ("output_text", "refusal"), "user": ("input_text", "input_image", "input_file", "input_audio")}
OUTPUTS = ("message", "function_call", "custom_tool_call", "web_search_call", "file_search_call", "computer_call", "reasoning",
           "code_interpreter_call", "image_generation_call", "mcp_call", "mcp_list_tools", "mcp_approval_request", "shell_call",
           "apply_patch_call", "local_shell_call", "tool_search_call", "compaction", "program")


def type_of(item):
    return item.get("type") or ("message" if "role" in item else None)


def is_output(item):
    kind = type_of(item)
    return kind in OUTPUTS and (kind != "message" or item.get("role") == "assistant")


def items_of(body):
    given = body.get("input")
    return [{"role": "user", "content": given}] if isinstance(given, str) else given or []


class Check:
    """One request held against the rules of its family."""

    def __init__(self, body, family, any_signature):
        self.body, self.family, self.any_signature = body, family, any_signature

    def refuse(self, rule, **fields):
        raise refusal_of(self.family, WIRE, rule, model=self.body["model"], **fields)

    def run(self):
        self.members()
        self.sampling()
        self.reasoning()
        self.tools()
        for at, item in enumerate(items_of(self.body)):
            self.item(f"input[{at}]", item)
        self.pairs()
        self.reasoning_items()

    def members(self):
        body = self.body
        for name in body:
            if name in MOVED:
                self.refuse("moved", param=name, to=MOVED[name])
            if name not in MEMBERS:
                self.refuse("unknown", param=name)
        for name in ("prompt_cache_key", "safety_identifier"):
            if isinstance(body.get(name), str) and len(body[name]) > 64:
                self.refuse("long", param=name, size=len(body[name]))
        if body.get("input") is None and not any(body.get(name) for name in ("previous_response_id", "prompt", "conversation")):
            self.refuse("none")
        if not isinstance(body.get("input", ""), (str, list)):
            self.refuse("type", param="input", expected="a string or an array of objects", got=kind_of(body["input"]))
        limit = body.get("max_output_tokens")
        if limit is not None and not is_whole(limit):
            self.refuse("type", param="max_output_tokens", expected="an integer", got=kind_of(limit))
        if limit is not None and limit < 16:
            self.refuse("least", param="max_output_tokens", least=16, value=limit)
        before = body.get("previous_response_id")
        if before is not None and not before.startswith("resp_s") and not self.any_signature:
            self.refuse("previous", id=before)

    def sampling(self):
        body, rule = self.body, self.family["sampling"]
        for name, most in (("temperature", 2), ("top_p", 1)):
            value = body.get(name)
            if value is None:
                continue
            if not is_number(value):
                self.refuse("type", param=name, expected="a decimal", got=kind_of(value))
            if not 0 <= value <= most:
                self.refuse("above" if value > most else "below", param=name, value=value, most=most, least=0)
            if rule == "default" and value != 1 or rule == "unless_thinking" and value != 1 and self.effective_effort() != "none":
                self.refuse("parameter", param=name)

    def effective_effort(self):
        return (self.body.get("reasoning") or {}).get("effort") or self.family["effort_default"]

    def reasoning(self):
        body, levels = self.body, self.family["efforts"]
        reasoning = body.get("reasoning") or {}
        for name in reasoning:
            if name not in ("effort", "summary", "generate_summary", "context", "mode"):
                self.refuse("unknown", param=f"reasoning.{name}")
        if levels is None:
            given = next((name for name in ("effort", "summary") if reasoning.get(name) is not None), None)
            if given:
                self.refuse("parameter_model", param=f"reasoning.{given}")
            if "reasoning.encrypted_content" in (body.get("include") or []):
                self.refuse("encrypted_model")
            return
        effort, summary = reasoning.get("effort"), reasoning.get("summary")
        if effort is not None and effort not in levels:
            self.refuse("effort", value=effort, levels=listed(levels))
        if summary is not None and summary not in (self.family["summaries"] or ()):
            self.refuse("summary", value=summary, levels=listed(self.family["summaries"] or ()))

    def tools(self):
        tools, choice = self.body.get("tools"), self.body.get("tool_choice")
        if len(tools or []) > 128:
            self.refuse("tools_many", size=len(tools))
        for at, tool in enumerate(tools or []):
            if tool.get("type") != "function":
                continue
            for name in tool:
                if name not in TOOL:
                    self.refuse("missing" if "name" not in tool else "unknown",
                                param=f"tools[{at}].name" if "name" not in tool else f"tools[{at}].{name}")
            if not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", tool.get("name") or ""):
                self.refuse("missing" if "name" not in tool else "tool_name", param=f"tools[{at}].name")
            schema = tool.get("parameters")
            if schema and schema.get("type") != "object":
                self.refuse("schema", name=tool["name"], at=at, kind=schema.get("type"))
            if schema and fault_of(schema):
                self.refuse("schema_form", name=tool["name"], at=at, why=fault_of(schema))
            fault = tool.get("strict") and schema and strict_fault(schema)
            if fault:
                self.refuse("schema_strict", name=tool["name"], at=at, why=fault)
        if isinstance(choice, dict) and choice.get("type") == "function" and "function" in choice:
            self.refuse("unknown", param="tool_choice.function")
        if choice == "required" and not tools or isinstance(choice, dict) and not tools:
            self.refuse("choice_without_tools")

    # ---- Items ----

    def item(self, path, item):
        kind = type_of(item) if isinstance(item, dict) else None
        if kind is None:
            self.refuse("missing", param=f"{path}.type")
        if kind not in ITEMS:
            return
        members, needed = ITEMS[kind]
        for name in needed:
            if name not in item:
                self.refuse("missing", param=f"{path}.{name}")
        for name in item:
            if name not in members:
                self.refuse("unknown", param=f"{path}.{name}")
        for name in ("id", "call_id"):
            value = item.get(name)
            if value is not None and len(value) > 64:
                self.refuse("long", param=f"{path}.{name}", size=len(value))
        prefix = PREFIXES.get(kind)
        if prefix and item.get("id") is not None and not item["id"].startswith(prefix):
            self.refuse("id", param=f"{path}.id", id=item["id"], prefix=prefix)
        if kind == "message":
            self.message(path, item)
        if kind == "function_call" and not isinstance(item["arguments"], str):
            self.refuse("type", param=f"{path}.arguments", expected="a string", got=kind_of(item["arguments"]))
        if kind == "function_call_output" and not isinstance(item["output"], (str, list)):
            self.refuse("type", param=f"{path}.output", expected="a string or an array of objects", got=kind_of(item["output"]))

    def message(self, path, item):
        role, content = item["role"], item["content"]
        if role not in ("user", "assistant", "system", "developer"):
            self.refuse("role", param=path, role=role)
        if not isinstance(content, (str, list)):
            self.refuse("type", param=f"{path}.content", expected="a string or an array of objects", got=kind_of(content))
        allowed = PARTS.get(role, PARTS["user"])
        for at, part in enumerate(content if isinstance(content, list) else []):
            if part.get("type") not in allowed:
                self.refuse("part", param=f"{path}.content[{at}]", kind=part.get("type"), kinds=listed(allowed))

    def pairs(self):
        items, calls, answered = items_of(self.body), [], set()
        has_history = bool(self.body.get("previous_response_id") or self.body.get("conversation"))
        for item in items:
            kind = type_of(item)
            if kind == "function_call":
                calls.append(item["call_id"])
            if kind == "function_call_output":
                if item["call_id"] not in calls and not has_history:
                    self.refuse("output_without_call", id=item["call_id"])
                answered.add(item["call_id"])
        missing = next((name for name in calls if name not in answered), None)
        if missing is not None:
            self.refuse("call_without_output", id=missing)

    def reasoning_items(self):
        """Reasoning and what follows it return together, and sealed as it was."""
        items, before = items_of(self.body), None
        for at, item in enumerate(items):
            kind, name = type_of(item), item.get("id") or ""
            if kind == "reasoning":
                after = items[at + 1] if at + 1 < len(items) else {}
                is_stored = name and self.body.get("store") is not False  # Then the next item is known by its id.
                if not is_output(after) or is_stored and not after.get("id"):
                    self.refuse("reasoning_alone", id=name)
                if not self.any_signature:
                    self.seal(item)
            elif kind in ("message", "function_call") and re.fullmatch(r"(msg|fc)_[su]r.*", name):
                wanted = f"rs_{name.split('_')[1]}"
                if before is None and not self.any_signature:
                    self.refuse("without_reasoning", id=name, kind=kind, wanted=wanted)
            if kind == "reasoning":
                before = name
            elif not is_output(item):
                before = None

    def seal(self, item):
        sealed = item.get("encrypted_content")
        if sealed is None:
            if not (item.get("id") or "").startswith("rs_s"):
                self.refuse("not_found", id=item.get("id"))
            return
        facts = signed(sealed)
        if facts is None:
            self.refuse("encrypted", start=sealed[:4] + "..." + sealed[-4:])


def check(body, family, headers, any_signature=False):
    Check(body, family, any_signature).run()


# ---- Lengths and caches ----

def prompt_of(body):
    return packed([body.get("tools") or [], body.get("instructions") or "", items_of(body)])


def length_of(body):
    return tokens(len(prompt_of(body)))


def check_length(body, family):
    size, window = length_of(body), family["max_input"] or family["context"]
    if size > window and body.get("truncation") != "auto":
        raise refusal_of(family, WIRE, "too_long", size=size, limit=window)


def limit_of(body):
    return body.get("max_output_tokens")


def usage_of(body, family, cache, kept):
    step, least = family["cache_step"] or 128, family["cache_minimum"] or 0
    read = tokens(kept) // step * step
    return {"input_tokens": length_of(body), "cached": read if read >= least else 0}


# ---- Answers ----

def output_of(body, answer, family):
    store = "s" if body.get("store", True) is not False else "u"
    thinks = bool(answer.thinking and family["efforts"]) and (body.get("reasoning") or {}).get("effort") != "none"
    mark = f"{store}{'r' if thinks else ''}{answer.number}"
    output = []
    if thinks:
        summary = [{"type": "summary_text", "text": answer.thinking}] if (body.get("reasoning") or {}).get("summary") else []
        output.append({"id": f"rs_{mark}", "type": "reasoning", "summary": summary,
                       "encrypted_content": sign(text=digest(answer.thinking), model=body["model"])})
    if answer.text:
        part = {"type": "refusal", "refusal": answer.text} if answer.stop == "refusal" else {
            "type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
        output.append({"id": f"msg_{mark}", "type": "message", "status": "completed", "role": "assistant", "content": [part]})
    for at, call in enumerate(answer.calls):
        output.append({"id": f"fc_{mark}_{at}", "type": "function_call", "status": "completed", "call_id": f"call_{call['id']}",
                       "name": call["name"], "arguments": packed(call["input"]).decode()})
    return output, f"resp_{mark}"


def whole(body, answer, usage, family):
    output, name = output_of(body, answer, family)
    reason = answer.reason(WIRE)
    written = answer.tokens()
    return {"id": name, "object": "response", "created_at": 1790000000, "model": body["model"],
            "status": "completed" if reason == "completed" else "incomplete", "error": None,
            "incomplete_details": None if reason == "completed" else {"reason": reason},
            "instructions": body.get("instructions"), "max_output_tokens": body.get("max_output_tokens"), "metadata": {},
            "output": output, "parallel_tool_calls": True, "previous_response_id": body.get("previous_response_id"),
            "reasoning": {"effort": None, "summary": None, **(body.get("reasoning") or {})},
            "store": body.get("store", True), "temperature": body.get("temperature", 1.0), "text": {"format": {"type": "text"}},
            "tool_choice": body.get("tool_choice", "auto"), "tools": body.get("tools") or [], "top_p": 1.0,
            "truncation": body.get("truncation", "disabled"), "user": None,
            "usage": {"input_tokens": usage["input_tokens"], "output_tokens": written,
                      "total_tokens": usage["input_tokens"] + written,
                      "input_tokens_details": {"cached_tokens": usage["cached"], "cache_write_tokens": 0},
                      "output_tokens_details": {"reasoning_tokens": answer.thought_tokens()}}}


def stream(body, answer, usage, family):
    made, count = whole(body, answer, usage, family), [-1]

    def one(kind, **members):
        count[0] += 1
        return event({"type": kind, "sequence_number": count[0], **members}, kind)

    begun = {**made, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    yield one("response.created", response=begun)
    yield one("response.in_progress", response=begun)
    for at, item in enumerate(made["output"]):
        place = {"item_id": item["id"], "output_index": at}
        empty = {"reasoning": {"summary": []}, "message": {"content": []}, "function_call": {"arguments": ""}}[item["type"]]
        status = {} if item["type"] == "reasoning" else {"status": "in_progress"}
        yield one("response.output_item.added", output_index=at, item={**item, **empty, **status})
        if item["type"] == "reasoning":
            for number, part in enumerate(item["summary"]):
                inner = {**place, "summary_index": number}
                yield one("response.reasoning_summary_part.added", **inner, part={**part, "text": ""})
                for text in pieces(part["text"]):
                    yield one("response.reasoning_summary_text.delta", **inner, delta=text)
                yield one("response.reasoning_summary_text.done", **inner, text=part["text"])
                yield one("response.reasoning_summary_part.done", **inner, part=part)
        elif item["type"] == "message":
            part, inner = item["content"][0], {**place, "content_index": 0}
            word = "text" if part["type"] == "output_text" else "refusal"
            kind = "response.output_text" if word == "text" else "response.refusal"
            logged = {"logprobs": []} if word == "text" else {}
            yield one("response.content_part.added", **inner, part={**part, word: ""})
            for text in pieces(part[word]):
                yield one(f"{kind}.delta", **inner, delta=text, **logged)
            yield one(f"{kind}.done", **inner, **{word: part[word]}, **logged)
            yield one("response.content_part.done", **inner, part=part)
        else:
            for text in pieces(item["arguments"]):
                yield one("response.function_call_arguments.delta", **place, delta=text)
            yield one("response.function_call_arguments.done", **place, name=item["name"], arguments=item["arguments"])
        yield one("response.output_item.done", output_index=at, item=item)
    yield one(f"response.{made['status']}", response=made)


def error_event(refusal, number):
    return event({"type": "error", "code": refusal.code or refusal.type, "message": refusal.message, "param": refusal.param,
                  "sequence_number": 99}, "error")
