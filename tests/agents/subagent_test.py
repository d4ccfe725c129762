"""Agents that call agents, through the program: `ctest -R agents/subagent`, or
SPOOR_PROGRAM=build/dev/spoor python3 this-file [Class.test].

The stand-in (stand_in.py) is the model of both; the goal tells it which of them asks.
"""

import json
import os
import pty
import select
import signal
import subprocess
import time
import unittest

from stand_in import StandIn, answers_in, call, say, texts
from workplace import PATIENCE, PROGRAM, Workplace, wait_until

AGENT = """---
name: rev
description: Reviews a file.
tools: Read, Edit
---
You review.
"""
EDIT = {"path": "a.txt", "old": "one", "new": "two"}


def is_agent(request):
    return any("review it" in text for text in texts(request, "user"))


def calls_agent(request):
    """The run calls `rev` and answers with what that gave."""
    if answers_in(request) == 0:
        return call(("call_1", "rev", {"goal": "review it"}))
    return say("it says: " + texts(request, "tool")[-1])


def edits(request):
    """The agent makes a call that fails, then an edit."""
    if not is_agent(request):
        return calls_agent(request)
    return [call(("in_1", "read_file", {"path": "nosuch"})), call(("in_2", "edit_file", EDIT)),
            say("mended")][answers_in(request)]


class Place(Workplace):
    def __init__(self, provider, agent=AGENT):
        super().__init__(provider.address)
        folder = self.path / "agents"
        folder.mkdir()
        (folder / "rev.md").write_text(agent)
        (self.project / "a.txt").write_text("one\n")

    def words(self, *words):
        return ("run", "do it", "--model", "fake/m", "--root", "project", "--agents", "agents", "--tools",
                "read_file,edit_file", *words)

    def runs(self):
        """The run and its agent's, oldest first."""
        return sorted(self.json("runs")["runs"], key=lambda run: run["caller_run"] is not None)

    def text(self):
        return (self.project / "a.txt").read_text()


def sent(debrief):
    return debrief["totals"]["input_tokens"]


class Killed(unittest.TestCase):
    """The process is killed when a request of the agent comes in, before it is answered."""

    def die(self, place, provider, number):
        processes = []

        def before(now, *_):
            if now != number:
                return True
            wait_until(lambda: processes, "the process")
            processes[0].kill()
            return False

        provider.before = before
        processes.append(place.start(*place.words()))
        self.assertEqual(place.finish(processes[0])[0], -signal.SIGKILL)

    def test_a_plain_resume_continues_the_run_and_its_agent_by_its_record(self):
        for number in (2, 3, 4):
            with self.subTest(request=number), StandIn(edits) as provider, Place(provider) as place:
                self.die(place, provider, number)
                answer = place.spoor("resume")
                self.assertEqual(answer, "it says: mended\n")
                self.assertEqual(provider.requests[number - 1], provider.requests[number])
                self.assertEqual(len(provider.requests), 6)
                self.assertEqual(place.text(), "two\n")
                runs = place.runs()
                self.assertEqual([run["status"] for run in runs], ["goal_achieved"] * 2)
                self.assertEqual(runs[1]["caller_run"], runs[0]["run"])
                self.assertEqual(place.json("runs")["runs"][1]["run"], runs[0]["run"])
                place.spoor("replay")
                place.check_sound()
                # Five requests were answered; what the lost one cost is not known.
                debrief = place.json("debrief")
                self.assertEqual(debrief["tokens"], {"input": 500, "output": 50})
                self.assertEqual(sent(debrief), 500)

    def test_a_lost_request_of_an_agent_makes_the_cost_a_lower_bound(self):
        with StandIn(edits) as provider, Place(provider) as place:
            (place.path / "config" / "spoor" / "prices.toml").write_text(
                '[fake]\nm = "input=1000 output=0"\n')
            self.die(place, provider, 3)
            got, _, err = place.finish(place.start("resume"))
            self.assertEqual(got, 0, err.decode())
            self.assertIn("550 tokens, at least $0.5", err.decode())
            debrief = place.json("debrief")
            self.assertEqual(debrief["cost_usd"], 0.5)
            self.assertEqual(debrief["totals"]["cost_trust"], "partial")
            self.assertEqual(debrief["agents"][0]["cost_usd"], 0.3)

    def test_an_agent_that_has_ended_gives_its_recorded_answer(self):
        with StandIn(edits) as provider, Place(provider) as place:
            self.die(place, provider, 4)
            agent = place.runs()[1]["run"]
            self.assertEqual(place.spoor("resume", agent), "mended\n")
            asked = len(provider.requests)
            self.assertEqual(place.spoor("resume"), "it says: mended\n")
            self.assertEqual(len(provider.requests), asked + 1)
            debrief = place.json("debrief")
            self.assertEqual(debrief["tokens"]["input"], 500)
            self.assertEqual(sent(debrief), 500)


