"""Requests out of recordings in the form of VCR: as much of YAML as its writer uses."""
import json
import re

ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v", "N": "\x85",
           "_": "\xa0", "L": "\u2028", "P": "\u2029", " ": " "}
NUMBER = re.compile(r"[-+]?(\d+|\d*\.\d+|\d+\.\d*)([eE][-+]?\d+)?")
KEY = re.compile(r"""((?:[^\s'"&*|>{\[#-][^:#]*|-[^\s:]+|'(?:[^']|'')*'|"(?:[^"\\]|\\.)*")):(?: (.*))?$""")


def unfolded(lines):
    """A flow scalar over several lines: a line break is a blank, an empty line a line break."""
    text, breaks = lines[0], 0
    for line in lines[1:]:
        line = line.strip()
        if not line:
            breaks += 1
            continue
        if text.endswith("\\") and not text.endswith("\\\\") and not breaks:
            text = text[:-1] + (line[1:] if line.startswith("\\ ") else line)
        else:
            text = text.rstrip(" ") + ("\n" * breaks or " ") + line
        breaks = 0
    return text


def unescaped(text):
    return re.sub(r"\\(?:([xuU])((?<=x)[0-9a-fA-F]{2}|(?<=u)[0-9a-fA-F]{4}|(?<=U)[0-9a-fA-F]{8})|(.))",
                  lambda found: chr(int(found[2], 16)) if found[1] else ESCAPES.get(found[3], found[3]), text, flags=re.DOTALL)


def scalar(text):
    if text[:1] == "'":
        return text[1:-1].replace("''", "'")
    if text[:1] == '"':
        return unescaped(text[1:-1])
    if text in ("null", "~", ""):
        return None
    if text in ("true", "false"):
        return text == "true"
    if text in ("{}", "[]"):
        return json.loads(text)
    if NUMBER.fullmatch(text):
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
    return text


class Reader:
    """A cursor over the lines of one document."""

    def __init__(self, lines):
        self.lines, self.at, self.anchors = lines, 0, {}

    def indent(self):
        """Returns the depth of the next line that is not empty; -1 at the end."""
        while self.at < len(self.lines) and not self.lines[self.at].strip():
            self.at += 1
        return len(self.lines[self.at]) - len(self.lines[self.at].lstrip()) if self.at < len(self.lines) else -1

    def block(self, depth):
        """Reads the mapping or the list whose lines are indented by `depth`."""
        made = None
        while self.indent() == depth:
            line = self.lines[self.at][depth:]
            if line.startswith("- ") or line == "-":
                made = [] if made is None else made
                if not isinstance(made, list):
                    return made
                inner = line[2:]
                if KEY.match(inner):
                    self.lines[self.at] = " " * (depth + 2) + inner
                    made.append(self.block(depth + 2))
                else:
                    made.append(self.value(inner, depth))
                continue
            found = KEY.match(line)
            if not found or isinstance(made, list):
                return made
            made = {} if made is None else made
            made[str(scalar(found[1]))] = self.value(found[2] or "", depth)
        return made

    def value(self, text, depth):
        """Reads what comes after `key:` or `-` on the current line."""
        self.at += 1
        anchor = re.match(r"&(\S+)\s*(.*)$", text)
        if anchor:
            self.anchors[anchor[1]] = made = self.rest(anchor[2], depth)
            return made
        return self.anchors[text[1:]] if text.startswith("*") else self.rest(text, depth)

    def rest(self, text, depth):
        if text[:1] in ("|", ">"):
            return self.literal(text, depth)
        if not text:
            deeper = self.indent()
            if deeper > depth or deeper == depth and self.lines[self.at][depth:].startswith("-"):
                return self.block(deeper)
            return None
        lines = [text]
        while not self.is_whole(lines) and self.at < len(self.lines):
            lines.append(self.lines[self.at])
            self.at += 1
        while text[:1] not in "'\"" and self.indent() > depth:  # A plain scalar goes on.
            lines.append(self.lines[self.at])
            self.at += 1
        return scalar(unfolded(lines))

    @staticmethod
    def is_whole(lines):
        """Whether a quoted scalar has its end; others have."""
        text, quote = "\n".join(lines), lines[0][0]
        if quote == "'":
            return re.fullmatch(r"'(?:[^']|'')*'\s*", text) is not None
        return quote != '"' or re.fullmatch(r'"(?:[^"\\]|\\.)*"\s*', text, re.DOTALL) is not None

    def literal(self, head, depth):
        lines, given = [], re.search(r"\d", head)
        while self.at < len(self.lines) and (not self.lines[self.at].strip() or
                                             len(self.lines[self.at]) - len(self.lines[self.at].lstrip()) > depth):
            lines.append(self.lines[self.at])
            self.at += 1
        first = next((line for line in lines if line.strip()), "")
        deep = depth + int(given[0]) if given else len(first) - len(first.lstrip())
        text = "\n".join(line[deep:] for line in lines)
        if head[0] == ">":
            text = re.sub(r"(?<!\n)\n(?!\n)", " ", text)
        return text if "+" in head else text.rstrip("\n") + ("" if "-" in head else "\n")


def exchanges(path):
    """Yields (method, address, headers, body, status, answer) of each exchange: bytes or None, and the answer as it is written."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for part in re.split(r"(?m)^- (?=request:)", text)[1:]:
        asked, _, answered = part.partition("\n  response:")
        status = re.search(r"(?m)^      code: (\d+)", answered)
        request = Reader(["  " + line if at == 0 else line for at, line in enumerate(asked.split("\n"))]).block(2)["request"]
        body = request.get("body")
        body = request.get("parsed_body") if body is None else body
        data = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
        yield (request["method"], request["uri"], {name.lower(): ",".join(value) if isinstance(value, list) else value
                                                   for name, value in (request.get("headers") or {}).items()},
               data, int(status[1]) if status else 0, answered)
