"""An agent that calls another; then why, and what had been sent (as LangChain's messages)."""
from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware
from langchain_core.callbacks import BaseCallbackHandler

sent = []


class Keep(BaseCallbackHandler):
    def on_chat_model_start(self, serialized, messages, **kwargs):
        sent.append((messages[0], kwargs["invocation_params"]))


MODEL = "anthropic:claude-sonnet-5"
historian = create_agent(MODEL, system_prompt="You know history. Answer with a year.")


def ask_historian(goal: str) -> str:
    """Answers a question about history."""
    return historian.invoke({"messages": [("user", goal)]})["messages"][-1].text


agent = create_agent(MODEL, tools=[ask_historian],
                     middleware=[ModelCallLimitMiddleware(run_limit=10)])
result = agent.invoke({"messages": [("user", "How old is the Eiffel Tower?")]},
                      {"callbacks": [Keep()]})
print(result["messages"][-1].text)
call = next(message for message in result["messages"] if message.type == "ai")
print("why:", call.text)
print("sent:", sent[0])
print("historian:", sent[1])
