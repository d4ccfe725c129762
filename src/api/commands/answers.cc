#include "api/commands/answers.h"

#include <algorithm>
#include <array>

#include "agent/spent_facts.h"
#include "api/each_call.h"
#include "compile/turn.h"
#include "trace/bytes.h"
#include "trace/deriver.h"
#include "trace/totals.h"

namespace spoor::api {
namespace {

constexpr std::uint64_t kUsualRows = 20;
constexpr std::size_t kTextColumns = 200;

constexpr std::array kExamples = {
    Example{"spoor answers 57 --by cost", "which answers of session 57 were the dearest"},
};

struct Answer {
  AnswerRow row;
  std::optional<Oid> text;  // In the first record that has one.
};

std::optional<Answer> answer_of(const trace::Message& message, const llm::PriceList& prices) {
  const auto& commits = message.records.empty() ? message.reasoning : message.records;
  if (commits.empty() || message.is_critic || message.continues) return std::nullopt;
  const store::NamedCommit& last = commits.back();
  const llm::Usage& usage = message.spent.usage;
  Answer answer{.row = {.position = last.commit->depth,
                        .commit = last.oid,
                        .time = last.commit->time,
                        .model = message.model,
                        .calls = message.calls.size(),
                        .duration_ms = duration_of(message),
                        .input_tokens = usage.input,
                        .cache_read_tokens = usage.cached,
                        .cache_write_tokens = usage.cache_written,
                        .output_tokens = usage.output,
                        .prompt_tokens = agent::request_tokens(usage),
                        .cost_usd = trace::price_of(message, &prices).money}};
  for (const store::NamedCommit& record : message.records) {
    if (!answer.text && record.commit->content) answer.text = record.commit->content->oid;
  }
  return answer;
}

// Puts the `limit` first rows in order at the beginning, and drops the others. Rows that are equal
// by `what` stay in the order of their positions.
template <class What>
void keep_most(std::vector<Answer>& rows, std::uint64_t limit, What what) {
  const auto kept = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(limit, rows.size()));
  std::partial_sort(rows.begin(), rows.begin() + kept, rows.end(),
                    [&](const Answer& a, const Answer& b) {
                      const auto& x = a.row.*what;
                      const auto& y = b.row.*what;
                      return x == y ? a.row.position < b.row.position : y < x;
                    });
  rows.resize(static_cast<std::size_t>(kept));
}

Result<void> run(Context& context, const AnswersQuery& query, const Sink<AnswerRow>& sink) {
  const std::string revision = query.revision.empty() ? context.workspace.here() : query.revision;
  const auto head = TRY(context.workspace.resolve_or_empty(revision));
  if (!head) return {};
  std::vector<Answer> rows;
  TRY(trace::derive(context.workspace.repository(), {.arguments = false}, *head,
                    [&](const trace::Step& step) -> Result<void> {
                      const auto* message = std::get_if<trace::Message>(&step.what);
                      const auto answer =
                          message != nullptr ? answer_of(*message, context.prices) : std::nullopt;
                      if (answer) rows.push_back(*answer);
                      return {};
                    }));
  const std::uint64_t limit = query.limit.value_or(kUsualRows);
  if (query.by == "cost") {
    keep_most(rows, limit, &AnswerRow::cost_usd);
  } else if (query.by == "output") {
    keep_most(rows, limit, &AnswerRow::output_tokens);
  } else if (query.by == "prompt") {
    keep_most(rows, limit, &AnswerRow::prompt_tokens);
  } else if (query.by == "duration") {
    keep_most(rows, limit, &AnswerRow::duration_ms);
  } else {
    keep_most(rows, limit, &AnswerRow::position);
  }
  const store::Reader& reader = context.workspace.reader();
  for (Answer& answer : rows) {
    if (answer.text) {
      const auto bytes = TRY(trace::bytes_of(reader, {*answer.text})).front();
      if (bytes) answer.row.text = compile::preview(*bytes, kTextColumns);
    }
    if (!sink(answer.row)) break;
  }
  return {};
}

}  // namespace

constexpr Listing<AnswersQuery, AnswerRow> kAnswers{
    .name = "answers",
    .summary = "List the answers of models by what they cost, generated, were sent or took",
    .rows = "answers",
    .group = Group::read,
    .details =
        "An answer that several commits record is one row, at the last of them. The history\n"
        "is read as a whole, whatever --limit is.",
    .examples = kExamples,
    .run = run,
};

}  // namespace spoor::api
