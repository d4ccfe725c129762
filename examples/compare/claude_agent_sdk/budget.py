"""A tool, a goal, a budget of dollars, the answer and its cost."""
import asyncio

from claude_agent_sdk import (
    ClaudeAgentOptions, ResultMessage, create_sdk_mcp_server, query, tool)


@tool("price_of", "What one of a thing costs.", {"thing": str})
async def price_of(arguments):
    return {"content": [{"type": "text", "text": f"{arguments['thing']}: 435 cents"}]}


async def main():
    options = ClaudeAgentOptions(
        model="claude-sonnet-5", tools=[], allowed_tools=["mcp__shop__price_of"],
        mcp_servers={"shop": create_sdk_mcp_server("shop", tools=[price_of])},
        max_budget_usd=0.25)
    async for message in query(prompt="Price of 3 tea tins?", options=options):
        if isinstance(message, ResultMessage):
            print(f"{message.result} (${message.total_cost_usd:.4f})")


if __name__ == "__main__":
    asyncio.run(main())
