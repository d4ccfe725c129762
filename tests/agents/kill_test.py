"""Kills `spoor run` wherever it can stand, and lets `spoor resume` go on: `ctest -R agents/kill`, or
SPOOR_PROGRAM=build/dev/spoor python3 this-file.

A stand-in (stand_in.py) is the model. Tools leave a line in a file each time they run. Kills:

- when the k-th request comes in, before it is answered, for every k of every scenario;
- when a part of its answer was received, likewise;
- the first of these, and once more when the first request of the resumed run comes in, and when its last does;
- inside the n-th tool, for every n of every scenario; and again at the next request;
- at moments of the clock, spread over the run, until it is done: whatever it does then;
- Ctrl-C while the model is silent, while it speaks, and while a tool runs.

After that the run goes on. At a request nothing is lost and nothing is done twice: the conversation
is the one of a run that nobody killed, and so is the repeated request, byte for byte. Inside a tool just
that call says `interrupted, effect unverified`. Prints how often each was hit; never is a failure.
SPOOR_SOAK has as many times the moments.
"""

import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import signal
import sys
import threading
import time

from stand_in import StandIn, answers_in, call, is_for_critic, say, texts
from workplace import PATIENCE, Failed, Workplace, check, wait_until

UNVERIFIED = "interrupted, effect unverified"
SIGKILLS = itertools.count()  # Its next value is how many there were.
ANSWER = "all is done"

# `./tool N` leaves a line; it fails as 'fails' says, and waits for a kill as 'deadly' says.
TOOL = """#!/bin/sh
echo "$1" >> ran
if [ "$1" = "$(cat deadly)" ]; then echo > deadly; touch dying; sleep 30; fi
if [ "$1" = "$(cat slow)" ]; then echo > slow; sleep 60 & touch waiting; wait; fi
if [ "$1" = "$(cat fails)" ]; then echo "tool $1 failed"; exit 3; fi
echo "tool $1 is done"
"""


def tool(number):
    return (f"call_{number}", "run_command", {"argv": ["./tool", str(number)]})


def fenced(value):
    return say(f"```json\n{json.dumps(value)}\n```")


# --- What the model says: by the number of answers that the request holds, or by what else it holds ---

def native(request):
    return [call(tool(1), text="I assume it is idle because nobody said else."),
            call(("call_a", "read_file", {"path": "tool"}), ("call_b", "list", {})),
            call(tool(2)),
            say(ANSWER)][answers_in(request)]


def several_calls(request):
    return [call(tool(1), tool(2), tool(3)), say(ANSWER)][answers_in(request)]


def in_json(request):
    step = {"thought": "next", "rationale": {"why": "it is due", "refs": ["goal"]}}
    return [fenced({**step, "action": "run_command", "action_input": {"argv": ["./tool", "1"]}}),
            say("I forgot the block"),
            fenced({**step, "action": "run_command", "action_input": {"argv": ["./tool", "2"]}}),
            fenced({"thought": "so", "action": "finish", "final_answer": ANSWER})][answers_in(request)]


def in_text(request):
    def written(number):
        return say(f'<tool_call>\ntool: run_command\nargv: ["./tool", "{number}"]\n</tool_call>')
    # Arguments in tags are texts, so this one is refused; the other form has values.
    as_array = say('[{"name": "run_command", "arguments": {"argv": ["./tool", "1"]}}]')
    return [as_array, written(2), say(ANSWER)][answers_in(request)]


def plans(request):
    """What is left to do follows from the observations. The first plan lacks its reasons; tool 2 fails."""
    if "The steps are done." in texts(request, "user")[-1]:
        return say(ANSWER)
    done = sum(line.startswith("[obs:") for text in texts(request, "user") for line in text.splitlines())
    reason = {"rationale": {"why": "it is due"}} if answers_in(request) > 0 else {}
    steps = [{"action": "run_command", "action_input": {"argv": ["./tool", str(number)]}, **reason}
             for number in range(done + 1, 5)]
    return fenced({"plan": [*steps, {"action": "finish", "final_answer": ANSWER}]})


