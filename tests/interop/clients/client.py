"""Runs the cases with the official Python clients: client.py CASES MODE, where MODE is sync or async. Prints a line of JSON a
case: what the program got, and the status and the headers of each response."""
import asyncio
import concurrent.futures
import hashlib
import inspect
import json
import sys

import anthropic
import google.genai
import httpx
import httpx2
import ollama
import openai
import pydantic

KEY = "sk-of-nobody-0123456789"
setup = json.load(open(sys.argv[1]))
is_async = sys.argv[2] == "async"
responses = []  # Of the case that runs: (status, headers) each.


def listen(kind):
    """Has a class of clients note each response."""
    send = kind.send
    note = lambda response: responses.append((response.status_code, response.headers.multi_items()))
    if inspect.iscoroutinefunction(send):
        async def noted(self, *words, **more):
            response = await send(self, *words, **more)
            note(response)
            return response
    else:
        def noted(self, *words, **more):
            response = send(self, *words, **more)
            note(response)
            return response
    kind.send = noted


def client_of(case):
    api, base, headers = case["api"], setup["bases"][case["api"]], {"x-case": case["name"]}
    if "coding" in case:
        headers["accept-encoding"] = case["coding"]
    if api == "google":
        client = google.genai.Client(api_key=KEY, http_options={
            "base_url": base, "headers": headers,
            **({"retry_options": {"attempts": 3, "initial_delay": 0.1}} if "retries" in case else {})})
        return client.aio if is_async else client
    if api == "ollama":
        return (ollama.AsyncClient if is_async else ollama.Client)(host=base, headers=headers)
    kinds = {"anthropic": (anthropic.Anthropic, anthropic.AsyncAnthropic), "openai": (openai.OpenAI, openai.AsyncOpenAI)}[api]
    return kinds[is_async](api_key=KEY, base_url=base, default_headers=headers, max_retries=case.get("retries", 0))


def plain(value):
    if isinstance(value, pydantic.BaseModel):
        return plain(value.model_dump(mode="json", by_alias=True, exclude_none=True, warnings=False))
    if isinstance(value, bytes):
        return {"bytes": len(value), "sha256": hashlib.sha256(value).hexdigest()}
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value if isinstance(value, (str, int, float, type(None))) else repr(value)


async def wait(value):
    return await value if inspect.isawaitable(value) else value


async def items(source):
    if hasattr(source, "__aiter__"):
        async for each in source:
            yield each
    else:
        for each in source:
            yield each


async def collect(source, case, got):
    """Appends what the iteration gives to `got`, so that it is there also if it fails."""
    if not hasattr(source, "__aiter__"):
        source = await wait(source)
    iterator = items(source)
    async for each in iterator:
        got.append(plain(each))
        if len(got) == case.get("take"):
            break
    await iterator.aclose()
    if "take" in case:
        close = getattr(source, "close", None) or source.aclose
        await wait(close())


# ---- The next request of a conversation: None if there were no calls. `got` is a message, or the items of a stream. ----

def results(calls, make):
    return [make(call, f"result {i} of a tool: ✓") for i, call in enumerate(calls)]


def after_anthropic(body, got):
    message = got["final"] if "final" in got else got
    calls = [block for block in message["content"] if block["type"] == "tool_use"]
    turn = results(calls, lambda call, text: {"type": "tool_result", "tool_use_id": call["id"], "content": text})
    return calls and {**body, "messages": [*body["messages"], {"role": "assistant", "content": message["content"]},
                                           {"role": "user", "content": turn}]}


def after_chat(body, got):
    message = (got["final"] if "final" in got else got)["choices"][0]["message"]
    calls = [{"id": call["id"], "type": "function",
              "function": {"name": call["function"]["name"], "arguments": call["function"]["arguments"]}}
             for call in message.get("tool_calls") or []]
    turn = results(calls, lambda call, text: {"role": "tool", "tool_call_id": call["id"], "content": text})
    return calls and {**body, "messages": [*body["messages"], {"role": "assistant", "content": message["content"],
                                                               "tool_calls": calls}, *turn]}


def after_responses(body, got):
    output = (got[-1]["response"] if isinstance(got, list) else got)["output"]
    calls = [item for item in output if item["type"] == "function_call"]
    turn = results(calls, lambda call, text: {"type": "function_call_output", "call_id": call["call_id"], "output": text})
    return calls and {**body, "input": [*body["input"], *output, *turn]}


def after_google(body, got):
    chunks = got if isinstance(got, list) else [got]
    parts = [part for chunk in chunks for part in chunk["candidates"][0]["content"]["parts"]]
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    turn = results(calls, lambda call, text: {"functionResponse": {"name": call["name"], "response": {"output": text}}})
    return calls and {**body, "contents": [*body["contents"], {"role": "model", "parts": parts}, {"role": "user", "parts": turn}]}


