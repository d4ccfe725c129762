"""The rules of families.json, and the parts that all wires share: refusals, strict JSON, lengths and caches."""
import base64
import hashlib
import json
import pathlib
import re
import threading

FOLDER = pathlib.Path(__file__).resolve().parent
DATA = json.loads((FOLDER / "families.json").read_text(encoding="utf-8"))
BYTES_OF_A_TOKEN = 4


class Refusal(Exception):
    """A rule of families.json that a request breaks. `fields` replace the `<names>` in its message."""

    def __init__(self, rule, **fields):
        super().__init__(rule)
        self.rule = rule
        self.fact = DATA["errors"][rule]
        self.status = self.fact["status"]
        self.message, self.param = (self.filled(self.fact.get(name), fields) for name in ("message", "param"))
        self.type, self.code = self.fact.get("type"), self.fact.get("code")
        self.shape = self.fact.get("shape", "openai")

    @staticmethod
    def filled(text, fields):
        return text and re.sub(r"<(\w+)>", lambda found: str(fields.get(found[1], found[0])), text)


class Family:
    """One entry of families.json: `family["rule"]` is the rule's value, None if the family has no such rule."""

    def __init__(self, entry):
        self.name, self.wires, self.rules = entry["name"], entry["wires"], entry["rules"]
        self.models = re.compile(entry["models"])
        self.examples = entry["examples"]

    def __getitem__(self, rule):
        return self.rules.get(rule, {}).get("value")


def refusal_of(family, wire, rule, **fields):
    """Returns the refusal in the vendor's own words and form, if the family has them."""
    own = (family["own_errors"] or {}).get(rule, "") if wire == "chat" else ""
    own = own or f"{wire}.{rule}"
    made = Refusal(own, **fields)
    if "shape" not in made.fact:
        made.shape = family["error_shape"] or made.shape
        made.code = family["error_code"] or made.code
    return made


FAMILIES = [Family(entry) for entry in DATA["families"]]


def family_of(model, wire):
    """Returns the first family that serves `model` on `wire`, None if there is none."""
    return next((one for one in FAMILIES if wire in one.wires and one.models.fullmatch(model)), None)


def models_of(wire):
    return [(model, one) for one in FAMILIES if wire in one.wires for model in one.examples]


def strict(data):
    """Parses JSON as RFC 8259 has it: UTF-8, no NaN, no name twice. Raises ValueError."""
    def members(pairs):
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("duplicate member")
        return found

    def constant(name):
        raise ValueError(f"{name} is not JSON")

    return json.loads(data.decode("utf-8"), object_pairs_hook=members, parse_constant=constant)


def packed(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def tokens(size):
    return -(-size // BYTES_OF_A_TOKEN)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


# ---- Signatures: made up, and recognised when they come back. ----

MARK = b"spoor-conformance:"


def digest(*values):
    return hashlib.sha256(b"\0".join(packed(value) for value in values)).hexdigest()[:24]


def sign(**facts):
    """Returns a signature that holds `facts`."""
    body = packed({**facts, "seal": digest("seal", facts)})
    return base64.b64encode(MARK + body).decode()


def signed(signature):
    """Returns the facts of a signature; None if it is changed or not of this server."""
    try:
        raw = base64.b64decode(signature, validate=True)
        facts = json.loads(raw.removeprefix(MARK))
        seal = facts.pop("seal")
    except (ValueError, TypeError, AttributeError, KeyError):
        return None
    return facts if raw.startswith(MARK) and seal == digest("seal", facts) else None


# ---- Caches: how much of a prompt the server has seen before. ----

def common(left, right):
    size = min(len(left), len(right))
    if left[:size] == right[:size]:
        return size
    low, high = 0, size
    while low < high:  # The first `low` bytes are known to be equal.
        middle = (low + high + 1) // 2
        low, high = (middle, high) if left[:middle] == right[:middle] else (low, middle - 1)
    return low


class Cache:
    """The prompts seen so far, by model. Thread-safe."""

    def __init__(self):
        self.lock = threading.Lock()
        self.seen = {}   # By model: prompts.
        self.marked = {}  # By model: digests of prefixes that end at a mark.

    def kept(self, model, prompt):
        """Returns how many bytes of `prompt` begin an earlier one, and remembers it."""
        with self.lock:
            earlier = self.seen.setdefault(model, [])
            size = max((common(prompt, one) for one in earlier), default=0)
            if prompt not in earlier:
                earlier.append(prompt)
                del earlier[:-50]
            return size

    def by_marks(self, model, parts, marks, minimum, lookback=20):
        """Returns the sizes read and written: `marks` are the indices of parts that end a cached prefix.

        As the Messages API does it: each mark reads the longest prefix that was written before and ends at most
        `lookback` parts earlier; a prefix of less than `minimum` tokens is not cached.
        """
        sizes, names, size, name = [], [], 0, ""
        for part in parts:
            size, name = size + len(part), digest(name, part.decode("utf-8", "replace"))
            sizes.append(size)
            names.append(name)
        with self.lock:
            written = self.marked.setdefault(model, set())
            read = max((sizes[at] for mark in marks for at in range(max(0, mark - lookback), mark + 1)
                        if names[at] in written), default=0)
            able = [mark for mark in marks if tokens(sizes[mark]) >= minimum]
            written.update(names[mark] for mark in able)
            return read, max([sizes[mark] - read for mark in able if sizes[mark] > read], default=0)
