"""The functions of libspoor.so.0 (include/spoor/c.h), by ctypes."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
from typing import Any

from .errors import error_of

DONE = -1


class Text(ctypes.Structure):
    """spoor_str, as a parameter: keeps its bytes alive."""

    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class View(ctypes.Structure):
    """spoor_str or spoor_buffer, as a result."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    def read(self) -> bytes:
        return ctypes.string_at(self.data, self.size) if self.data else b""


class Id(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_ubyte * 32)]

    def hex(self) -> str:
        return bytes(self.bytes).hex()


class Sized(ctypes.Structure):
    """A struct that begins with its size."""

    def __init__(self, **members: object) -> None:
        super().__init__(size=ctypes.sizeof(type(self)), **members)


class ErrorView(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("message", View), ("hint", View)]


class OpenOptions(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("author", Text), ("create", ctypes.c_int32),
                ("read_only", ctypes.c_int32), ("relaxed", ctypes.c_int32)]


class CompileOptions(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("to", Text), ("window", ctypes.c_int64),
                ("budget", ctypes.c_int64), ("include_reasoning", ctypes.c_int32),
                ("strict", ctypes.c_int32)]


class TurnStruct(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("type", Text), ("text", Text), ("tool_calls", Text),
                ("call_id", Text), ("name", Text), ("metadata", Text), ("author", Text),
                ("is_error", ctypes.c_int32)]


class Entry(ctypes.Structure):
    _fields_ = [("id", Id), ("type", View), ("text", View), ("tool_calls", View),
                ("call_id", View), ("name", View), ("author", View), ("metadata", View),
                ("time", ctypes.c_int64), ("is_error", ctypes.c_int32)]


#: Functions that the library calls: the first parameter is the context, the last what is given (give()).
NOW = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
ASKED = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, View, View, ctypes.c_void_p)
EVENT = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, View, View)
STOPPED = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


class StoreFunctions(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("context", ctypes.c_void_p), ("now", NOW), ("scrub", ASKED)]


class RunFunctions(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("context", ctypes.c_void_p), ("send", ASKED), ("call_tool", ASKED),
                ("approve", ASKED), ("event", EVENT), ("is_stopped", STOPPED)]


_EMPTY = Text()


def text(value: str) -> Text:
    """Returns text for a parameter. Bytes that were not UTF-8 when they were read are as they were."""
    if not isinstance(value, str):
        raise TypeError(f"a text is a str, not {type(value).__name__}")
    if not value:
        return _EMPTY
    data = value.encode("utf-8", "surrogateescape")
    return Text(data, len(data))


@functools.lru_cache(maxsize=256)
def word(value: str) -> Text:
    """Returns text() of a word that many calls have, such as the name of a branch."""
    return text(value)


def decoded(view: View) -> str:
    return view.read().decode("utf-8", "surrogateescape")


_HANDLE = ctypes.c_void_p
_POINTER = ctypes.c_void_p  # to a struct, by ctypes.byref()
_ARGUMENTS: dict[str, list[Any]] = {
    "open_with": [Text, _POINTER, _POINTER, _POINTER],
    "give": [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t],
    "run": [_HANDLE, ctypes.c_char_p, ctypes.c_size_t, _POINTER, _POINTER],
    "close": [_HANDLE],
    "call": [_HANDLE, ctypes.c_char_p, ctypes.c_size_t, _POINTER],
    "record": [_HANDLE, ctypes.c_char_p, ctypes.c_size_t, _POINTER],
    "tip": [_HANDLE, Text, _POINTER],
    "resolve": [_HANDLE, Text, _POINTER],
    "content": [_HANDLE, _POINTER, _POINTER],
    "compile": [_HANDLE, Text, _POINTER, _POINTER],
    "log_open": [_HANDLE, Text, _POINTER],
    "log_next": [_HANDLE, _POINTER],
    "log_close": [_HANDLE],
    "watch_open": [_HANDLE, Text, _POINTER],
    "watch_next": [_HANDLE, ctypes.c_int64, _POINTER],
    "watch_close": [_HANDLE],
    "append": [_HANDLE, Text, _POINTER, _POINTER],
    "begin": [_HANDLE, _POINTER],
    "add": [_HANDLE, Text, _POINTER],
    "commit": [_HANDLE, _POINTER, ctypes.c_size_t],
    "rollback": [_HANDLE],
}


def _load() -> dict[str, Any]:
    named = os.environ.get("SPOOR_LIBRARY")
    beside = pathlib.Path(__file__).with_name("libspoor.so.0")
    library = ctypes.CDLL(named or (str(beside) if beside.exists() else "libspoor.so.0"))
    library.spoor_free.argtypes = [ctypes.c_void_p]
    library.spoor_free.restype = None
    library.spoor_last_error.argtypes = [_POINTER]
    library.spoor_last_error.restype = None
    library.spoor_version.restype = ctypes.c_char_p
    functions = {"free": library.spoor_free, "last_error": library.spoor_last_error,
                 "version": library.spoor_version}
    for name, arguments in _ARGUMENTS.items():
        function = getattr(library, "spoor_" + name)
        function.argtypes = arguments
        function.restype = ctypes.c_int32
        functions[name] = function
    return functions


_functions = _load()


def version() -> str:
    """Returns the version of the library."""
    found: bytes = _functions["version"]()
    return found.decode()


def run(name: str, *arguments: Any) -> int:
    """Calls a function without the GIL. Raises the exception of its error; returns 0 or DONE."""
    code: int = _functions[name](*arguments)
    if code <= 0:
        return code
    error = ErrorView()
    _functions["last_error"](ctypes.byref(error))
    raise error_of(error.code, decoded(error.message), decoded(error.hint))


def give(reply: Any, data: bytes) -> None:
    """Gives bytes from a function that the library called."""
    run("give", reply, data, len(data))


def take(name: str, *arguments: Any) -> bytes | None:
    """Calls a function whose last parameter is a buffer, and returns its bytes; None for DONE."""
    buffer = View()
    if run(name, *arguments, ctypes.byref(buffer)) == DONE:
        return None
    try:
        return buffer.read()
    finally:
        _functions["free"](buffer.data)
