"""Agents that mend a small C++ project, with real tools: `ctest -R agents/end_to_end`, or
SPOOR_PROGRAM=build/dev/spoor python3 this-file [Class.test].

The model is a script, or a stand-in for a provider (stand_in.py) where a planner asks in more than one
voice. What is checked is what stays: the project, and the graph.
"""

import json
import os
import pty
import re
import signal
import subprocess
import threading
import time
import unittest

from stand_in import StandIn, answers_in, call, is_for_critic, refuse, say, texts, whole
from workplace import PROGRAM, Workplace, wait_until

GOAL = "make the test pass"
TOOLS = "read_file,edit_file,list,run_command"
BROKEN = "inline int add(int a, int b) { return a - b; }\n"
MENDED = BROKEN.replace("a - b", "a + b")
TEST = """extern "C" int puts(const char* text);
#include "add.h"
int main() { return puts(add(2, 2) == 4 ? "1 test passed" : "FAILED: add(2, 2)") < 0 || add(2, 2) != 4; }
"""
COMPILER = os.environ.get("CXX", "g++")
CHECK = f"#!/bin/sh\n{COMPILER} -o add_test add_test.cc && ./add_test\n"
# The same answer without a compiler, where it is not about the project.
QUICK_CHECK = """#!/bin/sh
if grep -q 'a + b' add.h; then echo '1 test passed'; else echo 'FAILED: add(2, 2)'; exit 1; fi
"""

# What a terminal may obey: all control characters but tab and line end, and those that turn text around.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def check(number):
    return (f"check_{number}", "run_command", {"argv": ["./check"]})


def edit(number):
    return (f"edit_{number}", "edit_file", {"path": "add.h", "old": "a - b", "new": "a + b"})


def why(number, reason, *refs):
    return f'<rationale call="{number}">{json.dumps({"why": reason, "refs": refs})}</rationale>'


def fenced(value):
    return say(f"```json\n{json.dumps(value)}\n```")


REACT = [
    call(check(1), text=why(1, "see what fails first", "goal")),
    call(("read_1", "read_file", {"path": "add.h"}), ("read_2", "read_file", {"path": "add_test.cc"}),
         text=why(2, "the test says what is expected", "obs:1") + why(1, "it is named there", "obs:1") +
         "I assume add() should add because of its name."),
    call(edit(1), text=why(1, "it subtracts", "obs:2", "obs:99")),
    call(check(2)),
    say("add() subtracted. It adds now, and the test passes."),
]


def react(request):
    return REACT[answers_in(request)]


def plan(request):
    if "The steps are done." in texts(request, "user")[-1]:
        return say("mended by plan")
    reason = {"rationale": {"why": "it is the way to find out", "refs": ["goal"]}}
    run = {"thought": "look", "action": "run_command", "action_input": {"argv": ["./check"]}, **reason}
    mend = {"action": "edit_file", "action_input": edit(1)[2], **reason}
    end = {"action": "finish", "final_answer": "a guess"}
    return fenced({"plan": [run, mend, end] if answers_in(request) == 0 else [mend, run, end]})


def reflexion(request):
    if is_for_critic(request):
        is_draft = "Answer: the test is at fault" in texts(request, "user")[0]
        return fenced({"verdict": "retry", "critique": "mend add.h"} if is_draft else {"verdict": "accept"})
    return [call(check(1)), say("the test is at fault"), call(edit(1)), call(check(2)),
            say("mended after a critique")][answers_in(request)]


