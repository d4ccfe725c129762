"""What the Messages API of Anthropic refuses."""
import re

from families import Refusal, digest, is_number, is_whole, signed

WIRE = "messages"
MEMBERS = {"model", "messages", "max_tokens", "cache_control", "container", "diagnostics", "inference_geo", "metadata",
           "output_config", "service_tier", "speed", "stop_sequences", "stream", "system", "temperature", "thinking",
           "tool_choice", "tools", "top_k", "top_p"}
BETA_MEMBERS = {"betas", "context_management", "mcp_servers", "fallbacks", "user_profile_id", "workspace_id",
                "output_format", "cache_diagnostics"}
COUNTED = {"model", "messages", "cache_control", "output_config", "system", "thinking", "tool_choice", "tools",
           "context_management", "mcp_servers", "output_format"}
# By type of a block: its members. A type of a server's tool has members of its own and is not looked into.
BLOCKS = {
    "text": {"type", "text", "cache_control", "citations"},
    "image": {"type", "source", "cache_control"},
    "document": {"type", "source", "cache_control", "citations", "context", "title"},
    "search_result": {"type", "source", "title", "content", "cache_control", "citations"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "tool_use": {"type", "id", "name", "input", "cache_control", "caller"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
}
EFFORTS = ("low", "medium", "high", "xhigh", "max")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")


def blocks_of(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def without_marks(value):
    """Returns `value` as the prefix check and the cache read it: no marks, and a text as one block."""
    if isinstance(value, list):
        return [without_marks(one) for one in value]
    if isinstance(value, dict):
        return {name: blocks_of(inner) if name == "content" and isinstance(inner, str) else without_marks(inner)
                for name, inner in value.items() if name != "cache_control"}
    return value


def turns_of(messages):
    """Returns (role, blocks) with neighbours of one role made one, as the API does."""
    turns = []
    for message in messages:
        blocks = without_marks(blocks_of(message["content"]))
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(blocks)
        else:
            turns.append((message["role"], list(blocks)))
    return turns


def prefix_of(body, turns, at, before):
    """Returns the name of all that comes before block `before` of turn `at`."""
    return digest(without_marks(blocks_of(body.get("system") or "")), without_marks(body.get("tools") or []),
                  turns[:at], [turns[at][0], turns[at][1][:before]] if before else [])


class Check:
    """One request held against the rules of its family."""

    def __init__(self, body, family, any_signature, is_count):
        self.body, self.family, self.any_signature, self.is_count = body, family, any_signature, is_count
        self.thinking = body.get("thinking") or {}
        self.kind = self.thinking.get("type") if isinstance(self.thinking, dict) else None

    def run(self):
        self.numbers()
        self.texts()
        self.messages()
        self.tools()
        self.thinking_forms()
        self.sampling()
        self.thinking_blocks()
        self.marks()

    # ---- Members ----

    def numbers(self):
        limit = self.body.get("max_tokens")
        if self.is_count:
            return
        if not is_whole(limit):
            raise Refusal("messages.integer", path="max_tokens")
        if limit < 0:
            raise Refusal("messages.at_least", path="max_tokens", least=0)
        if limit > self.family["max_output"]:
            raise Refusal("messages.max_tokens", asked=limit, limit=self.family["max_output"], model=self.body["model"])

    def texts(self):
        for text in self.body.get("stop_sequences") or []:
            if not text.strip():
                raise Refusal("messages.stop_blank")
        system = self.body.get("system")
        if system is not None and not isinstance(system, (str, list)):
            raise Refusal("messages.string", path="system")
        for block in system if isinstance(system, list) else []:
            if block.get("type") != "text":
                raise Refusal("messages.system_tag", kind=block.get("type"))
            if not block.get("text"):
                raise Refusal("messages.system_empty")

    def sampling(self):
        body, rule = self.body, self.family["sampling"]
        heat, share, few = (body.get(name) for name in ("temperature", "top_p", "top_k"))
        for name, value in (("temperature", heat), ("top_p", share)):
            if value is not None and not (is_number(value) and 0 <= value <= 1):
                raise Refusal("messages.range", path=name)
        if rule == "default":
            if self.kind == "adaptive" and heat not in (None, 1):
                raise Refusal("messages.temperature_with_thinking")
            for name, value, usual in (("temperature", heat, 1), ("top_p", share, 1), ("top_k", few, None)):
                if value is not None and value != usual:
                    raise Refusal("messages.sampling_removed", param=name)
            return
        if rule == "one" and heat is not None and share is not None:
            raise Refusal("messages.sampling_both")
        if self.kind in ("enabled", "adaptive"):
            if heat not in (None, 1):
                raise Refusal("messages.temperature_with_thinking")
            if share is not None and share < 0.95:
                raise Refusal("messages.top_p_with_thinking")
            if few is not None:
                raise Refusal("messages.top_k_with_thinking")

    def thinking_forms(self):
        family, body, kind = self.family, self.body, self.kind
        effort = (body.get("output_config") or {}).get("effort")
        if effort is not None:
            if effort not in EFFORTS:
                raise Refusal("messages.effort_unknown")
            if not family["efforts"]:
                raise Refusal("messages.effort")
            if effort not in family["efforts"]:
                raise Refusal("messages.effort_level", effort=effort, levels=", ".join(sorted(family["efforts"])))
        if "thinking" not in body or body["thinking"] is None:
            return
        if kind not in ("enabled", "adaptive", "disabled", "between_tools"):
            raise Refusal("messages.thinking_tag", kind=kind)
        if kind not in family["thinking"]:
            raise Refusal(family["thinking_refusals"].get(kind, "messages.thinking_enabled"), kind=kind,
                          model=body["model"])
        if kind == "enabled":
            budget = self.thinking.get("budget_tokens")
            if budget is None:
                raise Refusal("messages.required", path="thinking.enabled.budget_tokens")
            if not is_whole(budget) or budget < family["least_budget"]:
                raise Refusal("messages.budget_least", least=family["least_budget"])
            if not self.is_count and budget >= body["max_tokens"] and not self.interleaves():
                raise Refusal("messages.budget_below")
        elif "budget_tokens" in self.thinking:
            raise Refusal("messages.extra", path=f"thinking.{kind}.budget_tokens")
        if kind in ("disabled", "between_tools") and family["effort_without_thinking"] == "high" and effort in (
                "xhigh", "max"):
            raise Refusal("messages.effort_without_thinking", effort=effort)

    def interleaves(self):
        return bool(self.body.get("tools")) and "interleaved-thinking" in self.body.get("betas", "")

    # ---- Messages ----

    def messages(self):
        messages, family = self.body["messages"], self.family
        if not isinstance(messages, list):
            raise Refusal("messages.array", path="messages")
        if not messages:
            raise Refusal("messages.none")
        for at, message in enumerate(messages):
            self.message(at, message)
        if messages[0]["role"] != "user":
            raise Refusal("messages.first_role")
        for at, message in enumerate(messages):
            if message["role"] == "system" and (at == 0 or messages[at - 1]["role"] == "system" or (
                    at + 1 < len(messages) and messages[at + 1]["role"] != "assistant")):
                raise Refusal("messages.system_place", at=at)
        self.pairs()
        last = messages[-1]
        if last["role"] == "assistant" and not self.is_count:
            if not family["prefill"]:
                raise Refusal("messages.prefill")
            if self.kind in ("enabled", "adaptive"):
                raise Refusal("messages.prefill_with_thinking")
            blocks = blocks_of(last["content"])
            if blocks and blocks[-1].get("type") == "text" and blocks[-1]["text"] != blocks[-1]["text"].rstrip():
                raise Refusal("messages.trailing_space")

    def message(self, at, message):
        if not isinstance(message, dict):
            raise Refusal("messages.object", path=f"messages.{at}")
        for name in message:
            if name not in ("role", "content"):
                raise Refusal("messages.extra", path=f"messages.{at}.{name}")
        for name in ("role", "content"):
            if name not in message:
                raise Refusal("messages.required", path=f"messages.{at}.{name}")
        role, content = message["role"], message["content"]
        if role == "system" and not self.family["system_messages"]:
            raise Refusal("messages.system_role")
        if role not in ("user", "assistant", "system"):
            raise Refusal("messages.role", at=at)
        if not isinstance(content, (str, list)):
            raise Refusal("messages.content", at=at)
        is_last_answer = role == "assistant" and at + 1 == len(self.body["messages"])
        if not content and not is_last_answer:
            raise Refusal("messages.empty", at=at)
        for number, block in enumerate(blocks_of(content) if content else []):
            self.block(f"messages.{at}.content.{number}", block, role)

    def block(self, path, block, role):
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(kind, str):
            raise Refusal("messages.required", path=f"{path}.type")
        if kind == "text":
            if not isinstance(block.get("text"), str):
                raise Refusal("messages.string", path=f"{path}.text.text")
            if not block["text"]:
                raise Refusal("messages.empty_mark" if block.get("cache_control") else "messages.empty_text", path=path)
            if not block["text"].strip() and role == "user":
                raise Refusal("messages.blank_text")
        if kind in BLOCKS:
            for name in block:
                if name not in BLOCKS[kind]:
                    raise Refusal("messages.extra", path=f"{path}.{kind}.{name}")
        elif not re.search(r"_tool_(use|result)$|^(server_tool_use|container_upload|mid_conv_system|compaction|fallback)$", kind):
            raise Refusal("messages.block_tag", path=path, kind=kind)
        if kind == "thinking" and not isinstance(block.get("signature"), str):
            raise Refusal("messages.required", path=f"{path}.thinking.signature")
        if kind == "tool_use":
            for name in ("id", "name", "input"):
                if name not in block:
                    raise Refusal("messages.required", path=f"{path}.tool_use.{name}")
            if not isinstance(block["input"], dict):
                raise Refusal("messages.dictionary", path=f"{path}.tool_use.input")
            if not CALL_ID.fullmatch(block["id"]):
                raise Refusal("messages.call_id", path=f"{path}.tool_use.id")
        if kind in ("tool_use", "thinking", "redacted_thinking") and role != "assistant":
            raise Refusal("messages.block_of_assistant", path=path, kind=kind)
        if kind == "tool_result" and role != "user":
            raise Refusal("messages.block_of_user", path=path, kind=kind)
        inner = block.get("content") if kind == "tool_result" else None
        for number, part in enumerate(inner if isinstance(inner, list) else []):
            for name in part if part.get("type") in BLOCKS else ():
                if name not in BLOCKS[part["type"]]:
                    raise Refusal("messages.extra", path=f"{path}.tool_result.content.{number}.{part['type']}.{name}")

    def pairs(self):
        """Every call has its result at once, and every result its call."""
        messages, seen = self.body["messages"], set()
        open_calls = []
        for at, message in enumerate(messages):
            blocks = blocks_of(message["content"]) if message["content"] else []
            results = [block for block in blocks if block["type"] == "tool_result"]
            if message["role"] == "user":
                for number, block in enumerate(blocks):
                    if block["type"] == "tool_result" and block.get("tool_use_id") not in open_calls:
                        raise Refusal("messages.result_without_call", at=at, number=number, id=block.get("tool_use_id"))
                names = [block["tool_use_id"] for block in results]
                twice = next((name for name in names if names.count(name) > 1), None)
                if twice:
                    raise Refusal("messages.result_twice", at=at, id=twice)
            if open_calls and message["role"] != "system":
                first = next((number for number, block in enumerate(blocks) if block["type"] != "tool_result"), len(blocks))
                early = {block["tool_use_id"] for block in blocks[:first] if block["type"] == "tool_result"}
                missing = [name for name in open_calls if name not in early]
                if missing and message["role"] == "user":
                    raise Refusal("messages.call_without_result", at=at - 1, ids=", ".join(missing))
            calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
            for name in calls:
                if name in seen:
                    raise Refusal("messages.call_twice")
                seen.add(name)
            if message["role"] == "assistant":
                open_calls = calls if at == 0 or messages[at - 1]["role"] != "assistant" else open_calls + calls
            elif message["role"] == "user":
                open_calls = []
        if open_calls and messages[-1]["role"] == "assistant" and not self.is_count:
            raise Refusal("messages.call_without_result", at=len(messages) - 1, ids=", ".join(open_calls))

    # ---- Tools ----

    def tools(self):
        tools, choice = self.body.get("tools"), self.body.get("tool_choice")
        if tools is not None and not isinstance(tools, list):
            raise Refusal("messages.array", path="tools")
        names = set()
        for at, tool in enumerate(tools or []):
            if tool.get("type") not in (None, "custom"):
                continue
            for name in ("name", "input_schema"):
                if name not in tool:
                    raise Refusal("messages.required", path=f"tools.{at}.custom.{name}")
            if not TOOL_NAME.fullmatch(tool["name"]):
                raise Refusal("messages.tool_name", at=at)
            if tool["name"] in names:
                raise Refusal("messages.tool_twice")
            names.add(tool["name"])
            if not isinstance(tool["input_schema"], dict) or "type" not in tool["input_schema"]:
                raise Refusal("messages.required", path=f"tools.{at}.custom.input_schema.type")
            if tool["input_schema"]["type"] != "object":
                raise Refusal("messages.schema_object", at=at)
            if any(name in tool["input_schema"] for name in ("oneOf", "allOf", "anyOf")):
                raise Refusal("messages.schema_top", at=at)
        if choice is None:
            return
        kind = choice.get("type") if isinstance(choice, dict) else None
        if kind not in ("auto", "any", "tool", "none"):
            raise Refusal("messages.choice_tag", kind=kind)
        if not tools and kind != "none":
            raise Refusal("messages.choice_without_tools")
        if kind in ("any", "tool"):
            if self.family["forced_tools"] == "never":
                raise Refusal("messages.choice_never")
            if self.kind == "enabled":
                raise Refusal("messages.choice_with_thinking")
            if kind == "tool" and choice.get("name") not in {tool.get("name") for tool in tools}:
                raise Refusal("messages.choice_unknown", name=choice.get("name"))

    # ---- Thinking that comes back ----

    def thinking_blocks(self):
        messages = self.body["messages"]
        latest = max((at for at, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
        turns, turn, offset = turns_of(messages), -1, 0
        for at, message in enumerate(messages):
            if at == 0 or message["role"] != messages[at - 1]["role"]:
                turn, offset = turn + 1, 0
            blocks = blocks_of(message["content"]) if message["content"] else []
            for number, block in enumerate(blocks):
                if block["type"] == "thinking":
                    self.signature(f"messages.{at}.content.{number}", block, at == latest,
                                   lambda turn=turn, before=offset + number: prefix_of(self.body, turns, turn, before))
            offset += len(blocks)
        if self.kind == "enabled" and latest >= 0:
            self.starts_with_thinking(latest)

    def signature(self, path, block, is_latest, prefix):
        facts = signed(block["signature"])
        if facts is None:
            if self.any_signature:
                return
            raise Refusal("messages.signature", path=path)
        if facts["text"] != digest(block.get("thinking")):
            raise Refusal("messages.thinking_changed" if is_latest else "messages.signature", path=path)
        if self.family["bound_thinking"] and facts["model"] == self.body["model"] and facts["prefix"] != prefix():
            binding = (self.thinking.get("block_binding") or {}).get("prefix_mismatch_behavior")
            if binding != "drop_block":
                raise Refusal("messages.bound", path=path)

    def starts_with_thinking(self, latest):
        """In a loop of tools the turn of the assistant begins with its thinking."""
        messages = self.body["messages"]
        blocks = blocks_of(messages[latest]["content"]) if messages[latest]["content"] else []
        if any(block["type"] == "tool_use" for block in blocks) and blocks[0]["type"] not in (
                "thinking", "redacted_thinking"):
            raise Refusal("messages.thinking_first", path=f"messages.{latest}.content.0", found=blocks[0]["type"])

    # ---- Marks ----

    def marks(self):
        found = marks_of(self.body)
        top = self.body.get("cache_control")
        if len(found) > 4:
            raise Refusal("messages.marks", found=len(found))
        if top and len(found) == 4:
            raise Refusal("messages.marks", found=5)
        shorter = None
        for path, mark in found:
            if not isinstance(mark, dict) or mark.get("type") != "ephemeral":
                raise Refusal("messages.mark_tag", path=path)
            if mark.get("ttl", "5m") not in ("5m", "1h"):
                raise Refusal("messages.mark_ttl", path=path)
            if mark.get("ttl", "5m") == "5m":
                shorter = path
            elif shorter:
                raise Refusal("messages.mark_order", path=path)


def marks_of(body):
    """Returns (path, mark) in the order in which the API reads them."""
    found = []

    def look(path, blocks):
        for at, block in enumerate(blocks if isinstance(blocks, list) else []):
            if isinstance(block, dict) and block.get("cache_control"):
                found.append((f"{path}.{at}.cache_control", block["cache_control"]))

    look("tools", body.get("tools"))
    look("system", body.get("system"))
    for at, message in enumerate(body["messages"]):
        look(f"messages.{at}.content", message.get("content"))
    return found


def check(body, family, headers, any_signature=False, is_count=False):
    allowed = (COUNTED if is_count else MEMBERS) | (BETA_MEMBERS if headers.get("anthropic-beta") else set())
    for name in body:
        if name not in allowed:
            raise Refusal("messages.extra", path=name)
    for name in ("messages",) if is_count else ("max_tokens", "messages"):
        if name not in body:
            raise Refusal("messages.required", path=name)
    Check({**body, "betas": headers.get("anthropic-beta", "")}, family, any_signature, is_count).run()
