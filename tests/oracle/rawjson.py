"""Slices of JSON text. Python's json decodes; this finds where a value stands in the text."""

import json
from json.decoder import scanstring

_SPACE = " \t\n\r"
_decoder = json.JSONDecoder()


def _skip(text, at):
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _end_of(text, at):
    return _decoder.raw_decode(text, at)[1]


def slice_of(text, path, start=0):
    """Returns the exact text of the value at `path` (keys and indices) of the JSON value at `start`.

    Of a key that occurs twice the last one counts, as in json.loads. Raises KeyError or IndexError.
    """
    at = _skip(text, start)
    for step in path:
        at = _member(text, at, step) if text[at] == "{" else _element(text, at, step)
    return text[at : _end_of(text, at)]


def _member(text, at, key):
    found = None
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, at = scanstring(text, at + 1, True)
        at = _skip(text, _skip(text, at) + 1)
        if name == key:
            found = at
        at = _skip(text, _end_of(text, at))
        if text[at] == ",":
            at = _skip(text, at + 1)
    if found is None:
        raise KeyError(key)
    return found


def _element(text, at, index):
    at = _skip(text, at + 1)
    for _ in range(index):
        if text[at] == "]":
            raise IndexError(index)
        at = _skip(text, _end_of(text, at))
        if text[at] == ",":
            at = _skip(text, at + 1)
    if text[at] == "]":
        raise IndexError(index)
    return at


def records(text):
    """Yields (line number, slice, value) for each JSON value of JSON Lines; two may share a line."""
    for number, line in enumerate(text.split("\n"), 1):
        at = _skip(line, 0)
        while at < len(line):
            try:
                value, end = _decoder.raw_decode(line, at)
            except ValueError:
                yield number, line[at:], None
                break
            yield number, line[at:end], value
            at = _skip(line, end)


def read_text(path):
    """Returns the text of a UTF-8 file, with U+FFFD where it is malformed."""
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        return file.read().lstrip("\ufeff")
