"""Codex rollouts: JSON Lines of `{timestamp, type, payload}`.

From the files, and from codex-rs/protocol (`RolloutItem`, `ResponseItem`, `EventMsg`) of
github.com/openai/codex. Items of the Responses API are the conversation; events repeat them for
the screen. An answer has no id: it is a run of items that the model wrote (reasoning, message,
calls), and ends where a result or somebody else's message begins, or where its tokens stand:
since 0.15x in a `token_usage_record`, before that in a `token_count`. `thread_rolled_back` takes
the last turns that the person typed back (core/src/codex/rollout_reconstruction.rs); a compaction
within these is undone.
"""

import copy
import re

from model import Branch, Call, Edit, Message, Session, Usage, lines_of
from rawjson import read_text, records, slice_of

FORMAT = "codex"
PATHS = ["codex-*/*/*.jsonl", "record-type-coverage/**/agents/codex/*.jsonl",
         "record-type-coverage/Resources/Fixtures/codex_*.jsonl"]

_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "tool_call": "arguments",
          "tool_search_call": "arguments"}
_REPEATING = ("agent_message", "user_message", "agent_reasoning", "task_complete")
# How the output of a command begins: lines of facts, then "Output:".
_ENDED = re.compile(r"(?:[A-Z][^\n]*\n)*?(?:Exit code:|Process exited with code) (-?\d+)\n")
# What a patch is answered that was not applied, and a command or patch that was not allowed.
_FAILED = re.compile(r"unsupported custom tool call|apply_patch verification failed|patch rejected")
_REFUSED = re.compile(r"exec_command failed: .*rejected: |exec command rejected by user|"
                      r"patch rejected", re.DOTALL)
# How messages of the user begin that the program wrote.
_INJECTED = re.compile(r"\s*(<[a-z_]+>|# AGENTS\.md instructions)")
_RESULTS = ("function_call_output", "custom_tool_call_output", "tool_result",
            "tool_search_output")


def read(path):
    """Returns the session of one rollout."""
    return [_Rollout(read_text(path)).session]


