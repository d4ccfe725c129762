#include "import/importers.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "import/content.h"
#include "import/head.h"
#include "import/records.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

bool is_transcript_step(const json::Value& record) {
  return record.find("step_index").is_number() && record.find("source").is_string() &&
         record.find("type").is_string();
}

/// Tools whose steps have the same names, in capitals.
constexpr std::string_view kTools =
    "browser_subagent codebase_search command_status generate_image grep_search notify_user "
    "open_browser_url read_browser_page read_terminal read_url_content run_command search_web "
    "send_command_input task_boundary view_code_item view_content_chunk view_file "
    "view_file_outline write_to_file";
constexpr std::string_view kEditTools =
    "multi_replace_file_content replace_file_content write_file write_to_file";
constexpr std::string_view kOtherSteps = "CODE_ACTION FIND GENERIC LIST_DIRECTORY MCP_TOOL";

/// Steps of the program itself.
constexpr std::string_view kProgramSteps =
    "CONVERSATION_HISTORY EPHEMERAL_MESSAGE ERROR_MESSAGE KNOWLEDGE_ARTIFACTS";

std::string in_capitals(std::string_view tool) {
  std::string type(tool);
  for (char& c : type) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return type;
}

/// Returns true if a step of this type is the result of a call.
bool is_tool_step(std::string_view type) {
  return is_one_of(type, kOtherSteps) || is_one_of(type, in_capitals(kTools));
}

/// Returns true if a step of this type may be the result of a call of this tool. For an unknown
/// tool, any may.
bool may_answer(std::string_view type, std::string_view tool) {
  if (type == "GENERIC" || type == "MCP_TOOL") return true;
  if (const std::size_t colon = tool.rfind(':'); colon != std::string_view::npos) {
    tool.remove_prefix(colon + 1);  // `default_api:view_file`
  }
  if (tool == "find_by_name") return type == "FIND";
  if (tool == "list_dir") return type == "LIST_DIRECTORY";
  const bool edits = is_one_of(tool, kEditTools);
  const bool is_named = is_one_of(tool, kTools);
  if (!edits && !is_named) return !tool.empty();
  return (edits && type == "CODE_ACTION") || (is_named && type == in_capitals(tool));
}

/// Returns the model that the user chose, which the program writes after the typed text. Empty if
/// it is not there.
std::string chosen_model(const std::string& input) {
  constexpr std::string_view kChange = "The user changed setting `Model Selection` from ";
  const std::size_t block = input.rfind("<USER_SETTINGS_CHANGE>");
  const std::size_t typed = input.rfind("</USER_REQUEST>");
  if (block == std::string::npos || typed == std::string::npos || block < typed) return {};
  const std::size_t change = input.find(kChange, block);
  if (change == std::string::npos) return {};
  const std::size_t to = input.find(" to ", change + kChange.size());
  const std::size_t end = std::min(input.find(". ", to), input.find(".\n", to));
  if (to == std::string::npos || end == std::string::npos) return {};
  const std::string model = input.substr(to + 4, end - to - 4);
  return model.find('\n') == std::string::npos && model.size() <= 128 ? model : std::string();
}

class AntigravitySink final : public SessionSink {
 public:
  using SessionSink::SessionSink;

  Result<void> add(const json::Value& root) override {
    const std::string type = root.find("type").text();
    const std::string source = root.find("source").text();
    TurnRecord made(root, tool());
    make_turns(type, source, made);
    if (!made.has_turns()) {
      const bool is_known =
          is_one_of(type, kProgramSteps) || type == "CHECKPOINT" || type == "SYSTEM_MESSAGE";
      return keep(root, label_of(type), is_known, time_of(root.find("created_at")));
    }
    Taken& taken = made.taken();
    taken.text(root, "type");
    made.set_time(root.find("created_at"));
    made.fact(fact::step, root.find("step_index"));
    const bool is_new = made.turns().back().type == Type::tool && !is_tool_step(type);
    if (root.find("status").equals("DONE") && !is_new) taken.text(root, "status");
    return add_turns(made, label_of(type));
  }

