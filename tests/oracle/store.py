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
        self._answers = {}

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
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        ran = subprocess.run([self.program, "-s", self.folder + "/s", "batch"], input=lines,
                             capture_output=True, text=True, encoding="utf-8", env=self.environment,
                             cwd=self.folder, check=False)
        answers = [json.loads(line) for line in ran.stdout.splitlines()]
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

    def __init__(self, name, head, prompt, with_reasoning, commits):
        self.name = name
        self.head = head
        self.prompt = prompt  # compile's messages
        self.with_reasoning = with_reasoning  # compile's messages with include_reasoning
        self.commits = commits  # show's documents, oldest first
        self.earlier = []  # compile's messages before each compress, oldest first


def read_branches(store):
    """Returns the StoredBranches of a store and {hash: content bytes} of their raw items."""
    heads = store.heads()
    requests = []
    for name in heads:
        requests += [{"op": "compile", "rev": name},
                     {"op": "compile", "rev": name, "include_reasoning": True},
                     {"op": "log", "rev": name, "all_commits": True}]
    answers = iter(store.ask(requests)) if requests else iter(())
    found = []
    shown = {}
    for name, head in heads.items():
        prompt, with_reasoning, log = next(answers), next(answers), next(answers)
        chain = [entry["hash"] for entry in reversed(log["commits"])]
        found.append(StoredBranch(name, head, prompt["messages"], with_reasoning["messages"], chain))
        for commit in chain:
            shown[commit] = None
    for commit, document in zip(list(shown), store.ask([{"op": "show", "rev": c} for c in shown])):
        shown[commit] = document
    contents = {raw["hash"]: None for commit in shown.values() for raw in commit["raw"] or []}
    for content, answer in zip(list(contents),
                               store.ask([{"op": "content", "hash": c} for c in contents])):
        contents[content] = answer["base64"]
    for branch in found:
        branch.commits = [shown[commit] for commit in branch.commits]
        before = [c["parents"][0] for c in branch.commits if c["op"] == "compress" and c["parents"]]
        branch.earlier = [answer["messages"] for answer in store.ask(
            [{"op": "compile", "rev": c, "include_reasoning": True} for c in before])] if before else []
    return found, contents
