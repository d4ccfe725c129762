"""Lists of a store as tables of Arrow. Needs the package `pyarrow`, from the first call on."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, Union

from .errors import UnavailableError

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

Time = Union[str, datetime.datetime]


def table_of(name: str, rows: list[dict[str, Any]]) -> pyarrow.Table:
    """Returns the rows that an operation answered as the table of that name."""
    arrow = _arrow()
    schema = schema_of(name)
    return arrow.Table.from_arrays([_column(arrow, field.type, [row[field.name] for row in rows])
                                    for field in schema], schema=schema)


def schema_of(name: str) -> pyarrow.Schema:
    """Returns the columns of a table: the members that docs/schema gives its rows, typed."""
    a = _arrow()
    text, number, money, flag = a.string(), a.int64(), a.float64(), a.bool_()
    time = a.timestamp("us", "UTC")
    texts, word = a.list_(text), a.dictionary(a.int32(), text)
    tokens = dict.fromkeys(("input_tokens", "cache_read_tokens", "cache_write_tokens",
                            "output_tokens"), number)
    spent = {**tokens, "cost_usd": money, "is_complete": flag}
    columns = {
        "sessions": {
            "number": number, "session": text, "agent": text, "id": text, "title": text,
            "project": text, "outcome": word, "started": time, "ended": time,
            **dict.fromkeys(("turns", "requests", "answers", "calls", "failed_calls", "files",
                             "lines_added", "lines_removed"), number),
            "models": texts, "branches": texts, **spent, "head": text},
        "calls": {
            "number": number, "session": text, "project": text, "time": time, "tool": text,
            "target": text, "outcome": word, "exit_code": number, "duration_ms": number,
            "arguments": text, "answer": text, "result": text},
        "costs": {
            "day": a.date32(), "model": text, "project": text, "agent": text, "sessions": number,
            "answers": number, **spent},
    }
    return a.schema(list(columns[name].items()))


def when(time: Time | None) -> str | None:
    """Returns a time as an operation takes it. A datetime without a zone is local, as everywhere in
    Python."""
    if isinstance(time, datetime.datetime):
        return time.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return time


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise UnavailableError("the package 'pyarrow' is not installed",
                               "pip install pyarrow") from error
    return pyarrow


def _column(arrow: Any, kind: Any, values: list[Any]) -> Any:
    if arrow.types.is_temporal(kind):  # Their text is ISO 8601; of a day that is not known, empty.
        return arrow.array([value or None for value in values], arrow.string()).cast(kind)
    return arrow.array(values, kind)