def after_ollama(body, got):
    messages = [chunk["message"] for chunk in (got if isinstance(got, list) else [got])]
    calls = [call for message in messages for call in message.get("tool_calls") or []]
    turn = results(calls, lambda call, text: {"role": "tool", "tool_name": call["function"]["name"], "content": text})
    said = {"role": "assistant", "content": "".join(message["content"] for message in messages), "tool_calls": calls}
    return calls and {**body, "messages": [*body["messages"], said, *turn]}


AFTER = {"Anthropic": after_anthropic, "Chat": after_chat, "Responses": after_responses, "Gemini": after_google,
         "Ollama": after_ollama}


def method_of(client, name):
    for part in name.split("."):
        client = getattr(client, part)
    return client


async def ask(client, case, body, got):
    """One call of the client. Appends its result to `got`."""
    words = [case["id"]] if "id" in case else []
    if "opens" in case:
        path = setup["file"]
        body = {**body, case["opens"]: path if case["api"] == "google" else open(path, "rb")}
    if "helper" in case:
        streams = method_of(client, case["call"].replace(".create", ".stream"))(
            **{name: value for name, value in body.items() if name != "stream"})
        events = []
        got.append(events)
        if is_async:
            async with streams as stream:
                await collect(stream, case, events)
                final = await (stream.get_final_message if case["api"] == "anthropic" else stream.get_final_completion)()
        else:
            with streams as stream:
                await collect(stream, case, events)
                final = (stream.get_final_message if case["api"] == "anthropic" else stream.get_final_completion)()
        got[-1] = {"events": events, "final": plain(final)}
        return
    result = method_of(client, case["call"])(*words, **body)
    if "many" in case:
        got.append([])
        await collect(result, case, got[-1])
        return
    result = await wait(result)
    got.append(plain(await wait(result.read()) if hasattr(result, "read") else result))


async def talk(client, case, got):
    """Sends each event on a WebSocket, and reads up to the last one for it."""
    name, _, _ = case["call"].partition(".")
    more = {"model": "m-1"} if name == "realtime" else {}
    manager = method_of(client, case["call"])(extra_headers={"x-case": case["name"]}, **more)
    connection = await manager.__aenter__() if is_async else manager.__enter__()
    for event in case["events"]:
        await wait(connection.send(event))
        while not got or got[-1].get("type") != case["last"]:
            got.append(plain(await wait(connection.recv())))
        got.append({"after": event["type"]})
    await (manager.__aexit__(None, None, None) if is_async else wait(manager.__exit__(None, None, None)))


async def http(case, got):
    url, headers = setup["bases"][case["api"]] + case["path"], {"x-case": case["name"]}
    if is_async:
        async with httpx.AsyncClient() as client:
            response = await client.request(case["method"], url, json=case["body"], headers=headers)
    else:
        with httpx.Client() as client:
            response = client.request(case["method"], url, json=case["body"], headers=headers)
    got.append(response.text)


async def run(client, case, body):
    got = []
    try:
        if case["call"] == "http":
            await http(case, got)
        elif "events" in case:
            await talk(client, case, got)
        else:
            chain = case.get("chain", 1)
            while body is not None:
                await ask(client, case, body, got)
                chain -= 1
                if chain > 0:
                    answer = got[-1][-1]["response"] if "many" in case else got[-1]
                    body = {**body, "previous_response_id": answer["id"], "input": f"And {chain} more?"}
                else:
                    body = AFTER[case["title"]](body, got[-1]) or None if "rounds" in case else None
    except Exception as error:
        body = getattr(error, "body", None)
        got.append({"error": type(error).__name__, "message": str(error), "status": getattr(error, "status_code", None),
                    "body": body if isinstance(body, (dict, str)) else repr(body)})
    return got


async def run_case(case):
    responses.clear()
    client = client_of(case)
    bodies = [case.get("body", {})]
    if "times" in case:
        text = json.dumps(bodies[0], ensure_ascii=False)
        bodies = [json.loads(text.replace("größer", f"number {i}")) for i in range(case["times"])]
    if len(bodies) == 1:
        got = [await run(client, case, bodies[0]) for _ in range(2 if "again" in case else 1)]
    elif is_async:
        got = await asyncio.gather(*(run(client, case, body) for body in bodies))
    else:
        with concurrent.futures.ThreadPoolExecutor(len(bodies)) as pool:
            got = list(pool.map(lambda body: asyncio.run(run(client, case, body)), bodies))
    print(json.dumps({"name": case["name"], "got": got, "responses": sorted(responses)}), flush=True)
    close = getattr(client, "aclose", None) or getattr(client, "close", None)
    if close:
        await wait(close())


async def main():
    for case in setup["cases"]:
        await run_case(case)


for kind in (httpx.Client, httpx.AsyncClient, httpx2.Client, httpx2.AsyncClient):
    listen(kind)
asyncio.run(main())
