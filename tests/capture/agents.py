"""The agents of `./dev agents`, each a row: how it is told its provider, asked a question, and asked another one in the same
session. In texts, {upstream} is the provider's address and {receiver} that of `spoor receive`."""
import dataclasses
import json

import scenario


@dataclasses.dataclass(frozen=True, eq=False)
class Agent:
    title: str
    command: str
    name: str  # As spoor calls it.
    package: str
    first: tuple  # The words before a question.
    again: tuple
    sessions: str  # The folder or file of its sessions.
    variables: dict = dataclasses.field(default_factory=dict)
    files: dict = dataclasses.field(default_factory=dict)
    telemetry: dict = dataclasses.field(default_factory=dict)  # Variables; {coding} is json or protobuf.
    telemetry_files: dict = dataclasses.field(default_factory=dict)
    events: str = ""  # The names of those that it sends; empty: it has no telemetry.
    repeats_prompts: bool = False  # In its telemetry.
    has_hooks: bool = True
    errand: str = scenario.ERRAND  # How the message to a sub-agent begins.


CLAUDE_CODE = Agent(
    title="Claude Code", command="claude", name="claude-code", package="@anthropic-ai/claude-code",
    first=("-p",), again=("--continue", "-p"),
    sessions=".claude/projects",
    variables={"ANTHROPIC_API_KEY": "sk-ant-a-key-of-nobody-0123456789", "DISABLE_AUTOUPDATER": "1",
               "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
    files={".claude/settings.json":
           '{"env": {"ANTHROPIC_BASE_URL": "{upstream}"}, "permissions": {"allow": ["Bash", "Agent"]}}'},
    telemetry={"CLAUDE_CODE_ENABLE_TELEMETRY": "1", "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA": "1", "OTEL_METRICS_EXPORTER": "otlp",
               "OTEL_LOGS_EXPORTER": "otlp", "OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/{coding}",
               "OTEL_EXPORTER_OTLP_ENDPOINT": "{receiver}/some/prefix"},
    events="api_error api_request api_request_body api_response_body assistant_response hook_execution_complete "
           "hook_execution_start hook_registered mcp_server_connection subagent_completed tool_decision tool_result "
           "user_prompt")

CODEX_OPTIONS = ("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust")
CODEX_CONFIG = 'openai_base_url = "{upstream}/v1"\n'
CODEX_TELEMETRY = """[otel]
log_user_prompt = true
exporter = { otlp-http = { endpoint = "{receiver}/v1/logs", protocol = "json" } }
trace_exporter = { otlp-http = { endpoint = "{receiver}/v1/traces", protocol = "json" } }
"""
CODEX = Agent(
    title="Codex", command="codex", name="codex", package="@openai/codex",
    first=CODEX_OPTIONS, again=(*CODEX_OPTIONS, "resume", "--last"),
    sessions=".codex/sessions", errand="Message Type: NEW_TASK",  # The rest is sealed.
    variables={"CODEX_API_KEY": "sk-openai-of-nobody-0123456789"},
    files={".codex/config.toml": CODEX_CONFIG},
    telemetry_files={".codex/config.toml": CODEX_CONFIG + CODEX_TELEMETRY},
    events="agent_communication conversation_starts sse_event startup_phase tool_decision tool_result turn_ttft user_prompt "
           "websocket_connect websocket_request")

GEMINI_CLI = Agent(
    title="Gemini CLI", command="gemini", name="gemini-cli", package="@google/gemini-cli",
    first=("--yolo", "-p"), again=("--yolo", "--resume", "latest", "-p"),
    sessions=".gemini/tmp",
    variables={"GEMINI_API_KEY": "AIza-of-nobody-0123456789", "GEMINI_CLI_TRUST_WORKSPACE": "true",
               "GOOGLE_GEMINI_BASE_URL": "{upstream}"},
    files={".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'},
    telemetry={"GEMINI_TELEMETRY_ENABLED": "true", "GEMINI_TELEMETRY_TRACES_ENABLED": "true", "GEMINI_TELEMETRY_TARGET": "local",
               "GEMINI_TELEMETRY_OTLP_PROTOCOL": "http", "GEMINI_TELEMETRY_OTLP_ENDPOINT": "{receiver}",
               "GEMINI_TELEMETRY_LOG_PROMPTS": "true"},
    repeats_prompts=True,
    events="agent.finish agent.recovery_attempt agent.start api_error api_request api_response chat.content_retry_failure config "
           "hook_call model_routing plan.approval_mode_duration ripgrep_fallback startup_stats tool_call user_prompt")

OPENCODE = Agent(
    title="OpenCode", command="opencode", name="opencode", package="opencode-ai",
    first=("run",), again=("run", "--continue"),
    sessions=".local/share/opencode/opencode.db",
    variables={"ANTHROPIC_API_KEY": "sk-ant-a-key-of-nobody-0123456789", "OPENCODE_DISABLE_AUTOUPDATE": "1",
               "OPENCODE_DISABLE_MODELS_FETCH": "1"},
    files={".config/opencode/opencode.json": json.dumps(
        {"model": "anthropic/claude-sonnet-4-5", "provider": {"anthropic": {"options": {"baseURL": "{upstream}/v1"}}}})},
    has_hooks=False)

PI_MODEL = ("--provider", "anthropic", "--model", "claude-sonnet-4-5")
PI = Agent(
    title="Pi", command="pi", name="pi", package="@mariozechner/pi-coding-agent",
    first=(*PI_MODEL, "-p"), again=(*PI_MODEL, "--continue", "-p"),
    sessions=".pi/agent/sessions",
    variables={"ANTHROPIC_API_KEY": "sk-ant-a-key-of-nobody-0123456789"},
    files={".pi/agent/models.json": '{"providers": {"anthropic": {"baseUrl": "{upstream}"}}}'})

ALL = (CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE, PI)
