"""The Gemini API: what it refuses, and its answers, whole and streamed."""
import base64
import re

from answers import event, pieces
from families import digest, is_number, is_whole, packed, refusal_of, sign, signed, tokens

WIRE = "gemini"
MEMBERS = {"model", "stream", "contents", "tools", "toolConfig", "safetySettings", "systemInstruction", "generationConfig",
           "cachedContent", "serviceTier", "store"}
PART = {"text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult",
        "toolCall", "toolResponse"}
PART_MORE = {"thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"}
CONFIG = {"stopSequences", "responseMimeType", "responseSchema", "responseJsonSchema", "_responseJsonSchema", "responseFormat",
          "responseModalities", "candidateCount", "maxOutputTokens", "temperature", "topP", "topK", "seed", "presencePenalty",
          "frequencyPenalty", "responseLogprobs", "logprobs", "enableEnhancedCivicAnswers", "speechConfig", "thinkingConfig",
          "imageConfig", "mediaResolution", "audioTimestamp", "routingConfig"}
SCHEMA = {"type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
          "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering",
          "default", "items", "minimum", "maximum", "additionalProperties", "$defs", "$ref", "defs", "ref"}
OPAQUE = ("args", "response", "parametersJsonSchema", "responseJsonSchema", "_responseJsonSchema", "properties")
LEVELS = ("MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH")
SKIPPED = ("context_engineering_is_the_way_to_go", "skip_thought_signature_validator")
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")


def camel(value):
    """Returns `value` with the names of members as the API also spells them: camelCase."""
    if isinstance(value, list):
        return [camel(one) for one in value]
    if isinstance(value, dict):
        named = {re.sub(r"(?<=[a-z0-9])_([a-z])", lambda found: found[1].upper(), name): inner for name, inner in value.items()}
        return {name: inner if name in OPAQUE else camel(inner) for name, inner in named.items()}
    return value