def reflects(request):
    """A draft that the critic sends back, then the answer, of which its first verdict is unreadable."""
    if is_for_critic(request):
        case = texts(request, "user")[0]
        if "Answer: a draft" in case:
            return fenced({"verdict": "retry", "critique": "run the second tool as well"})
        return fenced({"verdict": "accept"}) if answers_in(request) > 0 else say("fine with me")
    return [call(tool(1)), say("a draft"), call(tool(2)), say(ANSWER)][answers_in(request)]


def with_agent(request):
    """An agent runs the first tool, and the run that called it the second."""
    if any("review it" in text for text in texts(request, "user")):
        return [call(tool(1)), say("reviewed")][answers_in(request)]
    return [call(("call_rev", "rev", {"goal": "review it"})), call(tool(2)), say(ANSWER)][answers_in(request)]


AGENT = """---
name: rev
description: Reviews.
---
You review.
"""


class Scenario:
    def __init__(self, name, words, answer, ran, requests, fails="", replans=0):
        self.name, self.words, self.answer, self.fails = name, words, answer, fails
        self.replans = replans    # How many new plans there are at most.
        self.ran = ran            # What the tools leave, when nobody is killed.
        self.requests = requests  # How many there are then.


SCENARIOS = [
    Scenario("react", ["--planner", "react"], native, ["1", "2"], 4),
    Scenario("react, 3 calls", ["--planner", "react"], several_calls, ["1", "2", "3"], 2),
    Scenario("react, JSON", ["--calling", "json"], in_json, ["1", "2"], 4),
    Scenario("react, text", ["--calling", "text"], in_text, ["1"], 3),
    # There is no new plan but for the step that fails.
    Scenario("plan", ["--planner", "plan", "--max-replans", "1"], plans, ["1", "2", "3", "4"], 4,
             fails="2", replans=1),
    Scenario("reflexion", ["--planner", "reflexion"], reflects, ["1", "2"], 7),
    Scenario("with an agent", ["--agents", "agents"], with_agent, ["1", "2"], 5),
]