class Approval(unittest.TestCase):
    def test_a_call_of_an_agent_that_waits_parks_the_run(self):
        for flag, text, answer in (("--approve", "two\n", "mended"), ("--deny", "one\n", "mended")):
            with self.subTest(flag), StandIn(edits) as provider, Place(provider) as place:
                got, out, err = place.finish(place.start(*place.words("--ask-before", "edit_file")))
                self.assertEqual(got, 1)
                self.assertIn("'rev: edit_file' waits for approval", err.decode())
                self.assertEqual(place.text(), "one\n")
                run, agent = place.runs()
                self.assertEqual((run["status"], agent["status"]), ("waiting", "waiting"))
                asked = len(provider.requests)
                # It goes on waiting until somebody answers.
                result = place.json("resume", run["run"], status=1)
                self.assertEqual(result["waits_for"], "rev: edit_file")
                self.assertEqual(len(provider.requests), asked)
                self.assertEqual(place.spoor("resume", run["run"], flag, "--reason", "not on a Friday"),
                                 f"it says: {answer}\n")
                self.assertEqual(place.text(), text)
                self.assertEqual(len(provider.requests), 5)
                self.assertEqual("Friday" in provider.requests[3].decode(), flag == "--deny")
                self.assertEqual([run["status"] for run in place.runs()], ["goal_achieved"] * 2)
                status, _, err = place.finish(place.start("resume", run["run"], "--approve"))
                self.assertEqual(status, 1)
                place.spoor("replay")
                place.check_sound()

    def test_no_answer_is_taken_where_nothing_waits(self):
        with StandIn(edits) as provider, Place(provider) as place:
            place.spoor(*place.words("--max-steps", "1"), status=1)
            status, _, err = place.finish(place.start("resume", "--approve"))
            self.assertEqual(status, 2 if b"usage" in err else 1)
            self.assertIn("waits for approval", err.decode())

    def test_a_conversation_waits_too_and_asks_for_whom(self):
        with StandIn(edits) as provider, Place(provider) as place:
            words = ["chat", "do it", "--agents", "agents", "--root", "project", "--tools",
                     "read_file,edit_file"]
            config = place.path / "config" / "spoor" / "config.toml"
            config.write_text('model = "fake/m"\n' + config.read_text())
            got, _, err = place.finish(place.start(*words))
            self.assertEqual(got, 1, err.decode())
            self.assertIn("'rev: edit_file' waits for approval", err.decode())
            # At a terminal a person is asked, and told who wants to make the call.
            screen = typed(place, ["resume"], (QUESTION, b"yes\n"))
            self.assertIn("rev: edit_file", screen)
            self.assertIn("it says: mended", screen)
            self.assertEqual(place.text(), "two\n")

    def test_a_question_that_stays_open_in_a_conversation_is_asked_again_by_resume(self):
        with StandIn(edits) as provider, Place(provider) as place:
            config = place.path / "config" / "spoor" / "config.toml"
            config.write_text('model = "fake/m"\n' + config.read_text())
            words = ["chat", "--agents", "agents", "--root", "project", "--tools", "read_file,edit_file"]
            screen = typed(place, words, (b"> ", b"do it\n"), (QUESTION, b"\x04"),
                           (b"say more", b""), (b"> ", b"/resume\n"), (QUESTION, b"yes\n"),
                           (b"it says: mended", b""), (b"> ", b"\x04"))
            self.assertIn("it says: mended", screen)
            self.assertEqual(place.text(), "two\n")
            self.assertEqual(len(provider.requests), 5)
            self.assertEqual([run["status"] for run in place.runs()], ["goal_achieved"] * 2)


QUESTION = b"run it for 'rev'?"