class Agents(unittest.TestCase):
    def setUp(self):
        self.provider = StandIn(react)
        self.place = Workplace(self.provider.address)
        self.addCleanup(self.provider.__exit__)
        self.addCleanup(self.place.__exit__)
        self.put("add.h", BROKEN)
        self.put("add_test.cc", TEST)
        self.put("check", QUICK_CHECK)
        (self.place.project / "check").chmod(0o755)

    def put(self, name, text):
        (self.place.project / name).write_text(text)

    def get(self, name):
        return (self.place.project / name).read_text()

    def words(self, *more, model="fake/m", tools=TOOLS):
        return ["run", GOAL, "--model", model, "--root", "project", "--tools", tools, *more]

    def run_to(self, status, *words):
        """The status, the JSON document and the errors of a run, or of its going on."""
        got, out, err = self.place.finish(self.place.start(*words, "--json"))
        self.assertEqual(got, status, err.decode())
        return json.loads(out), err.decode()

    def decisions(self, word, revision="main"):
        return [commit for commit in self.place.commits(revision)
                if (commit["meta"] or {}).get("decision") == word]

    def results(self):
        return [commit for commit in self.place.commits() if commit["type"] == "tool" or
                (commit["meta"] or {}).get("mark") == "observation"]

    def check_all(self, run, answers):
        """What holds after every run."""
        self.place.check_sound()
        self.assertEqual(self.place.check_prompts(), answers)
        self.assertEqual(self.provider.complaints, [])
        self.assertEqual(self.place.log(f"refs/runs/{run}/head")[0]["hash"], self.place.log()[0]["hash"])
        self.assertIn("no differences", self.place.spoor("replay", run))


