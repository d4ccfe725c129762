"""What spoor-cassettes reads in recorded responses, held against the recordings.

One byte at a time, seven, and all at once give the same lines. Nothing is left unread but what is
named in BROKEN. Signatures and encrypted reasoning are cut out of the recordings here, by other
means than the program's, and must be in its items byte for byte: none altered, none lost.

The recordings are not ours to ship. Where they are absent this says so, and the test is skipped.
"""

import base64
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
SETS = ("cassettes-*", "fixtures-vercel-ai", "anthropic-sdk-sse", "gemini-cli-responses",
        "openhands-sdk-llm-logs")
NO_RECORDING = re.compile(r"^(LICENSE|NOTICE|SOURCES)")

# Recordings that are no sound replies themselves: (file, kind of failure).
BROKEN = {
    # Written by hand: two of its lines lack their last bracket.
    ("parallel-tool-call-wrapper.1.chunks.txt", "malformed"),
}

# Streams that say nothing before their `[DONE]`.
NO_REASON = {"test_tools_streaming_variant_a.yaml", "test_tools_streaming_variant_b.yaml"}

# Failures that the provider itself told; any other is ours, or stands in BROKEN.
TOLD = {"rate_limited", "quota", "overloaded", "unauthorized", "not_found", "too_long",
        "invalid_request", "server"}

SEALED = re.compile(rb'"(signature|encrypted_content|thoughtSignature|thought_signature)"'
                    rb'\s*:\s*"((?:[^"\\]|\\.)+)"')
REDACTED = re.compile(rb'"type"\s*:\s*"redacted_thinking"\s*,\s*"data"\s*:\s*"([^"]+)"')


def recordings():
    found = []
    for pattern in SETS:
        for folder in sorted(DATA.glob(pattern)):
            found += [path for path in sorted(folder.rglob("*"))
                      if path.is_file() and not NO_RECORDING.match(path.name)]
    return found


def program(paths, *options):
    result = subprocess.run([os.environ["SPOOR_CASSETTES"], *options, *map(str, paths)],
                            capture_output=True, check=False)
    if result.returncode != 0:
        sys.exit(f"spoor-cassettes: exit {result.returncode}: {result.stderr.decode()[:2000]}")
    return result.stdout


# ---- The recordings, read without a YAML library: as much of it as VCR writes. ----

def unfolded(lines):
    """A flow scalar over several lines: a line break is a blank, an empty line a line break."""
    text = lines[0]
    breaks = 0
    for line in lines[1:]:
        stripped = line.strip(b" \r\n")
        if not stripped:
            breaks += 1
            continue
        if text.endswith(b"\\") and breaks == 0:
            text = text[:-1]  # An escaped line break is none.
            stripped = stripped[1:] if stripped.startswith(b"\\ ") else stripped
        else:
            text += b"\n" * breaks if breaks else b" "
        breaks = 0
        text += stripped
    return text


def block_of(lines, at):
    """The lines that are indented deeper than line `at`."""
    indent = len(lines[at]) - len(lines[at].lstrip(b" "))
    block = []
    for line in lines[at + 1:]:
        if line.strip() and len(line) - len(line.lstrip(b" ")) <= indent:
            break
        block.append(line)
    return block