class _Rollout:
    def __init__(self, text):
        self.session = Session(FORMAT)
        self.branch = Branch(suffix="")
        self.answer = None  # The assistant message that is being written.
        self.total = None
        self.has_records = False  # of tokens
        self.turns = []  # where turns begin that the person typed, as indices of messages
        self.has_begun = False  # a turn, in which the person's message is still to come
        self.begins = None  # where it does, if it begins with a compaction
        self.instructions = None
        self.shown = []  # what events show of the conversation
        self.call_by_id = {}
        self.last_call = None
        self.calls = 0  # of early files
        for line, text_of, value in records(text):
            if not isinstance(value, dict):
                self.session.passed_over("not a record")
                continue
            self.record(f"line {line}", text_of, value)
        said = {part for branch in [self.branch, *self.session.branches]
                for m in branch.messages for part in m.contains or [m.text]}
        for kind, shown in self.shown:
            if shown not in said:
                self.session.passed_over(f"event_msg/{kind} with a text of its own")
        if any(m.kind != "assistant" or m.text or m.calls for m in self.branch.messages):
            self.session.branches.insert(0, self.branch)

    def record(self, place, text, value):
        kind = value.get("type")
        payload = value.get("payload") if isinstance(value.get("payload"), dict) else {}
        if kind == "session_meta":
            if self.session.name is None:
                self.session.name = payload.get("id") or payload.get("session_id")
                instructions = payload.get("base_instructions") or {}
                said = instructions.get("text") if isinstance(instructions, dict) else None
                said = said or payload.get("instructions")
                self.instructions = said
                if said:
                    self.say(Message("system", said, place, record="instructions"))
            self.session.passed_over("session_meta")
        elif kind == "response_item":
            self.item(place, text, payload)
        elif kind == "event_msg":
            self.event(place, payload)
        elif kind == "compacted":
            self.compacted(place, payload)
        elif kind == "token_usage_record":
            self.has_records = True
            self.answered(place, payload["usage"])
            self.session.passed_over(kind)
        elif "role" in value:  # Before rollouts had payloads, and calls ids.
            self.session.loose = frozenset({"ids"})
            self.item(place, text, {"type": "message", **value,
                                    "content": value.get("content") or value.get("message")})
        elif kind in ("function_call", "function_result"):
            is_call = kind == "function_call"
            self.calls += is_call  # A result answers the call before it.
            self.item(place, f'{{"payload":{text}}}', {
                **value, "type": kind if is_call else "tool_result", "call_id": str(self.calls)})
        else:
            self.session.passed_over(kind or "no type")

    def say(self, message):
        """Adds what is not the model's."""
        self.end_answer()
        self.branch.messages.append(message)

    def end_answer(self):
        self.answer = None

    def model_says(self, place):
        """Returns the message of the answer that the model is writing."""
        if self.answer is None:
            self.answer = Message("assistant", place=place)
            self.branch.messages.append(self.answer)
        return self.answer

    def item(self, place, text, item):
        kind = item.get("type")
        if kind == "message":
            role = item.get("role")
            said, pictures = _texts(item.get("content"))
            if role == "developer" and said == self.instructions:
                self.session.passed_over("repeated instructions")
            elif role == "assistant":
                self.model_says(place).text += said
            else:
                if role == "user" and not _INJECTED.match(said):
                    self.turns.append(len(self.branch.messages) if self.begins is None
                                      else self.begins)
                    self.has_begun, self.begins = False, None
                self.say(Message("user" if role == "user" else "system", said, place, role=role,
                                 pictures=pictures))
        elif kind == "reasoning":
            parts = [p.get("text") or "" for p in
                     (item.get("summary") or []) + (item.get("content") or [])]
            opaque = item.get("encrypted_content")
            self.branch.messages.append(Message("reasoning", "".join(parts), place,
                                                contains=parts if len(parts) > 1 else None,
                                                signatures=[opaque] if opaque else []))
        elif kind in _CALLS:
            key = _CALLS[kind]
            given = item.get(key)
            arguments = given if isinstance(given, str) else slice_of(text, ["payload", key])
            name = item.get("name") or (item.get("function") or {}).get("name") or "tool_search"
            call = Call(item.get("call_id"), name, arguments)
            if name == "apply_patch":
                call.edits = _edits_of_patch(arguments)
            self.call_by_id[call.id] = self.last_call = call
            self.model_says(place).calls.append(call)
        elif kind in _RESULTS:
            key = next((k for k in ("output", "result", "tools") if k in item), None)
            if isinstance(item.get(key), dict) or key == "tools":
                said, pictures = slice_of(text, ["payload", key]), []
            else:
                said, pictures = _texts(item.get(key))
            ended = _ENDED.match(said)
            call = self.call_by_id.get(item.get("call_id"))
            runs = call is not None and call.name in ("exec_command", "shell", "local_shell")
            if call is not None and call.name == "apply_patch" and _FAILED.match(said):
                call.edits = []
            self.say(Message("tool", said, place, call_id=item.get("call_id"), pictures=pictures,
                             exit_code=int(ended[1]) if ended and runs else None,
                             is_refused=bool(_REFUSED.match(said))))
        elif kind == "agent_message":
            said, pictures = _texts(item.get("content"))
            opaque = [p["encrypted_content"] for p in item.get("content") or []
                      if p.get("type") == "encrypted_content"]
            self.say(Message("user", said, place, signatures=opaque))
        elif kind == "compaction":
            self.branch.messages.append(Message("reasoning", "", place,
                                                signatures=[item["encrypted_content"]]))
        elif kind in ("web_search_call", "image_generation_call"):
            # The provider ran its own tool. The agent has no result of it, but keeps the item.
            self.session.passed_over(f"response_item/{kind}")
            self.model_says(place).signatures.append(item.get("id") or item.get("status"))
        else:
            self.session.passed_over(f"response_item/{kind}")

    def event(self, place, event):
        kind = event.get("type")
        self.session.passed_over(f"event_msg/{kind}")
        for key in ("message", "text", "last_agent_message"):
            if kind in _REPEATING and event.get(key):
                self.shown.append((kind, event[key]))
        if kind == "task_started":
            self.has_begun, self.begins = True, None
        elif kind == "thread_rolled_back":
            self.roll_back(event["num_turns"])
        elif kind == "token_count" and not self.has_records:
            info = event.get("info") or {}
            total, last = info.get("total_token_usage"), info.get("last_token_usage")
            if total and last and total != self.total:
                self.total = total
                self.used(last)
                self.end_answer()
        elif kind == "patch_apply_end":
            # A patch that a program applied has an id of its own: the program is the call before.
            call = self.call_by_id.get(event.get("call_id"))
            made = _edits_of_changes(event) if event.get("success") else []
            if call:
                call.edits = made
            elif self.last_call and self.last_call.name == "exec":
                self.last_call.edits = (self.last_call.edits or []) + made

    def used(self, last):
        """Gives an answer its tokens: the last one of the model that has none."""
        for message in reversed(self.branch.messages):
            if message.kind in ("assistant", "reasoning"):
                if message.usage is None:
                    message.usage = _usage(last)
                return

    def answered(self, place, last):
        """Ends an answer, which has these tokens. If there is none, the model said nothing."""
        messages = self.branch.messages
        if (not messages or messages[-1].kind not in ("assistant", "reasoning")
                or messages[-1].usage is not None):
            messages.append(Message("assistant", place=place))
        messages[-1].usage = _usage(last)
        self.end_answer()

    def roll_back(self, count):
        """Goes back before the last turns; what stood there stays, as a branch of its own."""
        if not self.turns or not count:
            return
        self.turns, gone = self.turns[:-count], self.turns[-count:]
        self.session.branches.append(Branch(copy.deepcopy(self.branch.messages)))
        self.branch.messages = self.branch.messages[:gone[0]]
        self.has_begun, self.begins = False, None
        self.end_answer()

    def compacted(self, place, payload):
        """The new history takes the place of all before it; the instructions of the session stay.

        If it is messages that are there and one more, that is the summary (core/src/compact.rs
        puts it last). Else it has the items that the provider chose, and the first stands for the
        compaction.
        """
        history = payload.get("replacement_history") or []
        messages = self.branch.messages
        begins = len(messages) if self.has_begun and self.begins is None else self.begins
        state = list(self.turns), self.has_begun, begins
        instructions = [0] if messages and messages[0].record == "instructions" else []
        kept = self.kept(history[:-1])
        if history and history[-1].get("type") == "message" and kept is not None:
            messages.append(Message("compaction", _texts(history[-1].get("content"))[0], place,
                                    keeps=instructions + kept, is_last=True))
            history = []
        else:
            messages.append(Message("compaction", payload.get("message") or "", place,
                                    keeps=instructions))
        self.answer = None
        for index, item in enumerate(history):
            if index == 0 and item.get("type") == "message":
                self.branch.messages[-1].text = _texts(item.get("content"))[0]
            else:
                self.item(f"{place}, item {index}", "", item)
        self.turns, self.has_begun, self.begins = state

    def kept(self, items):
        """Returns which messages of the prompt these items are, in order; None: not all are."""
        prompt = []
        for index, message in enumerate(self.branch.messages):
            if message.kind == "compaction":
                prompt = [i for i in prompt if i in message.keeps]
            prompt.append(index)
        found = []
        for item in items:
            said = _texts(item.get("content"))[0] if item.get("type") == "message" else None
            while prompt:
                index = prompt.pop(0)
                message = self.branch.messages[index]
                role = "user" if message.kind == "compaction" else message.role
                if (role, message.text) == (item.get("role"), said):
                    found.append(index)
                    break
            else:
                return None
        return found


