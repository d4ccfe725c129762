"""One exception for each code of the C interface."""

from __future__ import annotations


class Error(Exception):
    """A failure of a store. `message` is for people, `hint` says what to try next, or is empty.

    >>> import spoor
    >>> try:
    ...     spoor.open("/nonexistent/x.spoor")
    ... except spoor.NotFoundError as error:
    ...     print(error.code)
    not_found
    """

    code = "unknown"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} (hint: {hint})" if hint else message)
        self.message = message
        self.hint = hint


class NotFoundError(Error):
    """The name matches nothing."""

    code = "not_found"


class AmbiguousError(Error):
    """A prefix names several objects."""

    code = "ambiguous"


class ConflictError(Error):
    """The state of the store does not allow it."""

    code = "conflict"


class CorruptError(Error):
    """Stored bytes do not match their name."""

    code = "corrupt"


class InvalidError(Error):
    """Malformed, or makes no sense here; also a closed store."""

    code = "invalid"


class DeniedError(Error):
    """Refused by a limit, a setting or a missing key."""

    code = "denied"


class StorageError(Error):
    """The disk refused."""

    code = "io"


class UnavailableError(Error):
    """Not now: busy, out of memory, or a store from before fork()."""

    code = "unavailable"


class InterruptedCallError(Error):
    """The handle was closed during the call."""

    code = "interrupted"


class BugError(Error):
    """A broken invariant of the library: please report it."""

    code = "bug"


_BY_NUMBER = dict(enumerate([NotFoundError, AmbiguousError, ConflictError, CorruptError, InvalidError,
                             DeniedError, StorageError, UnavailableError, InterruptedCallError,
                             BugError], start=1))


def error_of(number: int, message: str, hint: str) -> Error:
    """Returns the exception for a code of the C interface."""
    return _BY_NUMBER.get(number, Error)(message, hint)
