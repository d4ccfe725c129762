"""An agent in a few lines, as one would write it: asks the Messages API until no tool is called. Exits with status 7, which
is then seen to be its own."""
import json
import os
import sys
import time
import urllib.request

from agent_key import COOKIE, KEY

turns, prompt = int(sys.argv[1]), sys.argv[2]
stream = "--stream" in sys.argv
pause = float(os.environ.get("AGENT_PAUSE", "0"))


def ask(body):
    request = urllib.request.Request(
        os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages?beta=true", json.dumps(body).encode(),
        {"content-type": "application/json", "x-api-key": KEY, "anthropic-version": "2023-06-01",
         "user-agent": "an-agent/1", "cookie": f"session={COOKIE}",
         "x-claude-code-session-id": os.environ.get("AGENT_SESSION", "11111111-2222-3333-4444-555555555555")})
    with urllib.request.urlopen(request) as answer:
        text = answer.read().decode()
    if not stream:
        return json.loads(text)["content"]
    content = []
    for line in text.splitlines():
        if not line.startswith("data: "):
            continue
        event = json.loads(line[6:])
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
    return content


body = {"model": "claude-sonnet-4-5", "max_tokens": 1000, "stream": stream,
        "system": [{"type": "text", "text": "You are careful. " + "Read before you write. " * 200}],
        "tools": [{"name": "Bash", "description": "Runs a command. " * 100, "input_schema": {"type": "object"}}],
        "messages": [{"role": "user", "content": prompt}]}
for _ in range(turns):
    time.sleep(pause)
    content = ask(body)
    body["messages"].append({"role": "assistant", "content": content})
    calls = [block for block in content if block["type"] == "tool_use"]
    if not calls:
        break
    body["messages"].append({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": call["id"], "content": f"ran {call['input']['command']}"} for call in calls]})
print(content[-1].get("text", "still at work"))
if "--tell-key" in sys.argv:
    body["messages"].append({"role": "user", "content": f"my key is {KEY}, keep it"})
    ask(body)
sys.exit(7)
