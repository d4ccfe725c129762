#include "import/importers.h"
#include "import/records.h"

#include <algorithm>
#include <array>

#include "import/conversations.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

struct DisplayMark {
  std::string_view mark;
  Type type;
};
constexpr std::array kDisplayMarks = {
    DisplayMark{"system: ", Type::system}, DisplayMark{"user: ", Type::user},
    DisplayMark{"assistant: ", Type::assistant}, DisplayMark{"tool: ", Type::tool}};

const DisplayMark* mark_of(std::string_view line) {
  const auto* found =
      std::find_if(kDisplayMarks.begin(), kDisplayMarks.end(),
                   [&](const DisplayMark& each) { return line.starts_with(each.mark); });
  return found == kDisplayMarks.end() ? nullptr : found;
}

bool is_tau_row(const json::Value& root) {
  if (root.find("messages_display").is_string()) return true;
  return root.find("task_id") && is_chat_message(first_of(root.find("traj")));
}

class TauBenchSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    if (root.is_array()) return add_each(root);
    if (root.find("messages_display").is_string()) return add_display(root);
    const json::Value messages = root.find("traj");
    if (!messages.is_array()) return keep(root, "(no traj)", false);
    begin_unnamed(messages);
    TRY(add_messages(messages, {.is_provider_item = true}));
    return keep_rest(root, messages, "result");
  }

 private:
  /// Makes turns of a text and attaches the text, because the turns cannot restore its bytes.
  Result<void> add_display(const json::Value& root) {
    begin_unnamed(root);
    TurnRecord made(root, tool());
    const std::string display = root.find("messages_display").text();
    std::string_view rest = display;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (const DisplayMark* at = mark_of(line)) {
        made.start(at->type);
        if (at->type == Type::user) made.turns().back().author = "user";
        line.remove_prefix(at->mark.size());
      } else if (made.has_turns()) {
        made.turns().back().text += '\n';
      } else {
        made.start(Type::user);  // Before the first mark.
      }
      made.turns().back().text += line;
    }
    for (Turn& turn : made.turns()) {
      if (turn.type == Type::assistant && turn.text == "None") turn.text.clear();
    }
    return add_turns(made, "row");
  }
};

int score_tau_bench(const Head& head) {
  const json::Value first = head.first();
  return is_tau_row(first.is_array() ? first_of(first) : first) ? score::kOwn : score::kNone;
}

}  // namespace

/// Reads histories of tau-bench: the results of a run, whose `traj` is a list of chat messages, and
/// few-shot rows, whose `messages_display` is a text with the role before each message. Such a text
/// contains no calls: an answer that only called a tool is `None` there, and an empty answer here.
///
/// Source: github.com/sierra-research/tau-bench, tau_bench/run.py and tau_bench/types.py
/// (EnvRunResult), few_shot_data.
const Importer kTauBench = {"tau-bench", "tau-bench", score_tau_bench,
                            import_documents_into<TauBenchSink>};

}  // namespace spoor::import::formats
