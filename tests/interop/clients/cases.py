"""The table of cases: what a client is asked to do, in the words of its API. Members of a case:

name, api; call: the client's method; body: its parameters; id: its one positional parameter
many: the result is iterated; helper: the client's own helper for streams; take: iterate so many and close
again: ask twice; rounds: send the results of tools back until the model ends; times: so many at once; opens: the parameter that is a file
fails: the program gets an error; without: language that cannot do it
"""
import base64
import random

SYSTEM = "You are terse."
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}, "description": {"type": "string"}},
          "required": ["command", "description"], "additionalProperties": False}
DOCUMENT = {"type": "object", "properties": {"city": {"type": "string"}, "degrees": {"type": "integer"}},
            "required": ["city", "degrees"], "additionalProperties": False}
TOOL = {"name": "Bash", "description": "Runs a command: “ls”, for example."}
IMAGE = base64.b64encode(random.Random(1).randbytes(7_500_000)).decode()  # 10 MB.


def anthropic(model, text, stream, image, tools, document):
    content = [{"type": "text", "text": text}]
    if image:
        content.append({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": image}})
    body = {"model": model, "max_tokens": 2000, "system": SYSTEM, "messages": [{"role": "user", "content": content}]}
    if tools:
        body["tools"] = [{**TOOL, "input_schema": SCHEMA}]
    if document:
        body["output_config"] = {"format": {"type": "json_schema", "schema": DOCUMENT}}
    if model == "thinks":
        body["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    return "messages.create", body | ({"stream": True} if stream else {})


def chat(model, text, stream, image, tools, document):
    content = [{"type": "text", "text": text}]
    if image:
        content.append({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image}"}})
    body = {"model": model, "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}]}
    if tools:
        body["tools"] = [{"type": "function", "function": {**TOOL, "parameters": SCHEMA, "strict": True}}]
    if document:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "weather", "strict": True, "schema": DOCUMENT}}
    return "chat.completions.create", body | ({"stream": True, "stream_options": {"include_usage": True}} if stream else {})


def responses(model, text, stream, image, tools, document):
    content = [{"type": "input_text", "text": text}]
    if image:
        content.append({"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{image}"})
    body = {"model": model, "instructions": SYSTEM, "input": [{"role": "user", "content": content}], "store": False,
            "include": ["reasoning.encrypted_content"]}
    if tools:
        body["tools"] = [{"type": "function", **TOOL, "parameters": SCHEMA, "strict": True}]
    if document:
        body["text"] = {"format": {"type": "json_schema", "name": "weather", "strict": True, "schema": DOCUMENT}}
    return "responses.create", body | ({"stream": True} if stream else {})


def google(model, text, stream, image, tools, document):
    parts = [{"text": text}]
    if image:
        parts.append({"inlineData": {"mimeType": "image/png", "data": image}})
    config = {"systemInstruction": SYSTEM, "automaticFunctionCalling": {"disable": True}}
    if tools:
        config["tools"] = [{"functionDeclarations": [{**TOOL, "parametersJsonSchema": SCHEMA}]}]
    if document:
        config |= {"responseMimeType": "application/json", "responseJsonSchema": DOCUMENT}
    if model == "thinks":
        config["thinkingConfig"] = {"includeThoughts": True}
    return ("models.generate_content_stream" if stream else "models.generate_content",
            {"model": model, "contents": [{"role": "user", "parts": parts}], "config": config})


def ollama(model, text, stream, image, tools, document):
    message = {"role": "user", "content": text} | ({"images": [image]} if image else {})
    body = {"model": model, "messages": [{"role": "system", "content": SYSTEM}, message]}
    if tools:
        body["tools"] = [{"type": "function", "function": {**TOOL, "parameters": SCHEMA}}]
    if document:
        body["format"] = DOCUMENT
    return "chat", body | ({"stream": True} if stream else {})


APIS = {"Anthropic": ("anthropic", anthropic), "Chat": ("openai", chat), "Responses": ("openai", responses),
        "Gemini": ("google", google), "Ollama": ("ollama", ollama)}

# What every API is asked for: a name, the model, which says what happens, and how it is asked.
SHAPES = (
    ("plain", "plain", {}, {}),
    ("streamed", "slow", {"stream": True}, {}),
    ("tools", "plain", {"tools": True}, {"rounds": True}),
    ("tools, streamed", "plain", {"tools": True, "stream": True}, {"rounds": True}),
    ("an image of 10 MB", "plain", {"image": IMAGE}, {}),
    ("an answer of 30 kB", "long", {}, {}),
    ("an answer of 30 kB, streamed", "long", {"stream": True}, {}),
    ("thinking", "thinks", {}, {}),
    ("thinking, streamed", "thinks", {"stream": True}, {}),
    ("structured output", "document", {"document": True}, {}),
    ("400", "fail-400", {}, {"fails": True}),
    ("401", "fail-401", {}, {"fails": True}),
    ("429 and a retry", "fail-429", {}, {"retries": 2}),
    ("500", "fail-500", {}, {"fails": True}),
    ("an error in a stream", "errs", {"stream": True}, {"fails": True}),
    ("a stream that breaks off", "breaks", {"stream": True}, {"fails": True}),
    ("a stream that breaks off, and again", "breaks-once", {"stream": True}, {"again": True, "fails": True}),
    ("a stream that the client closes", "endless", {"stream": True}, {"take": 2}),
    ("20 at once", "plain", {}, {"times": 20}),
    ("20 streams at once", "slow", {"stream": True}, {"times": 20}),
    *((coding, coding, {"stream": stream}, {"coding": coding}) for coding in ("gzip", "br") for stream in (False, True)),
    *(("zstd", "zstd", {"stream": stream}, {"coding": "zstd", "without": "JavaScript"}) for stream in (False, True)),
)


def shapes():
    for title, (api, write) in APIS.items():
        for name, model, parts, how in SHAPES:
            asked = {"stream": False, "image": None, "tools": False, "document": False} | parts
            full = f"{title}: {name}" + (", streamed" if "coding" in how and asked["stream"] else "")
            call, body = write(model, f"{full}: größer?", **asked)
            helper = {"helper": True} if "rounds" in how and asked["stream"] and title in ("Anthropic", "Chat") else {}
            many = {"many": True} if asked["stream"] else {}
            if title == "Ollama" and "retries" in how:
                how = how | {"fails": True}  # Its clients do not ask again.
            yield {"name": full, "api": api, "title": title, "call": call, "body": body} | how | helper | many


def gemini_http(name, path):
    """A request that no client makes, by the language's own HTTP client."""
    return {"name": name, "api": "google", "call": "http", "method": "POST", "path": f"/v1beta/models/{path}",
            "body": {"contents": [{"role": "user", "parts": [{"text": name}]}]}}


CLAUDE = {"model": "plain", "messages": [{"role": "user", "content": "How much?"}]}

OTHERS = (
    {"name": "Anthropic: count_tokens", "api": "anthropic", "call": "messages.count_tokens", "body": CLAUDE},
    {"name": "Anthropic: models", "api": "anthropic", "call": "models.list", "many": True},
    {"name": "Anthropic: upload of a file", "api": "anthropic", "call": "beta.files.upload", "body": {}, "opens": "file"},
    {"name": "Anthropic: a batch", "api": "anthropic", "call": "messages.batches.create",
     "body": {"requests": [{"custom_id": "1", "params": {"max_tokens": 9, **CLAUDE}}]}},
    {"name": "Anthropic: results of a batch", "api": "anthropic", "call": "messages.batches.results", "id": "batch_1", "many": True},
    {"name": "OpenAI: embeddings", "api": "openai", "call": "embeddings.create", "body": {"model": "e", "input": ["a", "ö"]}},
    {"name": "OpenAI: models", "api": "openai", "call": "models.list", "many": True},
    {"name": "OpenAI: input_tokens", "api": "openai", "call": "responses.input_tokens.count", "body": {"model": "m", "input": "a"}},
    {"name": "OpenAI: upload of a file", "api": "openai", "call": "files.create", "body": {"purpose": "user_data"}, "opens": "file"},
    {"name": "OpenAI: a batch", "api": "openai", "call": "batches.create",
     "body": {"input_file_id": "file_1", "endpoint": "/v1/responses", "completion_window": "24h"}},
    {"name": "OpenAI: a batch again", "api": "openai", "call": "batches.retrieve", "id": "batch_1"},
    {"name": "OpenAI: results of a batch", "api": "openai", "call": "files.content", "id": "file_2"},
    {"name": "OpenAI: previous_response_id", "api": "openai", "call": "responses.create", "chain": 3,
     "body": {"model": "plain", "input": "How many?"}},
    {"name": "OpenAI: previous_response_id, streamed", "api": "openai", "call": "responses.create", "chain": 3, "many": True,
     "body": {"model": "plain", "input": "How much now?", "stream": True}},
    {"name": "OpenAI: Responses on a WebSocket", "api": "openai", "call": "responses.connect", "last": "response.completed",
     "events": [{"type": "response.create", "model": "plain", "input": f"Number {i}?", "store": False} for i in range(3)]},
    {"name": "OpenAI: Realtime", "api": "openai", "call": "realtime.connect", "last": "response.done",
     "events": [{"type": "response.create", "response": {"instructions": f"Say {i}."}} for i in range(3)]},
    {"name": "Gemini: count_tokens", "api": "google", "call": "models.count_tokens", "body": {"model": "m", "contents": "How much?"}},
    {"name": "Gemini: embed_content", "api": "google", "call": "models.embed_content",
     "body": {"model": "e", "contents": ["a", "ö"]}},
    {"name": "Gemini: models", "api": "google", "call": "models.list", "many": True},
    {"name": "Gemini: upload of a file", "api": "google", "call": "files.upload", "body": {"config": {"mimeType": "text/plain"}},
     "opens": "file"},
    gemini_http("Gemini: an array of answers", "slow:streamGenerateContent"),
    gemini_http("Gemini: events, the key in the query", "slow:streamGenerateContent?alt=sse&key=AIza-of-nobody-0123456789"),
    gemini_http("Gemini: the key in the query", "plain:generateContent?key=AIza-of-nobody-0123456789"),
    {"name": "Ollama: embeddings", "api": "ollama", "call": "embed", "body": {"model": "e", "input": ["a", "ö"]}},
    {"name": "Ollama: models", "api": "ollama", "call": "list"},
)


def cases():
    return [*shapes(), *OTHERS]
