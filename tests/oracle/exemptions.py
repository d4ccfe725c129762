"""What the oracle does not demand, per format and record type, each with its reason.

A reader counts each of these with `Session.passed_over`. A record type that is not in this table is
a difference. No entry may stand for a text, a call or a result of the conversation.
"""

EXEMPTIONS = {
    "claude-code": {
        "summary": "a title of some session, made for the list of sessions; not a turn",
        "progress": "how far a tool or a hook is; its end has a record of its own",
        "queue-operation": "what was typed ahead; it has a record of its own when it is sent",
        "assistant of an API error": "the program tells the person that a request failed; it is in no "
                                     "later request",
        "duplicate": "a record that was there before, with the same uuid and the same content",
        "system/init": "facts of the session, at the start of a stream",
        "system/status": "what the program is doing",
        "stream_event": "a piece of an answer that the stream has whole",
        "rate_limit_event": "what the provider still allows",
    },
    "codex": {
        "session_meta": "facts of the session; its instructions are compared as a system message",
        "turn_context": "settings of a turn; not a turn",
        "world_state": "what the program knows of the machine; what the model saw is in messages",
        "inter_agent_communication_metadata": "a fact about the next message",
        "repeated instructions": "compared as the instructions of the session's first record",
        "response_item/web_search_call": "the provider's own tool, whose result is in no file; its "
                                         "item must be in raw",
        "response_item/image_generation_call": "as web_search_call",
        "response_item/ghost_snapshot": "a commit of the working folder; no model saw it",
        "token_usage_record": "the tokens of an answer; compared as usage",
        "event_msg/thread_rolled_back": "an order to take turns back; the reader obeys it",
    },
    "grok": {
        "backend_tool_call": "the provider's own tool, whose result is in no file; its item must be in "
                             "raw",
    },
    "gemini-cli": {
        "header": "facts of the session",
        "$set": "facts of the session",
        "$rewindTo": "an order to take messages back; the reader obeys it",
        "written again": "an earlier form of a message that was written again with more in it",
        "info": "a message of the program to the person; no model saw it",
        "warning": "a message of the program to the person; no model saw it",
        "error": "a message of the program to the person; no model saw it",
    },
    "opencode": {
        "part/step-start": "a snapshot's name; not said",
        "part/step-finish": "tokens and cost of a step; compared as usage",
        "part/patch": "the names of files that a step changed; its calls tell how",
        "part/file": "a pointer to a file; what the model saw of it is a text part",
        "part/agent": "the name of an agent in a text; what the model saw of it is a text part",
        "part/compaction": "that the person or the program asked for a summary, which is compared",
        "ignored text": "a text for the screen; no model saw it",
    },
    "pi": {
        "session": "facts of the session",
        "model_change": "a setting",
        "thinking_level_change": "a setting",
        "title": "a title for the list of sessions",
        "title_change": "a title for the list of sessions",
        "compact": "a remark of an early version to the person",
        "message/bashExecution": "a command that the person ran for himself, with `!!`",
        "custom": "state of an extension; Pi sends it to no model",
        "compaction": "compared as a summary in the prompt; this counts the entries",
    },
}

for _name in ("session_start", "stop_hook_summary", "turn_duration", "api_error", "error",
              "api_refusal", "model_refusal_fallback"):
    EXEMPTIONS["claude-code"][f"system/{_name}"] = "the program tells the person; no model saw it"
EXEMPTIONS["claude-code"]["system/compact_boundary"] = "that the summary after it is a compaction"
# What the program put beside the turns. The file has the facts, and not how the model was told them.
for _name in ("agent_listing_delta", "auto_mode", "batching_reminder_sent", "budget_usd",
              "command_permissions", "compact_file_reference", "date_change",
              "deferred_tools_delta", "dynamic_skill", "edited_text_file", "file",
              "hook_additional_context", "hook_blocking_error", "hook_non_blocking_error",
              "hook_success", "hook_system_message", "invoked_skills", "max_turns_reached",
              "mcp_instructions_delta",
              "nested_memory", "plan_mode", "plan_mode_exit", "read_truncation_notice",
              "silent_turn_reminder", "skill_listing", "task_reminder", "task_status",
              "todo_reminder", "total_tokens_reminder", "ultra_effort_enter", "ultra_effort_exit"):
    EXEMPTIONS["claude-code"][f"attachment/{_name}"] = "a reminder; its wording is not in the file"

# Codex's events are for the screen. Those that show what was said are compared with the items.
for _name in ("agent_message", "agent_reasoning", "user_message", "patch_apply_end", "task_complete",
              "task_started", "turn_aborted", "token_count", "web_search_end", "mcp_tool_call_end",
              "exec_command_end", "view_image_tool_call", "image_generation_end", "item_completed",
              "collab_agent_spawn_end", "collab_agent_interaction_end", "collab_waiting_end",
              "collab_close_end", "dynamic_tool_call_request", "dynamic_tool_call_response",
              "sub_agent_activity", "context_compacted", "thread_settings_applied",
              "thread_goal_updated", "thread_name_updated", "entered_review_mode",
              "exited_review_mode", "guardian_assessment", "undo_completed", "error",
              "turn.completed", "codex/event/raw_item", "account/rateLimits/updated"):
    EXEMPTIONS["codex"][f"event_msg/{_name}"] = "an event for the screen"

