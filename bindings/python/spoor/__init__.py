"""spoor: version control for what an agent was thinking.

>>> import spoor
>>> with spoor.open(folder / "talk.spoor", create=True) as store:
...     with store.branch("main") as b:
...         _ = b.user("hi")
...         _ = b.reasoning("a greeting")
...         _ = b.assistant("hello")
...     store.compile("main", to="anthropic")
{'messages': [{'role': 'user', 'content': 'hi'}, {'role': 'assistant', 'content': 'hello'}]}
"""

from . import aio
from ._library import version
from .errors import (AmbiguousError, BugError, ConflictError, CorruptError, DeniedError, Error,
                     InterruptedCallError, InvalidError, NotFoundError, StorageError,
                     UnavailableError)
from .recording import record
from .runs import Approval, RunResult, Step, Tool, tool
from .store import Appended, Branch, Store, open
from .values import (Change, Commit, Diff, History, Message, Moved, Part, Prompt, ToolCall,
                     Turn)

__all__ = [
    "AmbiguousError", "Appended", "Approval", "Branch", "BugError", "Change", "Commit", "ConflictError",
    "CorruptError", "DeniedError", "Diff", "Error", "History", "InterruptedCallError", "InvalidError",
    "Message", "Moved", "NotFoundError", "Part", "Prompt", "RunResult", "Step", "StorageError", "Store",
    "Tool", "ToolCall", "Turn", "UnavailableError", "aio", "open", "record", "tool", "version",
]

__version__ = version()
