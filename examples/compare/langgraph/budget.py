"""A tool, a goal, a budget of model calls, the answer and its cost."""
from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware

DOLLARS_A_TOKEN = {"input_tokens": 2e-6, "output_tokens": 10e-6}


def price_of(thing: str) -> str:
    """What one of a thing costs."""
    return f"{thing}: 435 cents"


agent = create_agent("anthropic:claude-sonnet-5", tools=[price_of],
                     middleware=[ModelCallLimitMiddleware(run_limit=10)])
result = agent.invoke({"messages": [("user", "Price of 3 tea tins?")]})
usages = [message.usage_metadata for message in result["messages"] if message.type == "ai"]
dollars = sum(usage[kind] * price for usage in usages for kind, price in DOLLARS_A_TOKEN.items())
print(f"{result['messages'][-1].text} (${dollars:.4f})")