def body_at(lines, at):
    """The text of the scalar that begins on line `at`."""
    value = lines[at].split(b":", 1)[1].strip()
    block = block_of(lines, at)
    if value.startswith(b"!!binary"):
        packed = base64.b64decode(b"".join(line.strip() for line in block))
        return gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed
    if value[:1] in (b"|", b">"):
        deep = min((len(line) - len(line.lstrip(b" ")) for line in block if line.strip()),
                   default=0)
        return b"\n".join(line[deep:].rstrip(b"\r\n") for line in block)
    text = unfolded([value] + block)
    if text[:1] == b"'":
        return text[1:-1].replace(b"''", b"'")
    if text[:1] == b'"':
        # The escapes that JSON in YAML needs.
        return re.sub(rb"\\(.)", lambda m: {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(
            m.group(1), m.group(1)), text[1:-1], flags=re.DOTALL)
    return text


def parsed_secrets(lines, at):
    """`signature: …` and the like in a body that was recorded as YAML."""
    found = set()
    for line in block_of(lines, at):
        match = re.match(rb"[ -]*(signature|encrypted_content|thoughtSignature): (\S+)\s*$", line)
        if match and match.group(2) not in (b"''", b"null"):
            found.add(match.group(2).strip(b"'\""))
        match = re.match(rb"[ -]*data: (\S{40,})\s*$", line)
        if match:
            found.add(match.group(1))
    return found


def responses_in(text):
    """The response part of each interaction of a cassette, as lines."""
    for interaction in re.split(rb"(?m)^- request", text)[1:]:
        lines = interaction.split(b"\n")
        at = next((i for i, line in enumerate(lines) if line.startswith(b"  response:")), None)
        if at is not None:
            yield lines[at:]


def secrets_in_body(body):
    """All sealed strings, and those that must not be lost: of Responses the finished items'."""
    everything, must = set(), set()
    for line in body.split(b"\n"):
        found = {match[1] for match in SEALED.findall(line)} | set(REDACTED.findall(line))
        everything |= found
        is_event = re.search(rb'"type"\s*:\s*"response\.', line)
        if not is_event or b'"response.output_item.done"' in line:
            must |= found
    return everything, must


def secrets(path):
    text = path.read_bytes()
    if path.suffix != ".yaml":
        return secrets_in_body(text)
    everything, must = set(), set()
    for lines in responses_in(text):
        for at, line in enumerate(lines):
            if re.match(rb"    parsed_body:", line):
                found = parsed_secrets(lines, at)
                everything |= found
                must |= found
            elif re.match(rb"    body:|      string:", line) and line.split(b":", 1)[1].strip():
                found, needed = secrets_in_body(body_at(lines, at))
                everything |= found
                must |= needed
    return everything, must


def plain_bodies(path):
    """The bodies of a file that can be had without undoing YAML's escapes."""
    text = path.read_bytes()
    if path.name.endswith(".chunks.txt"):
        return [b"".join(b"data: " + line + b"\n\n" for line in text.splitlines() if line)]
    if path.suffix == ".responses":
        return [json.dumps(json.loads(line)["response"]).encode() for line in text.splitlines()
                if line.strip()]
    if path.suffix != ".yaml":
        return [text]
    bodies = []
    for lines in responses_in(text):
        for at, line in enumerate(lines):
            if re.match(rb"      string: *(!!binary|\|)", line):
                bodies.append(body_at(lines, at))
    return bodies


def messages_in(body):
    """The JSON messages of a stream; nothing for a whole body."""
    if body.lstrip()[:1] == b"[":
        return json.loads(body)
    messages = []
    for line in body.splitlines():
        if line.startswith(b"data:") and line[5:].strip() not in (b"", b"[DONE]"):
            try:
                messages.append(json.loads(line[5:]))
            except ValueError:
                return []
    return messages


def text_of(message):
    """What a message of a stream adds to the answer, in whatever wire: the plainest reading."""
    kind = message.get("type")
    if kind == "content_block_delta":
        delta = message["delta"]
        return delta["text"] if delta["type"] == "text_delta" else ""
    if kind == "response.output_text.delta":
        return message["delta"]
    for choice in (message.get("choices") or [])[:1]:
        content = choice.get("delta", {}).get("content") or ""
        if isinstance(content, list):
            return "".join(part.get("text", "") for part in content if part["type"] == "text")
        return content
    for candidate in message.get("candidates", [])[:1]:
        parts = candidate.get("content", {}).get("parts", [])
        return "".join(part.get("text", "") for part in parts if not part.get("thought"))
    return ""


def secrets_in_lines(lines):
    """The same in what the program read: in items, and in messages that are kept whole."""
    found = set()
    for line in lines:
        for text in line.get("items", []) + [line.get("message", "")]:
            text = text.encode("utf-8", "surrogatepass")
            found |= {match[1] for match in SEALED.findall(text)} | set(REDACTED.findall(text))
    return found


# ---- The claims. ----

def check_secrets(path, lines, complain):
    if not any("wire" in line for line in lines):
        return 0
    everything, must = secrets(path)
    read = secrets_in_lines(lines)
    for one in read - everything:
        complain(f"{path.name}: altered or made up: {one[:60]!r}")
    if all("refused" not in line for line in lines):
        for one in must - read:
            complain(f"{path.name}: lost: {one[:60]!r}")
    return len(read)


def check_texts(path, lines, complain):
    """Streams alone, and no answers with tags in them, of which something is taken out."""
    streams = [messages_in(body) for body in plain_bodies(path)]
    texts = {"".join(map(text_of, stream)) for stream in streams if stream}
    read = {line["text"] for line in lines
            if line.get("stream") and line.get("format") != "think_tags"}
    if not any("refused" in line for line in lines):
        for text in texts - read:
            complain(f"{path.name}: not read: {text[:60]!r}")
    return len(texts & read)


def check_lines(path, lines, complain):
    for line in lines:
        failure = line.get("failure", {}).get("kind")
        if line.get("refused") == "unknown shape":
            complain(f"{path.name}: nobody knows what this is")
        if failure and failure not in TOLD and (path.name, failure) not in BROKEN:
            complain(f"{path.name}: {line['failure']}")
        if "wire" not in line or failure:
            continue
        if not line.get("finish_reason") and path.name not in NO_REASON:
            complain(f"{path.name}: no finish reason")


def main():
    paths = recordings()
    if not paths:
        print(f"skipped: no recordings at {DATA}")
        return 0

    whole = program(paths)
    offences = []
    for size in ("1", "7"):
        if program(paths, "--chunk", size) != whole:
            offences.append(f"{size} bytes at a time read otherwise")

    sealed = texts = 0
    for path in paths:
        lines = [json.loads(line) for line in program([path]).splitlines()]
        if not lines:
            offences.append(f"{path.name}: not a line")
        check_lines(path, lines, offences.append)
        sealed += check_secrets(path, lines, offences.append)
        texts += check_texts(path, lines, offences.append)

    print(program(paths, "--summary").decode(), end="")
    print(f"{sealed} signatures and encrypted texts compared, and the texts of {texts} streams")
    for offence in offences:
        print(offence)
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