class Check:
    """One request held against the rules of its family."""

    def __init__(self, body, family, any_signature):
        self.body, self.family, self.any_signature = camel(body), family, any_signature
        self.contents = self.body.get("contents")

    def refuse(self, rule, **fields):
        raise refusal_of(self.family, WIRE, rule, model=self.body["model"], **fields)

    def run(self):
        for name in self.body:
            if name not in MEMBERS:
                self.refuse("unknown", name=name)
        self.content()
        self.config()
        self.tools()
        self.turns()
        self.signatures()

    def content(self):
        if isinstance(self.contents, dict):
            self.contents = [self.contents]
        if not self.contents:
            self.refuse("none")
        for at, content in enumerate(self.contents):
            for name in content:
                if name not in ("role", "parts"):
                    self.refuse("unknown_at", name=name, path=f"contents[{at}]")
            if content.get("role", "user") not in ("user", "model", "function"):
                self.refuse("role")
            if not content.get("parts"):
                self.refuse("parts", at=at)
            for number, part in enumerate(content["parts"]):
                path = f"contents[{at}].parts[{number}]"
                for name in part:
                    if name not in PART | PART_MORE:
                        self.refuse("unknown_at", name=name, path=path)
                if not PART & part.keys():
                    self.refuse("part_data", path=path)
        if len(self.contents) == 1 and self.contents[0].get("role", "user") == "model":
            self.refuse("single_turn")

    def config(self):
        config, family = self.body.get("generationConfig") or {}, self.family
        for name in config:
            if name not in CONFIG:
                self.refuse("unknown_at", name=name, path="generation_config")
        for name, most in (("temperature", 2), ("topP", 1)):
            value = config.get(name)
            if value is not None and not (is_number(value) and 0 <= value <= most):
                self.refuse("range", name=name, most=f"{most}.0")
        limit = config.get("maxOutputTokens")
        if limit is not None and not (is_whole(limit) and 1 <= limit <= family["max_output"]):
            self.refuse("max_tokens", asked=limit, end=family["max_output"] + 1)
        self.thinking(config.get("thinkingConfig") or {})

    def thinking(self, config):
        family = self.family
        for name in config:
            if name not in ("includeThoughts", "thinkingBudget", "thinkingLevel"):
                self.refuse("unknown_at", name=name, path="generation_config.thinking_config")
        budget, level = config.get("thinkingBudget"), config.get("thinkingLevel")
        if config and not family["thinks"]:
            self.refuse("no_thinking")
        if budget is not None and level is not None:
            self.refuse("both")
        if level is not None:
            if str(level).upper() not in LEVELS:
                self.refuse("level_value", value=level)
            if not family["levels"]:
                self.refuse("level")
            if str(level).upper() not in family["levels"]:
                self.refuse("level_this", level=str(level).upper())
        if budget is None or budget == -1:
            return
        if not is_whole(budget):
            self.refuse("level_value", value=budget)
        least, most = family["budget"]
        if budget == 0:
            if not family["budget_zero"]:
                self.refuse("budget_zero")
        elif not least <= budget <= most:
            self.refuse("budget", value=budget, least=least, most=most)

    def tools(self):
        names = set()
        for at, tool in enumerate(self.body.get("tools") or []):
            for number, one in enumerate(tool.get("functionDeclarations") or []):
                path = f"tools[{at}].function_declarations[{number}]"
                name = one.get("name") or ""
                if not NAME.fullmatch(name):
                    self.refuse("tool_name", path=path)
                if name in names:
                    self.refuse("tool_twice", at=at, name=name)
                names.add(name)
                if one.get("parameters") is not None and one.get("parametersJsonSchema") is not None:
                    self.refuse("two_schemas", path=path)
                self.schema(one.get("parameters"), f"{path}.parameters")
                self.meaning(one.get("parameters"), f"{path}.parameters")
        mode = ((self.body.get("toolConfig") or {}).get("functionCallingConfig") or {})
        if mode.get("allowedFunctionNames") and mode.get("mode") not in ("ANY", "VALIDATED"):
            self.refuse("allowed_names")

    def schema(self, schema, path):
        if not isinstance(schema, dict):
            return
        for name in schema:
            if name not in SCHEMA:
                self.refuse("unknown_at", name=name, path=path)
        for name, inner in (schema.get("properties") or {}).items():
            self.schema(inner, f"{path}.properties[0].value")
        self.schema(schema.get("items"), f"{path}.items")
        for inner in schema.get("anyOf") or []:
            self.schema(inner, f"{path}.any_of[0]")

    def meaning(self, schema, path):
        if not isinstance(schema, dict):
            return
        kind, named = str(schema.get("type", "")).lower(), schema.get("properties") or {}
        if kind == "array" and "items" not in schema:
            self.refuse("schema_field", path=f"{path}.items", why="missing field.")
        if schema.get("enum") and kind not in ("string", ""):
            self.refuse("schema_field", path=f"{path}.enum", why="only allowed for STRING type")
        for at, name in enumerate(schema.get("required") or []):
            if name not in named:
                self.refuse("schema_field", path=f"{path}.required[{at}]", why="property is not defined")
        for name, inner in named.items():
            self.meaning(inner, f"{path}.properties[{name}]")
        self.meaning(schema.get("items"), f"{path}.items")
        for at, inner in enumerate(schema.get("anyOf") or []):
            self.meaning(inner, f"{path}.any_of[{at}]")

    # ---- Turns ----

    def turns(self):
        """A call comes after a user's turn or a result; its results follow at once, as many as there are calls."""
        kinds = [(content.get("role", "user"), [part for part in content["parts"] if "functionCall" in part],
                  [part for part in content["parts"] if "functionResponse" in part]) for content in self.contents]
        for at, (role, calls, results) in enumerate(kinds):
            before = kinds[at - 1] if at else None
            if calls and role == "model" and (before is None or before[0] == "model" and not before[2]):
                self.refuse("call_turn")
            if results:
                if before is None or not before[1]:
                    self.refuse("result_turn")
                if len(results) != len(before[1]):
                    self.refuse("result_count")
                if sorted(part["functionResponse"].get("name", "") for part in results) != sorted(
                        part["functionCall"].get("name", "") for part in before[1]):
                    self.refuse("result_turn")
            elif before is not None and before[1] and role != "model":
                self.refuse("result_count")
        if kinds[-1][1]:
            self.refuse("result_count")

    def signatures(self):
        """Signatures that come are ours; where they are needed, the first call of each step has one."""
        begin = max((at for at, content in enumerate(self.contents) if content.get("role", "user") == "user" and not any(
            "functionResponse" in part for part in content["parts"])), default=-1)
        for at, content in enumerate(self.contents):
            first = True
            for number, part in enumerate(content["parts"]):
                signature = part.get("thoughtSignature")
                if signature is not None and signature not in SKIPPED:
                    try:
                        base64.b64decode(signature + "=" * (-len(signature) % 4), altchars=b"-_", validate=False)
                    except ValueError:
                        self.refuse("signature_base64", path=f"contents[{at}].parts[{number}]")
                    if not self.any_signature and signed(signature) is None:
                        self.refuse("signature")
                if "functionCall" in part and content.get("role") == "model":
                    if first and signature is None and self.family["signatures"] == "required" and at > begin:
                        self.refuse("signature_missing", name=part["functionCall"].get("name"), position=at + 1)
                    first = False


