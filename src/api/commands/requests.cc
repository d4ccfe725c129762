#include "api/commands/requests.h"

#include <array>
#include <unordered_map>

#include "api/each_call.h"
#include "api/session_title.h"
#include "trace/deriver.h"
#include "trace/edits.h"
#include "trace/tool_call.h"
#include "trace/totals.h"

namespace spoor::api {
namespace {

constexpr std::size_t kTextColumns = 1'000;  // The shown beginning of a text.

constexpr std::array kExamples = {
    Example{"spoor requests 57 -n 3", "the last three of session 57"},
    Example{"spoor requests 57 --json", "all of them, for a program"},
};

// Gathers the steps of a line under the requests that led to them.
class Gatherer {
 public:
  Gatherer(const Context& context, bool is_brief)
      : reader_(context.workspace.repository().reader()),
        prices_(context.prices),
        is_brief_(is_brief) {}

  Result<void> add(const trace::Step& step) {
    TRY(add_step(step));
    const auto& time = step.at.commit->time;
    if (rows_.empty() || !time) return {};
    RequestRow& row = rows_.back();
    if (!row.ended || *row.ended < *time) row.ended = time;
    return {};
  }

  std::vector<RequestRow>& rows() { return rows_; }

 private:
  Result<void> add_step(const trace::Step& step) {
    if (const auto* request = std::get_if<trace::Request>(&step.what)) {
      return begin(step, *request);
    }
    if (const auto* message = std::get_if<trace::Message>(&step.what)) return add(step, *message);
    if (const auto* call = std::get_if<trace::Call>(&step.what)) return add(step, *call);
    if (is_brief_) return {};
    if (const auto* failure = std::get_if<trace::FailedRequest>(&step.what)) {
      add({.kind = "failure", .text = TRY(text_of(*step.at.commit))}, step.at);
      if (rows_.back().actions.back().text.empty()) {
        rows_.back().actions.back().text = "no answer from " + failure->model;
      }
    }
    if (std::holds_alternative<trace::Compaction>(step.what)) {
      add({.kind = "compaction", .text = TRY(text_of(*step.at.commit))}, step.at);
    }
    return {};
  }

  Result<std::string> text_of(const store::Commit& commit) const {
    if (!commit.content) return std::string();
    const auto text = TRY(reader_.contents(std::span(&commit.content->oid, 1))).front();
    return text != nullptr ? compile::preview(*text, kTextColumns) : std::string();
  }

  Result<void> begin(const trace::Step& step, const trace::Request& request) {
    std::string text = TRY(text_of(*step.at.commit));
    // Turns that programs added, and commands to them, belong to the last request.
    if (!rows_.empty() && request.is_injected) return {};
    if (!rows_.empty() && is_command_text(text)) {
      if (!is_brief_) add({.kind = "note", .text = std::move(text)}, step.at);
      return {};
    }
    rows_.push_back({.number = rows_.empty() ? 1 : rows_.back().number + 1,
                     .commit = step.at.oid,
                     .position = step.at.commit->depth,
                     .time = step.at.commit->time,
                     .text = std::move(text)});
    return {};
  }

  RequestRow& current() {
    if (rows_.empty()) rows_.emplace_back();
    return rows_.back();
  }

  void add(ActionRow action, const store::NamedCommit& at) {
    add(std::move(action), at, current());
  }

  static void add(ActionRow action, const store::NamedCommit& at, RequestRow& to) {
    action.time = at.commit->time;
    action.commit = at.oid;
    to.actions.push_back(std::move(action));
  }

  Result<void> add(const trace::Step&, const trace::Message& message) {
    for (const store::NamedCommit& record : message.records) {
      current();
      asked_in_.try_emplace(record.oid, rows_.size() - 1);
    }
    if (!message.is_critic && !is_brief_) TRY(add_said(message));
    RequestRow& row = current();
    row.output_tokens += message.spent.usage.output.value_or(0);
    const trace::Priced cost = trace::price_of(message, &prices_);
    row.is_complete = row.is_complete && trace::is_whole(cost.trust);
    if (cost.money) row.cost_usd = row.cost_usd.value_or(llm::Money{}) + *cost.money;
    return {};
  }

  Result<void> add_said(const trace::Message& message) {
    for (const store::NamedCommit& thought : message.reasoning) {
      if (std::string text = TRY(text_of(*thought.commit)); !text.empty()) {
        add({.kind = "thinking", .text = std::move(text)}, thought);
      }
    }
    for (const store::NamedCommit& record : message.records) {
      if (std::string text = TRY(text_of(*record.commit)); !text.empty()) {
        add({.kind = "text", .text = std::move(text)}, record);
      }
    }
    return {};
  }

  Result<void> add(const trace::Step& step, const trace::Call& call) {
    const auto asked = call.answer ? asked_in_.find(*call.answer) : asked_in_.end();
    const bool is_late = call.outcome == trace::Outcome::unanswered && asked != asked_in_.end();
    // A call without a result comes at the end; it belongs to the request that led to it.
    RequestRow& row = is_late ? rows_[asked->second] : current();
    const bool has_failed =
        call.outcome == trace::Outcome::failed || call.outcome == trace::Outcome::refused;
    if (call.is_asked()) ++row.calls;
    if (call.is_asked() && has_failed) ++row.failed_calls;
    if (is_brief_) return {};
    ActionRow action{
        .kind = "call",
        .tool = call.tool,
        .target = compile::preview(trace::target_of(call.tool, call.asked.arguments), kTextColumns),
        .outcome = std::string(name_of(call.outcome)),
        .exit_code = call.exit_code,
        .duration_ms = duration_of(call)};
    for (const trace::Edit& edit : TRY(trace::edits_of(reader_, call))) {
      if (edit.added) action.lines_added = action.lines_added.value_or(0) + *edit.added;
      if (edit.removed) action.lines_removed = action.lines_removed.value_or(0) + *edit.removed;
    }
    add(std::move(action), call.result ? *call.result : step.at, row);
    return {};
  }

  const store::Reader& reader_;
  const llm::PriceList& prices_;
  const bool is_brief_;
  std::vector<RequestRow> rows_;
  std::unordered_map<Oid, std::size_t> asked_in_;  // Answers, by their row.
};

Result<void> run(Context& context, const RequestsQuery& query, const Sink<RequestRow>& sink) {
  const std::string revision = query.revision.empty() ? context.workspace.here() : query.revision;
  const auto head = TRY(context.workspace.resolve_or_empty(revision));
  if (!head) return {};
  Gatherer gatherer(context, query.brief);
  TRY(trace::derive(context.workspace.repository(), {.arguments = !query.brief}, *head,
                    [&](const trace::Step& step) { return gatherer.add(step); }));
  std::vector<RequestRow>& rows = gatherer.rows();
  std::uint64_t left = query.limit.value_or(~std::uint64_t{0});
  for (auto row = rows.rbegin(); row != rows.rend() && left > 0; ++row, --left) {
    if (!sink(*row)) break;
  }
  return {};
}

}  // namespace

constexpr Listing<RequestsQuery, RequestRow> kRequests{
    .name = "requests",
    .summary = "List the requests of a session, each with what the agent did",
    .rows = "requests",
    .group = Group::read,
    .details =
        "Requests are listed newest first. Below each, in order, is what the agent thought,\n"
        "wrote and called: the tool, the target of the call, its outcome if it did not\n"
        "succeed, the lines it changed and the time it took. 'spoor log' of an imported\n"
        "session prints the same.",
    .examples = kExamples,
    .run = run,
};

}  // namespace spoor::api
