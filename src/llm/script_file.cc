#include "llm/script_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "llm/wire/reply_parser.h"

namespace spoor::llm {
namespace {

std::size_t answers_in(const std::string& body) {
  const auto document = json::parse(body);
  std::size_t count = 0;
  if (!document) return count;
  for (const json::Value message : document->root().find("messages").elements()) {
    if (message.find("role").equals("assistant")) ++count;
  }
  return count;
}

}  // namespace

Result<std::vector<ScriptedAnswer>> read_script(std::string_view text, std::string_view name) {
  std::vector<ScriptedAnswer> answers;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (!wire::is_reply(line)) {
      return invalid(fmt::format("line {} of '{}' is not a provider's reply", number, name),
                     R"(such as {"message": {"role": "assistant", "content": "hello"}})");
    }
    answers.push_back({wire::read_reply(line)});
  }
  return answers;
}

ScriptedProvider::Script script_of(std::vector<ScriptedAnswer> answers) {
  return [answers = std::move(answers)](const Request& request, std::size_t) {
    const std::size_t number = answers.size() == 1 ? 0 : answers_in(request.body);
    if (number < answers.size()) return answers[number];
    Failure failure;
    failure.kind = Failure::Kind::invalid_request;
    failure.message = fmt::format(
        "the script does not contain answer {}: it has {}, one for each answer in the "
        "conversation",
        number + 1, answers.size());
    ScriptedAnswer ended;
    ended.reply = fail(std::move(failure));
    return ended;
  };
}

}  // namespace spoor::llm
