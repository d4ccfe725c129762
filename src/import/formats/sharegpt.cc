#include "import/importers.h"
#include "import/records.h"

#include <deque>
#include <utility>

#include "import/content.h"
#include "import/conversations.h"

namespace spoor::import::formats {
namespace {

using compile::ToolCall;
using compile::Turn;
using compile::Type;

bool is_said(const json::Value& message) {
  return message.find("from").is_string() && message.find("value");
}

const json::Value list_of(const json::Value& root) {
  const json::Value list = root.find("conversations");
  return list.is_array() ? list : root.find("conversation");
}

class ShareGptSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    if (root.is_array()) return add_each(root);
    const json::Value said = list_of(root);
    if (!said.is_array()) return keep(root, "(no conversation)", false);
    begin(root.find("id").text(), said);
    forget_calls();
    was_result_ = false;
    Taken taken;
    taken(said);
    TRY(add_system(taken(root, "system")));
    TRY(for_each(said, [&](const json::Value& message) { return add_one(message); }));
    return keep_rest(root, taken, "conversation");
  }

 private:
  Result<void> add_one(const json::Value& message) {
    const std::string from = message.find("from").text();
    TurnRecord made(message, tool());
    Taken& taken = made.taken();
    const json::Value value = message.find("value");
    taken(message, "from");
    const bool is_result = from == "observation" || from == "tool" || from == "function_response";
    const bool is_call = from == "function_call" || from == "tool_call";
    // Calls without results directly after them never get results.
    if ((!is_result && !is_call) || (is_call && was_result_)) forget_calls();
    was_result_ = is_result;
    const auto said = [&](Type type) -> Turn& { return say(type, value, made); };
    if (from == "human" || from == "user") {
      Turn& turn = said(Type::user);
      if (is_result_of_text(turn.text)) actions().answer(turn);
      actions().close();
    } else if (from == "gpt" || from == "assistant" || from == "chatgpt" || from == "model") {
      add_answer(value, made);
    } else if (from == "system") {
      said(Type::system);
    } else if (is_result && actions().has_open()) {
      actions().answer(said(Type::user));
    } else if (is_result) {
      said(Type::tool).fields.call_id = answered_call();
    } else if (is_call) {
      const std::string text = text_or_bytes(value);
      if (ToolCall call = call_in(text); call.name.empty()) {
        add_answer(value, made);
      } else {
        add_call(text, std::move(call), made.start(Type::assistant));
        taken(value);
      }
    }
    return add_turns(made, label_of("message", from));
  }

  void add_answer(const json::Value& value, TurnRecord& made) {
    Turn read;
    read.text = take_content(value, read, made.taken());
    const std::string whole = read.text;
    if (take_tagged_thoughts(read.text, made)) read.raw.push_back({whole, "text/plain"});
    Turn& turn = made.start(Type::assistant);
    turn = std::move(read);
    turn.type = Type::assistant;
    actions().call(function_tag_calls(turn.text), turn);
  }

  /// Returns the call in a JSON text with a name and arguments; without a name if there is none.
  static ToolCall call_in(const std::string& text) {
    const auto document = json::parse(text);
    if (!document) return {};
    const json::Value root = document->root();
    const json::Value arguments = root.find("arguments");
    ToolCall call{{}, root.find("name").text(), text};
    if (arguments && root.size() == 2) call.arguments = text_or_bytes(arguments);
    return call;
  }

  /// Adds a call, which has no id.
  void add_call(const std::string& text, ToolCall call, Turn& turn) {
    actions().close();
    call_ = "call-" + RecordKey::of(text).hex(16);
    open_.push_back(call_);
    call.id = call_;
    turn.fields.tool_calls.emplace().push_back(std::move(call));
    turn.raw.push_back({text, "text/plain"});
  }

  void forget_calls() {
    open_.clear();
    call_.clear();
  }

  /// Returns the id for the next result. Results follow the order of their calls; an additional one
  /// belongs to the last call.
  std::string answered_call() {
    if (open_.empty()) return call_;
    std::string call = std::move(open_.front());
    open_.pop_front();
    return call;
  }

  std::string call_;              // The last call.
  std::deque<std::string> open_;  // Calls without a result so far.
  bool was_result_ = false;       // The previous message was a result.
};

int score_sharegpt(const Head& head) {
  const json::Value first = head.first();
  const json::Value root = first.is_array() ? first_of(first) : first;
  return is_said(first_of(list_of(root))) ? score::kOwn : score::kNone;
}

}  // namespace

/// Reads conversations of `from` and `value`: one, a list of them, or one per line. Source: the
/// data formats in github.com/hiyouga/LLaMA-Factory, data/README.md.
const Importer kShareGpt = {"sharegpt", "ShareGPT", score_sharegpt,
                            import_documents_into<ShareGptSink>};

}  // namespace spoor::import::formats
