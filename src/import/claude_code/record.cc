#include "import/claude_code/record.h"

#include "import/names.h"
#include "import/records.h"

namespace spoor::import::claude_code {
namespace {

// As written by Claude Code 1.x to 2.1.x.
constexpr std::string_view kKnownTypes =
    "agent-color agent-name agent-setting ai-title assistant atis-latch attachment "
    "attribution-snapshot bridge-session content-replacement custom-title file-history-snapshot "
    "frame-link last-prompt mode permission-mode pr-link progress queue-operation relocated "
    "result speculation-accept started summary system tag task-summary tool_result tool_use user "
    "worktree-state session-start session-end agent-metadata stream_event rate_limit_event "
    "tool_progress tool_use_summary auth_status prompt_suggestion";

/// Returns the key that distinguishes records of one type, and sets `holder` to the object with it.
std::string_view subtype_key(std::string_view type, json::Value root, json::Value& holder) {
  holder = root;
  if (type == "system") return "subtype";
  if (type == "progress") holder = root.find("data");
  if (type == "attachment") holder = root.find("attachment");
  return type == "progress" || type == "attachment" ? "type" : "";
}

std::string label_of(std::string_view type, json::Value root) {
  if (type.empty()) return "(no type)";
  std::string label = plain_word(type);
  json::Value holder;
  const std::string_view key = subtype_key(type, root, holder);
  const std::string subtype = key.empty() ? "" : holder.find(key).text();
  if (!subtype.empty()) label += "/" + plain_word(subtype);
  return label;
}

/// Reads a compact boundary. Older programs write only a range. Newer ones write two lists, of
/// which `allUuids` is the longer.
void read_boundary(Record& record) {
  record.is_compact_boundary = true;
  record.boundary.logical_parent = record.root.find("logicalParentUuid").text();
  if (const json::Value streamed = record.root.find("compact_metadata")) {
    const json::Value range = streamed.find("preserved_segment");
    record.boundary.kept_first = range.find("head_uuid").text();
    record.boundary.kept_last = range.find("tail_uuid").text();
    return;
  }
  const json::Value about = record.root.find("compactMetadata");
  const json::Value range = about.find("preservedSegment");
  record.boundary.kept_first = range.find("headUuid").text();
  record.boundary.kept_last = range.find("tailUuid").text();
  const json::Value messages = about.find("preservedMessages");
  const json::Value all = messages.find("allUuids");
  for (const json::Value& name : (all ? all : messages.find("uuids")).elements()) {
    record.boundary.kept.push_back(name.text());
  }
}

/// Reads a record of a stream, which has no parents: file order counts. A subagent's records name
/// the call that started it.
void read_streamed(Record& record) {
  record.is_streamed = true;
  record.session = record.root.find("session_id").text();
  record.agent = record.root.find("parent_tool_use_id").text();
  record.is_sidechain = !record.agent.empty();
}

/// Returns true for the text that the program writes as the user when the user stops an answer or a
/// tool.
bool is_interruption(const json::Value& content) {
  constexpr std::string_view kBegin = "[Request interrupted by user";
  if (content.is_string()) return content.text().starts_with(kBegin);
  return content.size() == 1 &&
         (*content.elements().begin()).find("text").text().starts_with(kBegin);
}

/// Reads a prompt that was queued until the program could send it, during the model's turn.
void read_queued(Record& record) {
  const json::Value queued = record.root.find("attachment");
  if (!queued.find("type").equals("queued_command")) return;
  record.content = queued.find("prompt");
  record.is_turn = record.is_queued =
      (record.content.is_string() && !record.content.text().empty()) || record.content.size() > 0;
  record.is_injected = queued.find("isMeta").is_true() ||
                       queued.find("commandMode").equals("task-notification") ||
                       queued.find("origin").find("kind").equals("task-notification");
}

/// Returns true for a stream of Claude Code. Streams of other programs look alike, but their first
/// record lists no tools and they have no subagents.
bool is_own_stream(const Record& record) {
  const bool begins = record.type == "system" && record.root.find("subtype").equals("init");
  if (begins) return record.root.find("tools").is_array();
  return record.message.is_object() && record.root.find("parent_tool_use_id");
}

}  // namespace

Record read_record(const json::Value& root) {
  Record record;
  record.root = root;
  record.type = root.find("type").text();
  record.label = label_of(record.type, root);
  record.uuid = root.find("uuid").text();
  const json::Value parent = root.find("parentUuid");
  record.has_parent = static_cast<bool>(parent);
  record.parent = parent.text();
  record.session = root.find("sessionId").text();
  record.agent = root.find("agentId").text();
  record.is_sidechain = root.find("isSidechain").is_true();
  if (!root.find("sessionId") && !record.has_parent) read_streamed(record);
  if (auto time = parse_rfc3339(root.find("timestamp").text())) record.time = time.value();

  if (record.type == "user" || record.type == "assistant") {
    record.message = root.find("message");
    record.content = record.message.find("content");
    // An answer without content still has token counts.
    const bool is_counted = record.is_assistant() && record.content.is_array() &&
                            record.message.find("usage").is_object();
    record.is_turn = record.content.is_string() || record.content.size() > 0 || is_counted;
    record.message_id = record.message.find("id").text();
    record.is_injected = root.find("isMeta").is_true() || root.find("isSynthetic").is_true() ||
                         (record.type == "user" && is_interruption(record.content));
    record.is_api_error = record.type == "assistant" && root.find("isApiErrorMessage").is_true();
    record.is_compact_summary = record.type == "user" && root.find("isCompactSummary").is_true();
  }
  if (record.type == "attachment") read_queued(record);
  record.is_bare_call = record.type == "tool_use" && root.find("name").is_string();
  record.is_bare_result = record.type == "tool_result" && root.find("output");
  if (record.is_bare_call || record.is_bare_result) record.is_turn = true;
  if (record.type == "system" && root.find("subtype").equals("compact_boundary")) {
    read_boundary(record);
  }
  return record;
}

bool is_known_type(std::string_view type) { return is_one_of(type, kKnownTypes); }

bool is_claude_code(const Record& record) {
  if (!is_known_type(record.type)) return false;
  if (record.is_streamed && !record.session.empty()) return is_own_stream(record);
  if (record.type == "summary") return record.root.find("leafUuid").is_string();
  if (record.type == "file-history-snapshot") return record.root.find("snapshot").is_object();
  const bool names_session = !record.session.empty();
  const bool turn = record.type == "user" || record.type == "assistant";
  if (turn) return record.message.is_object() && (names_session || record.has_parent);
  return names_session;
}

std::vector<std::string> duplicate_keys(const Record& record) {
  std::vector<std::string> found;
  collect_duplicate_keys(record.root, found);
  collect_duplicate_keys(record.message, found);
  for (const json::Value& block : record.content.elements()) collect_duplicate_keys(block, found);
  return found;
}

bool is_sound_record(const json::Value& root) {
  const Record record = read_record(root);
  return is_claude_code(record) && !record.session.empty();
}

std::vector<std::string> duplicate_record_keys(const json::Value& root) {
  return duplicate_keys(read_record(root));
}

}  // namespace spoor::import::claude_code