class Mends(Agents):
    def script(self, messages):
        lines = [json.dumps(whole(message, number)) for number, message in enumerate(messages)]
        (self.place.path / "replies.jsonl").write_text("\n".join(lines))
        return "scripted/replies.jsonl"

    def test_with_a_script_and_says_all_of_it(self):
        self.put("check", CHECK)
        status, out, err = self.place.finish(self.place.start(*self.words(model=self.script(REACT))))
        self.assertEqual((status, out.decode()), (0, REACT[-1]["content"] + "\n"))
        lines = err.decode().splitlines()
        run = self.place.json("runs")["runs"][0]["run"]
        self.assertIn(f"run {run[:8]}", lines)
        self.assertEqual([line.split()[:2] for line in lines if line.startswith("  ")], [
            ["1", "run_command"], ["2", "read_file"], ["2", "read_file"], ["3", "edit_file"],
            ["4", "run_command"]])
        self.assertTrue(lines[-1].startswith("goal_achieved, 5 steps, 550 tokens"), lines[-1])
        self.assertEqual(self.get("add.h"), MENDED)
        self.assertEqual(subprocess.run(["./check"], cwd=self.place.project, check=False,
                                        stdout=subprocess.PIPE).stdout, b"1 test passed\n")

        # Elsewhere, without its script and its folder, it is the run that it was.
        self.place.spoor("archive", "run.archive", "main")
        (self.place.path / "replies.jsonl").rename(self.place.path / "replies.away")
        self.place.project.rename(self.place.path / "away")
        self.place.spoor("--store", "elsewhere.spoor", "import", "run.archive")
        self.assertEqual(self.place.spoor("--store", "elsewhere.spoor", "debrief"),
                         self.place.spoor("debrief"))
        self.assertIn("no differences", self.place.spoor("--store", "elsewhere.spoor", "replay"))
        (self.place.path / "away").rename(self.place.project)
        (self.place.path / "replies.away").rename(self.place.path / "replies.jsonl")

        commits = self.place.commits()
        shape = [(commit["meta"] or {}).get("decision") or commit["type"] for commit in commits
                 if commit["op"] == "append"]
        self.assertEqual(shape, [
            "run-started", "system", "user",
            "assistant", "tool",
            "assistant", "assumption", "tool", "tool",
            "assistant", "unknown-ref", "tool",
            "assistant", "rationale-missing", "tool",
            "assistant", "run-ended"])
        self.assertEqual(commits[0]["hash"][:16], run)
        self.assertEqual({(commit["meta"] or {}).get("run") for commit in commits[1:] if commit["meta"]},
                         {run})
        answers = [commit for commit in commits if commit["type"] == "assistant"]
        self.assertEqual(answers[1]["rationale"], {
            "1": {"why": "it is named there", "refs": ["obs:1"]},
            "2": {"why": "the test says what is expected", "refs": ["obs:1"]}})
        self.assertIsNone(answers[3]["rationale"])
        self.assertIn("<rationale", answers[0]["text"])
        results = self.results()
        self.assertEqual([result["call_id"] for result in results],
                         ["check_1", "read_1", "read_2", "edit_1", "check_2"])
        self.assertEqual([result["is_error"] or False for result in results],
                         [True, False, False, False, False])
        self.assertEqual(results[0]["meta"]["exit_code"], 1)
        self.assertEqual(results[3]["meta"]["artifact"], "file_edit")
        self.assertEqual(len(results[3]["attach"]), 1)
        self.assertEqual(commits[-1]["meta"]["stopped"], "goal_achieved")
        self.check_all(run, 5)

        # Time travel: what the model knew when it chose to edit, and no more.
        before = self.place.spoor("compile", f"{answers[2]['hash']}~1")
        self.assertIn("return a - b", before)
        self.assertNotIn("edited", before)

        debrief = self.place.json("debrief")
        self.assertEqual(debrief["verdict"]["status"], "success")
        self.assertEqual((debrief["coverage"]["calls"], debrief["coverage"]["explained"]), (5, 4))
        self.assertEqual([entry["ref"] for entry in debrief["unknown_refs"]], ["obs:99"])
        self.assertEqual(debrief["contradictions"], [])

        status, _, err = self.place.finish(self.place.start("resume", run))
        self.assertEqual(status, 1)
        self.assertIn(f"error: the run {run[:8]} has achieved its goal\nhint: ", err.decode())
        self.assertEqual(len(self.place.commits()), len(commits))

    def test_by_a_plan_that_needs_another(self):
        self.provider.answer = plan
        result, _ = self.run_to(0, *self.words("--planner", "plan"))
        self.assertEqual((result["strategy"], result["answer"]), ("plan_and_execute", "mended by plan"))
        self.assertEqual([step["action"] for step in result["steps"]],
                         ["run_command", "edit_file", "run_command", "finish"])
        self.assertEqual([step["is_error"] for step in result["steps"]], [True, False, False, False])
        self.assertEqual(len(result["plans"]), 2)
        self.assertEqual([decision["meta"]["n"] for decision in self.decisions("replan")], [1])
        self.assertEqual(self.get("add.h"), MENDED)
        self.check_all(result["run"], 3)
        debrief = self.place.json("debrief")
        self.assertEqual(debrief["coverage"]["explained"], 3)
        self.assertIn(("plan replaced", "not taken: edit_file"),
                      [(note["word"], note["text"]) for note in debrief["notes"]])

    def test_after_a_critique(self):
        self.provider.answer = reflexion
        result, _ = self.run_to(0, *self.words("--planner", "reflexion"))
        self.assertEqual(result["answer"], "mended after a critique")
        self.assertEqual([critique["verdict"] for critique in result["critiques"]], ["retry", "accept"])
        self.assertEqual(self.get("add.h"), MENDED)
        self.assertTrue(any("[reflexion critique #1] mend add.h" in text for text in
                            texts(json.loads(self.provider.requests[-2]), "user")))
        self.check_all(result["run"], 5)
        self.assertEqual(self.place.check_prompts(f"refs/runs/{result['run']}/critic"), 2)

        # A second run, beside the first: where do they part?
        self.put("add.h", BROKEN)
        self.provider.answer = plan
        self.place.spoor("switch", "--create", "other", result["run"])
        other, _ = self.run_to(0, *self.words("--planner", "plan"))
        compared = self.place.json("debrief", result["run"], other["run"])
        self.assertEqual(compared["before"]["run_id"], result["run"])
        self.assertEqual(compared["after"]["run_id"], other["run"])
        self.assertGreater(compared["same"], 0)

    def test_the_next_run_of_a_branch_knows_the_last_one(self):
        self.run_to(0, *self.words())
        self.provider.answer = lambda request: say("as I said")
        self.run_to(0, "run", "what was it?", "--model", "fake/m")
        messages = json.loads(self.provider.requests[-1])["messages"]
        self.assertIn(REACT[-1]["content"], [message["content"] for message in messages])
        self.assertEqual(messages[-1]["content"], "what was it?")
        self.place.check_sound()

    def test_remembers_what_a_run_before_it_learned(self):
        def learns(request):
            return [call(("l", "memory_learn", {"content": "add() is in add.h", "topic": "layout"})),
                    say("learned")][answers_in(request)]

        def recalls(request):
            return [call(("r", "memory_recall", {"topic": "layout"})), say("recalled")][answers_in(request) - 2]

        self.provider.answer = learns
        self.run_to(0, *self.words(tools="memory.learn"))
        self.provider.answer = recalls
        result, _ = self.run_to(0, *self.words(tools="memory.recall"))
        self.assertIn("add() is in add.h", json.dumps(result["steps"][0]["observation"]))


