"""What a run took is the same in every view: `ctest -R agents/views`, or
SPOOR_PROGRAM=build/dev/spoor python3 this-file [Class.test].

A stand-in for a provider (stand_in.py) counts the tokens it answers with. `runs`, `debrief`, `sessions`, `cost` and
`stats` must show that count, and say that a sum is incomplete exactly if a request has no known end.
"""

import json
import signal
import unittest

from stand_in import StandIn, answers_in, call, is_for_critic, say, whole
from workplace import Workplace

MODEL = ("--model", "fake/m")
IN, OUT = (whole(say(""), 0)["usage"][name] for name in ("prompt_tokens", "completion_tokens"))
PRICE = '[fake]\n"*" = "input=1 output=10"\n'
BROKEN = {"choices": [{"message": "no object"}], "usage": {"prompt_tokens": IN, "completion_tokens": OUT}}


def views(place):
    """{view: (input tokens, output tokens, dollars, whether the sums are complete)}"""
    runs = place.json("runs")["runs"]
    stats = place.json("stats", "--all")["totals"]
    debrief = place.json("debrief", runs[-1]["run"])
    cost = place.json("cost")["costs"]
    sessions = place.json("sessions")["sessions"]

    def of_totals(totals):
        return (totals["input_tokens"], totals["output_tokens"], totals["cost_usd"],
                totals["tokens_trust"] != "partial" and totals["cost_trust"] != "partial")

    def of_rows(rows):
        return (sum(row["input_tokens"] or 0 for row in rows), sum(row["output_tokens"] or 0 for row in rows),
                sum(row["cost_usd"] or 0 for row in rows), all(row["is_complete"] for row in rows))

    return {"runs": of_totals(runs[-1]["totals"]), "stats": of_totals(stats), "debrief": of_totals(debrief["totals"]),
            "cost": of_rows(cost), "sessions": of_rows(sessions)}


class Views(unittest.TestCase):
    def check(self, place, answered, is_complete=True):
        run = place.json("runs")["runs"][-1]
        self.assertEqual(run["tokens"], answered * (IN + OUT))
        verdict = place.json("debrief", run["run"])["verdict"]
        if verdict is not None:
            self.assertEqual(verdict["tokens"], answered * (IN + OUT))
            self.assertAlmostEqual(verdict["cost_usd"], answered * (IN + 10 * OUT) / 1e6, places=9)
        for view, (sent, said, dollars, is_sure) in views(place).items():
            with self.subTest(view):
                self.assertEqual((sent, said), (answered * IN, answered * OUT))
                self.assertAlmostEqual(dollars, answered * (IN + 10 * OUT) / 1e6, places=9)
                self.assertEqual(is_sure, is_complete)

    def place(self, provider):
        place = self.enterContext(Workplace(provider.address))
        (place.path / "config" / "spoor" / "prices.toml").write_text(PRICE)
        return place

    def provider(self, answer):
        return self.enterContext(StandIn(answer))

    def run_on(self, place, *words, **more):
        return place.spoor("run", "look around", *MODEL, "--root", "project", "--tools", "list", *words, **more)

    def test_react(self):
        provider = self.provider(lambda request: say("done") if answers_in(request) == 2 else call(
            (f"call_{answers_in(request)}", "list", {}), text="I look"))
        place = self.place(provider)
        self.run_on(place)
        self.check(place, len(provider.requests))

    def test_a_critic(self):
        asked = []

        def answer(request):
            if not is_for_critic(request):
                return say("an answer")
            asked.append(request)
            verdict = "retry" if len(asked) % 2 else "accept"
            return say(f'```json\n{{"verdict": "{verdict}", "critique": "look again"}}\n```')

        provider = self.provider(answer)
        place = self.place(provider)
        self.run_on(place, "--planner", "reflexion")
        self.assertEqual(len(provider.requests), 4)
        self.check(place, len(provider.requests))
        # A second run on the branch has a critic of its own.
        self.run_on(place, "--planner", "reflexion")
        totals = views(place)
        self.assertEqual(totals["cost"][:2], (len(provider.requests) * IN, len(provider.requests) * OUT))
        self.assertEqual(totals["cost"], totals["sessions"])
        self.assertEqual(totals["cost"], totals["stats"])

    def test_an_answer_that_cannot_be_read(self):
        provider = self.provider(lambda _: say("done"))

        def before(number, _, begin, write):
            if number > 1:
                return True
            begin()
            write(BROKEN)
            return False

        provider.before = before
        place = self.place(provider)
        self.run_on(place, status=1)
        place.spoor("resume", *MODEL)
        self.check(place, len(provider.requests), is_complete=False)

    def test_a_request_that_is_never_settled(self):
        provider = self.provider(lambda request: say("done") if answers_in(request) else call(
            ("call_1", "list", {}), text="I look"))
        place, process = self.place(provider), []

        def before(number, *_):
            if number != 2:
                return True
            process[0].kill()
            return False

        provider.before = before
        process.append(place.start("run", "look around", *MODEL, "--root", "project", "--tools", "list"))
        self.assertEqual(place.finish(process[0])[0], -signal.SIGKILL)
        self.check(place, 1, is_complete=False)
        self.assertRegex(place.spoor("cost"), "≥")
        place.spoor("resume", *MODEL)
        self.check(place, len(provider.requests) - 1, is_complete=False)

    def test_an_agent_that_is_called(self):
        def answer(request):
            if "You review" in json.dumps(request["messages"][0]):
                return say("reviewed")
            return say("done") if answers_in(request) else call(("call_1", "reviewer", {"goal": "review"}), text="ask")

        provider = self.provider(answer)
        place = self.place(provider)
        (place.path / "agents").mkdir()
        (place.path / "agents" / "reviewer.md").write_text(
            "---\nname: reviewer\ndescription: Reviews.\ntools: list\n---\nYou review changes.\n")
        self.run_on(place, "--agents", "agents")
        self.assertEqual(len(provider.requests), 3)
        self.check(place, 3)


if __name__ == "__main__":
    unittest.main()
