#include "cli/models/reply_printer.h"

#include <utility>

#include "cli/terminal/untrusted.h"

namespace spoor::cli {
namespace {

using Kind = llm::ReplyEvent::Kind;

// Returns the number of bytes at the end that may begin a character.
std::size_t unfinished(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back < length ? back : 0;
    }
  }
  return 0;
}

}  // namespace

llm::OnEvent ReplyPrinter::handler() {
  return [this](const llm::ReplyEvent& event) { take(event); };
}

void ReplyPrinter::take(const llm::ReplyEvent& event) {
  switch (event.kind) {
    case Kind::reasoning:  // A program reads only the answer; the reasoning is in the history.
      if (!session_.out().is_tty()) break;
      [[fallthrough]];
    case Kind::text:
      print(event.kind, event.text);
      break;
    case Kind::call:
      finish();
      // A name comes from the model: print it on one line, and outside the answer.
      (session_.out().is_tty() ? session_.out() : session_.err())
          .print(Style::tool, "calls ")
          .print(visible_line(event.text))
          .newline()
          .flush();
      break;
    case Kind::waiting:
      finish();
      session_.err().print(Style::muted, event.text).newline().flush();
      break;
  }
}

void ReplyPrinter::print(Kind kind, std::string_view text) {
  if (has_printed_ && kind != last_) {
    finish();
    session_.out().newline();
  }
  held_ += text;
  last_ = kind;
  const std::size_t keep = unfinished(held_);
  const std::string_view ready = std::string_view(held_).substr(0, held_.size() - keep);
  if (!ready.empty()) {
    Output& out = session_.out();
    kind == Kind::reasoning ? out.print(Style::reasoning, ready) : out.print(ready);
    is_mid_line_ = ready.back() != '\n';
    has_printed_ = true;
    if (out.is_tty()) out.flush();
  }
  held_.erase(0, held_.size() - keep);
}

void ReplyPrinter::finish() {
  if (!held_.empty()) session_.out().print(std::exchange(held_, {}));
  if (std::exchange(is_mid_line_, false)) session_.out().newline();
  session_.out().flush();
}

}  // namespace spoor::cli
