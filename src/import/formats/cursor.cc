#include "import/importers.h"
#include "import/live_import.h"
#include "import/records.h"

#include <deque>
#include <string>
#include <unordered_set>
#include <utility>

#include "import/content.h"
#include "import/conversations.h"

namespace spoor::import::formats {
namespace {

using compile::ToolCall;
using compile::Turn;
using compile::Type;

bool is_transcript_line(const json::Value& root) {
  const std::string role = root.find("role").text();
  const json::Value content = root.find("message").find("content");
  return (role == "user" || role == "assistant" || role == "system") &&
         (content.is_array() || content.is_string()) && !root.find("content") &&
         !root.find("type") && !root.find("sessionId");
}

class CursorSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    if (is_transcript_line(root) && !std::exchange(has_begun_, true)) begin_unnamed(root);
    const std::string role = root.find("role").text();
    const std::string type = root.find("type").text();
    TurnRecord made(root, tool());
    if (is_transcript_line(root)) add_line(role, made);
    if (made.has_turns()) return add_turns(made, label_of("message", role));
    const std::string label = type.empty() ? label_of("message", role) : label_of(type);
    return keep(root, label, type == "turn_ended", time_of(root.find("timestamp")));
  }

 private:
  void add_line(const std::string& role, TurnRecord& made) {
    const json::Value root = made.root();
    const Type type = role == "assistant" ? Type::assistant
                      : role == "user"    ? Type::user
                                          : Type::system;
    add_blocks(root.find("message").find("content"), type, made);
    if (!made.has_turns()) return;
    made.set_time(root.find("timestamp"));
    made.fact(fact::uuid, root.find("id"));
    made.made_fact(fact::model, root.find("model"));
    made.taken()(root, "role");
    if (type == Type::assistant) made.set_author(root.find("model").text());
    if (type == Type::user) made.set_author("user");
  }

  /// Adds blocks. An unknown block gives its text, if it has one; its other values are attached.
  void add_blocks(const json::Value& content, Type type, TurnRecord& made) {
    Taken& taken = made.taken();
    if (content.is_string()) made.run(type).text = taken.text(content);
    for (const json::Value& block : content.elements()) {
      const std::string kind = block.find("type").text();
      if (kind == "text") {
        made.run(type).text += taken.text(block, "text");
      } else if (kind == "thinking" && type == Type::assistant) {
        made.start_reasoning(block.find("thinking"), "parsed");
      } else if ((kind == "tool_use" || kind == "tool_call") && type == Type::assistant) {
        add_call(block, made.run(type), taken);
      } else if (kind == "tool_result" || kind == "tool-result") {
        add_result(block, made.start(Type::tool), taken);
      } else if (block.find("text").is_string()) {
        made.run(type).text += taken.text(block, "text");
        continue;  // The unknown type stays.
      } else {
        continue;
      }
      taken(block, "type");
    }
  }

  void add_call(const json::Value& block, Turn& turn, Taken& taken) {
    ToolCall call = take_call(block, "id", "name", "input", taken);
    if (call.id.empty()) {
      call.id = "call-" + std::to_string(++made_);
      unnamed_.push_back(call.id);
    } else {
      named_.insert(RecordKey::of(call.id));
    }
    add_tool_call(turn, std::move(call));
  }

  /// Adds a result. Some versions give calls an id only in their results: a result with an unknown
  /// id answers the oldest call without one. That id stays with the rest.
  void add_result(const json::Value& block, Turn& turn, Taken& taken) {
    const std::string id = word_of(block.find("tool_use_id"));
    if (unnamed_.empty() || named_.contains(RecordKey::of(id))) {
      turn.fields.call_id = taken.word(block, "tool_use_id");
    } else {
      turn.fields.call_id = std::move(unnamed_.front());
      unnamed_.pop_front();
    }
    turn.fields.name = taken.text(block, "name");
    turn.fields.is_error = taken.flag(block, "is_error");
    turn.text = take_content(block.find("content"), turn, taken);
  }

  bool has_begun_ = false;
  std::unordered_set<RecordKey> named_;  // Ids of calls.
  std::deque<std::string> unnamed_;      // Calls without an id and without a result so far.
  std::size_t made_ = 0;                 // The number of calls without an id.
};

int score_cursor(const Head& head) {
  return head.contains(is_transcript_line) ? score::kShape : score::kNone;
}

}  // namespace

/// Reads the transcripts of the Cursor agent (`~/.cursor/projects/*/agent-transcripts/**/*.jsonl`):
/// one message per line, without names or times and usually without results. The program is not
/// public. Source: the reader of github.com/jazzyalex/agent-sessions,
/// AgentSessions/Services/CursorSessionParser.swift.
const Importer kCursor = {"cursor", "Cursor", score_cursor,
                          import_lines_into<CursorSink, is_transcript_line>,
                          open_lines<CursorSink, is_transcript_line>};

}  // namespace spoor::import::formats
