"""One thing that differs, and texts of bounded length that tell it."""

import json
from dataclasses import dataclass


@dataclass
class Difference:
    """One thing that differs: what of, where in the source, and the two values."""

    what: str
    place: str
    expected: str
    got: str


def short(value, limit=160):
    """Returns a value as one line of bounded length."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text.replace("\n", "\\n").replace("\r", "\\r")
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def differing(one, other, limit=100):
    """Returns the parts of two texts around the first place where they differ."""
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    front = max(0, at - 30)
    mark = f"[at {at}] …" if front else ""
    return mark + short(one[front:at + limit], limit), mark + short(other[front:at + limit], limit)