 private:
  void make_turns(const std::string& type, const std::string& source, TurnRecord& made) {
    const json::Value root = made.root();
    const json::Value content = root.find("content");
    if (type == "USER_INPUT") {
      open_.clear();
      Turn& turn = say(Type::user, content, made);
      if (std::string model = chosen_model(turn.text); !model.empty()) model_ = std::move(model);
      if (source != "USER_EXPLICIT") return;
      turn.author = "user";
      made.taken().text(root, "source");
    } else if (type == "PLANNER_RESPONSE" && source == "MODEL") {
      open_.clear();
      make_answer(made);
      made.taken().text(root, "source");
    } else if (source == "SYSTEM" && !says_nothing(content)) {
      if (type == "SYSTEM_MESSAGE") made.flag(fact::injected);
      if (type == "SYSTEM_MESSAGE" || type == "CHECKPOINT") {
        say(type == "CHECKPOINT" ? Type::summary : Type::user, content, made);
        made.taken().text(root, "source");
      }
    } else if (source == "MODEL" || !says_nothing(content)) {
      make_result(type, made);
    }
  }

  void make_answer(TurnRecord& made) {
    const json::Value root = made.root();
    Taken& taken = made.taken();
    if (const json::Value thinking = root.find("thinking"); !says_nothing(thinking)) {
      say(Type::reasoning, thinking, made).fields.format = "parsed";
    }
    const std::string step = name_step(root);
    const json::Value content = root.find("content");
    const json::Value calls = root.find("tool_calls");
    if (!says_nothing(content) || calls.size() > 0 || !made.has_turns()) {
      Turn& turn = say(Type::assistant, content, made);
      for (const json::Value& call : calls.elements()) add_call(call, step, turn, taken);
    }
    made.made_fact_text(fact::message_id, step);
    made.set_model({}, model_);
  }

  /// Adds a call. Calls without an id are named by their step and their number in it.
  void add_call(const json::Value& call, const std::string& step, Turn& turn, Taken& taken) {
    compile::ToolCall made = take_call(call, "id", "name", "args", taken);
    const std::size_t earlier = turn.fields.tool_calls ? turn.fields.tool_calls->size() : 0;
    if (made.id.empty()) made.id = step + "-" + std::to_string(earlier + 1);
    open_.push_back({made.id, made.name, {}});
    add_tool_call(turn, std::move(made));
  }

  /// Returns a name for an answer. If an earlier step has the same number, the name comes from the
  /// record.
  std::string name_step(const json::Value& root) {
    const auto number = root.find("step_index").integer();
    if (!number || *number <= last_answer_) {
      return "step-" + RecordKey::of(root.raw()).hex(16) + "-" + record_number();
    }
    last_answer_ = *number;
    return "step-" + std::to_string(*number);
  }

  /// Makes the result of a call: of the oldest open one. A step of another tool, or of an unknown
  /// type, closes all open calls, because later results can no longer be assigned.
  void make_result(const std::string& type, TurnRecord& made) {
    const json::Value root = made.root();
    const bool is_known = is_tool_step(type);
    if (!is_known) open_.clear();
    if (!is_known && says_nothing(root.find("content"))) return;
    Turn& turn = say(Type::tool, root.find("content"), made);
    turn.fields.name = type;
    const json::Value status = root.find("status");
    turn.fields.is_error =
        status.equals("ERROR") || status.equals("CANCELED") || status.equals("CANCELLED");
    if (root.find("source").equals("MODEL")) made.taken().text(root, "source");
    if (open_.empty()) return;
    if (!may_answer(type, open_.front().name)) return open_.clear();
    turn.fields.call_id = std::move(open_.front().id);
    open_.pop_front();
  }

  std::deque<compile::ToolCall> open_;  // Calls of the last answer without a result so far.
  std::string model_;
  std::int64_t last_answer_ = -1;
};

int score_antigravity(const Head& head) {
  return head.contains(is_transcript_step) ? score::kOwn : score::kNone;
}

}  // namespace

/// Reads the transcripts of Antigravity: the steps of a conversation, one per line.
///
/// The program is not public. The format is known from transcripts that others published
/// (github.com/jazzyalex/agent-sessions, AntigravityTranscriptParser.swift and its samples).
const Importer kAntigravity = {"antigravity", "Antigravity", score_antigravity,
                               import_lines_into<AntigravitySink, is_transcript_step>};

}  // namespace spoor::import::formats
