"""What a person asks an agent, in one session, and what the provider answers: parallel calls with thoughts, a sub-agent, an
error, a stream that is cut, an answer that the person stops. Each answer names the number of its request."""
import collections
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "proxy"))
import wires  # noqa: E402

LOOK, SEND, STUMBLE, BREAK, STOP, AGAIN = QUESTIONS = (
    "look around here", "send another one", "stumble over it", "break off once", "stop in the middle", "and once more")
ERRAND = "count the boats, please"

# How another agent is started, by the tool for it.
HELPERS = (
    [("Agent", {"description": "count the boats", "prompt": ERRAND, "subagent_type": "general-purpose",
                "run_in_background": False})],
    [("task", {"description": "count the boats", "prompt": ERRAND, "subagent_type": "general"})],
    [("invoke_agent", {"agent_name": "generalist", "prompt": ERRAND})],
    [("collaboration.spawn_agent", {"task_name": "boats", "message": ERRAND, "fork_turns": "none"}),
     ("collaboration.wait_agent", {"timeout_ms": 20000})],
)


class Script:
    """A script of the provider, for one session."""

    def __init__(self):
        self.tries = collections.Counter()

    def __call__(self, names, said, number):
        asked, results = "", 0
        for text in said:
            found = [each for each in (*QUESTIONS, ERRAND) if text and each in text]
            asked, results = (found[-1], 0) if found else (asked, results + (text is None))
        answer = {"number": number, "asked": asked, "thinking": "", "calls": [],
                  "text": f"Answer {number}: this is all, after {results} results."}
        shell = [wires.call(names, f"echo {asked.split()[0]} {results + i}") for i in range(2)] if asked else [None]
        if None in shell:
            return answer  # A title, or a choice: there is no tool.
        helper = next((steps for steps in HELPERS if steps[0][0] in names), shell[:1])
        calls = {LOOK: shell if results < 4 else [], ERRAND: [] if results else shell[:1], SEND: helper[results:results + 1]}
        answer["calls"] = calls.get(asked, [])
        if answer["calls"]:
            answer.update(thinking=f"Let me think, at {number}.", text=f"Answer {number}: a step, after {results} results.")
        self.tries[asked] += 1
        if asked == STUMBLE and self.tries[asked] < 3:
            answer["status"] = (500, 429)[self.tries[asked] - 1]
        if asked == BREAK and self.tries[asked] == 1 or asked == STOP:
            answer["text"] += " And this is a text that goes on for a while, until it is left in the middle of it."
            answer["end"] = "cut" if asked == BREAK else "held"
        return answer
