#include "import/text_actions.h"

#include <algorithm>
#include <utility>

#include "base/json/writer.h"
#include "base/text.h"
#include "import/names.h"
#include "llm/text_calls.h"

namespace spoor::import {
namespace {

using compile::ToolCall;
using compile::Turn;

constexpr std::string_view kFunction = "<function=";
constexpr std::string_view kFunctionEnd = "</function>";
constexpr std::string_view kParameter = "<parameter=";
constexpr std::string_view kParameterEnd = "</parameter>";

std::string_view skip_space(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
  return text;
}

/// Removes `mark`, a name and `>` from the front of `text` and returns the name; empty if the text
/// does not begin with them.
std::string_view take_tag(std::string_view& text, std::string_view mark) {
  if (!text.starts_with(mark)) return {};
  const std::size_t end = text.find_first_of(">\n", mark.size());
  if (end == std::string_view::npos || text[end] != '>') return {};
  const std::string_view name = text.substr(mark.size(), end - mark.size());
  text.remove_prefix(end + 1);
  return name;
}

/// Removes the call at the front of `text` and returns it; nullopt if there is none.
std::optional<ToolCall> take_call(std::string_view& text) {
  const std::string_view name = take_tag(text, kFunction);
  if (name.empty()) return std::nullopt;
  json::Object arguments;
  for (text = skip_space(text); text.starts_with(kParameter); text = skip_space(text)) {
    const std::string_view key = take_tag(text, kParameter);
    const std::size_t end = text.find(kParameterEnd);
    if (key.empty() || end == std::string_view::npos) return std::nullopt;
    std::string_view value = text.substr(0, end);
    if (value.starts_with('\n')) value.remove_prefix(1);
    if (value.ends_with('\n')) value.remove_suffix(1);
    arguments.add_string(key, value);
    text.remove_prefix(end + kParameterEnd.size());
  }
  if (text.starts_with(kFunctionEnd)) {
    text = skip_space(text.substr(kFunctionEnd.size()));
  } else if (!text.empty() && text != "</function") {
    return std::nullopt;
  } else {
    text = {};
  }
  return ToolCall{{}, std::string(name), arguments.write()};
}

constexpr std::string_view kFence = "```";

/// Returns the position of the block's text after the fence at `at`; npos if it is in another
/// language.
std::size_t block_begin(std::string_view text, std::size_t at) {
  const std::size_t line = text.find('\n', at);
  if (line == std::string_view::npos) return line;
  const std::size_t begin = at + kFence.size();
  const std::string_view language = trimmed(text.substr(begin, line - begin));
  const bool is_bash = language == "bash" || language == "mswea_bash_command";
  return is_bash ? line + 1 : std::string_view::npos;
}

}  // namespace

void TextActions::call(std::vector<ToolCall> calls, Turn& answer) {
  open_.clear();
  std::int64_t number = 0;
  for (ToolCall& call : calls) {
    call.id = "text-" + std::to_string(++made_);
    open_.push_back({call.id, plain_word(call.name), ++number});
  }
  if (calls.empty()) return;
  answer.facts.set(fact::action, open_.front().tool);
  answer.attach.push_back(llm::write_text_calls(calls));
}

bool TextActions::answer(Turn& turn) {
  if (open_.empty()) return false;
  const Open open = std::move(open_.front());
  open_.pop_front();
  turn.facts.set(fact::mark, "observation");
  turn.facts.set(fact::tool, open.tool);
  turn.facts.set(fact::call, open.number);
  turn.facts.set(fact::call_id, open.id);
  turn.author.clear();
  return true;
}

ToolCall bash_call(std::string_view command) {
  json::Object arguments;
  arguments.add_string("command", command);
  return {{}, "bash", arguments.write()};
}

std::vector<ToolCall> function_tag_calls(std::string_view text) {
  constexpr int kMostTries = 64;  // Each may read to the end.
  std::size_t at = text.find(kFunction);
  for (int i = 0; i < kMostTries && at != std::string_view::npos; ++i) {
    std::vector<ToolCall> calls;
    std::string_view rest = text.substr(at);
    while (auto call = take_call(rest)) {
      calls.push_back(std::move(*call));
      if (rest.empty()) return calls;
    }
    at = text.find(kFunction, at + 1);
  }
  return {};
}

std::optional<std::string> only_bash_block(std::string_view text) {
  std::optional<std::string> found;
  for (std::size_t at = text.find(kFence); at != std::string_view::npos;) {
    const std::size_t begin = block_begin(text, at);
    if (begin == std::string_view::npos) {
      at = text.find(kFence, at + kFence.size());
      continue;
    }
    const std::size_t end = text.find("\n```", begin - 1);
    if (end == std::string_view::npos) break;
    if (found) return std::nullopt;
    found = trimmed(text.substr(begin, std::max(end, begin) - begin));
    at = text.find(kFence, end + 4);
  }
  return found;
}

bool is_tag_result(std::string_view text) { return text.starts_with("EXECUTION RESULT of ["); }

bool is_block_result(std::string_view text) { return text.starts_with("<returncode>"); }

}  // namespace spoor::import
