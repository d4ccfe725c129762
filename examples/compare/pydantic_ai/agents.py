"""An agent that calls another; then why, and what had been sent."""
from decimal import Decimal

import httpx2
from pydantic_ai import Agent, RunContext, UsageLimits
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

sent = []


async def keep(request: httpx2.Request):
    sent.append(request.content.decode())


client = httpx2.AsyncClient(event_hooks={"request": [keep]})
model = AnthropicModel("claude-sonnet-5", provider=AnthropicProvider(http_client=client))
historian = Agent(model, instructions="You know history. Answer with a year.")
agent = Agent(model)


@agent.tool
async def ask_historian(context: RunContext, goal: str) -> str:
    """Answers a question about history."""
    return (await historian.run(goal, usage=context.usage)).output


limits = UsageLimits(cost_limit=Decimal("0.25"))
result = agent.run_sync("How old is the Eiffel Tower?", usage_limits=limits)
print(f"{result.output} (${result.usage.cost:.4f})")
call = next(message for message in result.all_messages() if message.kind == "response")
print("why:", call.text)
print("sent:", sent[0])
print("historian:", sent[1])
