"""What the writers saw, held against what is in the store."""
import collections
import itertools
import json
import subprocess

from writers import PROGRAM


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def answers_of(environment, requests):
    """Returns the results of requests to `spoor batch`."""
    ran = subprocess.run([PROGRAM, "batch"], env=environment, input="".join(json.dumps(each) + "\n" for each in requests),
                         capture_output=True, text=True, timeout=900, check=True)
    return [json.loads(line)["result"] for line in ran.stdout.splitlines()]


def commit_times(cluster_address):
    """When each object's transaction was committed, by name, in seconds of the clock."""
    rows = subprocess.run(["psql", "-XAtq", "-F", " ", cluster_address, "-c", "SELECT encode(oid, 'hex'), "
                           "extract(epoch FROM pg_xact_commit_timestamp(xmin)) FROM spoor.objects"],
                          capture_output=True, text=True, check=True).stdout
    return {name: float(seconds) for name, seconds in (line.split() for line in rows.splitlines())}


class Figures:
    def __init__(self, writers, blows, kills, environment):
        self.kills, self.blows = kills, blows
        branches = sorted({writer.branch for writer in writers})
        stored = [message["text"] for answer in answers_of(environment, [{"op": "compile", "rev": each} for each in branches])
                  for message in answer["messages"]]
        counts = collections.Counter(stored)
        acknowledged = [turn.text for writer in writers for turn in writer.turns]
        self.acknowledged = len(acknowledged)
        self.lost = [text for text in acknowledged if text not in counts]
        self.doubled = [text for text, count in counts.items() if count > 1]
        self.strange = sorted(set(counts) - set(acknowledged))
        self.writer_problems = [f"{writer.name}: {writer.problem}" for writer in writers if writer.problem]
        self.said = [line for writer in writers for line in writer.said()]
        self.waits = [line for line in self.said if line.startswith("waiting: ")]
        self.gaps = [self.longest_gap(writer, begin, end) for writer in writers
                     for begin, end in itertools.pairwise([*blows, float("inf")])]
        self.quiet = max((right.end - left.end for writer in writers for left, right in itertools.pairwise(writer.turns)),
                         default=0)
        self.count_unanswered(writers, commit_times(environment["SPOOR_STORE"].replace("store=agents&", "")))

    @staticmethod
    def longest_gap(writer, begin, end):
        """Between two acknowledged turns, of which the second came in this time."""
        return max((right.end - left.end for left, right in itertools.pairwise(writer.turns) if begin < right.end <= end),
                   default=float("inf"))

    def count_unanswered(self, writers, times):
        """Counts the turns that were under way at a blow: committed before it, or again after it."""
        self.made = self.not_made = 0
        for turn in (turn for writer in writers for turn in writer.turns if turn.hash in times):
            for blow in self.blows:
                if turn.begin < blow < turn.end:
                    self.made += times[turn.hash] <= blow
                    self.not_made += times[turn.hash] > blow

    def table(self):
        rows = [
            ("kills of the primary", self.kills), ("cuts", len(self.blows) - self.kills),
            ("turns acknowledged", self.acknowledged), ("lost", len(self.lost)), ("there twice", len(self.doubled)),
            ("errors", len(self.writer_problems)), ("waits that were said", len(self.waits)),
            ("turns under way at a blow, made before it / after it", f"{self.made} / {self.not_made}"),
            ("gap of a writer at a blow, p50 / p99 / longest, s",
             " / ".join(f"{each:.1f}" for each in (percentile(self.gaps, 0.5), percentile(self.gaps, 0.99), max(self.gaps)))),
            ("longest gap at all, s", f"{self.quiet:.1f}"),
        ]
        return "\n".join(f"| {name} | {value} |" for name, value in [("", ""), ("---", "---"), *rows])

    def problems(self, longest_gap):
        """Returns what is not as it must be, in words."""
        found = [f"{len(each)} turns {what}: {each[:3]}" for what, each in
                 [("were acknowledged and are lost", self.lost), ("are there twice", self.doubled),
                  ("are there and were not acknowledged", self.strange)] if each]
        found += self.writer_problems
        if self.quiet > longest_gap:
            found.append(f"a writer waited for {self.quiet:.1f} s, which is more than {longest_gap} s")
        if not self.waits:
            found.append("nobody was told of a wait")
        found += [f"said: {line}" for line in self.said if not line.startswith("waiting: ")][:3]
        return found
