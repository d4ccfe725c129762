#!/usr/bin/env python3
"""Writes objects.json: golden vectors of docs/format.md.

Made from the page alone, without any code of the library: each entry says what is
to be encoded (`input`), the bytes (`body`, or `body_hex` where they are no text) and
their name. Run it again with `python3 make.py > objects.json`; a test does, and
compares.
"""
import hashlib
import hmac
import json

COMMIT_KEYS = ["op", "type", "mode", "parent", "depth", "gen", "skip", "content", "fields", "raw", "meta", "extra",
               "attach", "prompt", "target", "targets", "about", "priority", "author", "time", "change"]
BUNDLE_KEYS = ["commit", "renderer", "model", "options", "tools", "params", "hook", "sent", "stored"]
TAG_KEYS = ["target", "name", "author", "time", "note"]
TOMBSTONE_KEYS = ["erased", "reason", "author", "time"]
ATTEST_KEYS = ["target", "key", "sig"]
OP_KEYS = ["prev", "folded", "time", "actor", "command", "undo", "map", "ref"]

entries = []


def name(kind, body):
    return hashlib.sha256(b"spoor1 " + kind.encode() + b" " + str(len(body)).encode() + b"\0" + body).hexdigest()


def keep(what, kind, source, body):
    entry = {"what": what, "kind": kind, "input": source}
    try:
        text = body.decode("utf-8")
        assert "\0" not in text
        entry["body"] = text
    except (UnicodeDecodeError, AssertionError):
        entry["body_hex" if len(body) < 4096 else "body_sha256"] = (
            body.hex() if len(body) < 4096 else hashlib.sha256(body).hexdigest())
    entry["name"] = name(kind, body)
    entries.append(entry)
    return entry["name"]


def lines(keys, source):
    out = ""
    for key in keys:
        values = source.get(key, [])
        for value in values if isinstance(values, list) else [values]:
            out += f"{key} {value}\n"
    assert not set(source) - set(keys)
    return out.encode()


def text(what, kind, keys, **source):
    return keep(what, kind, source, lines(keys, source))


def commit(what, **source):
    return text(what, "commit", COMMIT_KEYS, **source)


def blob(what, content, key=None):
    salt = bytes(16)
    source = {"text": content} if len(content) < 4096 else {"byte": content[0], "times": len(content)}
    if key:
        salt = hmac.new(key.encode(), hashlib.sha256(content.encode()).digest(), hashlib.sha256).digest()[:16]
        source["key"] = key
    return keep(what, "blob", source, salt + content.encode())


def chunks(what, byte, times):
    body = f"size {times}\n"
    for at in range(0, times, 262144):
        part = bytes(16) + byte.encode() * min(262144, times - at)
        body += f"part {name('blob', part)}\n"
    return keep(what, "chunks", {"byte": byte, "times": times}, body.encode())


def rope(what, *pieces):
    """Each piece is a text, or a list: a rope in the rope."""
    def body(pieces):
        lines = ""
        for piece in pieces:
            if isinstance(piece, list):
                lines += f"rope {name('rope', body(piece))} {len(flat(piece))}\n"
            else:
                lines += f"piece {name('blob', bytes(16) + piece.encode())} {len(piece.encode())}\n"
        return lines.encode()

    def flat(pieces):
        return b"".join(flat(piece) if isinstance(piece, list) else piece.encode() for piece in pieces)
    return keep(what, "rope", {"pieces": pieces}, body(pieces))


def skip_height(depth):
    def clear(n):
        return n & (n - 1)
    return clear(depth) if depth % 2 == 0 else clear(clear(depth - 1)) + 1


empty = blob("the empty content", "")
hello = blob("a content", "hello")
blob("a content that is not ASCII", "gr\u00fc\u00df \u2603 \U0001f600\r\n")
blob("a content with NUL, as it came", "a\0b")
blob("the same content in a private store", "hello", key="0123456789abcdef0123456789abcdef")
longest = blob("the longest content of one blob", "x" * 1048576)
big = chunks("the shortest content in chunks", "x", 1048577)
chunks("a content whose last part is full", "y", 5 * 262144)

rope("the smallest rope", "a", "b")
rope("a rope in a rope", '{"messages":[', ['{"role":"user"}', ',{"role":"assistant"}'], "]}")

fields = blob("fields of an assistant's turn",
              '{"tool_calls":[{"arguments":"{\\"q\\": 1}","id":"call_1","name":"search"}]}')
raw = blob("a provider's item", '{"type":"text","text":"hello"}')
extra = blob("an extra", '{"message":"first","tags":["a"]}')

plain = f"{hello} text/plain"
root = commit("a user's turn, the smallest commit", op="append", type="user", depth=0, gen=0, content=plain)
chain = [root]




author = {"author": "agent/a17", "time": "2026-11-21T20:13:24.123456Z"}
commit("a user's turn with author and time", op="append", type="user", depth=0, gen=0, content=plain, **author)
for kind in ["system", "reasoning", "assistant", "tool", "artifact", "summary", "config", "decision", "note"]:
    commit(f"an append of type {kind}", op="append", type=kind, depth=0, gen=0, content=plain)
