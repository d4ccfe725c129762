#include "api/each_call.h"

#include <algorithm>

#include <fmt/format.h>

#include "compile/turn.h"
#include "trace/deriver.h"
#include "trace/tool_call.h"

namespace spoor::api {

Result<std::vector<Session>> find_sessions(const Context& context, const SessionFilter& filter) {
  std::vector<Session> all = TRY(list_sessions(context));
  if (!filter.sessions.empty()) {
    std::vector<std::uint64_t> numbers;
    for (const std::string& word : filter.sessions) {
      numbers.push_back(TRY(find_session(context, word)).number);
    }
    std::erase_if(all, [&](const Session& session) {
      return std::ranges::find(numbers, session.number) == numbers.end();
    });
  }
  std::erase_if(all, [&](const Session& session) {
    const bool is_old = filter.since && session.facts.ended && *session.facts.ended < *filter.since;
    const bool is_elsewhere = session.facts.project.find(filter.project) == std::string::npos;
    const bool is_other = !filter.agent.empty() && session.agent != filter.agent;
    return is_old || is_elsewhere || is_other;
  });
  return all;
}

Result<void> each_call(const Context& context, const Session& session, const VisitCall& visit) {
  std::vector<Oid> heads;
  for (const SessionLine& line : session.lines) heads.push_back(line.head);
  std::optional<store::NamedCommit> request;
  return trace::derive_lines(context.workspace.repository(), heads, session.shared,
                             [&](const trace::Step& step) -> Result<void> {
                               const auto* asked = std::get_if<trace::Request>(&step.what);
                               if (asked != nullptr && !asked->is_injected) request = step.at;
                               const auto* call = std::get_if<trace::Call>(&step.what);
                               return call != nullptr ? visit(*call, request) : Result<void>();
                             });
}

std::string shown_target(std::string_view tool, std::string_view arguments) {
  constexpr std::size_t kColumns = 1'000;
  return compile::preview(trace::target_of(tool, arguments), kColumns);
}

std::optional<std::int64_t> duration_of(const trace::Call& call) {
  if (call.duration_ms) return call.duration_ms;
  if (!call.started || !call.result || !call.result->commit->time) return std::nullopt;
  const std::int64_t micros = call.result->commit->time->micros - call.started->micros;
  return micros < 0 ? std::nullopt : std::optional(micros / 1'000);
}

std::optional<std::int64_t> duration_of(const trace::Message& message) {
  if (!message.started || !message.ended) return std::nullopt;
  const std::int64_t micros = message.ended->micros - message.started->micros;
  return micros < 0 ? std::nullopt : std::optional(micros / 1'000);
}

Result<std::unique_ptr<RE2>> read_expression(const std::string& text) {
  RE2::Options options;
  options.set_log_errors(false);
  auto expression = std::make_unique<RE2>(text, options);
  if (expression->ok()) return expression;
  return invalid(fmt::format("'{}' is not a regular expression: {}", text, expression->error()),
                 "RE2 describes them: https://github.com/google/re2/wiki/Syntax");
}

}  // namespace spoor::api
