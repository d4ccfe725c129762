"""The neutral model of a session: what a reader of a source gives, and what is compared.

A reader turns one source into `Session` values. It knows the source's format and nothing of spoor.
README.md says how to write one.
"""

from dataclasses import dataclass, field

# Kinds of messages. All but `compaction` are also the types of spoor's turns.
KINDS = ("system", "user", "assistant", "reasoning", "tool", "summary", "compaction")


@dataclass
class Edit:
    """One file that a call changed. A count is None where the source does not have it."""

    path: str
    added: int | None
    removed: int | None


@dataclass
class Call:
    """One tool call. `arguments` is the source's own text: the decoded string where the source has
    a string, else the exact slice of the file (see rawjson.slice_of)."""

    id: str | None
    name: str
    arguments: str
    # The files it changed. None: it is not an edit. []: it failed. "any": nothing is demanded.
    edits: list[Edit] | str | None = None


@dataclass
class Usage:
    """Tokens of one answer, as the source's last word has them. None: the source does not say.

    `input` leaves out what was read from or written to a cache, `output` has the reasoning in it.
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    # True for a placeholder, such as the counts at the start of a stream.
    partial: bool = False
    # The source's own object, as decoded. None: nothing is demanded of the stored one.
    raw: dict | None = None
    # Dollars, where the source has them. None or 0: it does not know them, nothing is demanded.
    cost: float | None = None


@dataclass
class Message:
    """One message of a conversation.

    One answer of a model is one `assistant` message, with all its texts joined and all its calls;
    each of its thinking blocks is a `reasoning` message of its own. A result is one `tool` message.
    """

    kind: str
    text: str = ""
    # The place in the source, for messages of the test: "line 12", "messages[3]".
    place: str = ""
    calls: list[Call] = field(default_factory=list)  # assistant
    call_id: str | None = None  # tool: the call it answers
    is_error: bool | None = None  # tool; None: nothing is demanded
    exit_code: int | None = None  # tool: what its command ended with; None: nothing is demanded
    is_refused: bool | None = None  # tool: the call was not allowed; None: nothing is demanded
    calls_in_text: bool = False  # assistant: its calls are parts of its text (see loose.py)
    role: str | None = None  # None: the kind's own; "developer" is another
    # Strings that must be in the raw items of the message's commits: signatures, encrypted content.
    signatures: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)  # in base64, as the source has them
    # Where the source has a text in parts and says nothing of what joins them: the parts, in order.
    # The text must be these, with nothing but space, `*` and `:` about them. `text` is not compared.
    contains: list[str] | None = None
    # Tokens of the answer that ends with this message. Each answer has them once.
    usage: Usage | None = None
    record: str | None = None  # for the reader's own use: the id of its record
    # compaction: the messages of the branch so far that stay, by index in `Branch.messages`. The
    # message is the summary that takes the place of all others. True: it comes after those that stay.
    keeps: list[int] = field(default_factory=list)
    is_last: bool = False


@dataclass
class Branch:
    """One line of a conversation, from its beginning to a leaf."""

    messages: list[Message] = field(default_factory=list)
    # What follows the session's main name in the branch's name: "" for the main line, "-2", or
    # "-agent-x"; None: nothing is demanded.
    suffix: str | None = None


@dataclass
class Session:
    """One conversation of a source."""

    format: str
    # The id that the source gives it; None: it has none, nothing is demanded.
    name: str | None = None
    branches: list[Branch] = field(default_factory=list)
    # What the source does not say about its calls: see loose.py.
    loose: frozenset[str] = frozenset()
    # False: the source has no ids of answers. Messages of the model that nothing parts are compared
    # as one, on both sides.
    answers_have_ids: bool = True
    # Counts by record type of what the reader passed over; each has its reason in exemptions.py.
    passed: dict[str, int] = field(default_factory=dict)

    def passed_over(self, record_type):
        """Counts one record (or part of one) that is not a turn."""
        self.passed[record_type] = self.passed.get(record_type, 0) + 1


def lines_of(text):
    """Returns how many lines `text` has; a last line without a newline counts."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)


def changed_lines(before, after):
    """Returns (added, removed) of the shortest line diff between two texts.

    Whether a last line ends with a newline does not count: texts of an edit are pieces of a file.
    """
    old, new = [text.removesuffix("\n").split("\n") if text else [] for text in (before, after)]
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    row = [0] * (len(new) + 1)
    for line in old:
        diagonal = 0
        for i, other in enumerate(new, 1):
            above = row[i]
            row[i] = diagonal + 1 if line == other else max(above, row[i - 1])
            diagonal = above
    return len(new) - row[-1], len(old) - row[-1]
