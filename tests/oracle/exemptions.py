"""What the oracle does not demand, per format and record type, each with its reason.

A reader counts each of these with `Session.passed_over`. A record type that is not in this table is
a difference. No entry may stand for a text, a call or a result of the conversation.
"""

EXEMPTIONS = {
    "claude-code": {
        "summary": "a title of some session, made for the list of sessions; not a turn",
        "system": "a message of the program to the person; no model saw it",
        "attachment": "a reminder that the program kept beside the turns; its wording is not here",
        "progress": "how far a tool or a hook is; its end has a record of its own",
        "queue-operation": "what was typed ahead; it has a user record when it is sent",
        "duplicate": "a record that was there before, with the same uuid and the same content",
    },
    "codex": {
        "session_meta": "facts of the session; its instructions are compared as a system message",
        "turn_context": "settings of a turn; not a turn",
        "world_state": "what the program knows of the machine; what the model saw is in messages",
        "inter_agent_communication_metadata": "a fact about the next message",
        "response_item/ghost_snapshot": "a commit of the working folder; no model saw it",
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
    },
    "pi": {
        "session": "facts of the session",
        "model_change": "a setting",
        "thinking_level_change": "a setting",
        "custom": "state of an extension; Pi sends it to no model",
        "compaction": "compared as a summary in the prompt; this counts the entries",
    },
}

# Codex's events are for the screen: they repeat the items of the conversation, which are compared.
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
