"""An agent that calls another; then why (what had been sent is not recorded)."""
import asyncio

from claude_agent_sdk import (
    AgentDefinition, ClaudeAgentOptions, ResultMessage, get_session_messages, query)


async def main():
    options = ClaudeAgentOptions(
        model="claude-sonnet-5", tools=["Agent"], allowed_tools=["Agent"], max_budget_usd=0.25,
        agents={"historian": AgentDefinition(
            description="Answers a question about history.",
            prompt="You know history. Answer with a year.")})
    async for message in query(prompt="How old is the Eiffel Tower?", options=options):
        if isinstance(message, ResultMessage):
            print(f"{message.result} (${message.total_cost_usd:.4f})")
            session = message.session_id
    for entry in get_session_messages(session):
        print(entry.type, entry.message)


if __name__ == "__main__":
    asyncio.run(main())