class Document(Agents):
    def test_has_the_members_that_are_documented(self):
        result, _ = self.run_to(0, *self.words())
        self.assertEqual(list(result), ["run", "strategy", "stopped", "answer", "error", "best", "waits_for",
                                        "turns", "by", "steps", "critiques", "plans", "warnings",
                                        "spent"])
        self.assertEqual(list(result["steps"][0]), ["thought", "action", "action_input", "observation",
                                                    "is_error", "commit"])
        self.assertEqual(list(result["spent"]), ["calls", "tokens", "cost_usd", "is_cost_exact"])
        self.assertEqual(result["steps"][2]["action_input"], {"path": "add_test.cc"})
        self.assertEqual(result["steps"][-1]["action"], "finish")
        self.assertIsNone(result["steps"][-1]["observation"])
        self.assertEqual((result["error"], result["waits_for"]), (None, None))
        self.assertEqual((result["spent"]["calls"], result["spent"]["tokens"]), (5, 550))
        log = {commit["hash"] for commit in self.place.log()}
        self.assertLessEqual({step["commit"] for step in result["steps"]}, log)


class Budgets(Agents):
    def stops(self, stopped, steps, limits, more):
        """The run stops, keeps its steps, and reaches its goal when it may go on."""
        result, err = self.run_to(1, *self.words(*limits))
        self.assertEqual((result["stopped"], len(result["steps"])), (stopped, steps))
        self.assertIn(f"error: the run stopped at {stopped}\n", err)
        ended = self.decisions("run-ended")[-1]
        self.assertEqual(ended["meta"]["stopped"], stopped)
        self.assertIn("limit", ended["meta"])
        self.assertIn("spent", ended["meta"])
        again, _ = self.run_to(1, "resume", *([] if stopped != "max_wall_time" else ["--max-time", "1"]))
        self.assertEqual((again["stopped"], len(again["steps"])), (stopped, steps))
        result, _ = self.run_to(0, "resume", result["run"], *more)
        self.assertEqual(result["answer"], REACT[-1]["content"])
        self.assertEqual(self.get("add.h"), MENDED)
        self.assertEqual(len(self.provider.requests), 5)
        self.check_all(result["run"], 5)
        return result

    def test_tokens(self):
        result = self.stops("max_tokens", 3, ["--max-tokens", "200"], ["--max-tokens", "9000"])
        self.assertEqual(result["spent"]["tokens"], 550)

    def test_steps(self):
        self.stops("max_steps", 1, ["--max-steps", "1"], ["--max-steps", "10"])

    def test_cost(self):
        (self.place.path / "config" / "spoor" / "prices.toml").write_text(
            '[fake]\nstand-in = "input=1000 output=1000"\nm = "input=1000 output=1000"\n')
        result = self.stops("max_cost", 3, ["--max-cost", "0.2"], ["--max-cost", "1"])
        self.assertEqual(result["spent"]["cost_usd"], 0.55)

    def test_time(self):
        def before(number, *_):
            if number == 1:
                time.sleep(1.05)
            return True
        self.provider.before = before
        self.stops("max_wall_time", 1, ["--max-time", "1"], ["--max-time", "600"])

    def test_of_a_run_whose_branch_was_moved_away(self):
        result, _ = self.run_to(1, *self.words("--max-steps", "2"))
        head = self.place.log()[0]["hash"]
        self.place.spoor("reset", "HEAD~4")
        status, _, err = self.place.finish(self.place.start("resume", "--max-steps", "10"))
        self.assertEqual(status, 1)
        self.assertIn("the branch 'main' no longer contains the run", err.decode())
        self.assertIn(f"'spoor --store work.spoor switch --create NAME {head[:12]}'", err.decode())
        self.place.spoor("branch", "again", head[:12])
        self.place.spoor("switch", "again")
        result, _ = self.run_to(0, "resume", result["run"], "--max-steps", "10")
        self.assertEqual(result["answer"], REACT[-1]["content"])
        self.assertEqual(self.place.log("again")[0]["hash"],
                         self.place.log(f"refs/runs/{result['run']}/head")[0]["hash"])
        self.place.check_sound()

    def test_that_make_no_sense_are_refused_before_anything_is_asked(self):
        for words in (["--max-steps", "-1"], ["--max-cost", "much"], ["--tools", "no_such_tool"],
                      ["--ask-before", "http_get"], ["--planner", "hope"], ["--calling", "loud"],
                      ["--root", "no-such-folder"], ["--max-tokens", "-5"], ["--max-time", "-5"]):
            status, _, err = self.place.finish(self.place.start(*self.words(*words)))
            self.assertIn(status, (1, 2), words)
            self.assertIn(b"error: ", err)
        self.assertEqual(self.provider.requests, [])
        self.assertFalse((self.place.path / "work.spoor").exists())