def _usage(last):
    cached, written = last.get("cached_input_tokens"), last.get("cache_write_input_tokens")
    return Usage(last["input_tokens"] - (cached or 0) - (written or 0), last["output_tokens"],
                 cached, written, last.get("reasoning_output_tokens"), raw=last)


def _texts(content):
    """Returns the texts of content parts joined, and the bytes of their pictures."""
    if isinstance(content, str):
        return content, []
    parts = content if isinstance(content, list) else [content or {}]
    pictures = []
    for part in parts:
        url = part.get("image_url") or ""
        if url.startswith("data:") and ";base64," in url:
            pictures.append(url.split(";base64,", 1)[1])
    return "".join(part.get("text") or "" for part in parts), pictures


def _edits_of_patch(patch):
    if "\n*** Move to: " in patch:
        return "any"
    edits = []
    for line in patch.split("\n"):
        if line.startswith(("*** Add File: ", "*** Update File: ")):
            edits.append(Edit(line.split(": ", 1)[1], 0, 0))
        elif line.startswith("*** Delete File: "):
            edits.append(Edit(line.split(": ", 1)[1], 0, None))
        elif edits and line.startswith("+"):
            edits[-1].added += 1
        elif edits and line.startswith("-"):
            edits[-1].removed += 1
    return edits


def _edits_of_changes(event):
    edits = []
    for path, change in event["changes"].items():
        if change["type"] == "update":
            lines = change["unified_diff"].split("\n")
            edits.append(Edit(path, sum(l.startswith("+") for l in lines),
                              sum(l.startswith("-") for l in lines)))
        elif change["type"] == "add":
            edits.append(Edit(path, lines_of(change["content"]), 0))
        else:
            edits.append(Edit(path, 0, lines_of(change.get("content") or "")))
    return edits
