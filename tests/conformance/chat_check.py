"""What Chat Completions refuse, as OpenAI and those who took them over serve them."""
import json
import re

from families import is_number, is_whole, packed, refusal_of
from schema import fault_of, strict_fault

WIRE = "chat"
MEMBERS = {"model", "messages", "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs",
           "max_completion_tokens", "max_tokens", "metadata", "modalities", "moderation", "n", "parallel_tool_calls",
           "prediction", "presence_penalty", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention",
           "reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream",
           "stream_options", "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity",
           "web_search_options"}
# By role: the members of a message that OpenAI knows, and those of a part and of a call.
MESSAGE = {"system": {"role", "content", "name"}, "developer": {"role", "content", "name"}, "user": {"role", "content", "name"},
           "assistant": {"role", "content", "name", "refusal", "audio", "function_call", "tool_calls", "annotations"},
           "tool": {"role", "content", "tool_call_id", "name"}, "function": {"role", "content", "name"}}
PART = {"type", "text", "image_url", "input_audio", "file", "refusal", "prompt_cache_breakpoint"}
CALL = {"id", "type", "function", "custom"}
ROLES = ("system", "developer", "user", "assistant", "tool", "function")
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class Check:
    """One request held against the rules of its family."""

    def __init__(self, body, family):
        self.body, self.family = body, family
        self.messages = body["messages"]
        self.thinks = self.is_thinking()

    def refuse(self, rule, **fields):
        """Raises the vendor's own form of `rule` if the family names one."""
        raise refusal_of(self.family, WIRE, rule, model=self.body["model"], **fields)

    def is_thinking(self):
        """Whether the model will think, by the switch that its family has."""
        body, family = self.body, self.family
        switch = family["switch"]
        default = bool(family["thinks"])
        if switch == "thinking":
            kind = (body.get("thinking") or {}).get("type")
            return default if kind is None else kind != "disabled"
        if switch == "enable_thinking":
            return default if body.get("enable_thinking") is None else body["enable_thinking"]
        return default

    def run(self):
        self.members()
        self.form()
        self.limits()
        self.sampling()
        self.effort()
        self.switches()
        self.tools()
        self.order()
        for at, message in enumerate(self.messages):
            self.message(at, message)
        self.pairs()

    def members(self):
        if self.family["unknown_members"] == "refused":
            for name in self.body:
                if name not in MEMBERS and name not in (self.family["own_members"] or ()):
                    self.refuse("unknown", param=name)
        for name in self.family["unsupported_members"] or ():
            if self.body.get(name) is not None:
                if self.family["vendor"] == "openai":
                    self.refuse("parameter", param=name)
                self.refuse("unsupported", param=re.sub(r"_(\w)", lambda found: found[1].upper(), name))
        if not isinstance(self.messages, list):
            self.refuse("type", param="messages", expected="an array of objects", got=kind_of(self.messages))
        if not self.messages:
            self.refuse("none")
        for name in ("prompt_cache_key", "safety_identifier"):
            self.length(name, self.body.get(name), 64 if self.family["call_id_most"] else None)
        if self.body.get("stream_options") is not None and not self.body.get("stream"):
            self.refuse("stream_options")

    def length(self, path, text, most):
        if most and isinstance(text, str) and len(text) > most:
            self.refuse("long", param=path, most=most, size=len(text))

    def form(self):
        """The form that is asked of the answer."""
        form = self.body.get("response_format") or {}
        if self.family["vendor"] != "openai" or not form:
            return
        if form.get("type") not in ("text", "json_object", "json_schema"):
            self.refuse("form", kind=form.get("type"))
        if form["type"] == "json_object" and b"json" not in packed(self.messages).lower():
            self.refuse("form_word")
        schema = form.get("json_schema") or {}
        if form["type"] == "json_schema":
            for name in ("name", "schema"):
                if name not in schema:
                    self.refuse("missing", param=f"response_format.json_schema{'.name' if name == 'name' else ''}")
            fault = strict_fault(schema["schema"]) if schema.get("strict") else None
            if fault:
                self.refuse("form_strict", name=schema["name"], why=fault)

    def limits(self):
        stops, most = self.body.get("stop"), self.family["most_stops"]
        if isinstance(stops, list) and most and len(stops) > most:
            self.refuse("stop_many", most=most, size=len(stops))
        for name in ("max_tokens", "max_completion_tokens"):
            value = self.body.get(name)
            if value is None:
                continue
            if name in (self.family["refused_limits"] or ()):
                self.refuse("max_tokens_name")
            if not is_whole(value):
                self.refuse("type", param=name, expected="an integer", got=kind_of(value))
            if value < 1:
                self.refuse("least", param=name, value=value)
            if value > self.family["max_output"] and self.family["large_limits"] != "cut":
                self.refuse("max_tokens", param=name, asked=value, limit=self.family["max_output"])
        if self.body.get("max_tokens") is not None and self.body.get("max_completion_tokens") is not None and (
                self.family["unknown_members"] == "refused" and self.family["refused_limits"] is not None):
            self.refuse("both_limits")

    def sampling(self):
        body, family = self.body, self.family
        low, high = family["temperature"] or (0, 2)
        heat, share = body.get("temperature"), body.get("top_p")
        for name, value, ends in (("temperature", heat, (low, high)), ("top_p", share, (0, 1))):
            if value is None:
                continue
            if not is_number(value):
                self.refuse("type", param=name, expected="a decimal", got=kind_of(value))
            if value < ends[0]:
                self.refuse("below", param=name, value=value, least=ends[0])
            if value > ends[1]:
                self.refuse("above", param=name, value=value, most=ends[1])
        rule = family["sampling"]
        if rule == "any" or rule == "unless_thinking" and self.effective_effort() == "none":
            return
        if rule == "fixed":
            only = family["temperature_fixed"]["thinking" if self.thinks else "not"]
            if heat not in (None, only):
                self.refuse("temperature", value=heat, only=only)
            return
        if heat not in (None, 1):
            self.refuse("temperature", value=heat)
        for name in ("top_p", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs", "logit_bias"):
            value = body.get(name)
            if value not in (None, False) and not (name == "top_p" and value == 1) and not (
                    name.endswith("penalty") and value == 0):
                self.refuse("parameter", param=name)

    def effective_effort(self):
        return self.body.get("reasoning_effort") or self.family["effort_default"]

    def effort(self):
        body, family = self.body, self.family
        effort, levels = body.get("reasoning_effort"), family["efforts"]
        if effort is not None and levels is None and family["unknown_members"] == "refused":
            self.refuse("effort_none" if "effort_none" in (family["own_errors"] or {}) else "unknown", param="reasoning_effort")
        if effort is not None and levels is not None and effort not in levels:
            self.refuse("effort", value=effort, levels=listed(levels))
        if family["greedy"] and effort == "high" and body.get("temperature") == 0 and body.get("top_p") != 1:
            self.refuse("greedy")
        if body.get("prompt_mode") and levels and "prompt_mode" in family["own_errors"]:
            self.refuse("prompt_mode")
        if body.get("tools") and levels:
            if family["tools_with_reasoning"] == "never":
                self.refuse("tools_never")
            if family["tools_with_reasoning"] == "none" and self.effective_effort() != "none":
                self.refuse("tools_with_effort")

    def switches(self):
        body, family = self.body, self.family
        kind = (body.get("thinking") or {}).get("type") if isinstance(body.get("thinking"), dict) else None
        if kind is not None and family["thinking_types"] and kind not in family["thinking_types"]:
            self.refuse("thinking_type", kind=kind)
        if family["thinking_only_streamed"] and self.thinks and not body.get("stream"):
            self.refuse("thinking_not_streamed")
        if family["forced_tools"] == "not_thinking" and self.thinks and is_forced(body.get("tool_choice")):
            self.refuse("forced_with_thinking", choice=choice_name(body["tool_choice"]))

    def tools(self):
        tools, choice = self.body.get("tools"), self.body.get("tool_choice")
        if tools is not None and not tools and self.family["unknown_members"] == "refused":
            self.refuse("tools_none")
        if self.family["vendor"] == "openai" and len(tools or []) > 128:
            self.refuse("tools_many", size=len(tools))
        names = set()
        for at, tool in enumerate(tools or []):
            kind = tool.get("type")
            if kind != "function":
                if kind == "custom" or self.family["unknown_members"] != "refused":
                    continue
                self.refuse("tool_type", at=at, kind=kind)
            name = (tool.get("function") or {}).get("name")
            if name is None:
                self.refuse("missing", param=f"tools[{at}].function.name")
            if not TOOL_NAME.fullmatch(name):
                self.refuse("tool_name", at=at, name=name)
            names.add(name)
            schema = tool["function"].get("parameters")
            if schema and schema.get("type") != "object":
                self.refuse("schema", name=name, kind=schema.get("type"))
            if schema and self.family["vendor"] == "openai":
                if fault_of(schema):
                    self.refuse("schema_form", name=name, at=at, why=fault_of(schema))
                fault = tool["function"].get("strict") and strict_fault(schema)
                if fault:
                    self.refuse("schema_strict", name=name, at=at, why=fault)
        is_strict = self.family["unknown_members"] == "refused"
        if choice not in (None, "none") and not tools and is_strict:
            self.refuse("choice_without_tools")
        if self.body.get("parallel_tool_calls") is not None and not tools and is_strict:
            self.refuse("parallel_without_tools")
        if isinstance(choice, str) and choice not in ("none", "auto", "required", "any"):
            self.refuse("choice", value=choice)

    # ---- Messages ----

    def known(self, at, message):
        """Members that the vendor does not know are refused, where it does so."""
        role = message["role"]
        if self.family["message_members"] == "strict":
            for name in message:
                if name not in MESSAGE[role]:
                    self.refuse("unknown_member", param=f"messages[{at}].{name}")
            for number, part in enumerate(message["content"] if isinstance(message.get("content"), list) else []):
                extra = next((name for name in part if name not in PART), None)
                if extra:
                    self.refuse("unknown_member", param=f"messages[{at}].content[{number}].{extra}")
            for number, call in enumerate(message.get("tool_calls") or []):
                extra = next((name for name in call if name not in CALL), None)
                if extra:
                    self.refuse("unknown_member", param=f"messages[{at}].tool_calls[{number}].{extra}")
        extra = next((name for name in self.family["refused_in_messages"] or () if name in message), None)
        if extra:
            self.refuse("unknown_member", param=extra)

    def message(self, at, message):
        if not isinstance(message, dict) or "role" not in message:
            self.refuse("missing", param=f"messages[{at}].role")
        role, content = message["role"], message.get("content")
        if role not in ROLES:
            self.refuse("role", at=at, role=role)
        self.known(at, message)
        if role in ("system", "developer", "user") and content is None:
            self.refuse("content_null", at=at)
        if role == "tool" and "tool_call_id" not in message:
            self.refuse("missing", param=f"messages[{at}].tool_call_id")
        if content is not None and not isinstance(content, (str, list)):
            self.refuse("type", param=f"messages[{at}].content", expected="a string or an array of objects",
                        got=kind_of(content))
        if role == "assistant" and not content and not message.get("tool_calls") and not message.get("refusal") and (
                content is None or self.family["empty_answers"] == "refused"):
            self.refuse("answer_empty", at=at)
        if "reasoning_content" in message and self.family["reasoning_content"] == "refused":
            self.refuse("reasoning_content_sent", at=at)
        if message.get("tool_calls") == [] and self.family["call_id_most"]:
            self.refuse("calls_none", at=at)
        self.length(f"messages[{at}].tool_call_id", message.get("tool_call_id"), self.family["call_id_most"])
        for number, call in enumerate(message.get("tool_calls") or []):
            self.call(f"messages[{at}].tool_calls[{number}]", call)
        if role == "assistant" and self.thinks and self.family["reasoning_content"] in ("with_calls", "always"):
            needed = message.get("tool_calls") or self.family["reasoning_content"] == "always"
            if needed and not isinstance(message.get("reasoning_content"), str) and at > last_user(self.messages, self.family):
                self.refuse("reasoning_content_missing", at=at)

    def call(self, path, call):
        for name in ("id", "function"):
            if name not in call:
                self.refuse("missing", param=f"{path}.{name}")
        if call.get("type") not in ("function", "custom"):
            if call.get("type") is not None or self.family["unknown_members"] == "refused":
                self.refuse("missing", param=f"{path}.type")
        self.length(f"{path}.id", call["id"], self.family["call_id_most"])
        if self.family["call_id"] and not re.fullmatch(self.family["call_id"], call["id"]):
            self.refuse("call_id", id=call["id"])
        arguments = call["function"].get("arguments")
        if not isinstance(arguments, str):
            self.refuse("type", param=f"{path}.function.arguments", expected="a string", got=kind_of(arguments))
        if self.family["arguments"] == "json":
            try:
                json.loads(arguments)
            except ValueError:
                self.refuse("arguments", path=path)

    def order(self):
        """The order of roles, where a vendor is strict about it."""
        if self.family["order"] != "strict":
            return
        before = None
        for message in self.messages:
            role = message.get("role")
            if role == "user" and before == "tool" or role == "system" and before not in (None, "system"):
                self.refuse("order", role=role, before=before)
            before = role
        last = self.messages[-1]
        if last.get("role") == "assistant" and not last.get("prefix") or last.get("role") == "system":
            self.refuse("order_last", role=last["role"])

    def pairs(self):
        """Every result follows its call, and every call has its result before another turn begins."""
        if self.family["pairs"] == "free":
            return
        open_calls = []
        for at, message in enumerate(self.messages):
            if message["role"] == "tool":
                if message["tool_call_id"] not in open_calls:
                    self.refuse("result_without_call", at=at, id=message["tool_call_id"])
                open_calls.remove(message["tool_call_id"])
                continue
            if open_calls:
                self.refuse("call_without_result", at=at, ids=", ".join(open_calls))
            open_calls = [call["id"] for call in message.get("tool_calls") or []]
        if open_calls:
            self.refuse("call_without_result", at=len(self.messages), ids=", ".join(open_calls))


def last_user(messages, family):
    """Returns the index before which reasoning may be missing: old turns of families that forget them."""
    if family["reasoning_of_old_turns"] == "required":
        return -1
    return max((at for at, message in enumerate(messages) if message.get("role") == "user"), default=-1)


def kind_of(value):
    return {str: "a string", bool: "a boolean", int: "an integer", float: "a decimal", list: "an array",
            dict: "an object", type(None): "null"}[type(value)]


def listed(names):
    quoted = [f"'{name}'" for name in names]
    return "".join(quoted) if len(quoted) < 2 else ", ".join(quoted[:-1]) + f", and {quoted[-1]}"


def is_forced(choice):
    return choice in ("required", "any") or isinstance(choice, dict)


def choice_name(choice):
    return choice if isinstance(choice, str) else "object"


def check(body, family, headers):
    if "messages" not in body:
        raise refusal_of(family, WIRE, "missing", param="messages")
    Check(body, family).run()
