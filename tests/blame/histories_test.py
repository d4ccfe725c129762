"""Holds `spoor blame FILE` against random histories of a repository.

Agents edit files through sessions of Claude Code and Codex, a person edits between them, and git commits,
rebases, squashes, amends, stashes, picks, merges, renames and reverts. The script keeps for each line who
wrote it: a line is an object that keeps its identity while the script moves it through its own model of git
(a three-way merge by identity, not by text). An operation of git whose text differs from the model's is
taken back.

A line that was removed and typed again at the same place, between the same kept lines, may be either's: no
content tells. So may a line that was moved.

    histories_test.py                    a sample
    histories_test.py --histories 1000   so many, with the table of docs/blame.md
    histories_test.py --only 17          one history, with what it did

Exit status 1 if a line is attributed to someone who did not write it.
"""
import argparse
import collections
import concurrent.futures
import difflib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ["SPOOR_PROGRAM"]
SOAK = int(os.environ.get("SPOOR_SOAK", "1"))
SEED = int(os.environ.get("SPOOR_SEED", "0"))
OTHER = "other"
COMMON = ["", "", "}", "    }", "{", "    return None", "    pass", "else:", "    else:", "        continue",
          "    except ValueError:", "import os", "#include <vector>", "    break", "// ---", "    return result"]
NOUNS = ["cart", "price", "total", "coupon", "order", "stock", "user", "ledger", "parcel", "harbour", "signal"]
VERBS = ["load", "store", "count", "merge", "check", "sort", "print", "drop", "find", "split", "round"]
KINDS = ["linear", "person between", "two sessions", "codex", "whole writes", "no originals", "rebase", "squash",
         "amend", "stash", "cherry-pick", "merge", "rename", "line ends", "duplicates", "revert", "commands",
         "worktree", "moved", "mixed"]


class Line:
    """One line of a file. `who` has everyone who may be named as its writer."""

    def __init__(self, text, who):
        self.text = text
        self.who = frozenset(who)

    def __repr__(self):
        return f"{self.text!r} {sorted(self.who)}"


class File:
    def __init__(self, lines, end="\n"):
        self.lines = list(lines)
        self.end = end

    def text(self):
        return "".join(line.text + self.end for line in self.lines)

    def copy(self):
        return File(self.lines, self.end)


def changed(old, new):
    """The lines of `new`, in which a line that took the place of an equal one may be by its writer, too."""
    kept = {id(line) for line in new} & {id(line) for line in old}

    def gaps(lines):
        at, found = [], []
        for line in lines:
            if id(line) in kept:
                found.append(at)
                at = []
            else:
                at.append(line)
        return found + [at]

    for removed, added in zip(gaps(old), gaps(new)):
        for line in added:
            for other in removed:
                if other.text == line.text:
                    line.who |= other.who
    return new


def merged(base, ours, theirs):
    """A three-way merge by identity; None for a conflict."""
    base_ids = {id(line) for line in base}
    both = ({id(line) for line in ours} & {id(line) for line in theirs}) & base_ids

    def gaps(lines):
        found, at = [], []
        for line in lines:
            if id(line) in both:
                found.append(at)
                at = []
            else:
                at.append(line)
        return found + [at]

    def order(lines):
        return [id(line) for line in lines if id(line) in both]

    if not order(base) == order(ours) == order(theirs):
        return None
    kept = [line for line in base if id(line) in both]
    result = []
    for i, (b, o, t) in enumerate(zip(gaps(base), gaps(ours), gaps(theirs))):
        ids = [[id(line) for line in part] for part in (b, o, t)]
        if ids[1] == ids[0]:
            result += t
        elif ids[2] in (ids[0], ids[1]):
            result += o
        elif [line.text for line in o] == [line.text for line in t]:
            result += [Line(x.text, x.who | y.who) for x, y in zip(o, t)]
        else:
            return None
        if i < len(kept):
            result.append(kept[i])
    return result


