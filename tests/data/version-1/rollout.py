"""Writes rollout.jsonl: an invented Codex session of eight turns (codex-rs/protocol/src/protocol.rs).

Turns 2 and 7 end with the same answer, "Done.", and turns 3 and 6 with the same call."""
import json

lines = []


def record(kind, payload):
    second = len(lines)
    time = f"2026-03-02T09:{second // 60:02d}:{second % 60:02d}.000Z"
    lines.append({"timestamp": time, "type": kind, "payload": payload})


def message(role, text):
    kind = "input_text" if role == "user" else "output_text"
    record("response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]})


def call(name, arguments, output, number):
    record("response_item", {"type": "function_call", "name": name,
                             "arguments": json.dumps(arguments), "call_id": f"call_{number}"})
    record("response_item", {"type": "function_call_output", "call_id": f"call_{number}",
                             "output": output})


TASKS = [
    ("Which files are in the pantry list?", "Three: flour.txt, tea.txt and jam.txt."),
    ("Rename tea.txt to teas.txt.", "Done."),
    ("How many jars of jam are left?", "Four jars."),
    ("And of flour?", "Two bags."),
    ("Is the list sorted?", "No, jam comes last."),
    ("How many jars of jam are left now?", "Still four."),
    ("Sort the list.", "Done."),
    ("Thank you.", "You are welcome."),
]

record("session_meta", {"id": "7e57c0de-0000-4000-8000-000000000001", "cli_version": "0.98.0",
                        "timestamp": "2026-03-02T09:00:00.000Z", "cwd": "/home/ada/pantry",
                        "originator": "codex_cli_rs", "model_provider": "openai",
                        "instructions": "You keep a pantry list."})
record("turn_context", {"cwd": "/home/ada/pantry", "model": "gpt-5-codex"})
for number, (task, answer) in enumerate(TASKS, 1):
    message("user", task)
    if number in (3, 6):
        call("shell", {"command": ["grep", "-c", "jam", "pantry.txt"]}, "4\n", number)
    message("assistant", answer)

with open("rollout.jsonl", "w", encoding="utf-8") as out:
    for line in lines:
        out.write(json.dumps(line, separators=(",", ":")) + "\n")
