"""An agent in a few lines, as one would write it: asks the Messages API until no tool is called. Exits with status 7, which
is then seen to be its own.

With AGENT_FILE it is like Claude Code: it writes each message there as it comes, and asks again where a connection breaks; the
last line that it prints says how often.
"""
import datetime
import http.client
import json
import os
import sys
import time
import urllib.request
import uuid

from agent_key import COOKIE, KEY

turns, prompt = int(sys.argv[1]), sys.argv[2]
stream = "--stream" in sys.argv
pause = float(os.environ.get("AGENT_PAUSE", "0"))
session = os.environ.get("AGENT_SESSION", "11111111-2222-3333-4444-555555555555")
file, last, broken = os.environ.get("AGENT_FILE"), None, 0


def write(message, **more):
    """Appends a message to the file of the session."""
    global last
    if file is None:
        return
    before, last = last, str(uuid.uuid4())
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    record = {"parentUuid": before, "isSidechain": False, "userType": "external", "cwd": "/work", "sessionId": session,
              "version": "2.1.197", "type": message["role"], "message": message, "uuid": last, "timestamp": now, **more}
    with open(file, "a") as out:
        out.write(json.dumps(record) + "\n")


def read(request):
    """The text and the id of an answer."""
    global broken
    while True:
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.read().decode(), answer.headers["request-id"]
        except (OSError, http.client.HTTPException):
            broken += 1
            if file is None or broken > 50:
                raise
            time.sleep(0.02)


def ask(body):
    request = urllib.request.Request(
        os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages?beta=true", json.dumps(body).encode(),
        {"content-type": "application/json", "x-api-key": KEY, "anthropic-version": "2023-06-01",
         "user-agent": "an-agent/1", "cookie": f"session={COOKIE}",
         "x-claude-code-session-id": session})
    text, number = read(request)
    if not stream:
        whole = json.loads(text)
        write(whole, requestId=number)
        return whole["content"]
    content, whole = [], {}
    for line in text.splitlines():
        if not line.startswith("data: "):
            continue
        event = json.loads(line[6:])
        if event["type"] == "message_start":
            whole = event["message"]
        if event["type"] == "message_delta":
            whole.update(event["delta"])
        if event["type"] == "content_block_start":
            content.append({**event["content_block"], "json": ""})
        elif event["type"] == "content_block_delta":
            delta = event["delta"]
            key = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature",
                   "input_json_delta": "partial_json"}[delta["type"]]
            into = "json" if key == "partial_json" else key
            content[-1][into] = content[-1].get(into, "") + delta[key]
    for block in content:
        told = block.pop("json")
        if block["type"] == "tool_use":
            block["input"] = json.loads(told)
    write({**whole, "content": content}, requestId=number)
    return content


body = {"model": "claude-sonnet-4-5", "max_tokens": 1000, "stream": stream,
        "system": [{"type": "text", "text": "You are careful. " + "Read before you write. " * 200}],
        "tools": [{"name": "Bash", "description": "Runs a command. " * 100, "input_schema": {"type": "object"}}],
        "messages": [{"role": "user", "content": prompt}]}
write(body["messages"][0])
for _ in range(turns):
    time.sleep(pause)
    content = ask(body)
    body["messages"].append({"role": "assistant", "content": content})
    calls = [block for block in content if block["type"] == "tool_use"]
    if not calls:
        break
    body["messages"].append({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": call["id"], "content": f"ran {call['input']['command']}"} for call in calls]})
    write(body["messages"][-1])
print(content[-1].get("text", "still at work"))
if "--tell-key" in sys.argv:
    body["messages"].append({"role": "user", "content": f"my key is {KEY}, keep it"})
    ask(body)
if file is not None:
    print(broken)
sys.exit(7)