def merged_files(base, ours, theirs):
    """Merges snapshots; None for a conflict."""
    result = {}
    for name in {*base, *ours, *theirs}:
        b, o, t = base.get(name), ours.get(name), theirs.get(name)
        if o is None and t is None:
            continue
        if b is None and (o is None or t is None):
            result[name] = o or t
            continue
        if b is None or o is None or t is None or len({b.end, o.end, t.end}) > 1:
            return None
        lines = merged(b.lines, o.lines, t.lines)
        if lines is None:
            return None
        result[name] = File(lines, o.end)
    return result


class Claude:
    agent = "claude-code"

    def __init__(self, world, number):
        self.world = world
        self.id = f"{number:08x}-7d42-4f3e-9a68-2c91d4e07f35"
        self.path = world.home / f"sessions/{self.id}.jsonl"
        self.last = None
        self.count = 0
        self.records = []

    def add(self, kind, message, when, **more):
        self.count += 1
        uuid = f"{self.id[:8]}-0000-4000-8000-{self.count:012x}"
        self.records.append({
            "parentUuid": self.last, "isSidechain": False, "userType": "external", "cwd": str(self.world.cwd),
            "sessionId": self.id, "version": "2.1.34", "gitBranch": "main", "type": kind, "message": message,
            "uuid": uuid, "timestamp": stamp(when), **more})
        self.last = uuid

    def ask(self, when):
        self.add("user", {"role": "user", "content": f"Please change it ({self.count})."}, when)

    def call(self, tool, arguments, asked, done, **result):
        if not self.records:
            self.ask(asked)
        call = f"toolu_{self.id[:8]}{self.count:04d}"
        self.add("assistant", {"model": "claude-sonnet-4-5", "id": f"msg_{call}", "type": "message",
                               "role": "assistant",
                               "content": [{"type": "thinking", "thinking": f"Reason {call}.", "signature": "eA=="},
                                           {"type": "tool_use", "id": call, "name": tool, "input": arguments}],
                               "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1}}, asked)
        self.add("user", {"role": "user", "content": [{"tool_use_id": call, "type": "tool_result",
                                                       "content": f"Done {call}."}]}, done, **result)

    def write(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(json.dumps(record) + "\n" for record in self.records))


class Codex:
    agent = "codex"

    def __init__(self, world, number):
        self.world = world
        self.id = f"019f{number:04x}-8f7b-7631-86d1-935c66dbf4f4"
        self.path = world.home / f"sessions/rollout-2026-01-01T00-00-00-{self.id}.jsonl"
        self.records = []

    def add(self, kind, payload, when):
        self.records.append({"timestamp": stamp(when), "type": kind, "payload": payload})

    def call(self, tool, text, asked, done):
        if not self.records:
            self.add("session_meta", {"id": self.id, "timestamp": stamp(asked), "cwd": str(self.world.cwd),
                                      "originator": "codex_cli_rs", "cli_version": "0.144.2"}, asked)
            self.add("response_item", {"type": "message", "role": "user",
                                       "content": [{"type": "input_text", "text": "Please change it."}]}, asked)
        call = f"call_{self.id[:8]}{len(self.records):04d}"
        self.add("response_item", {"type": "custom_tool_call", "id": f"ctc_{call}", "status": "completed",
                                   "call_id": call, "name": tool, "input": text}, asked)
        self.add("response_item", {"type": "custom_tool_call_output", "call_id": call,
                                   "output": "Success. Updated the following files:\n"}, done)

    write = Claude.write


def stamp(when):
    whole = int(when)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{int((when - whole) * 1000):03d}Z"


class World:
    """A repository with its sessions, and the script's own knowledge of both."""

    def __init__(self, seed, kind, home, verbose):
        self.random = random.Random(seed)
        self.kind = kind
        self.home = home
        self.verbose = verbose
        self.top = self.cwd = home / "project"
        self.top.mkdir(parents=True)
        self.now = 1_750_000_000.0 + seed % 1000
        self.files = {}       # The work tree.
        self.commits = {}     # SHA to (snapshot, parents).
        self.sessions = []
        self.names = 0
        self.stashed = None
        self.git("init", "-q", "-b", "main")

    # --- Small things ---

    def say(self, *words):
        if self.verbose:
            print(f"  {stamp(self.now)}", *words)

    def git(self, *words, check=True):
        seconds = int(self.now)
        env = {**os.environ, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1",
               "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
               "GIT_COMMITTER_EMAIL": "a@b", "GIT_AUTHOR_DATE": f"{seconds} +0000",
               "GIT_COMMITTER_DATE": f"{seconds} +0000", "GIT_EDITOR": "true", "GIT_MERGE_AUTOEDIT": "no"}
        done = subprocess.run(["git", "-C", str(self.cwd), "-c", "core.autocrlf=false", "-c", "gc.auto=0",
                               "-c", "merge.renames=false", *words],
                              capture_output=True, text=True, env=env, check=False)
        if check and done.returncode:
            raise RuntimeError(f"git {' '.join(words)}: {done.stderr}{done.stdout}")
        return done.stdout.strip() if check else done

    def pass_time(self):
        self.now += self.random.choice([0.2, 0.4, 1.5, 7.0, 40.0, 300.0])

    def head(self):
        return self.git("rev-parse", "HEAD")

    def new_text(self):
        if self.random.random() < (0.6 if self.kind == "duplicates" else 0.3):
            return self.random.choice(COMMON)
        self.names += 1
        pick = self.random.choice
        return pick([f"    {pick(NOUNS)}_{self.names} = {pick(VERBS)}_{pick(NOUNS)}({self.random.randint(1, 99)})",
                     f"def {pick(VERBS)}_{pick(NOUNS)}_{self.names}({pick(NOUNS)}, {pick(NOUNS)}):",
                     f"    # {pick(VERBS)} the {pick(NOUNS)} before {self.names}"])

    def new_lines(self, who, most=5, least=1):
        return [Line(self.new_text(), {who}) for _ in range(self.random.randint(least, most))]

    def put(self, name):
        path = self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.files[name].text().encode())

    def check_out(self, files):
        self.files = {name: file.copy() for name, file in files.items()}

    def is_as_modelled(self, files):
        listed = self.git("ls-files").split("\n")
        if sorted(files) != sorted(name for name in listed if name):
            return False
        return all((self.cwd / name).read_bytes() == file.text().encode() for name, file in files.items())

    # --- Changes of a file ---

    def range_in(self, file, most=4):
        size = len(file.lines)
        first = self.random.randint(0, size)
        return first, min(size, first + self.random.randint(0, most))

    def some_file(self):
        return self.random.choice(sorted(self.files))

    def new_content(self, file, who):
        """Returns the lines after a random change of a part, and the part: first, last, the new lines."""
        first, last = self.range_in(file)
        lines = self.new_lines(who, least=0 if last > first else 1)
        if last > first and self.random.random() < 0.3:
            old = file.lines[first]  # A change within a line.
            lines = [Line(old.text + f" + {self.random.choice(NOUNS)}", {who})]
            last = first + 1
        after = changed(file.lines, file.lines[:first] + lines + file.lines[last:])
        return after, first, last, lines

    def person_edits(self):
        name = self.some_file()
        file = self.files[name]
        seen = file.lines
        for _ in range(self.random.randint(1, 3)):
            if self.random.random() < 0.1 and len(file.lines) > 6:
                first, last = self.range_in(file)
                block = [Line(line.text, line.who | {OTHER}) for line in file.lines[first:last]]
                rest = file.lines[:first] + file.lines[last:]
                at = self.random.randint(0, len(rest))
                file.lines = rest[:at] + block + rest[at:]
                self.say("person moves", name, first, last, at)
                continue
            file.lines, first, last, lines = self.new_content(file, OTHER)
            self.say("person", name, first, last, [line.text for line in lines])
        file.lines = changed(seen, file.lines)  # Nobody saw what was between these edits.
        self.put(name)

    def line_ends(self):
        name = self.some_file()
        file = self.files[name]
        file.end = "\r\n" if file.end == "\n" else "\n"
        self.say("line ends", name)
        self.put(name)

    def session(self):
        want = Codex if self.kind == "codex" else Claude
        if self.kind in ("mixed", "two sessions", "moved") and self.random.random() < 0.4:
            want = Codex
        mine = [each for each in self.sessions if isinstance(each, want)]
        most = 1 if self.kind in ("linear", "codex") else 3
        if not mine or (len(mine) < most and self.random.random() < 0.3):
            self.sessions.append(want(self, len(self.sessions) + 1))
            return self.sessions[-1]
        return self.random.choice(mine)

    def agent_edits(self):
        session = self.session()
        asked = self.now
        self.now += self.random.choice([0.1, 0.3, 2.0])
        done = self.now
        who = stamp(done)
        if isinstance(session, Codex):
            return self.codex_edits(session, asked, done, who)
        create = not self.files or self.random.random() < 0.07
        if create:
            name = f"src/{self.random.choice(NOUNS)}_{len(self.files)}.py"
            if name in self.files:
                return None
            self.files[name] = File(self.new_lines(who, 12, 4))
            text = self.files[name].text()
            self.say("creates", name)
            session.call("Write", {"file_path": str(self.cwd / name), "content": text}, asked, done,
                         toolUseResult={"type": "create", "filePath": str(self.cwd / name), "content": text,
                                        "structuredPatch": []})
            return self.put(name)
        name = self.some_file()
        file = self.files[name]
        before = "".join(line.text + "\n" for line in file.lines)
        if self.kind == "commands" and self.random.random() < 0.3:
            file.lines, _, _, lines = self.new_content(file, who)
            self.say("command", name, [line.text for line in lines])
            session.call("Bash", {"command": f"sed -i -e /x/d {name}"}, asked, done,
                         toolUseResult={"stdout": "", "stderr": "", "interrupted": False})
            return self.put(name)
        old = list(file.lines)
        whole = self.kind == "whole writes" or self.random.random() < 0.12
        after, first, last, lines = self.new_content(file, who)
        arguments = {"file_path": str(self.cwd / name)}
        result = {"filePath": str(self.cwd / name)}
        edit = None if whole else self.as_edit(old, after, first, last, lines)
        if edit is None:
            tool = "Write"
            arguments["content"] = "".join(line.text + "\n" for line in after)
            result |= {"type": "update", "content": arguments["content"]}
        else:
            tool = "Edit"
            arguments |= {"old_string": edit[0], "new_string": edit[1]}
            result |= {"oldString": edit[0], "newString": edit[1], "userModified": False, "replaceAll": False}
        text = "".join(line.text + "\n" for line in after)
        if self.kind != "no originals" or self.random.random() < 0.3:
            result["originalFile"] = before
        result["structuredPatch"] = hunks_of(before, text)
        file.lines = after
        self.say(session.id[:8], tool, name, first, last, [line.text for line in lines])
        session.call(tool, arguments, asked, done, toolUseResult=result)
        return self.put(name)

    def as_edit(self, old, after, first, last, lines):
        """The smallest old text that is unique, with lines around it, and the new text."""
        text = "\n".join(line.text for line in old) + "\n"
        for around in range(0, 5):
            low, high = max(0, first - around), min(len(old), last + around)
            before = "\n".join(line.text for line in old[low:high])
            if not before.strip() or text.count(before) != 1:
                continue
            new = "\n".join(line.text for line in [*old[low:first], *lines, *old[last:high]])
            # An edit that removes whole lines leaves no empty one.
            if text.replace(before, new) == "".join(line.text + "\n" for line in after):
                return before, new
        return None

    def codex_edits(self, session, asked, done, who):
        if not self.files or self.random.random() < 0.07:
            name = f"src/{self.random.choice(NOUNS)}_{len(self.files)}.py"
            if name in self.files:
                return None
            self.files[name] = File(self.new_lines(who, 12, 4))
            body = "".join("+" + line.text + "\n" for line in self.files[name].lines)
            self.say("codex adds", name)
            session.call("apply_patch", f"*** Begin Patch\n*** Add File: {name}\n{body}*** End Patch\n", asked, done)
            return self.put(name)
        name = self.some_file()
        file = self.files[name]
        old = list(file.lines)
        after, first, last, lines = self.new_content(file, who)
        low, high = max(0, first - 3), min(len(old), last + 3)
        around = [line.text for line in old[low:high]]
        texts = [line.text for line in old]
        places = [at for at in range(len(old)) if texts[at:at + len(around)] == around]
        if not any(text.strip() for text in around) or len(places) != 1:
            return None
        body = "".join([*(" " + line.text + "\n" for line in old[low:first]),
                        *("-" + line.text + "\n" for line in old[first:last]),
                        *("+" + line.text + "\n" for line in lines),
                        *(" " + line.text + "\n" for line in old[last:high])])
        # A sign is what the agent meant: a line that it removes and adds again is its own.
        for line in lines:
            line.who = frozenset({who})
        file.lines = after
        self.say("codex", name, first, last, [line.text for line in lines])
        session.call("apply_patch", f"*** Begin Patch\n*** Update File: {name}\n@@\n{body}*** End Patch\n", asked,
                     done)
        return self.put(name)

    # --- Git ---

    def snapshot(self):
        return {name: file.copy() for name, file in self.files.items()}

    def is_clean(self):
        return self.git("status", "--porcelain") == ""

    def commit(self, *words):
        self.git("add", "-A")
        if not words and self.is_clean():
            return False
        self.git("commit", "-q", "-m", f"change {self.names}", *words)
        self.note_commit(self.files)
        self.say("commit", *words, self.head()[:8])
        return True

    def note_commit(self, files, name="HEAD"):
        sha = self.git("rev-parse", name)
        parents = self.git("rev-list", "--parents", "-n", "1", sha).split()[1:]
        self.commits[sha] = ({key: file.copy() for key, file in files.items()}, parents)
        return sha

    def ready(self):
        self.commit()
        self.pass_time()
        return self.head()

    def take_back(self, start, why):
        self.git("reset", "-q", "--hard", start)
        self.check_out(self.commits[start][0])
        self.say("taken back:", why)

    def accept(self, files, start, what):
        """Takes what git made if it is what the model says."""
        if files is None or not self.is_as_modelled(files):
            self.take_back(start, what)
            return False
        self.check_out(files)
        self.say(what)
        return True

    def amend(self):
        if self.commits:
            self.commit("--amend")

    def branch_off(self, back=0):
        """Makes a topic branch with commits, and commits on main meanwhile; ends on the topic."""
        fork = self.ready()
        name = f"topic{len(self.commits)}"
        self.git("checkout", "-q", "-b", name)
        for _ in range(self.random.randint(1, 3)):
            self.change()
            self.pass_time()
            self.commit()
        topic = self.ready()
        self.git("checkout", "-q", "main")
        self.check_out(self.commits[fork][0])
        self.say("checkout main")
        for _ in range(self.random.randint(0, 2)):
            self.pass_time()
            self.change()
            self.commit()
        return fork, name, topic, self.ready()

    def line_of(self, fork, tip):
        """The commits after `fork`, oldest first."""
        found = []
        while tip != fork:
            found.append(tip)
            tip = self.commits[tip][1][0]
        return found[::-1]

    def replayed(self, commits, onto):
        """The snapshots of commits that are picked in turn; None for a conflict."""
        current = self.commits[onto][0]
        steps = []
        for sha in commits:
            snapshot, parents = self.commits[sha]
            current = merged_files(self.commits[parents[0]][0], current, snapshot)
            if current is None:
                return None
            steps.append(current)
        return steps

    def rebase(self):
        fork, name, topic, main = self.branch_off()
        if main == fork:
            return
        commits = self.line_of(fork, topic)
        steps = self.replayed(commits, main)
        self.git("checkout", "-q", name)
        self.check_out(self.commits[topic][0])
        if steps is None:
            self.back_to_main(main)
            return
        done = self.git("rebase", "-q", "main", check=False)
        shas = self.git("rev-list", "--reverse", "main..HEAD").split() if done.returncode == 0 else []
        if len(shas) != len(steps):
            self.git("rebase", "--abort", check=False)
            self.git("reset", "-q", "--hard", topic)
            self.back_to_main(main)
            return
        if self.accept(steps[-1], topic, f"rebase {name}"):
            for sha, step in zip(shas, steps):
                self.note_commit(step, sha)
            self.pass_time()
            self.git("checkout", "-q", "main")
            self.git("merge", "-q", "--ff-only", name)
        else:
            self.back_to_main(main)

    def back_to_main(self, main):
        self.git("checkout", "-q", "main")
        self.check_out(self.commits[main][0])

    def merge(self, squash=False):
        fork, name, topic, main = self.branch_off()
        files = merged_files(self.commits[fork][0], self.commits[main][0], self.commits[topic][0])
        words = ["--squash"] if squash else ["--no-ff", "-m", f"merge {name}"]
        done = self.git("merge", "-q", *words, name, check=False)
        if done.returncode:
            self.git("reset", "-q", "--hard", main)
            return
        if not self.accept(files, main, f"merge {' '.join(words[:1])} {name}"):
            return
        if squash:
            if not self.is_clean():
                self.commit()
            self.git("branch", "-q", "-D", name)
        elif self.head() != main:
            self.note_commit(self.files)

    def squash(self):
        if self.random.random() < 0.5:
            self.merge(squash=True)
            return
        # Several commits become one: reset --soft.
        fork = self.ready()
        for _ in range(self.random.randint(2, 3)):
            self.change()
            self.pass_time()
            self.commit()
        if self.head() == fork:
            return
        self.pass_time()
        self.git("reset", "-q", "--soft", fork)
        self.commit()

    def stash(self):
        self.ready()
        base = self.snapshot()
        self.change()
        if self.is_clean() or set(self.files) != set(base):
            return
        stashed = self.snapshot()
        self.git("stash", "push", "-q")
        self.check_out(base)
        self.say("stash")
        self.pass_time()
        for _ in range(self.random.randint(0, 2)):
            self.change()
            self.pass_time()
            self.commit()
        now = self.ready()
        files = merged_files(base, self.commits[now][0], stashed)
        done = self.git("stash", "pop", "-q", check=False)
        if done.returncode:
            self.git("reset", "-q", "--hard", now)
            self.git("stash", "drop", "-q", check=False)
            return
        self.accept(files, now, "stash pop")

    def pick(self):
        fork, name, topic, main = self.branch_off()
        sha = self.random.choice(self.line_of(fork, topic) or [None])
        if sha is None:
            return
        self.apply(sha, self.commits[sha][0], self.commits[self.commits[sha][1][0]][0], main, "cherry-pick", [])
        self.git("branch", "-q", "-D", name)

    def revert(self):
        start = self.ready()
        linear = [sha for sha in self.git("rev-list", "-n", "6", "HEAD").split()
                  if len(self.commits[sha][1]) == 1]
        if not linear:
            return
        sha = self.random.choice(linear)
        self.apply(sha, self.commits[self.commits[sha][1][0]][0], self.commits[sha][0], start, "revert",
                   ["--no-edit"])
        if self.random.random() < 0.3 and self.head() != start:  # The revert of the revert.
            now = self.ready()
            self.apply(now, self.commits[start][0], self.commits[now][0], now, "revert", ["--no-edit"])

    def apply(self, sha, theirs, base, start, verb, words):
        files = merged_files(base, self.commits[start][0], theirs)
        done = self.git(verb, *words, sha, check=False)
        if done.returncode:
            self.git(verb, "--abort", check=False)
            self.git("reset", "-q", "--hard", start)
            return
        if self.accept(files, start, f"{verb} {sha[:8]}") and self.head() != start:
            self.note_commit(self.files)

    def rename(self):
        self.ready()
        name = self.some_file()
        new = f"lib/{len(self.commits)}_{pathlib.PurePath(name).name}"
        self.git("mv", "-k", name, new)
        if not (self.cwd / new).exists():
            (self.cwd / new).parent.mkdir(exist_ok=True)
            self.git("mv", name, new)
        self.files[new] = self.files.pop(name)
        self.say("rename", name, new)
        if self.random.random() < 0.7:
            self.commit()

    def discard(self):
        """A checkout of all files: what is not committed is lost."""
        if self.commits and set(self.files) == set(self.commits[self.head()][0]):
            self.git("checkout", "-q", "--", ".")
            self.check_out(self.commits[self.head()][0])
            self.say("checkout -- .")

    def worktree(self):
        """An agent works in a second work tree; its branch is merged."""
        fork = self.ready()
        name = f"side{len(self.commits)}"
        side = self.home / name
        self.git("worktree", "add", "-q", "-b", name, str(side))
        self.cwd = side
        for _ in range(self.random.randint(1, 3)):
            self.pass_time()
            self.agent_edits()
        self.commit()
        tip, snapshot = self.head(), self.snapshot()
        self.cwd = self.top
        self.check_out(self.commits[fork][0])
        for _ in range(self.random.randint(0, 2)):
            self.pass_time()
            self.change()
        main = self.ready()
        if tip == fork:
            return
        files = merged_files(self.commits[fork][0], self.commits[main][0], snapshot)
        done = self.git("merge", "-q", "--no-ff", "-m", "merge side", name, check=False)
        if done.returncode:
            self.git("reset", "-q", "--hard", main)
        elif self.accept(files, main, "merge of a work tree") and self.head() != main:
            self.note_commit(self.files)
        if self.random.random() < 0.5:
            self.git("worktree", "remove", "--force", str(side))
            self.say("removes the work tree", name)

    def stranger(self):
        """An agent wrote this very text in another project, which is gone."""
        name = self.some_file()
        session = Claude(self, len(self.sessions) + 1)
        here, self.cwd = self.cwd, self.home / "gone"
        text = self.files[name].text()
        session.call("Write", {"file_path": str(self.cwd / name), "content": text}, self.now - 1000, self.now - 999,
                     toolUseResult={"type": "create", "filePath": str(self.cwd / name), "content": text,
                                    "structuredPatch": []})
        self.cwd = here
        self.sessions.append(session)

    def move(self):
        """The folder gets another name, which no session has."""
        self.top = self.cwd = self.top.rename(self.home / "renamed")

    # --- A history ---

    def change(self):
        is_person = self.random.random() < (0.0 if self.kind == "linear" else 0.35)
        if is_person and self.files:
            self.person_edits()
        else:
            self.agent_edits()

    def run(self):
        rng = self.random
        if rng.random() < 0.75:
            for i in range(rng.randint(1, 2)):
                name = f"src/{NOUNS[i]}_start.py"
                self.files[name] = File(self.new_lines(OTHER, 30, 6))
                self.put(name)
            self.commit()
        else:
            while not self.files:
                self.agent_edits()
            self.commit()
        special = {"rebase": self.rebase, "squash": self.squash, "amend": self.amend, "stash": self.stash,
                   "cherry-pick": self.pick, "merge": self.merge, "rename": self.rename,
                   "line ends": self.line_ends, "revert": self.revert, "worktree": self.worktree,
                   "person between": self.person_edits}
        every = [*special.values(), self.discard]
        for _ in range(rng.randint(6, 16)):
            self.pass_time()
            roll = rng.random()
            if roll < 0.25 and self.kind in special:
                special[self.kind]()
            elif roll < 0.4 and self.kind == "mixed":
                rng.choice(every)()
            elif roll < 0.7:
                self.change()
            elif roll < 0.74:
                self.discard()
            else:
                self.commit()
        if self.kind == "moved":
            if rng.random() < 0.5:
                self.stranger()
            self.move()
        for session in self.sessions:
            session.write()


def hunks_of(before, after):
    found = []
    old, new = before.split("\n"), after.split("\n")
    if before.endswith("\n"):
        old.pop()
    if after.endswith("\n"):
        new.pop()
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [" " + line for line in old[i1:i2]]
                continue
            lines += ["-" + line for line in old[i1:i2]] + ["+" + line for line in new[j1:j2]]
        first, last = group[0], group[-1]
        olds, news = last[2] - first[1], last[4] - first[3]
        found.append({"oldStart": first[1] + (olds > 0), "oldLines": olds, "newStart": first[3] + (news > 0),
                      "newLines": news, "lines": lines})
    return found


def spoor(world, *words):
    done = subprocess.run([PROGRAM, "--store", str(world.home / "store.spoor"), *words], cwd=world.top,
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "HOME": str(world.home), "XDG_DATA_HOME": "", "XDG_STATE_HOME": "",
                               "XDG_CONFIG_HOME": "", "SPOOR_STORE": ""})
    if done.returncode:
        raise RuntimeError(f"spoor {' '.join(words)}: {done.returncode}\n{done.stderr}")
    return done.stdout


