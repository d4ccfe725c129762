"""OpenHands: lists of events, rows of evaluations, and the event logs of its agent SDK.

From the files, and https://github.com/All-Hands-AI/OpenHands (openhands/events,
openhands/memory/conversation_memory.py) and https://github.com/OpenHands/software-agent-sdk
(openhands/sdk/event). An action is what the model called, an observation is its result and names it
in `cause`. `tool_call_metadata.model_response` is the provider's response, with text, calls and
usage; actions of one response share its id.
"""

import json
import re

from model import Branch, Call, Message, Session
from rawjson import read_text, records

from ._chat import edits_of, text_of, usage_of

FORMAT = "openhands"
PATHS = ["openhands/tests/runtime/trajs/*.json",
         "openhands/evaluation/benchmarks/*/examples/output.jsonl",
         "openhands/tests/unit/resolver/mock_output/output.jsonl",
         "openhands-sdk-llm-logs/tests/sdk/conversation/goal/fixtures/events.jsonl"]

# Events that no model sees: state of the program, and what is looked up on its own account.
_SILENT_ACTIONS = ("change_agent_state", "recall")
_SILENT_OBSERVATIONS = ("agent_state_changed", "null", "recall")
_COMMAND_OF = {"run": "command", "run_ipython": "code"}


def read(path):
    """Returns the sessions of one file: one, or one a row."""
    text = read_text(path)
    if text.lstrip().startswith("["):
        return [_events(json.loads(text), text, [])]
    rows = list(records(text))
    if any(isinstance(v, dict) and "kind" in v for _, _, v in rows):
        return [_sdk(rows)]
    return [_events(v["history"], t, ["history"]) for _, t, v in rows]


def _events(events, text, path):
    session = Session(FORMAT)
    has_responses = any(isinstance(e.get("tool_call_metadata"), dict) for e in events)
    messages = []
    answers = {}  # response id → its answer
    action_of = {}  # event id → call
    last = None
    for index, event in enumerate(events):
        place = f"{'.'.join(path)}[{index}]"
        args = event.get("args") if isinstance(event.get("args"), dict) else event
        action, observation = event.get("action"), event.get("observation")
        metadata = event.get("tool_call_metadata")
        if observation is not None:
            if observation in _SILENT_OBSERVATIONS:
                session.passed_over(f"observation {observation}")
                continue
            call = action_of.get(event.get("cause")) if "cause" in event else (
                None if observation == "error" else last)
            if call is None:
                messages.append(Message("user", event.get("content") or "", place))
                continue
            extras = event.get("extras") or event
            messages.append(Message("tool", event.get("content") or "", place, call_id=call.id,
                                    exit_code=_exit_code(extras)))
            _count_edit(call, event)
            last = None
        elif action in _SILENT_ACTIONS:
            session.passed_over(f"action {action}")
        elif action == "system":
            messages.append(Message("system", args.get("content") or "", place))
        elif action == "message" and event.get("source", "user") == "user":
            messages.append(Message("user", args.get("content") or "", place))
        elif action == "message":
            messages.append(Message("assistant", args.get("content") or "", place))
        elif isinstance(metadata, dict):
            response = metadata.get("model_response") or {}
            answer = answers.get(response.get("id"))
            if answer is None:
                answer = _answer(response, place, messages)
                answers[response.get("id")] = answer
            for call in answer.calls:
                if call.id == metadata.get("tool_call_id"):
                    action_of[event.get("id")] = last = call
        else:
            last = _bare_action(event, action, args, place, messages)
            action_of[event.get("id")] = last
    if not has_responses:
        session.loose = frozenset({"ids", "commands"})
    session.branches = [Branch(_results_after_calls(messages))]
    return session


def _answer(response, place, messages):
    said = response["choices"][0]["message"]
    thought = said.get("reasoning_content")
    if thought:
        messages.append(Message("reasoning", thought, place))
    answer = Message("assistant", text_of(said.get("content")), place,
                     usage=usage_of(response.get("usage")))
    for call in said.get("tool_calls") or []:
        function = call["function"]
        answer.calls.append(Call(call["id"], function["name"], function["arguments"]))
    messages.append(answer)
    return answer


def _bare_action(event, action, args, place, messages):
    """An action of a time when events had no response: its thought, and what it does."""
    answer = Message("assistant", args.get("thought") or "", place)
    messages.append(answer)
    if action == "finish" and not answer.text:
        answer.text = (args.get("outputs") or {}).get("content") or ""
    if action == "finish":
        answer.calls.append(Call(f"call of {place}", action, "finish"))
        return None
    key = _COMMAND_OF.get(action)
    if key is None:
        raise ValueError(f"action {action} of {place}")
    # Blocks of code may edit files by functions; how many lines, only their output says.
    call = Call(f"call of {place}", action, args[key], "any" if key == "code" else None)
    answer.calls.append(call)
    return call


def _exit_code(extras):
    code = (extras.get("metadata") or {}).get("exit_code", extras.get("exit_code"))
    # -1 stands for a command that goes on.
    return code if isinstance(code, int) and code != -1 else None


def _count_edit(call, event):
    """Counts the lines of an edit by what the editor was given; one that it refused is none."""
    if event["observation"] == "edit":
        failed = (event.get("content") or "").startswith("ERROR:")
        call.edits = [] if failed else edits_of(call)


def _results_after_calls(messages):
    """Puts the results of an answer behind it, in the order of its calls."""
    results = {}
    for message in messages:
        if message.kind == "tool":
            results.setdefault(message.call_id, []).append(message)
    ordered = []
    for message in messages:
        if message.kind == "tool":
            if any(message is r for r in results.get(message.call_id, [])):
                ordered.append(message)
                results[message.call_id].remove(message)
            continue
        ordered.append(message)
        for call in message.calls:
            if results.get(call.id):
                ordered.append(results[call.id].pop(0))
    return ordered


_THINK = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL)


def _sdk(rows):
    """A log of the agent SDK: one event a line."""
    session = Session(FORMAT)
    messages = []
    answers = {}
    for line, text, event in rows:
        place = f"line {line}"
        kind = event.get("kind")
        if kind == "SystemPromptEvent":
            messages.append(Message("system", text_of(event["system_prompt"]), place))
        elif kind == "MessageEvent":
            said = event["llm_message"]
            messages.append(Message(said["role"], text_of(said["content"]), place))
        elif kind == "ActionEvent":
            answer = answers.get(event.get("llm_response_id"))
            if answer is None:
                thought = event.get("reasoning_content")
                if thought:
                    messages.append(Message("reasoning", thought, place))
                answer = Message("assistant", text_of(event["thought"]), place)
                if thought and _THINK.match(answer.text):
                    # The same thought stands in the text as well, for models that tag it.
                    answer.text = _THINK.sub("", answer.text, count=1)
                answers[event.get("llm_response_id")] = answer
                messages.append(answer)
            call = event["tool_call"]
            answer.calls.append(Call(call["id"], call["name"], call["arguments"]))
        elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
            seen = event.get("observation")
            if isinstance(seen, dict):
                messages.append(Message("tool", text_of(seen["content"]), place,
                                        call_id=event["tool_call_id"],
                                        is_error=bool(seen.get("is_error")),
                                        exit_code=_exit_code(seen)))
            else:
                said = event.get("error") or event.get("rejection_reason") or ""
                messages.append(Message("tool", said, place, call_id=event["tool_call_id"]))
        else:
            session.passed_over(kind)
    session.branches = [Branch(_results_after_calls(messages))]
    return session