class Stage:
    """One run of a scenario, with its stand-in, in a folder of its own."""

    def __init__(self, scenario):
        self.scenario = scenario
        self.provider = StandIn(scenario.answer)
        self.place = Workplace(self.provider.address)
        self.process = None
        self.known = threading.Event()  # Is `process` the one that asks?
        script = self.place.project / "tool"
        script.write_text(TOOL)
        script.chmod(0o755)
        (self.place.path / "agents").mkdir()
        (self.place.path / "agents" / "rev.md").write_text(AGENT)
        for name in ("deadly", "slow"):
            self.write(name, "")
        self.write("fails", scenario.fails)
        self.before = set()  # Commits that were there after a kill.
        self.id = None       # Of the run.
        self.kills = 0       # At moments: a request may be begun then that was never sent.

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.place.__exit__()
        self.provider.__exit__()

    def write(self, name, text):
        (self.place.project / name).write_text(text + "\n")

    def ran(self):
        path = self.place.project / "ran"
        return path.read_text().split() if path.exists() else []

    def start(self, *words):
        self.known.clear()
        self.process = self.place.start(*words)
        self.known.set()

    def run(self):
        self.start("run", "do all there is", "--model", "fake/m", "--root", "project", "--tools",
                   "run_command,read_file,list", *self.scenario.words)

    def has_run(self):
        """Is there a run, as far as a process that was killed at any moment has got?"""
        status, out, _ = self.place.finish(self.place.start("runs", "--json"))
        return status == 0 and bool(json.loads(out)["runs"])

    def resume(self):
        self.start("resume", "--model", "fake/m")

    def wait(self):
        return self.place.finish(self.process)

    def wait_for_answer(self):
        status, out, err = self.wait()
        check(status == 0, f"status {status}\n{err.decode()}")
        check(out.decode() == ANSWER + "\n", f"it answered {out.decode()!r}")

    def die_at(self, *numbers, speaks=False):
        """The process is killed when one of these requests comes in, counted over all processes; or, if
        so told, when it has received a part of the answer."""
        def before(number, _, begin, write):
            if number not in numbers:
                return True
            check(self.known.wait(PATIENCE), "nobody asks")
            if speaks:
                speak(begin, write)
            self.process.kill()
            return False
        self.provider.before = before

    def wait_for_kill(self):
        status, _, err = self.wait()
        check(status == -signal.SIGKILL, f"status {status}, and not killed\n{err.decode()}")
        next(SIGKILLS)
        self.before |= self.hashes()
        self.check_booked()

    def wait_for_interrupt(self):
        status, _, err = self.wait()
        check(status == 130, f"status {status}, and not 130\n{err.decode()}")
        self.before |= self.hashes()

    # --- What is there ---

    def run_id(self):
        if self.id is None:
            self.id = next(run["run"] for run in self.place.json("runs")["runs"] if not run["caller_run"])
        return self.id

    def histories(self):
        revisions = [f"refs/runs/{self.run_id()}/head", "main"]
        critic = f"refs/runs/{self.run_id()}/critic"
        if self.scenario.name == "reflexion" and self.place.finish(
                self.place.start("show", critic))[0] == 0:
            revisions.append(critic)
        revisions += [f"refs/runs/{run['run']}/head" for run in self.place.json("runs")["runs"]
                      if run["caller_run"] == self.run_id()]
        return [self.place.commits(revision) for revision in revisions]

    def hashes(self):
        return {commit["hash"] for history in self.histories() for commit in history}

    def conversation(self):
        """All that a model may be shown, of all chains, without names and times."""
        members = ("type", "text", "tool_calls", "call_id", "name", "is_error")
        return [[{member: commit[member] for member in members}
                 for commit in history if commit["type"] != "decision"] for history in self.histories()]

    def results(self):
        """The texts of what calls gave, as they were recorded."""
        # Not twice what both the run's head and its branch have.
        histories = [self.histories()[0]] + [history for history in self.histories()[2:]]
        return [commit["text"] for history in histories for commit in history
                if commit["type"] == "tool" or (commit["meta"] or {}).get("mark") == "observation"]

    def check_booked(self):
        """Every request that came in is in the record: answered, failed, or begun and never settled."""
        totals = [run["totals"] for run in self.place.json("runs")["runs"]]
        booked = sum(run[count] for run in totals
                     for count in ("answers", "failed_requests", "unsettled_requests"))
        sent = len(self.provider.requests)
        check(sent <= booked <= sent + self.kills, f"{sent} requests, {totals}")

    def check_end(self):
        self.place.check_sound()
        self.check_booked()
        check(not self.provider.complaints, f"a provider would refuse {self.provider.complaints}")
        lost = self.before - self.hashes()
        check(not lost, f"lost: {lost}")
        replans = [commit for commit in self.place.commits()
                   if (commit["meta"] or {}).get("decision") == "replan"
                   and commit["meta"]["n"] > self.scenario.replans]
        check(not replans, f"new plans: {replans}")
        status, _, err = self.place.finish(self.place.start("resume", "--model", "fake/m"))
        check(status == 1 and b"has achieved its goal" in err, "it is not over")
        requests = len(self.provider.requests)
        status, out, err = self.place.finish(self.place.start("replay", "--model", "fake/m"))
        check(status == 0, f"its replay differs:\n{out.decode()}{err.decode()}")
        check(len(self.provider.requests) == requests, "its replay asked the model")


def check_same_request(stage, number):
    """The request that was not answered, and the one that was made in its place."""
    killed, again = stage.provider.requests[number - 1:number + 1]
    check(killed == again, f"request {number} changed:\n{killed.decode()}\n{again.decode()}")


def speak(begin, write):
    """A part of an answer, and time to read it; whether it was read is seen in what Ctrl-C leaves."""
    begin()
    write({"choices": [{"index": 0, "delta": {"content": "I was about to say"}}]})
    time.sleep(0.2)


# --- The kills. Each function is one of them. ---