# Records that carry settings, titles and snapshots, and no words of the conversation.
for _name in ("file-history-snapshot", "last-prompt", "mode", "permission-mode", "ai-title",
              "custom-title", "agent-name", "atis-latch", "bridge-session", "frame-link", "pr-link",
              "relocated", "worktree-state", "started", "result"):
    EXEMPTIONS["claude-code"][_name] = "state of the program; not a turn"

# Files of the sets that are not sessions of an agent: by pattern of the path.
NOT_SESSIONS = {
    "*/LICENSE*": "a licence",
    "*/NOTICE.txt": "a notice",
    "*/SOURCES.json": "a list of sources",
    "MANIFEST.json": "the list of the sets",
    "cassettes-*/*": "recorded HTTP; llm_cassettes reads them",
    "anthropic-sdk-sse/*": "streams of a provider; llm_cassettes reads them",
    "fixtures-vercel-ai/*": "responses of providers; llm_cassettes reads them",
    "gemini-cli-responses/*": "scripted responses of a provider, no session",
}

_STATE = "state of the program; not a turn"
_BOUNDS = "where a turn, step or tool begins or ends; what was said has records of its own"

EXEMPTIONS["openhands"] = {
    "action change_agent_state": _STATE,
    "observation agent_state_changed": _STATE,
    "observation null": "an observation of nothing",
    "action recall": "the program looks up what it knows of the workspace",
    "observation recall": "that something was found; how it is worded for the model is not here",
    "ConversationStateUpdateEvent": _STATE,
}
EXEMPTIONS["openai-chat"] = {"error": "an error of the program, which the person saw"}
EXEMPTIONS["mini-swe-agent"] = {
    "exit without a command": "how the run ended, where no command ended it",
}
EXEMPTIONS["kimi"] = {
    "metadata": _STATE,
    "config.update": "a setting that is not the system prompt",
    "the same system prompt again": "a system prompt that is in force already",
    "turn.prompt": "what the person typed; context.append_message has it",
    "turn.steer": "what the person typed ahead; context.append_message has it when it is sent",
    "llm.request": "that a request was made; no text of it",
    "llm.tools_snapshot": "the tools of the requests; not a turn",
    "usage.record": "the tokens of a step again, or of a compaction, where they are compared",
    "permission.record_approval_result": "what the person allowed; not a turn",
}
for _name in ("tools.set_active_tools", "turn.cancel", "turn.ended", "permission.set_mode",
              "plugin.session_start", "runtime.set_binding", "token_counting.measured",
              "token_counting.turn_recorded", "plan_mode.enter", "plan_mode.exit",
              "full_compaction.begin", "full_compaction.complete"):
    EXEMPTIONS["kimi"][_name] = _STATE
EXEMPTIONS["copilot"] = {
    "assistant.turn_start": _BOUNDS,
    "assistant.turn_end": _BOUNDS,
    "tool.execution_start": "that a call is carried out; the call is in its answer's toolRequests",
    "subagent.started": _BOUNDS,
    "subagent.completed": _BOUNDS,
    "hook.start": "a hook of the program runs; not a turn",
    "hook.end": "a hook of the program ran; not a turn",
    "system.notification": "a message of the program to the person",
    "abort": "the person stopped the answer; not a turn",
}
for _name in ("start", "model_change", "info", "error", "truncation", "auto_mode_resolved",
              "usage_checkpoint", "shutdown", "resume"):
    EXEMPTIONS["copilot"][f"session.{_name}"] = _STATE
EXEMPTIONS["copilot"]["session.compaction_complete"] = "one that failed: nothing changed"
EXEMPTIONS["copilot"]["session.usage_record"] = "the tokens of an answer; compared as usage"
EXEMPTIONS["qwen-code"] = {
    "ui_telemetry": "measurements of the program; not a turn",
    "slash_command": "a command to the program; no model saw it",
    "custom_title": "a title for the list of sessions",
    "rewind": "where the tree goes on; the branches have it",
    "session_artifact_snapshot": _STATE,
    "attribution_snapshot": _STATE,
    "chat_compression": "one that failed: it has no history, and changed nothing",
}
EXEMPTIONS["droid"] = {
    "system": _STATE,
    "error": "an error of the program, which the person saw",
}
EXEMPTIONS["cursor"] = {"turn_ended": _BOUNDS}
EXEMPTIONS["hermes"] = {"session_meta": "an empty record of the program's"}
EXEMPTIONS["antigravity"] = {"CONVERSATION_HISTORY": "an empty step of the program's"}
EXEMPTIONS["aider"] = {
    "line of the program": "what the program told the person; no model saw it",
    "question that the program answered itself":
        "asked again for each file, answered by what the person said to the first",
}
NOT_SESSIONS["misguided-attention/*"] = "prompts with completions to compare; no conversation"
NOT_SESSIONS["cline-session/*/session.json"] = "facts about a session; its messages are beside it"
NOT_SESSIONS["record-type-coverage/*/kimi/*.json"] = "facts about a session"
NOT_SESSIONS["record-type-coverage/*/grok/*summary.json"] = "facts about a session"
NOT_SESSIONS["adp-samples/datasets/webarena_successful/sample_raw.json"] = (
    "states of a browser and actions, in a shape of that data set alone")
NOT_SESSIONS["*/subagents/*.meta.json"] = "facts about a session"
NOT_SESSIONS["record-type-coverage/*/opencode/storage_*"] = (
    "OpenCode's own folders, a file a part; what `opencode export` makes of them is read")
