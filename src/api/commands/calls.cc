#include "api/commands/calls.h"

#include <algorithm>
#include <array>

#include "api/each_call.h"
#include "base/text.h"
#include "trace/tool_call.h"

namespace spoor::api {
namespace {

constexpr std::array kExamples = {
    Example{"spoor calls --tool Bash --match '\\brm\\b'", "every rm, in all sessions"},
    Example{"spoor calls 57 --failed", "what failed in session 57"},
};

class Search {
 public:
  Search(const Context& context, const CallsQuery& query, const Sink<CallRow>& sink)
      : context_(context),
        query_(query),
        sink_(sink),
        left_(query.limit.value_or(~std::uint64_t{0})) {}

  Result<void> run() {
    if (!query_.match.empty()) expression_ = TRY(read_expression(query_.match));
    const SessionFilter filter{query_.sessions, query_.since, query_.project, query_.agent};
    for (const Session& session : TRY(find_sessions(context_, filter))) {
      if (!TRY(take(session))) break;
    }
    return {};
  }

 private:
  // Returns false if no more rows are wanted.
  Result<bool> take(const Session& session) {
    std::vector<CallRow> rows;
    TRY(each_call(context_, session, [&](const trace::Call& call, const auto&) {
      if (is_wanted(call)) rows.push_back(row_of(session, call));
      return Result<void>();
    }));
    // Calls without a result come at the end, whatever the time of the call.
    std::optional<Timestamp> last;
    for (CallRow& row : rows) {
      if (!row.time) row.time = last;
      last = row.time;
    }
    std::ranges::stable_sort(rows, {}, &CallRow::time);
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      if (left_ == 0 || !sink_(*row)) return false;
      --left_;
    }
    return true;
  }

  bool is_wanted(const trace::Call& call) const {
    if (query_.failed && call.outcome == trace::Outcome::ok) return false;
    if (query_.since && (!call.started || *call.started < *query_.since)) return false;
    if (!query_.tools.empty() && !is_asked(call.tool) && !is_asked(call.asked.name)) return false;
    if (expression_ == nullptr) return true;
    return RE2::PartialMatch(trace::target_of(call.tool, call.asked.arguments), *expression_) ||
           RE2::PartialMatch(call.asked.arguments, *expression_);
  }

  // Agents write `Bash`, `bash` or `shell`: case does not count.
  bool is_asked(std::string_view tool) const {
    return std::ranges::any_of(
        query_.tools, [&](const std::string& each) { return lowered(each) == lowered(tool); });
  }

  CallRow row_of(const Session& session, const trace::Call& call) const {
    return {.number = session.number,
            .session = session.name(),
            .project = session.facts.project,
            .tool = call.tool,
            .target = query_.brief ? shown_target(call.tool, call.asked.arguments)
                                   : trace::target_of(call.tool, call.asked.arguments),
            .outcome = std::string(name_of(call.outcome)),
            .arguments = query_.brief ? std::string() : call.asked.arguments,
            .time = call.started,
            .exit_code = call.exit_code,
            .duration_ms = duration_of(call),
            .answer = call.answer,
            .result = call.result ? std::optional(call.result->oid) : std::nullopt};
  }

  const Context& context_;
  const CallsQuery& query_;
  const Sink<CallRow>& sink_;
  std::unique_ptr<RE2> expression_;
  std::uint64_t left_;
};

Result<void> run(Context& context, const CallsQuery& query, const Sink<CallRow>& sink) {
  return Search(context, query, sink).run();
}

}  // namespace

constexpr Listing<CallsQuery, CallRow> kCalls{
    .name = "calls",
    .summary = "List tool calls of all sessions, newest first",
    .rows = "calls",
    .group = Group::read,
    .details =
        "Each line has the session's number, the tool, the target of the call, its outcome\n"
        "if it did not succeed, and the commit of its result: 'spoor show' prints that in\n"
        "full. --match is an RE2 expression, tried on the target and on the whole\n"
        "arguments. A result whose call is not recorded is a line, too; counts of calls leave\n"
        "it out.",
    .examples = kExamples,
    .run = run,
};

}  // namespace spoor::api
