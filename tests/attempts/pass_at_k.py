"""Writes pass_at_k.json: pass@k and its bootstrap interval by formulas of their own.

    pass_at_k.py [--check]    compares the file with what it would write

pass@k is the share of all subsets of k attempts that have a pass, counted by the hypergeometric
distribution with exact fractions, which is not the product that the program uses. The bootstrap of
one task draws n attempts with replacement, so the number of passes is binomial, and the bounds are
quantiles of an exactly known distribution. A resampled bound may lie one outcome beside it where
the distribution function is within `SLACK` of the level, so the file has all bounds that are right.
"""

import itertools
import json
import math
import pathlib
import sys
from fractions import Fraction

FILE = pathlib.Path(__file__).with_suffix(".json")
SLACK = Fraction(8, 1000)  # Five standard errors of a share of 2.5 % in 10,000 draws.
LOW, HIGH = Fraction(25, 1000), Fraction(975, 1000)


def pass_at_k(n, c, k):
    """The share of subsets with at least one pass: a sum over the number of passes in the subset."""
    if k > n:
        return None
    ways = sum(math.comb(c, passes) * math.comb(n - c, k - passes) for passes in range(1, min(c, k) + 1))
    return Fraction(ways, math.comb(n, k))


def by_enumeration(n, c, k):
    """The same by looking at each subset."""
    subsets = list(itertools.combinations(range(n), k))
    return Fraction(sum(any(attempt < c for attempt in subset) for subset in subsets), len(subsets))


def bounds(n, c, k):
    """The values that a resampled bound may have, of both bounds."""
    share = Fraction(c, n)
    outcomes = {}
    for passes in range(n + 1):
        chance = math.comb(n, passes) * share ** passes * (1 - share) ** (n - passes)
        value = pass_at_k(n, passes, k)
        outcomes[value] = outcomes.get(value, 0) + chance
    values = sorted(value for value, chance in outcomes.items() if chance > 0)

    def may_be(level):
        right, below = [], Fraction(0)
        for value in values:
            upto = below + outcomes[value]
            if below <= level + SLACK and upto >= level - SLACK:
                right.append(float(value))
            below = upto
        return right

    return may_be(LOW), may_be(HIGH)


def document():
    cases = []
    for n in (1, 2, 3, 5, 8, 10):
        for c in range(n + 1):
            for k in range(1, n + 1):
                value = pass_at_k(n, c, k)
                assert value == by_enumeration(n, c, k)
                low, high = bounds(n, c, k)
                cases.append({"n": n, "c": c, "k": k, "value": float(value), "low": low, "high": high})
    for n, c, k in ((200, 3, 100), (1000, 1, 10), (100, 50, 1)):
        low, high = bounds(n, c, k)
        cases.append({"n": n, "c": c, "k": k, "value": float(pass_at_k(n, c, k)), "low": low, "high": high})
    return "[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        if FILE.read_text() != document():
            sys.exit(f"{FILE.name} is not what pass_at_k.py computes: run it without --check")
    else:
        FILE.write_text(document())
