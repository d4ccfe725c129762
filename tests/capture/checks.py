"""What must hold after a session of scenario.py was recorded. What is expected is read from what the provider got, with nothing
but Python: an answer is kept if a later request repeats it, or goes on from it."""
import collections
import json

import compiled
import scenario
from stage import check


class Record:
    """The turns of a session in the store, and the requests that belong to them."""

    def __init__(self, stage):
        self.stage = stage
        self.sent = stage.sent()
        self.kept = [one for one in self.sent
                     if not one.is_warming and any(one.is_repeated_in(later) for later in self.sent)]
        self.kept.append(self.sent[-1])
        branches = stage.json("branch")["branches"]
        self.lines = [each["name"] for each in branches if each["name"].startswith(stage.agent.name + "/")]
        check(len(self.lines) == len(branches) and self.lines, f"lines of others: {[each['name'] for each in branches]}")
        self.questions = collections.defaultdict(str)  # By line.
        self.turns, self.requests, self.events, self.joined = {}, 0, [], 0
        for line in self.lines:
            for text in stage.spoor("export", "--jsonl", line).decode().splitlines():
                turn = json.loads(text)
                self.turns[turn["hash"]] = turn
                self.questions[line] += f"{turn['text']}\n" if turn["type"] == "user" else ""
        self.check_turns()
        self.check_store()

    def summary(self):
        return (f"{len(self.sent)} requests of {sum(len(one.body) for one in self.sent):,} bytes, {len(self.kept)} answers of them "
                f"are kept; {len(self.turns)} turns each once, on {len(self.lines)} lines; {len(self.events)} events, "
                f"{self.joined} about turns")

    def row(self):
        """What docs/capture.md says of it, of the line of the last answer."""
        line = next(line for line in self.lines
                    if self.sent[-1].mark in self.stage.json("log", line, "-n", "1", "--commits")["commits"][0]["message"])
        made = self.stage.json("compile", line)
        has_system = any(message["role"] in ("system", "developer") for message in made["messages"])
        return (f"{self.requests} of {len(self.sent)}", len(self.turns), "yes" if has_system else "no", len(made["tools"] or []),
                made["coverage"]["reasoning"], made["coverage"]["usage"],
                f"{len(self.events)}, {self.joined} about turns" if self.events else "none")

    def of_type(self, kind):
        return [turn for turn in self.turns.values() if turn["type"] == kind]

    def answers(self):
        """The turn of each request that led to one."""
        return {one: turn for one in self.sent for turn in self.of_type("assistant") if one.mark in turn["text"]}

    def check_turns(self):
        """Each question, answer that is kept, and result is there once."""
        begins = dict.fromkeys(scenario.QUESTIONS) | {scenario.ERRAND: self.stage.agent.errand}
        for question, begin in begins.items():
            texts = [turn["text"].strip('"') for turn in self.of_type("user")]
            count = sum(text.startswith(begin or question) for text in texts)
            if question == scenario.ERRAND and not count:  # Gemini CLI puts what MCP servers say in front of it.
                count = sum(text.endswith(scenario.ERRAND) for text in texts)
            is_kept = any(one.answer["asked"] == question for one in self.kept)
            check(count == 1 if is_kept else count <= 1, f"'{question}' is there {count} times")
        for one in self.sent:
            count = sum(one.mark in turn["text"] for turn in self.of_type("assistant"))
            check(count == 1 if one in self.kept else count <= 1, f"'{one.mark}' is there {count} times")
        calls = [call["id"] for turn in self.of_type("assistant") for call in turn["tool_calls"] or []]
        results = [turn["call_id"] for turn in self.of_type("tool")]
        check(len(calls) == sum(len(one.answer["calls"]) for one in self.kept), f"calls: {calls}")
        check(sorted(calls) == sorted(results), f"calls and results: {sorted(calls)} {sorted(results)}")
        thoughts = [turn["text"] for turn in self.of_type("reasoning")]
        for one in self.kept:
            count = sum(one.answer["thinking"] in text for text in thoughts)
            check(not one.answer["thinking"] or count == 1, f"'{one.answer['thinking']}' is there {count} times")
        check(all(turn["time"] for turn in self.turns.values() if turn["depth"] > 1), "a turn has no time")

    def check_requests(self):
        """Each request is there once, byte for byte, and with the answer that it led to."""
        listed, questions = {}, collections.defaultdict(str)
        for line in self.lines:
            for each in self.stage.json("prompt", line, "--list")["requests"]:
                listed[each["note"]] = each
                questions[each["note"]] += self.questions[line]
        bodies = {note: self.stage.spoor("prompt", note, "--raw") for note in listed}
        self.check_equal("recorded", bodies.values(), self.sent)
        self.requests = len(bodies)
        turns = self.answers()
        asides = [body for note, body in bodies.items() if not listed[note]["answer"]]
        self.check_equal("beside the conversation", asides, [one for one in self.sent if one not in turns])
        asked = {one.body: one.answer["asked"].replace(scenario.ERRAND, self.stage.agent.errand) for one in self.sent}
        for note, body in bodies.items():
            check(asked[body] in questions[note], f"a request about '{asked[body]}' is with another session")
        for one, turn in turns.items():
            check(self.stage.spoor("prompt", turn["hash"], "--raw") == one.body, f"'{one.mark}' has another request")
        self.check_compiled()
        for line in self.lines:
            known = self.stage.json("compile", line)["coverage"]
            check(known["answers"] == known["recorded_requests"], f"not every request of {line} counts as recorded: {known}")

    def check_compiled(self):
        for one, turn in self.answers().items():
            compiled.check_compiled(self.stage, one, turn, self.sent)

    @staticmethod
    def check_equal(where, bodies, sent):
        got, wanted = collections.Counter(bodies), collections.Counter(one.body for one in sent)
        check(got == wanted, f"{where}: {got.total()} requests for {wanted.total()}, {(got & wanted).total()} are equal; "
                             f"not there: {[one.number for one in sent if one.body not in got]}")

    def check_events(self):
        """Each event has a name that is known, and one that is about a turn names one that is there."""
        for ref in self.stage.refs(f"refs/events/{self.stage.agent.name}/"):
            for text in self.stage.spoor("export", "--jsonl", ref).decode().splitlines():
                note = json.loads(text)
                self.events.append(json.loads(note["text"])["event"].split(".", 1)[1])
                self.joined += bool(note["about"])
                check(all(each in self.turns for each in note["about"]), f"an event is about another commit: {note}")
        unknown = set(self.events) - set(self.stage.agent.events.split())
        check(not unknown, f"unknown events: {unknown}")
        check(self.events or not self.stage.agent.events, "no events")

    def check_store(self):
        """Nothing is left to do, and nothing was unknown."""
        said = self.stage.spoor("import").decode()
        check("new: 0 turns, 0 notes" in said, f"an import after the recording has found: {said}")
        self.stage.spoor("store", "fsck")
        state = self.stage.home / ".local/state/spoor"
        left = [path.name for name in ("spool", "received") for path in (state / name).glob("*")]
        check(not left, f"left in the spool: {left}")
        report = json.loads(self.stage.spoor("-s", str(self.stage.home / "again"), "import",
                                             str(self.stage.home / self.stage.agent.sessions), "--json"))
        unknown = {key: report[key] for key in ("unknown", "odd_blocks", "unreadable") if report[key]}
        check(not unknown, f"in session files: {unknown}")
