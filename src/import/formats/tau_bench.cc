#include "import/formats/tau_bench.h"

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
    if (root.is_array()) {
      for (const json::Value& element : root.elements()) TRY(add(element));
      return {};
    }
    if (root.find("messages_display").is_string()) return add_display(root);
    const json::Value messages = root.find("traj");
    if (!messages.is_array()) {
      see(root);
      return keep(root, "(no traj)", false);
    }
    begin_unnamed(messages);
    TRY(add_messages(messages, {.is_provider_item = true}));
    Taken taken;
    taken(messages);
    return keep_rest(root, taken, "result");
  }

 private:
  /// The text stays beside its turns, because it does not come back from them byte for byte.
  Result<void> add_display(const json::Value& root) {
    see(root);
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

}  // namespace

int TauBenchImporter::score(const Head& head) const {
  const json::Value first = head.first();
  return is_tau_row(first.is_array() ? first_of(first) : first) ? score::kOwn : score::kNone;
}

Result<LossReport> TauBenchImporter::import(Source& source, graph::Repository& repository,
                                            const ImportOptions& options) const {
  return import_documents_into<TauBenchSink>(name(), source, repository, options);
}

}  // namespace spoor::import::formats
