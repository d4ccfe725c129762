"""Reads a store through the program: `spoor import`, then one `spoor batch` for everything."""

import json
import os
import subprocess


class Failed(Exception):
    """The program refused something that it had to do."""


class Store:
    """One store made by importing `paths`."""

    def __init__(self, program, folder, paths):
        self.program = program
        self.folder = folder
        self.environment = dict(os.environ, HOME=folder, XDG_DATA_HOME=folder, NO_COLOR="1",
                                SPOOR_AUTHOR="oracle")
        ran = self._run("import", "--json", *paths)
        try:
            self.report = json.loads(ran.stdout)
        except ValueError:
            raise Failed(f"import: status {ran.returncode}: {ran.stderr.strip()[:300]}") from None
        self.import_status = ran.returncode
        self.import_errors = ran.stderr.strip()

    def _run(self, *arguments):
        return subprocess.run([self.program, "-s", self.folder + "/s", *arguments],
                              capture_output=True, text=True, encoding="utf-8", env=self.environment,
                              cwd=self.folder, check=False)

    def document(self, *arguments):
        """Returns the JSON document that a command prints."""
        ran = self._run(*arguments)
        if ran.returncode:
            raise Failed(f"{' '.join(arguments)}: {ran.stderr.strip()[:300]}")
        return json.loads(ran.stdout)

    def ask(self, requests):
        """Returns the answers of `spoor batch` to `requests`, in order."""
        if not requests:
            return []
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        ran = subprocess.run([self.program, "-s", self.folder + "/s", "batch"], input=lines,
                             capture_output=True, text=True, encoding="utf-8", env=self.environment,
                             cwd=self.folder, check=False)
        answers = [json.loads(line) for line in ran.stdout.split("\n") if line]
        if len(answers) != len(requests):
            raise Failed(f"batch: {len(answers)} answers to {len(requests)} requests: "
                         f"{ran.stderr.strip()[:300]}")
        for request, answer in zip(requests, answers):
            if "error" in answer:
                raise Failed(f"batch: {request}: {answer['error'].get('message')}")
        return [answer["result"] for answer in answers]

    def heads(self):
        """Returns {branch name: hash} of the imported branches."""
        return {ref["name"].removeprefix("refs/heads/"): ref["hash"]
                for ref in self.ask([{"op": "refs", "prefix": "refs/heads/"}])[0]["refs"]}


class StoredBranch:
    """What a store has of one branch."""

    def __init__(self, name, prompt, with_reasoning, commits):
        self.name = name
        self.prompt = prompt  # compile's messages
        self.with_reasoning = with_reasoning  # compile's messages with include_reasoning
        self.commits = commits  # show's documents, oldest first
        self.earlier = []  # compile's messages before each compress, oldest first
        self.stats = {}  # the document of `stats`
        self.edits = []  # [(call id, path, added, removed)] of `events`, in order
        self.exit_codes = []  # [(call id, exit code)] of `debrief`, in order


def read_branches(store, with_exit_codes):
    """Returns the StoredBranches of a store and {hash: base64} of raw items and attached facts."""
    found = []
    shown = {}
    for name, prompt, with_reasoning, log in _prompts(store, list(store.heads())):
        chain = [entry["hash"] for entry in reversed(log["commits"])]
        found.append(StoredBranch(name, prompt["messages"], with_reasoning["messages"], chain))
        shown.update(dict.fromkeys(chain))
    shown = dict(zip(shown, store.ask([{"op": "show", "rev": c} for c in shown])))
    contents = {item["hash"]: None for commit in shown.values()
                for item in (commit["raw"] or []) + (commit["attach"] or [])
                if "json" in item["media_type"]}
    for content, answer in zip(list(contents),
                               store.ask([{"op": "content", "hash": c} for c in contents])):
        contents[content] = answer["base64"]
    for branch in found:
        branch.commits = [shown[commit] for commit in branch.commits]
        branch.with_reasoning = _apart(branch.with_reasoning, shown)
        before = _before_compactions(branch.commits)
        if before:
            answers = store.ask([{"op": "compile", "rev": commit, "include_reasoning": True}
                                 for commit in before])
            branch.earlier = [_apart(answer["messages"], shown) for answer in answers]
        branch.stats = store.document("stats", branch.name, "--json")
        events = store.document("events", branch.name, "--json")["events"]
        branch.edits = _edits(events)
        if with_exit_codes:
            path = store.document("debrief", branch.name, "--json")["path"]
            branch.exit_codes = _exit_codes(branch.commits, path)
    return found, contents


