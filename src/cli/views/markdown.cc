#include "cli/views/markdown.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/terminal/untrusted.h"
#include "cli/views/times.h"
#include "compile/pictures.h"

namespace spoor::cli {

using api::TurnView;

namespace {

constexpr std::size_t kShortestFence = 3;

std::size_t longest_run(std::string_view text, char of) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == of ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string fenced(std::string_view text, std::string_view info) {
  const std::string fence(std::max(kShortestFence, longest_run(text, '`') + 1), '`');
  std::string block = fence + std::string(info) + "\n" + std::string(text);
  if (!text.empty() && text.back() != '\n') block += "\n";
  return block + fence + "\n";
}

std::string inline_code(std::string_view text) {
  const std::string line = visible_line(text);
  const std::string fence(longest_run(line, '`') + 1, '`');
  return fence + " " + line + " " + fence;
}

std::string markdown_of(const TurnView& view) {
  std::string heading = fmt::format("## {}", view.kind());
  if (view.commit->time) heading += " · " + plain_time(*view.commit->time);
  heading += " · " + view.oid.hex(12);
  std::string page = heading + "\n\n";
  if (!view.model().empty()) page += "model " + inline_code(view.model()) + "\n\n";
  if (!view.fields.call_id.empty()) {
    page += fmt::format("{} of {}", view.fields.is_error ? "failure" : "result",
                        inline_code(view.fields.name + " " + view.fields.call_id)) +
            "\n\n";
  }
  if (view.is_absent) page += "(its text is not here)\n\n";
  if (!view.text_or_empty().empty()) page += fenced(view.text_or_empty()) + "\n";
  for (const store::Content& picture : compile::pictures_in(&view.commit->attach)) {
    page += inline_code(compile::picture_mark(picture)) + "\n\n";
  }
  if (view.fields.tool_calls) {
    for (const compile::ToolCall& call : *view.fields.tool_calls) {
      page += "calls " + inline_code(call.name + " " + call.id) + "\n\n";
      page += fenced(call.arguments, "json") + "\n";
    }
  }
  return page;
}

}  // namespace spoor::cli
