"""A tool, a goal, a budget of dollars, the answer and its cost."""
from decimal import Decimal

from pydantic_ai import Agent, UsageLimits

agent = Agent("anthropic:claude-sonnet-5")


@agent.tool_plain
def price_of(thing: str) -> str:
    """What one of a thing costs."""
    return f"{thing}: 435 cents"


limits = UsageLimits(cost_limit=Decimal("0.25"))
result = agent.run_sync("Price of 3 tea tins?", usage_limits=limits)
print(f"{result.output} (${result.usage.cost:.4f})")