def at_request(scenario, whole, number, *more, speaks=False):
    """Killed at this request, and again at each of `more`; the one after a kill repeats it."""
    with Stage(scenario) as stage:
        stage.die_at(number, *more, speaks=speaks)
        stage.run()
        stage.wait_for_kill()
        for _ in more:
            stage.resume()
            stage.wait_for_kill()
        stage.resume()
        stage.wait_for_answer()
        for killed in (number, *more):
            check_same_request(stage, killed)
        check(stage.ran() == scenario.ran, f"the tools ran {stage.ran()}")
        check(stage.conversation() == whole, "another conversation")
        stage.check_end()


def in_tool(scenario, number, again):
    """Killed inside the tool of this name; and, if so told, at the request that comes next."""
    with Stage(scenario) as stage:
        stage.write("deadly", number)
        stage.run()
        wait_until((stage.place.project / "dying").exists, "the tool begins")
        stage.process.kill()
        stage.wait_for_kill()
        if again:
            stage.die_at(len(stage.provider.requests) + 1)
            stage.resume()
            stage.wait_for_kill()
        stage.resume()
        stage.wait_for_answer()
        unverified = [text for text in stage.results() if UNVERIFIED in text]
        # Of one answer's calls, those behind the one that was cut off were never begun: they run now.
        ran, expected = scenario.ran, 1
        check(stage.ran() == ran, f"the tools ran {stage.ran()}")
        check(len(unverified) == expected, f"unverified: {unverified}")
        stage.check_end()


def at_moments(scenario, seconds):
    """Killed after so many seconds, and after as many of each process that goes on, a few times. No
    command runs twice; one that did not run was under way, and its result says so."""
    with Stage(scenario) as stage:
        stage.run()
        for _ in range(3):
            time.sleep(seconds)
            stage.process.kill()
            if stage.wait()[0] != -signal.SIGKILL:
                break  # It had ended.
            stage.kills += 1
            next(SIGKILLS)
            stage.resume() if stage.has_run() else stage.run()
        else:
            status, _, err = stage.wait()
            check(status == 0 or b"has achieved its goal" in err, f"status {status}\n{err.decode()}")
        ran = collections.Counter(stage.ran())
        check(max(ran.values(), default=0) <= 1, f"ran twice: {ran}")
        lost = [number for number in scenario.ran if number not in ran]
        unverified = [text for text in stage.results() if UNVERIFIED in text]
        check(len(lost) <= len(unverified), f"lost: {lost}")
        stage.check_end()


def interrupted_at_request(scenario, whole, number, speaks):
    """Ctrl-C while this request waits for an answer, or for the rest of one."""
    with Stage(scenario) as stage:
        gone = threading.Event()

        def before(now, _, begin, write):
            if now != number:
                return True
            check(stage.known.wait(PATIENCE), "nobody asks")
            if speaks:
                speak(begin, write)
            stage.process.send_signal(signal.SIGINT)
            gone.wait(PATIENCE)
            return False

        stage.provider.before = before
        stage.run()
        stage.wait_for_interrupt()
        gone.set()
        stage.resume()
        stage.wait_for_answer()
        check_same_request(stage, number)
        check(stage.ran() == scenario.ran, f"the tools ran {stage.ran()}")
        cut_off = [commit for history in stage.histories()[1:] for commit in history
                   if (commit["meta"] or {}).get("interrupted")]
        check(len(cut_off) == (1 if speaks else 0), f"answers cut off: {cut_off}")
        check(speaks or stage.conversation() == whole, "another conversation")
        stage.check_end()


def interrupted_in_tool(scenario, number):
    """Ctrl-C while this tool, and what it began itself, are running."""
    with Stage(scenario) as stage:
        stage.write("slow", number)
        project = stage.place.project
        stage.run()
        wait_until((project / "waiting").exists, "the tool begins")
        members = processes_in(project)
        stage.process.send_signal(signal.SIGINT)
        stage.wait_for_interrupt()
        check(members, "the tool was not there")
        wait_until(lambda: not processes_in(project), "the tool's processes end")
        stage.resume()
        stage.wait_for_answer()
        check(stage.ran() == scenario.ran, f"the tools ran {stage.ran()}")
        check(not any(UNVERIFIED in text for text in stage.results()), "its end was known")
        stage.check_end()


