"""A refund that a person approves: `approval.py start` asks, `approval.py yes` goes on."""
import asyncio
import sys
from pathlib import Path

from claude_agent_sdk import (
    ClaudeAgentOptions, HookMatcher, ResultMessage, create_sdk_mcp_server, query, tool)

kept = Path("approval.session")


@tool("refund", "Refunds an order.", {"order": str})
async def refund(arguments):
    return {"content": [{"type": "text", "text": f"refunded order {arguments['order']}"}]}


async def main(word):
    decision = {"start": "defer", "yes": "allow"}.get(word, "deny")

    async def decide(call, tool_use_id, context):
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse",
                                       "permissionDecision": decision}}

    options = ClaudeAgentOptions(
        model="claude-sonnet-5", tools=[], resume=kept.read_text() if kept.exists() else None,
        mcp_servers={"shop": create_sdk_mcp_server("shop", tools=[refund])},
        hooks={"PreToolUse": [HookMatcher(matcher="mcp__shop__refund", hooks=[decide])]})
    prompt = "Refund order 7." if word == "start" else ""
    async for message in query(prompt=prompt, options=options):
        if isinstance(message, ResultMessage):
            kept.write_text(message.session_id)
            print(message.deferred_tool_use or message.result)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