class Approval(Agents):
    def setUp(self):
        super().setUp()
        self.provider.answer = lambda request: (
            say("I may not mend it") if any("a person refused this call" in text for text in
                                            texts(request, "tool")) else react(request))

    def park(self):
        result, err = self.run_to(1, *self.words("--ask-before", "edit_file"))
        self.assertEqual((result["stopped"], result["waits_for"]), ("interrupted", "edit_file"))
        self.assertIn("error: 'edit_file' waits for approval: {", err)
        self.assertIn("--approve", err)
        self.assertEqual(self.get("add.h"), BROKEN)
        self.assertEqual(self.place.json("runs")["runs"][0]["status"], "waiting")
        return result["run"]

    def test_of_a_call(self):
        run = self.park()
        still, _ = self.run_to(1, "resume")
        self.assertEqual(still["waits_for"], "edit_file")
        self.assertEqual(self.get("add.h"), BROKEN)
        result, _ = self.run_to(0, "resume", run, "--approve", "--reason", "it is small")
        self.assertEqual(result["answer"], REACT[-1]["content"])
        self.assertEqual(self.get("add.h"), MENDED)
        self.assertEqual([said["text"] for said in self.decisions("approved")], ["it is small"])
        self.assertEqual(len(self.provider.requests), 5)
        self.check_all(run, 5)

    def test_refused(self):
        run = self.park()
        result, _ = self.run_to(0, "resume", run, "--deny", "--reason", "not today")
        self.assertEqual(result["answer"], "I may not mend it")
        self.assertEqual(self.get("add.h"), BROKEN)
        self.assertEqual([said["text"] for said in self.decisions("denied")], ["not today"])
        self.check_all(run, 4)

    def test_is_not_asked_for_again_when_the_call_was_cut_off(self):
        self.put("check", "#!/bin/sh\necho ran >> ran\ntouch begun\nsleep 30\n")
        result, _ = self.run_to(1, *self.words("--ask-before", "run_command"))
        self.assertEqual(result["waits_for"], "run_command")
        process = self.place.start("resume", "--approve")
        wait_until((self.place.project / "begun").exists, "the tool begins")
        process.kill()
        status, _, _ = self.place.finish(process)
        self.assertEqual(status, -signal.SIGKILL)
        self.put("check", QUICK_CHECK)
        result, _ = self.run_to(1, "resume")
        self.assertEqual(self.get("ran"), "ran\n")
        self.assertIn("interrupted, effect unverified", json.dumps(result["steps"][0]["observation"]))
        self.assertEqual(result["waits_for"], "run_command")  # The second one, which is another call.
        result, _ = self.run_to(0, "resume", "--approve")
        self.assertEqual(self.get("add.h"), MENDED)
        self.check_all(result["run"], 5)

    def test_both_words_at_once_are_refused(self):
        run = self.park()
        status, _, err = self.place.finish(self.place.start("resume", run, "--approve", "--deny"))
        self.assertEqual(status, 1)
        self.assertIn(b"cannot be combined", err)