def judge(world, counts):
    """Compares each line of each file; returns the wrong ones in words."""
    wrong = []
    if world.sessions:
        spoor(world, "import", str(world.home / "sessions"))
    else:
        spoor(world, "init")
    for name, file in sorted(world.files.items()):
        told = json.loads(spoor(world, "blame", "--json", f"./{name}"))["lines"]
        if len(told) != len(file.lines):
            wrong.append(f"{name}: {len(told)} lines for {len(file.lines)}")
            continue
        for row, line in zip(told, file.lines):
            counts["lines"] += 1
            counts[row["writer"]] += 1
            found = None
            if row["writer"] == "turn":
                found = row["edit"]["time"][:23] + "Z"
            elif row["writer"] == "other":
                found = OTHER
            if found is not None and found not in line.who:
                counts["wrong"] += 1
                wrong.append(f"{name}:{row['line']} {line.text!r} is by {sorted(line.who)}, said {found}")
    return wrong


def play(number, verbose=False, keep=False):
    """Writes one history and judges it: its kind, counts, and the wrong lines in words."""
    kind = KINDS[number % len(KINDS)]
    home = pathlib.Path(tempfile.mkdtemp(prefix="spoor-blame-"))
    counts = collections.Counter(histories=1)
    world = World(SEED * 1_000_003 + number, kind, home, verbose)
    world.run()
    wrong = judge(world, counts)
    if keep:
        print(home)
    else:
        shutil.rmtree(home)
    return kind, counts, [f"history {number} ({kind}): {text}" for text in wrong]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--histories", type=int, default=38 * SOAK)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    if shutil.which("git") is None:
        print("skipped: no git")
        return 0
    totals = collections.defaultdict(collections.Counter)
    failed = 0
    if given.only is not None:
        played = [play(given.only, True, given.keep)]
    else:
        pool = concurrent.futures.ProcessPoolExecutor(given.jobs)
        played = pool.map(play, range(given.histories))
    for kind, counts, wrong in played:
        totals[kind].update(counts)
        for text in wrong:
            failed += 1
            print(text, flush=True)
    print(table(totals))
    return 1 if failed else 0


def table(totals):
    rows = ["| history | histories | lines | by a turn | other | unknown | wrong |",
            "|---|---:|---:|---:|---:|---:|---:|"]
    whole = collections.Counter()
    for counts in totals.values():
        whole.update(counts)
    for kind, counts in [*((kind, totals[kind]) for kind in KINDS if kind in totals), ("all", whole)]:
        lines = max(1, counts["lines"])
        share = [f"{100 * counts[word] / lines:.1f}%" for word in ("turn", "other", "unknown")]
        rows.append(f"| {kind} | {counts['histories']} | {counts['lines']} | {' | '.join(share)} | "
                    f"{counts['wrong']} |")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
