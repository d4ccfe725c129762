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
        "duplicate": "a record whose uuid was there before",
    },
}

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
