"""Databases in the schema of OpenCode 1.18.33, written with Python's sqlite3 from exported sessions."""
import json
import random
import sqlite3

_TABLES = """
CREATE TABLE session (
  id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text, slug text NOT NULL,
  directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL, share_url text,
  summary_additions integer, summary_deletions integer, summary_files integer, summary_diffs text, metadata text,
  cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL,
  tokens_reasoning integer DEFAULT 0 NOT NULL, tokens_cache_read integer DEFAULT 0 NOT NULL,
  tokens_cache_write integer DEFAULT 0 NOT NULL, revert text, permission text, agent text, model text,
  time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer, time_archived integer);
CREATE TABLE message (
  id text PRIMARY KEY, session_id text NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (
  id text PRIMARY KEY, message_id text NOT NULL REFERENCES message (id) ON DELETE CASCADE, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
CREATE INDEX part_session_idx ON part (session_id);
"""


def dumps(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def create(path):
    """Makes an empty database. It stays open, as OpenCode's does: with a log."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.executescript(_TABLES)
    return database


def _but(value, *names):
    return {key: each for key, each in value.items() if key not in names}


def insert_session(database, info):
    tokens, summary, when = info["tokens"], info.get("summary", {}), info["time"]
    row = {
        "id": info["id"], "project_id": info["projectID"], "parent_id": info.get("parentID"), "slug": info["slug"],
        "directory": info["directory"], "path": info.get("path"), "title": info["title"], "version": info["version"],
        "summary_additions": summary.get("additions"), "summary_deletions": summary.get("deletions"),
        "summary_files": summary.get("files"), "cost": info["cost"], "tokens_input": tokens["input"],
        "tokens_output": tokens["output"], "tokens_reasoning": tokens["reasoning"],
        "tokens_cache_read": tokens["cache"]["read"], "tokens_cache_write": tokens["cache"]["write"],
        "agent": info.get("agent"), "time_created": when["created"], "time_updated": when["updated"],
    }
    for name in ("revert", "permission", "model"):
        row[name] = dumps(info[name]) if name in info else None
    database.execute(f"INSERT OR REPLACE INTO session ({','.join(row)}) VALUES ({','.join('?' * len(row))})",
                     list(row.values()))


def insert_message(database, message):
    info = message["info"]
    created = info["time"]["created"]
    database.execute("INSERT INTO message VALUES (?,?,?,?,?)", [
        info["id"], info["sessionID"], created, created, dumps(_but(info, "id", "sessionID"))])
    for part in message["parts"]:
        database.execute("INSERT INTO part VALUES (?,?,?,?,?,?)", [
            part["id"], info["id"], info["sessionID"], created, created, dumps(_but(part, "id", "sessionID", "messageID"))])


def insert(database, export, has_session=False):
    """Writes the rows of an exported session, as one transaction. `has_session`: all but its own row."""
    database.execute("BEGIN")
    if not has_session:
        insert_session(database, export["info"])
    for message in export["messages"]:
        insert_message(database, message)
    database.execute("COMMIT")


class Sessions:
    """Random sessions with everything that a message of OpenCode was seen to have."""

    WORDS = ["harbour", "tide", "Möwe", "船", "🚢", "a\nb", "\"quoted\"", "\\n", "\u0001", "\t", "</p>", "' OR 1", "x" * 300]

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.now = 1_790_000_000_000
        self.count = 0

    def name(self, kind):
        self.count += 1
        return f"{kind}_{self.count:012x}{self.random.getrandbits(64):016x}"

    def tick(self):
        self.now += self.random.randint(1, 5000)
        return self.now

    def text(self):
        return " ".join(self.random.choices(self.WORDS, k=self.random.randint(1, 6))) + f" {self.count}"

    def chance(self, of):
        return self.random.random() < of

    def tokens(self):
        pick = self.random.randint
        return {"input": pick(1, 9000), "output": pick(1, 900), "reasoning": pick(0, 90),
                "cache": {"read": pick(0, 9000), "write": pick(0, 900)}}

    def tool(self):
        given = {"command": self.text(), "n": self.random.choice([0, -1, 1.5, 2**53, 10**20, None, True, [], {}])}
        kind = self.random.choice(["bash", "read", "grep", "task", "todowrite"])
        state = {"status": self.random.choice(["completed", "completed", "error", "running", "pending"]), "input": given}
        if state["status"] == "completed":
            state.update(output=self.text(), title="t", metadata={"exit": self.random.randint(0, 3)} if kind == "bash" else {})
        if state["status"] == "error":
            state["error"] = self.text()
        if state["status"] != "pending":
            state["time"] = {"start": self.tick()}
        if state["status"] in ("completed", "error"):
            state["time"]["end"] = self.tick()
        return {"type": "tool", "tool": kind, "callID": self.name("call"), "state": state}

    def step(self, is_last):
        parts = [{"type": "step-start", "snapshot": "abc"}] if self.chance(0.8) else [{"type": "step-start"}]
        if self.chance(0.6):
            signed = {"metadata": {"anthropic": {"signature": "c2lnbmVk"}}} if self.chance(0.5) else {}
            parts.append({"type": "reasoning", "text": self.text(), "time": {"start": self.tick(), "end": self.tick()}, **signed})
        parts.append({"type": "text", "text": self.text(), "time": {"start": self.tick(), "end": self.tick()}})
        if not is_last:
            parts += [self.tool() for _ in range(self.random.randint(1, 3))]
        if self.chance(0.2):
            parts.append({"type": "patch", "hash": "h", "files": ["/w/a"]})
        parts.append({"type": "step-finish", "reason": "stop" if is_last else "tool-calls", "cost": 0.25,
                      "tokens": self.tokens()})
        return parts

    def message(self, session, info, parts):
        info = {**info, "id": self.name("msg"), "sessionID": session}
        for part in parts:
            part.update(id=self.name("prt"), sessionID=session, messageID=info["id"])
        return {"info": info, "parts": parts}

    def question(self, session):
        parts = [{"type": "text", "text": self.text()}]
        if self.chance(0.2):
            parts.append({"type": "text", "text": self.text(), "synthetic": True})
        if self.chance(0.1):
            parts.append({"type": "text", "text": self.text(), "ignored": True})
        return self.message(session, {"role": "user", "time": {"created": self.tick()}, "agent": "build",
                                      "model": {"providerID": "p", "modelID": "m"}, "summary": {"diffs": []}}, parts)

    def answer(self, session, parent, parts, **more):
        model = self.random.choice(["claude-sonnet-4-5", "gpt-6", "qwen"])
        return self.message(session, {
            "parentID": parent, "role": "assistant", "mode": "build", "agent": "build", "path": {"cwd": "/w", "root": "/"},
            "cost": 0.25, "tokens": self.tokens(), "modelID": model, "providerID": "p",
            "time": {"created": self.tick(), "completed": self.tick()}, "finish": "stop", **more}, parts)

    def session(self, parent=None):
        name = self.name("ses")
        created = self.tick()
        messages = []
        for _ in range(self.random.randint(1, 6)):
            asked = self.question(name)
            messages.append(asked)
            steps = self.random.randint(1, 3)
            for i in range(steps):
                parts = self.step(i + 1 == steps)
                more = {} if i + 1 == steps else {"finish": "tool-calls"}
                if self.chance(0.1):  # Stopped by the user.
                    parts = [part for part in parts if part["type"] != "step-finish"]
                    more = {"error": {"name": "MessageAbortedError", "data": {"message": "Aborted"}}, "cost": 0,
                            "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}}
                messages.append(self.answer(name, asked["info"]["id"], parts, **more))
            if self.chance(0.15):
                tail = {"tail_start_id": asked["info"]["id"]} if self.chance(0.5) else {}
                order = self.message(name, {"role": "user", "time": {"created": self.tick()}},
                                     [{"type": "compaction", "auto": True, **tail}])
                messages += [order, self.answer(name, order["info"]["id"], [
                    {"type": "text", "text": self.text()}, {"type": "step-finish", "reason": "stop", "cost": 0.25,
                                                            "tokens": self.tokens()}], summary=True)]
        info = {"id": name, "slug": "quiet-quay", "projectID": "global", "directory": "/w", "path": "",
                "title": self.text(), "agent": "build", "model": {"id": "m", "providerID": "p"}, "version": "1.18.33",
                "summary": {"additions": 1, "deletions": 2, "files": 3}, "cost": 0.5, "tokens": self.tokens(),
                "time": {"created": created, "updated": self.tick()}}
        if parent:
            at = list(info).index("title")
            info = dict([*list(info.items())[:at], ("parentID", parent), *list(info.items())[at:]])
        if self.chance(0.2) and not any(message["info"].get("summary") is True for message in messages):
            last = info.pop("time")
            info["revert"] = {"messageID": self.random.choice(messages)["info"]["id"]}
            info["time"] = last
        return {"info": info, "messages": messages}

    def some(self):
        sessions = []
        for _ in range(self.random.randint(1, 4)):
            parent = self.random.choice(sessions)["info"]["id"] if sessions and self.chance(0.4) else None
            sessions.append(self.session(parent))
        return sessions
