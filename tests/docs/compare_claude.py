"""Runs a program of examples/compare/claude_agent_sdk up to its query, with options checked by the SDK,
and gives it a result in the place of an answer: python3 this-file PROGRAM [WORD]. A whole run needs
the SDK's own program and a login."""

import dataclasses
import inspect
import runpy
import sys

import claude_agent_sdk


def made(kind, **given):
    """A value of a dataclass with the members given, and nothing for others without a default."""
    missing = {field.name: None for field in dataclasses.fields(kind)
               if field.default is dataclasses.MISSING
               and field.default_factory is dataclasses.MISSING}
    return kind(**{**missing, **given})


async def query(*, prompt, options=None, transport=None):
    assert isinstance(options, claude_agent_sdk.ClaudeAgentOptions)
    yield made(claude_agent_sdk.ResultMessage, session_id="7", total_cost_usd=0.01, result=prompt)


real = inspect.signature(claude_agent_sdk.query).parameters
assert list(real) == list(inspect.signature(query).parameters), real
claude_agent_sdk.query = query
claude_agent_sdk.get_session_messages = lambda session: []
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