def typed(place, words, *steps):
    """What a terminal shows of a command. Each step is a text that it waits for, further on than the one
    before, and what is typed then."""
    leader, follower = pty.openpty()
    process = subprocess.Popen([PROGRAM, "--store", "work.spoor", *words], cwd=place.path,
                               env={**place.environment, "TERM": "dumb"}, stdin=follower,
                               stdout=follower, stderr=follower, start_new_session=True)
    os.close(follower)
    screen, seen, steps = b"", 0, list(steps)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        while steps and (at := screen.find(steps[0][0], seen)) >= 0:
            seen = at + len(steps[0][0])
            os.write(leader, steps.pop(0)[1])
        if not select.select([leader], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(leader, 4096)
        except OSError:
            break
        if not piece:
            break
        screen += piece
    process.wait(PATIENCE)
    os.close(leader)
    return screen.decode()


class Shown(unittest.TestCase):
    def test_steps_of_an_agent_are_shown_as_they_happen(self):
        with StandIn(edits) as provider, Place(provider) as place:
            got, _, err = place.finish(place.start(*place.words()))
            self.assertEqual(got, 0)
            lines = err.decode().splitlines()
            shown = [line for line in lines if line.startswith("    rev: ")]
            self.assertEqual(len(shown), 3, lines)
            self.assertRegex(shown[0], "^    rev: run [0-9a-f]{8}$")
            self.assertIn("  1 read_file", shown[1])
            self.assertIn("  2 edit_file", shown[2])
            self.assertLess(lines.index(shown[2]),
                            next(i for i, line in enumerate(lines) if line.startswith("  1 rev")))

    def test_events_of_an_agent_name_it_and_its_run(self):
        with StandIn(edits) as provider, Place(provider) as place:
            words = ["chat", "do it", "--agents", "agents", "--root", "project", "--tools",
                     "read_file,edit_file", "--approve-all", "--json-lines"]
            config = place.path / "config" / "spoor" / "config.toml"
            config.write_text('model = "fake/m"\n' + config.read_text())
            events = [json.loads(line) for line in place.spoor(*words).splitlines()][:-1]
            run, agent = (one["run"] for one in place.runs())
            self.assertEqual({event["run"] for event in events if event.get("agent") == "rev"}, {agent})
            self.assertEqual({event["run"] for event in events if "agent" not in event}, {run})
            inner = [event["tool"] for event in events
                     if event["event"] == "result" and event.get("agent") == "rev"]
            self.assertEqual(inner, ["read_file", "edit_file"])

    def test_a_debrief_names_the_run_of_an_agent_with_its_failures_and_its_cost(self):
        with StandIn(edits) as provider, Place(provider) as place:
            place.spoor(*place.words())
            run, agent = place.runs()
            debrief = place.json("debrief")
            self.assertEqual(debrief["run_id"], run["run"])
            self.assertEqual(debrief["coverage"]["failed"], 0)
            self.assertEqual(debrief["tokens"], {"input": 500, "output": 50})
            self.assertEqual(sent(debrief), 500)
            self.assertEqual(debrief["agents"], [{
                "agent": "rev", "run": agent["run"], "step": 1, "status": "goal_achieved", "steps": 3,
                "calls": 2, "failed": 1, "refused": 0, "tokens": {"input": 300, "output": 30},
                "cost_usd": None}])
            for more in ((), ("--all",)):
                self.assertIn(f"step 1 rev: run {agent['run'][:8]}, goal_achieved, 3 steps, 1 of 2 calls "
                              "failed, 330 tok", place.spoor("debrief", *more))
            # Over all runs each answer counts once.
            self.assertEqual(run["totals"]["input_tokens"], 500)
            self.assertEqual(agent["totals"]["input_tokens"], 300)

    def test_the_latest_run_is_one_that_a_person_began(self):
        with StandIn(edits) as provider, Place(provider) as place:
            place.spoor(*place.words())
            run, agent = place.runs()
            self.assertEqual(place.json("debrief", "latest")["run_id"], run["run"])
            self.assertIn(run["run"][:8], place.spoor("replay"))
            listed = place.spoor("runs").splitlines()
            marked = [line for line in listed if f"(rev of {run['run'][:8]})" in line]
            self.assertEqual(len(marked), 1)
            self.assertTrue(marked[0].startswith(agent["run"][:8]))
            self.assertEqual(agent["agent"], "rev")


unittest.main()
