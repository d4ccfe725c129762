#include "cli/agents/talk_printer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/views/times.h"
#include "compile/turn.h"

namespace spoor::cli {
namespace {

using agent::RunEvent;
using Kind = RunEvent::Kind;

constexpr int kFolded = 64;       // Columns of folded thinking.
constexpr int kLeastFolded = 16;  // The same at a narrow terminal.

}  // namespace

TalkPrinter::TalkPrinter(Session& session, ShownThinking thinking, bool has_words)
    : session_(session),
      thinking_(thinking),
      has_words_(has_words),
      calls_(session),
      words_(session) {}

void TalkPrinter::take(const RunEvent& event) {
  if (!event.agent.empty()) return calls_.take(event);
  switch (event.kind) {
    case Kind::started:
      return;
    case Kind::thought:
      if (thinking_ == ShownThinking::full) {
        calls_.finish();
        return words_.take({.kind = llm::ReplyEvent::Kind::reasoning, .text = event.text});
      }
      thought_ += event.text;
      return calls_.take(event);
    case Kind::said:
      if (!has_words_) return calls_.take(event);
      fold_thinking();
      return print_words(reasons_.take(event.text));
    case Kind::printing:
      return calls_.take(event);
    case Kind::asking:
      finish();
      has_shown_answer_ = false;
      return calls_.take(event);
    case Kind::waiting:
    case Kind::warning:
    case Kind::calling:
    case Kind::observed:
    case Kind::ended:
      finish();
      return calls_.take(event);
  }
}

void TalkPrinter::print_words(std::string_view text) {
  for (const std::string& reason : reasons_.take_reasons()) {
    words_.finish();
    calls_.finish();
    session_.err().print(Style::muted, "because: " + reason).newline().flush();
  }
  if (text.empty()) return;
  calls_.finish();
  has_shown_answer_ = true;
  words_.take({.kind = llm::ReplyEvent::Kind::text, .text = text});
}

// The answer has ended: what is held back is shown.
void TalkPrinter::end_words() {
  print_words(reasons_.finish());
  reasons_ = {};
  words_.finish();
}

void TalkPrinter::finish() {
  calls_.finish();
  fold_thinking();
  end_words();
}

void TalkPrinter::fold_thinking() {
  const std::string thought = std::exchange(thought_, {});
  if (thought.empty() || thinking_ == ShownThinking::none) return;
  calls_.finish();
  Output& err = session_.err();
  const std::string size = fmt::format(" ({} bytes)", grouped(thought.size()));
  const int used = static_cast<int>(size.size()) + 12;
  const int room = err.is_tty() ? std::clamp(err.width() - used, kLeastFolded, kFolded) : kFolded;
  const std::string front = compile::preview(thought, static_cast<std::size_t>(room));
  err.print(Style::reasoning, "thought: " + front + size).newline().flush();
}

}  // namespace spoor::cli