def check(body, family, headers, any_signature=False):
    Check(body, family, any_signature).run()


# ---- Lengths and caches ----

def prompt_of(body):
    plain = camel(body)
    return packed([plain.get("systemInstruction") or "", plain.get("tools") or [], plain.get("contents") or []])


def length_of(body):
    return tokens(len(prompt_of(body)))


def counted(body):
    return {"totalTokens": length_of(body)}


def check_length(body, family):
    size = length_of(body)
    if size > family["context"]:
        raise refusal_of(family, WIRE, "too_long", size=size, limit=family["context"])


def limit_of(body):
    return (camel(body).get("generationConfig") or {}).get("maxOutputTokens")


def usage_of(body, family, cache, kept):
    read = tokens(kept)
    return {"prompt": length_of(body), "cached": read if read >= (family["cache_minimum"] or 0) else 0}


# ---- Answers ----

def parts_of(body, answer, family):
    config = (camel(body).get("generationConfig") or {}).get("thinkingConfig") or {}
    thinks = bool(family["thinks"]) and config.get("thinkingBudget") != 0
    seal = sign(text=digest(answer.thinking, answer.text), model=body["model"]) if thinks and answer.thinking else None
    parts = []
    if thinks and answer.thinking and config.get("includeThoughts"):
        parts.append({"text": answer.thinking, "thought": True})
    if answer.text:
        parts.append({"text": answer.text})
    for call in answer.calls:
        one = {"name": call["name"], "args": call["input"]}
        parts.append({"functionCall": {"id": call["id"], **one} if family["signatures"] == "required" else one})
    if seal and parts:
        first = next((part for part in parts if "functionCall" in part), parts[-1])
        if not first.get("thought"):
            first["thoughtSignature"] = seal
    return parts


def usage_block(answer, usage):
    thought = answer.thought_tokens()
    made = {"promptTokenCount": usage["prompt"], "candidatesTokenCount": answer.tokens() - thought,
            "totalTokenCount": usage["prompt"] + answer.tokens(),
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": usage["prompt"]}]}
    if thought:
        made["thoughtsTokenCount"] = thought
    if usage["cached"]:
        made["cachedContentTokenCount"] = usage["cached"]
    return made


def reply(body, answer, usage, parts, reason):
    candidate = {"index": 0}
    if parts or reason in ("STOP", "MAX_TOKENS", None):
        candidate["content"] = {"role": "model", **({"parts": parts} if parts else {})}
    if reason:
        candidate["finishReason"] = reason
    if reason == "MALFORMED_FUNCTION_CALL":
        candidate["finishMessage"] = "Malformed function call"
    return {"candidates": [candidate], "usageMetadata": usage_block(answer, usage), "modelVersion": body["model"],
            "responseId": f"response_{answer.number}"}


def whole(body, answer, usage, family):
    return reply(body, answer, usage, parts_of(body, answer, family), answer.reason(WIRE))


def chunks(body, answer, usage, family):
    parts, cut = parts_of(body, answer, family), []
    for part in parts:
        if "text" not in part:
            cut.append(part)
            continue
        texts = pieces(part["text"], 24)
        same = {name: value for name, value in part.items() if name == "thought"}
        cut += [{"text": text, **same} for text in texts]
        if "thoughtSignature" in part:  # It comes with an empty text at the end.
            cut.append({"text": "", "thoughtSignature": part["thoughtSignature"]})
    for at, part in enumerate(cut or [None]):
        is_last = at + 1 >= len(cut)
        yield reply(body, answer, usage, [part] if part else [], answer.reason(WIRE) if is_last else None)


def stream(body, answer, usage, family):
    made = list(chunks(body, answer, usage, family))
    if body.get("stream") == "sse":
        yield from (event(one).replace(b"\n\n", b"\r\n\r\n") for one in made)
        return
    for at, one in enumerate(made):
        yield (b"[" if at == 0 else b",\r\n") + packed(one) + (b"]" if at + 1 == len(made) else b"")


def error_body(refusal, number):
    error = {"code": refusal.status, "message": refusal.message, "status": refusal.type}
    if refusal.fact.get("details"):
        error["details"] = refusal.fact["details"]
    return {"error": error}


def error_event(refusal, number):
    return event(error_body(refusal, number)).replace(b"\n\n", b"\r\n\r\n")


def model_entry(model, family):
    return {"name": f"models/{model}", "version": "001", "displayName": model, "inputTokenLimit": family["context"],
            "outputTokenLimit": family["max_output"], "supportedGenerationMethods": ["generateContent", "countTokens"],
            "thinking": bool(family["thinks"]), "maxTemperature": 2}
