"""A refund that a person approves: `approval.py start` asks, `approval.py yes` goes on."""
import sys
from pathlib import Path

from pydantic_ai import (
    Agent, DeferredToolRequests, DeferredToolResults, ModelMessagesTypeAdapter)

agent = Agent("anthropic:claude-sonnet-5", output_type=[str, DeferredToolRequests])
history = Path("approval.json")


@agent.tool_plain(requires_approval=True)
def refund(order: str) -> str:
    """Refunds an order."""
    return f"refunded order {order}"


word = sys.argv[1]
if word == "start":
    result = agent.run_sync("Refund order 7.")
    history.write_bytes(result.all_messages_json())
    for call in result.output.approvals:
        print(call.tool_name, call.args)
else:
    messages = ModelMessagesTypeAdapter.validate_json(history.read_bytes())
    approvals = {call.tool_call_id: word == "yes" for call in messages[-1].tool_calls}
    result = agent.run_sync(message_history=messages,
                            deferred_tool_results=DeferredToolResults(approvals=approvals))
    print(result.output)
