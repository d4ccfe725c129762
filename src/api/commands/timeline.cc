#include "api/commands/timeline.h"

#include <algorithm>
#include <array>

#include "agent/spent_facts.h"
#include "api/each_call.h"
#include "trace/deriver.h"
#include "trace/totals.h"

namespace spoor::api {
namespace {

constexpr std::uint64_t kUsualBuckets = 20;
constexpr std::uint64_t kMostBuckets = 5'000;

constexpr std::array kExamples = {
    Example{"spoor timeline 57", "where session 57 spent its time and its tokens"},
};

// Adds the steps of a line to the pieces in which their commits are.
class Adder {
 public:
  Adder(const llm::PriceList& prices, std::uint64_t length, std::uint64_t buckets)
      : prices_(prices), length_(length), rows_(static_cast<std::size_t>(buckets)) {
    for (std::uint64_t i = 0; i < buckets; ++i) {
      TimelineRow& row = rows_[static_cast<std::size_t>(i)];
      // The first position of a piece is the smallest one that row_at() puts there.
      row.from = (i * length + buckets - 1) / buckets;
      row.to = ((i + 1) * length + buckets - 1) / buckets - 1;
    }
  }

  void add(const trace::Step& step) {
    TimelineRow& row = row_at(step.at);
    if (const auto time = step.at.commit->time) {
      if (!row.started || *time < *row.started) row.started = time;
      if (!row.ended || *row.ended < *time) row.ended = time;
    }
    if (const auto* message = std::get_if<trace::Message>(&step.what)) return add(row, *message);
    if (const auto* call = std::get_if<trace::Call>(&step.what)) return add(row, *call);
    if (const auto* request = std::get_if<trace::Request>(&step.what)) {
      if (!request->is_injected) ++row.requests;
    } else if (std::holds_alternative<trace::FailedRequest>(step.what)) {
      ++row.failed_requests;
    } else if (std::holds_alternative<trace::Compaction>(step.what)) {
      ++row.compactions;
    } else if (std::holds_alternative<trace::Decision>(step.what)) {
      ++row.decisions;
    }
  }

  const std::vector<TimelineRow>& rows() const { return rows_; }

 private:
  TimelineRow& row_at(const store::NamedCommit& commit) {
    return rows_[static_cast<std::size_t>(commit.commit->depth * rows_.size() / length_)];
  }

  void add(TimelineRow& row, const trace::Message& message) const {
    if (message.is_critic) return;
    ++row.answers;
    const llm::Usage& usage = message.spent.usage;
    row.input_tokens += usage.input.value_or(0);
    row.cache_read_tokens += usage.cached.value_or(0);
    row.cache_write_tokens += usage.cache_written.value_or(0);
    row.output_tokens += usage.output.value_or(0);
    row.largest_prompt = std::max(row.largest_prompt, agent::request_tokens(usage).value_or(0));
    if (const auto cost = trace::price_of(message, &prices_).money) {
      row.cost_usd = row.cost_usd.value_or(llm::Money{}) + *cost;
    }
    row.model_ms += duration_of(message).value_or(0);
  }

  static void add(TimelineRow& row, const trace::Call& call) {
    if (!call.result) return;
    row.tool_ms += duration_of(call).value_or(0);
    if (!call.is_asked()) return;
    ++row.calls;
    if (call.outcome != trace::Outcome::ok) ++row.failed_calls;
  }

  const llm::PriceList& prices_;
  const std::uint64_t length_;
  std::vector<TimelineRow> rows_;
};

Result<void> run(Context& context, const TimelineQuery& query, const Sink<TimelineRow>& sink) {
  const std::string revision = query.revision.empty() ? context.workspace.here() : query.revision;
  const auto head = TRY(context.workspace.resolve_or_empty(revision));
  if (!head) return {};
  const std::uint64_t length = TRY(context.workspace.reader().commit(*head))->depth + 1;
  Adder adder(context.prices, length,
              std::min({query.buckets.value_or(kUsualBuckets), kMostBuckets, length}));
  TRY(trace::derive(context.workspace.repository(), {.arguments = false}, *head,
                    [&](const trace::Step& step) -> Result<void> {
                      adder.add(step);
                      return {};
                    }));
  for (const TimelineRow& row : adder.rows()) {
    if (!sink(row)) break;
  }
  return {};
}

}  // namespace

constexpr Listing<TimelineQuery, TimelineRow> kTimeline{
    .name = "timeline",
    .summary = "Show where a session spent its time and its tokens, piece by piece",
    .rows = "pieces",
    .group = Group::read,
    .details =
        "The history is cut into pieces of equal length, oldest first. A call counts where\n"
        "its result is, an answer where it begins.",
    .examples = kExamples,
    .run = run,
};

}  // namespace spoor::api