for depth in range(1, 14):
    more = {"skip": chain[skip_height(depth)]} if depth >= 2 else {}
    chain.append(commit(f"a turn at depth {depth}", op="append", type="user", parent=[chain[-1]], depth=depth, gen=depth,
                        content=plain, **more))
bundle = text("a bundle with every line", "bundle", BUNDLE_KEYS, commit=root, renderer="anthropic/3", model="model-1",
              options=hello, tools=fields, params=extra, hook=raw, sent=f"sha256 {hashlib.sha256(b'{}').hexdigest()} 2",
              stored=hello)
text("a bundle with the lines that it must have", "bundle", BUNDLE_KEYS, commit=root, renderer="openai-chat/1",
     sent=f"hmac {'ab' * 32} 9007199254740991")
answer = commit("an assistant's turn with every line that it may have", op="append", type="assistant", parent=[root],
                depth=1, gen=1, content=plain, fields=fields, raw=[f"{raw} application/json", f"{hello} application/json"],
                meta='{"finish_reason":"stop","model":"model-1","usage":{"input_tokens":3}}', extra=extra,
                attach=[f"{big} image/png", f"{hello} text/x-diff"], prompt=bundle, change="0123456789abcdef" * 2, **author)
commit("a decision that speaks of others", op="append", type="decision", parent=[answer], depth=2, gen=2, skip=root,
       content=plain, about=[root, answer])
commit("an edit of a text", op="edit", parent=[answer], depth=2, gen=2, skip=root, content=plain, target=[root])
commit("an edit of calls only", op="edit", parent=[answer], depth=2, gen=2, skip=root, fields=fields, target=[answer])
for priority in ["skip", "normal", "pinned"]:
    commit(f"an annotate: {priority}", op="annotate", parent=[root], depth=1, gen=1, target=[root], priority=priority)
commit("an annotate of two, with a reason", op="annotate", parent=[answer], depth=2, gen=2, skip=root, content=plain,
       target=[root, answer], priority="pinned", **author)
commit("a compress", op="compress", parent=[answer], depth=2, gen=2, skip=root, content=plain, target=[root, answer])
targets = blob("more than 256 targets would be such a list of names", "t" * 64)
commit("a compress of many", op="compress", parent=[answer], depth=2, gen=2, skip=root, content=plain, fields=fields,
       raw=[f"{raw} application/json"], prompt=bundle, targets=targets)
other = commit("another root", op="append", type="user", depth=0, gen=0, content=f"{empty} text/plain")
commit("a merge: append", op="merge", mode="append", parent=[chain[2], other], depth=3, gen=3, skip=chain[1])
commit("a merge: digest", op="merge", mode="digest", parent=[chain[2], other], depth=3, gen=3, skip=chain[1],
       content=plain)
commit("a merge: pick", op="merge", mode="pick", parent=[chain[2], other], depth=3, gen=3, skip=chain[1], target=[other])
commit("a merge: ours, whose second parent is the later one", op="merge", mode="ours", parent=[other, chain[5]], depth=1,
       gen=6)
text("a tag", "tag", TAG_KEYS, target=root, name="v1.0", author="A Person", time="2030-01-01T00:00:00.000000Z")
text("a tag with a note", "tag", TAG_KEYS, target=root, name="release/gr\u00fcn", author="A Person",
     time="9999-12-31T23:59:59.999999Z", note=hello)
text("a tombstone", "tombstone", TOMBSTONE_KEYS, erased=[hello], author="keeper", time="1970-01-01T00:00:00.000000Z")
text("a tombstone for two, with a reason", "tombstone", TOMBSTONE_KEYS, erased=sorted([hello, raw]), reason=extra,
     author="keeper", time="2030-01-01T00:00:00.000000Z")
text("an attest", "attest", ATTEST_KEYS, target=root, key="01" * 32, sig="02" * 64)

when = {"time": "2030-01-01T00:00:00.000000Z", "actor": "tester", "command": "append"}
first = text("the first operation", "op", OP_KEYS, **when, ref=[f"refs/heads/main - {root}"])
second = text("an operation that moves and deletes", "op", OP_KEYS, prev=first, **when,
              ref=[f"refs/heads/gone {other} -", f"refs/heads/main {root} {answer}"])
text("an undo", "op", OP_KEYS, prev=second, **when, undo=second, ref=[f"refs/heads/main {answer} {root}"])
text("a rewrite", "op", OP_KEYS, prev=second, **when, map=[f"{root} {other}", f"{chain[1]} {answer}"],
     ref=[f"refs/heads/main {answer} {other}"])
text("a checkpoint", "op", OP_KEYS, folded=second, **when, ref=[f"refs/heads/main - {answer}", f"refs/tags/v1 - {root}"])
text("a checkpoint without refs", "op", OP_KEYS, folded=second, **when)

print(json.dumps(entries, indent=1, ensure_ascii=False))
