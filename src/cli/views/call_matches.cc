#include "cli/views/call_matches.h"

#include "cli/terminal/untrusted.h"
#include "graph/call_text.h"

namespace spoor::cli {
namespace {

using compile::ToolCall;
using graph::CallText;

// Returns true if it printed anything.
bool print_line(Output& out, const std::string& line, const Matcher& matcher,
                std::string_view indent, std::size_t limit) {
  const std::vector<Match> matches = matcher(line);
  print_match_lines(out, Style::tool, line, matches, indent, limit);
  return !matches.empty();
}

void print_texts(Output& out, const ToolCall& call, const std::vector<CallText>& texts,
                 const Matcher& matcher, std::string_view indent, std::size_t limit) {
  for (const CallText& text : texts) {
    out.print(indent).print(Style::tool, visible_line("→ " + call.name + " " + text.name));
    out.newline();
    print_match_lines(out, Style::tool, text.text, matcher(text.text), std::string(indent) + "  ",
                      limit);
  }
}

}  // namespace

void print_call_matches(Output& out, const std::vector<ToolCall>& calls, const Matcher& matcher,
                        std::string_view indent, std::size_t limit) {
  for (const ToolCall& call : calls) {
    const std::string begin = "→ " + call.name + " ";
    const std::string plain = graph::plain_arguments(call);
    if (plain.find('\n') == std::string::npos &&
        print_line(out, begin + plain, matcher, indent, limit)) {
      continue;
    }
    const std::vector<CallText> texts = api::texts_in(call, matcher);
    if (!texts.empty() && !texts.front().name.empty()) {
      print_texts(out, call, texts, matcher, indent, limit);
    } else {
      print_line(out, begin + call.arguments, matcher, indent, limit);
    }
  }
}

}  // namespace spoor::cli