def _before_compactions(commits):
    """Returns the commits right before each compaction: a compress, and what it says to leave out."""
    before = []
    for at, commit in enumerate(commits):
        if commit["op"] != "compress" or not commit["parents"]:
            continue
        while at > 1 and commits[at - 1]["op"] == "annotate":
            at -= 1
        before.append(commits[at]["parents"][0])
    return before


def read_prompts(store):
    """Returns the StoredBranches of a store with nothing but their prompts with reasoning."""
    found = [StoredBranch(name, prompt["messages"], with_reasoning["messages"], log["commits"])
             for name, prompt, with_reasoning, log in _prompts(store, list(store.heads()))]
    mixed = {c: None for branch in found for m in branch.with_reasoning
             if len(m["commits"] or []) > 1 for c in m["commits"]}
    mixed = dict(zip(mixed, store.ask([{"op": "show", "rev": c} for c in mixed])))
    for branch in found:
        branch.with_reasoning = _apart(branch.with_reasoning, mixed)
    return found


def _prompts(store, names):
    """Yields (branch, its prompt, its prompt with reasoning, its log)."""
    requests = []
    for name in names:
        requests += [{"op": "compile", "rev": name},
                     {"op": "compile", "rev": name, "include_reasoning": True},
                     {"op": "log", "rev": name, "all_commits": True}]
    answers = iter(store.ask(requests))
    for name in names:
        yield name, next(answers), next(answers), next(answers)


def _apart(messages, shown):
    """Returns messages with the reasoning that was joined into an answer as messages of its own.

    The prompt with reasoning has one text for an answer and its reasoning. The commits that the
    message names tell which is which.
    """
    found = []
    for message in messages:
        commits = [shown[c] for c in message["commits"] or [] if c in shown]
        if (len(commits) < 2 or message["edited"]
                or not any(c["type"] == "reasoning" for c in commits)):
            found.append(message)
            continue
        answer = None
        for commit in commits:
            if commit["type"] == "reasoning":
                found.append({**message, "type": "reasoning", "text": commit["text"] or "",
                              "hash": commit["hash"], "commits": [commit["hash"]],
                              "tool_calls": [], "pictures": []})
                continue
            if answer is None:
                answer = {**message, "type": commit["type"], "text": "", "hash": commit["hash"],
                          "commits": []}
                found.append(answer)
            answer["text"] += commit["text"] or ""
            answer["commits"].append(commit["hash"])
    return found


def _edits(events):
    """Returns [(call id, path, added, removed)] of the edits that events tell of."""
    found = []
    for event in events:
        action = event["agent_action"]
        calls = [result["call_id"] for result in action["tool_results"]]
        for artifact in action["artifacts"]:
            if artifact["type"] == "file_edit":
                facts = artifact["metadata"]
                found.append((calls[0] if calls else None, facts["path"], facts["lines_added"],
                              facts["lines_removed"]))
    return found


def _exit_codes(commits, path):
    """Returns [(call id, exit code)] of results, as the steps of a debrief have them."""
    codes = {step["outcome"]["hash"]: step["outcome"]["exit_code"] for step in path
             if step["outcome"]}
    return [(commit["call_id"] or (commit["meta"] or {}).get("call_id"), codes[commit["hash"]])
            for commit in commits if codes.get(commit["hash"]) is not None]