def processes_in(folder):
    """The processes that work in a folder; their numbers say nothing where they have a namespace."""
    found = []
    for cwd in pathlib.Path("/proc").glob("[0-9]*/cwd"):
        try:
            if cwd.samefile(folder):
                found.append(cwd.parent.name)
        except OSError:
            pass  # It has ended, or is somebody else's.
    return found


MOMENTS = 8 * int(os.environ.get("SPOOR_SOAK", "1"))


def kills_of(scenario, whole, seconds):
    """(class, what is done) of every kill. The run took so many seconds."""
    last = scenario.requests
    for number in range(1, last + 1):
        yield "at a request", f"{number}", lambda n=number: at_request(scenario, whole, n)
        yield ("while it speaks", f"{number}",
               lambda n=number: at_request(scenario, whole, n, speaks=True))
        # A repeated request has a number of its own, so the last one has the one after.
        for second in sorted({number + 1, last + 1}):
            yield ("at two requests", f"{number} and {second}",
                   lambda n=number, s=second: at_request(scenario, whole, n, s))
        yield ("Ctrl-C while it is silent", f"{number}",
               lambda n=number: interrupted_at_request(scenario, whole, n, False))
        yield ("Ctrl-C while it speaks", f"{number}",
               lambda n=number: interrupted_at_request(scenario, whole, n, True))
    for part in range(1, MOMENTS + 1):
        moment = seconds * part / MOMENTS
        yield "at moments", f"{moment:.2f} s", lambda m=moment: at_moments(scenario, m)
    for number in scenario.ran:
        yield "in a tool", number, lambda n=number: in_tool(scenario, n, False)
        yield "in a tool, then at a request", number, lambda n=number: in_tool(scenario, n, True)
        yield "Ctrl-C in a tool", number, lambda n=number: interrupted_in_tool(scenario, n)


def whole_run(scenario):
    """The conversation that nobody interrupts, and how long it takes."""
    with Stage(scenario) as stage:
        began = time.monotonic()
        stage.run()
        stage.wait_for_answer()
        seconds = time.monotonic() - began
        check(len(stage.provider.requests) == scenario.requests,
              f"{len(stage.provider.requests)} requests, and not {scenario.requests}")
        check(stage.ran() == scenario.ran, f"the tools ran {stage.ran()}")
        stage.check_end()
        return stage.conversation(), seconds


CLASSES = ("at a request", "while it speaks", "at two requests", "in a tool", "in a tool, then at a request",
           "at moments", "Ctrl-C while it is silent", "Ctrl-C while it speaks", "Ctrl-C in a tool")


def main():
    hits = collections.Counter()
    failures = []

    def make(scenario, kind, where, kill):
        try:
            kill()
            hits[scenario.name, kind] += 1
        except Failed as failed:
            failures.append(f"{scenario.name}, {kind} {where}: {failed}")

    scenarios = [scenario for scenario in SCENARIOS if scenario.name in (sys.argv[1:] or scenario.name)]
    # Most of the time is waiting, for other processes and for the moment to strike.
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        wholes = pool.map(whole_run, scenarios)
        made = [pool.submit(make, scenario, *kill) for scenario, whole in zip(scenarios, wholes)
                for kill in kills_of(scenario, *whole)]
        for one in made:
            one.result()

    print(f"{'':28}" + "".join(f"{scenario.name:>16}" for scenario in scenarios))
    for kind in CLASSES:
        print(f"{kind:28}" + "".join(f"{hits[scenario.name, kind]:16}" for scenario in scenarios))
        failures += [f"{scenario.name}: never hit: {kind}" for scenario in scenarios
                     if hits[scenario.name, kind] == 0]
    print(f"{next(SIGKILLS)} processes were killed")
    for failure in failures:
        print(f"FAILED: {failure}")
    sys.exit(1 if failures else 0)


main()
