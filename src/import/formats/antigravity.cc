#include "import/importers.h"

#include <algorithm>
#include <array>
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

struct ToolStep {
  std::string_view tool;  // As the planner calls it; empty: several.
  std::string_view type;  // Of the step that says what came of it.
};

constexpr std::array<ToolStep, 27> kToolSteps = {{{"", "GENERIC"},
                                                  {"", "MCP_TOOL"},
                                                  {"browser_subagent", "BROWSER_SUBAGENT"},
                                                  {"codebase_search", "CODEBASE_SEARCH"},
                                                  {"command_status", "COMMAND_STATUS"},
                                                  {"find_by_name", "FIND"},
                                                  {"generate_image", "GENERATE_IMAGE"},
                                                  {"grep_search", "GREP_SEARCH"},
                                                  {"list_dir", "LIST_DIRECTORY"},
                                                  {"multi_replace_file_content", "CODE_ACTION"},
                                                  {"notify_user", "NOTIFY_USER"},
                                                  {"open_browser_url", "OPEN_BROWSER_URL"},
                                                  {"read_browser_page", "READ_BROWSER_PAGE"},
                                                  {"read_terminal", "READ_TERMINAL"},
                                                  {"read_url_content", "READ_URL_CONTENT"},
                                                  {"replace_file_content", "CODE_ACTION"},
                                                  {"run_command", "RUN_COMMAND"},
                                                  {"search_web", "SEARCH_WEB"},
                                                  {"send_command_input", "SEND_COMMAND_INPUT"},
                                                  {"task_boundary", "TASK_BOUNDARY"},
                                                  {"view_code_item", "VIEW_CODE_ITEM"},
                                                  {"view_content_chunk", "VIEW_CONTENT_CHUNK"},
                                                  {"view_file", "VIEW_FILE"},
                                                  {"view_file_outline", "VIEW_FILE_OUTLINE"},
                                                  {"write_file", "CODE_ACTION"},
                                                  {"write_to_file", "CODE_ACTION"},
                                                  {"write_to_file", "WRITE_TO_FILE"}}};

/// Steps that the program adds for itself.
constexpr std::array<std::string_view, 4> kProgramSteps = {
    "CONVERSATION_HISTORY", "EPHEMERAL_MESSAGE", "ERROR_MESSAGE", "KNOWLEDGE_ARTIFACTS"};

bool is_tool_step(std::string_view type) {
  return std::any_of(kToolSteps.begin(), kToolSteps.end(),
                     [&](const ToolStep& each) { return each.type == type; });
}

/// May a step of this type say what came of a call of this tool? Of a tool that is not known any.
bool may_answer(std::string_view type, std::string_view tool) {
  if (const std::size_t colon = tool.rfind(':'); colon != std::string_view::npos) {
    tool.remove_prefix(colon + 1);  // `default_api:view_file`
  }
  bool is_known = false;
  for (const ToolStep& each : kToolSteps) {
    if (each.tool.empty() ? each.type == type : each.tool == tool && each.type == type) return true;
    is_known = is_known || each.tool == tool;
  }
  return !is_known;
}

/// The model that the user chose, as the program says it behind what was typed; empty when it says
/// nothing of it.
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
      const bool is_known = std::count(kProgramSteps.begin(), kProgramSteps.end(), type) > 0 ||
                            type == "CHECKPOINT" || type == "SYSTEM_MESSAGE";
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
      Turn& turn = say(Type::user, made);
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
        say(type == "CHECKPOINT" ? Type::summary : Type::user, made);
        made.taken().text(root, "source");
      }
    } else if (source == "MODEL" || !says_nothing(content)) {
      make_result(type, made);
    }
  }

  static Turn& say(Type type, TurnRecord& made) {
    Turn& turn = made.start(type);
    turn.text = take_content(made.root().find("content"), turn, made.taken());
    return turn;
  }

  void make_answer(TurnRecord& made) {
    const json::Value root = made.root();
    Taken& taken = made.taken();
    if (const json::Value thinking = root.find("thinking"); !says_nothing(thinking)) {
      Turn& turn = made.start(Type::reasoning);
      turn.text = take_content(thinking, turn, taken);
      turn.fields.format = "parsed";
    }
    const std::string step = name_step(root);
    const json::Value calls = root.find("tool_calls");
    if (!says_nothing(root.find("content")) || calls.size() > 0 || !made.has_turns()) {
      Turn& turn = say(Type::assistant, made);
      for (const json::Value& call : calls.elements()) add_call(call, step, turn, taken);
    }
    made.made_fact_text(fact::message_id, step);
    made.made_fact_text(fact::model, model_);
    made.set_author(model_);
  }

  /// Calls have no names of their own: they are called by their step and their place in it.
  void add_call(const json::Value& call, const std::string& step, Turn& turn, Taken& taken) {
    if (!turn.fields.tool_calls) turn.fields.tool_calls.emplace();
    std::string id = taken.word(call, "id");
    if (id.empty()) id = step + "-" + std::to_string(turn.fields.tool_calls->size() + 1);
    std::string name = taken.text(call, "name");
    open_.push_back({id, name});
    std::string arguments = text_or_bytes(taken(call, "args"));
    turn.fields.tool_calls->push_back({std::move(id), std::move(name), std::move(arguments)});
  }

  /// What names an answer; a step that has a number which others had is called by its record.
  std::string name_step(const json::Value& root) {
    const auto number = root.find("step_index").integer();
    if (!number || *number <= last_answer_) {
      return "step-" + RecordKey::of(root.raw()).hex(16) + "-" + record_number();
    }
    last_answer_ = *number;
    return "step-" + std::to_string(*number);
  }

  /// What came of a call: of the oldest one that is open, unless it is a step of another tool, from
  /// where on nobody can tell which step is whose.
  void make_result(const std::string& type, TurnRecord& made) {
    const json::Value root = made.root();
    const bool is_known = is_tool_step(type);
    if (!is_known) open_.clear();
    if (!is_known && says_nothing(root.find("content"))) return;
    Turn& turn = say(Type::tool, made);
    turn.fields.name = type;
    const json::Value status = root.find("status");
    turn.fields.is_error =
        status.equals("ERROR") || status.equals("CANCELED") || status.equals("CANCELLED");
    if (root.find("source").equals("MODEL")) made.taken().text(root, "source");
    if (open_.empty()) return;
    if (!may_answer(type, open_.front().tool)) return open_.clear();
    turn.fields.call_id = std::move(open_.front().id);
    open_.pop_front();
  }

  struct OpenCall {
    std::string id;
    std::string tool;
  };
  std::deque<OpenCall> open_;  // Of the last answer, which nothing answered yet.
  std::string model_;
  std::int64_t last_answer_ = -1;
};

int score_antigravity(const Head& head) {
  return head.contains(is_transcript_step) ? score::kOwn : score::kNone;
}

}  // namespace

/// Reads the transcripts of Antigravity: the steps of a conversation, one a line.
///
/// No source of it is public: the steps are read as transcripts have them that others published
/// (github.com/jazzyalex/agent-sessions, AntigravityTranscriptParser.swift and its samples).
const Importer kAntigravity = {"antigravity", "Antigravity", score_antigravity,
                               import_lines_into<AntigravitySink, is_transcript_step>};

}  // namespace spoor::import::formats