class Failures(Agents):
    def test_of_the_provider_end_the_run_which_can_go_on(self):
        def before(number, message, *_):
            if number == 3:
                message.clear()
                message.update(refuse(400, "no such model here"))
            return True
        self.provider.answer = lambda request: dict(react(request))
        self.provider.before = before
        result, err = self.run_to(1, *self.words())
        self.assertEqual((result["stopped"], len(result["steps"])), ("error", 3))
        self.assertIn("no such model here", result["error"])
        self.assertIn("hint: run 'spoor --store work.spoor resume ", err)
        result, _ = self.run_to(0, "resume")
        self.assertEqual(result["answer"], REACT[-1]["content"])
        self.check_all(result["run"], 5)

    def test_of_one_model_are_answered_by_the_next(self):
        self.provider.answer = lambda request: (
            refuse(404, "no such model") if request["model"] == "m" else react(request))
        result, _ = self.run_to(0, *self.words("--fallback", "fake/n"))
        self.assertEqual(result["answer"], REACT[-1]["content"])
        self.check_all(result["run"], 5)

    def test_of_tools_are_observations(self):
        self.provider.answer = lambda request: [
            call(("a", "edit_file", {"path": "../config/spoor/config.toml", "old": "fake", "new": "x"})),
            call(("b", "http_get", {"url": "http://127.0.0.1/"})),
            call(("c", "read_file", {"path": 7})),
            call(("d", "run_command", {"argv": ["./no-such-program"]})),
            say("nothing worked")][answers_in(request)]
        result, _ = self.run_to(0, *self.words())
        self.assertEqual([step["is_error"] for step in result["steps"]], [True] * 4 + [False])
        self.assertEqual(result["answer"], "nothing worked")
        config = (self.place.path / "config" / "spoor" / "config.toml").read_text()
        self.assertIn("[providers.fake]", config)
        self.check_all(result["run"], 5)

    def test_of_a_second_process_leave_the_first_alone(self):
        self.put("check", "#!/bin/sh\necho ran >> ran\nwhile [ ! -e go ]; do sleep 0.02; done\n")
        self.provider.answer = lambda request: [call(check(1)), say("done")][answers_in(request)]
        running = self.place.start(*self.words())
        wait_until((self.place.project / "ran").exists, "the tool runs")
        status, _, err = self.place.finish(self.place.start("resume"))
        self.put("go", "")
        self.assertEqual(status, 1)
        self.assertIn("is running in another process", err.decode())
        status, out, _ = self.place.finish(running)
        self.assertEqual((status, out), (0, b"done\n"))
        self.assertEqual(self.get("ran"), "ran\n")
        self.assertEqual(self.decisions("resumed"), [])
        self.check_all(self.place.json("runs")["runs"][0]["run"], 2)

    def test_a_reason_that_cites_nothing_is_refused_where_that_is_asked(self):
        result, _ = self.run_to(0, *self.words("--refs", "strict"))
        refused = [step for step in result["steps"] if step["is_error"]][1]
        self.assertEqual(refused["action"], "edit_file")
        self.assertIn("obs:99", refused["observation"])
        self.assertEqual(self.get("add.h"), BROKEN)


HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31m\u009b31m\u202eevil\u2066\x08\x7f\rover"


class Hostile(Agents):
    """Whatever model, tool, provider and file say, a terminal is told nothing by them."""

    def setUp(self):
        super().setUp()
        self.put("evil", f"#!/bin/sh\nprintf '%s' '{HOSTILE}'\nexit 3\n")
        (self.place.project / "evil").chmod(0o755)
        self.put(f"x{HOSTILE}".replace("/", ""), "x")
        bad = call(("e", f"run{HOSTILE}", {}))
        bad["tool_calls"][0]["function"]["arguments"] = f'{{"path": "{HOSTILE}'
        block = why(1, HOSTILE, HOSTILE)
        answers = [call(("a", "run_command", {"argv": ["./evil"]}), text=HOSTILE + block),
                   call(("b", "list", {}), text=f"I assume {HOSTILE} is so because of {HOSTILE}."),
                   call(("c", "read_file", {"path": HOSTILE})), bad,
                   refuse(500, HOSTILE, retry_after_ms="5"), say(HOSTILE)]

        def answer(request):
            number = answers_in(request)
            if number < 4:
                return answers[number]
            self.refused = getattr(self, "refused", 0) + 1
            return answers[4] if self.refused == 1 else refuse(400, HOSTILE) if self.refused == 2 \
                else answers[5]
        self.provider.answer = answer

    def check_tame(self, output):
        text = output.decode()
        self.assertIsNone(OBEYED.search(text), repr(text))
        return text

    def test_texts_are_shown_as_such(self):
        words = self.words("--principal", "x\u202ey")
        words[1] = f"goal {HOSTILE}"
        status, out, err = self.place.finish(self.place.start(*words))
        self.assertEqual(status, 1)
        self.check_tame(out)
        self.assertIn("evil", self.check_tame(err))
        status, out, err = self.place.finish(self.place.start("resume"))
        self.assertEqual(status, 0, err)
        self.assertIn("evil", self.check_tame(out))
        self.check_tame(err)
        for words in (["log"], ["log", "--oneline"], ["debrief"], ["debrief", "--json"], ["runs"],
                      ["runs", "--json"], ["show", "HEAD"], ["debrief", "--markdown"],
                      ["debrief", "--html"], ["debrief", "--format", "classic"], ["pprint"]):
            status, out, err = self.place.finish(self.place.start(*words))
            self.assertEqual(status, 0, (words, err))
            self.assertIn("evil", self.check_tame(out))
            self.check_tame(err)
        self.place.check_sound()

    def test_at_a_terminal_too(self):
        leader, follower = pty.openpty()
        received = []

        def read():
            try:
                while piece := os.read(leader, 4096):
                    received.append(piece)
            except OSError:
                pass  # Nobody holds the other end any more.

        reader = threading.Thread(target=read)
        reader.start()
        words = self.words()
        words[1] = f"goal {HOSTILE}"
        done = subprocess.run(
            [PROGRAM, "--store", "work.spoor", *words], cwd=self.place.path, check=False,
            env={**self.place.environment, "TERM": "xterm"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=follower)
        os.close(follower)
        reader.join()
        os.close(leader)
        self.assertEqual(done.returncode, 1)
        text = b"".join(received).decode()
        self.assertIn("evil", text)
        for raw in ("\x1b]", "\x1b[2J", "\u009b", "\u202e", "\u2066", "\x07", "\x08", "\x7f", "\rover"):
            self.assertNotIn(raw, text)


unittest.main()
