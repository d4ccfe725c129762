#include "api/commands/turns.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "api/each_call.h"
#include "api/turns/line_part.h"
#include "api/turns/turn_marks.h"
#include "api/turns/turn_view.h"
#include "base/utf8.h"
#include "compile/fold.h"
#include "compile/turn.h"
#include "store/ancestry.h"
#include "trace/deriver.h"
#include "trace/edits.h"
#include "trace/totals.h"

namespace spoor::api {
namespace {

constexpr std::uint64_t kUsualRows = 100;
constexpr std::uint64_t kMostRows = 1'000;
constexpr std::uint64_t kUsualChars = 4'000;
// Commits around the part that are read, too: a call and its result are seldom further apart.
constexpr std::uint64_t kMargin = 32;

constexpr std::array kExamples = {
    Example{"spoor turns 57 --from 1000 -n 20", "twenty turns in the middle of session 57"},
    Example{"spoor turns --json", "the last hundred, for a program"},
};

// Adds what the steps around a part say to its rows.
class Filler {
 public:
  Filler(const Context& context, std::vector<TurnRow>& rows, std::size_t chars)
      : reader_(context.workspace.reader()), prices_(context.prices), rows_(rows), chars_(chars) {
    for (std::size_t i = 0; i < rows.size(); ++i) at_.emplace(rows[i].commit, i);
  }

  Result<void> add(const trace::Step& step) {
    if (const auto* message = std::get_if<trace::Message>(&step.what)) {
      add(*message);
    } else if (const auto* call = std::get_if<trace::Call>(&step.what)) {
      return add(*call);
    } else if (const auto* request = std::get_if<trace::Request>(&step.what)) {
      if (TurnRow* row = find(step.at.oid)) row->is_injected = request->is_injected;
    } else if (const auto* decision = std::get_if<trace::Decision>(&step.what)) {
      if (TurnRow* row = find(step.at.oid)) row->decision = decision->word;
    } else if (std::holds_alternative<trace::End>(step.what)) {
      if (TurnRow* row = find(step.at.oid)) row->decision = "run-ended";
    } else if (std::holds_alternative<trace::FailedRequest>(step.what)) {
      if (TurnRow* row = find(step.at.oid)) row->decision = "request-failed";
    }
    return {};
  }

 private:
  TurnRow* find(const Oid& commit) {
    const auto found = at_.find(commit);
    return found == at_.end() ? nullptr : &rows_[found->second];
  }

  void keep_rows(const trace::Message& message) {
    std::vector<Oid> records;
    for (const store::NamedCommit& record : message.reasoning) records.push_back(record.oid);
    for (const store::NamedCommit& record : message.records) records.push_back(record.oid);
    std::vector<std::size_t> rows;
    for (const Oid& record : records) {
      if (const auto found = at_.find(record); found != at_.end()) rows.push_back(found->second);
    }
    if (rows.empty()) return;
    for (const Oid& record : records) rows_of_[record] = rows;
  }

  void add(const trace::Message& message) {
    keep_rows(message);
    const auto& last = message.records.empty() ? message.reasoning : message.records;
    if (last.empty()) return;
    TurnRow* row = find(last.back().oid);
    if (row == nullptr) return;
    row->ends_answer = true;
    const llm::Usage& usage = message.spent.usage;
    row->input_tokens = usage.input;
    row->cache_read_tokens = usage.cached;
    row->cache_write_tokens = usage.cache_written;
    row->output_tokens = usage.output;
    row->cost_usd = trace::price_of(message, &prices_).money;
    row->finish_reason = message.finish_reason;
    row->duration_ms = duration_of(message);
  }

  Result<void> add(const trace::Call& call) {
    TurnCall read{.id = call.asked.id,
                  .tool = call.tool,
                  .target = shown_target(call.tool, call.asked.arguments),
                  .arguments = std::string(cut_to_bytes(call.asked.arguments, chars_)),
                  .outcome = std::string(name_of(call.outcome)),
                  .exit_code = call.exit_code,
                  .duration_ms = duration_of(call),
                  .child_run = call.child_run};
    TRY(add_to_answer(call, read));
    TurnRow* row = call.result ? find(call.result->oid) : nullptr;
    if (row == nullptr) return {};
    if (call.answer) read.position = TRY(reader_.commit(*call.answer))->depth;
    for (const trace::Edit& edit : TRY(trace::edits_of(reader_, call))) {
      TurnEdit made{.path = edit.path, .lines_added = edit.added, .lines_removed = edit.removed};
      std::string diff;
      for (const graph::UnifiedLine& line : TRY(trace::diff_of(reader_, call, edit.path))) {
        if (diff.size() > 4 * chars_) break;
        diff += line.kind == '@' ? line.text + '\n' : line.kind + line.text + '\n';
      }
      made.diff = std::move(diff);
      read.edits.push_back(std::move(made));
    }
    row->duration_ms = read.duration_ms;
    row->is_error = call.outcome == trace::Outcome::failed;
    row->calls = {std::move(read)};
    return {};
  }

  // A call is in one of the records of its answer. Another answer may use its id again.
  Result<void> add_to_answer(const trace::Call& call, const TurnCall& read) {
    const auto found = call.answer ? rows_of_.find(*call.answer) : rows_of_.end();
    if (found == rows_of_.end()) return {};
    for (const std::size_t row : found->second) {
      for (TurnCall& each : rows_[row].calls) {
        if (each.id.empty() || each.id != read.id || !each.outcome.empty()) continue;
        each.outcome = read.outcome;
        each.exit_code = read.exit_code;
        each.duration_ms = read.duration_ms;
        if (call.result) each.position = call.result->commit->depth;
        return {};
      }
    }
    return {};
  }

  const store::Reader& reader_;
  const llm::PriceList& prices_;
  std::vector<TurnRow>& rows_;
  const std::size_t chars_;
  std::unordered_map<Oid, std::size_t> at_;
  std::unordered_map<Oid, std::vector<std::size_t>> rows_of_;  // By each record of an answer.
};

TurnRow row_of(const TurnView& view, std::size_t chars) {
  const store::Commit& commit = *view.commit;
  TurnRow row{.position = commit.depth,
              .commit = view.oid,
              .kind = std::string(view.kind()),
              .time = commit.time,
              .author = commit.author,
              .model = view.model(),
              .is_error = view.fields.is_error,
              .is_absent = view.is_absent,
              .is_erased = view.is_erased};
  const std::string text = view.shown_text();
  row.text_bytes = text.size();
  row.text = cut_to_bytes(text, chars);
  if (row.text.empty() && commit.type != store::Type::assistant) {
    if (commit.op != store::Op::append) row.text = view.summary();
  }
  if (commit.op == store::Op::append) {
    for (const compile::ToolCall& call : view.calls()) {
      row.calls.push_back({.id = call.id,
                           .tool = call.name,
                           .target = shown_target(call.name, call.arguments),
                           .arguments = std::string(cut_to_bytes(call.arguments, chars))});
    }
  }
  for (const store::Content& each : commit.attach)
    row.attach.push_back({each.oid, each.media_type});
  return row;
}

void add_marks(const compile::State& state, TurnRow& row) {
  const compile::Entry* entry = state.find(row.commit);
  if (entry == nullptr) return;
  const Marks marks = marks_of(*entry);
  if (marks.priority) row.priority = std::string(store::name_of(*marks.priority));
  row.edited = marks.is_edited;
  row.summarised = marks.is_compressed;
}

Result<void> run(Context& context, const TurnsQuery& query, const Sink<TurnRow>& sink) {
  const std::string revision = query.revision.empty() ? context.workspace.here() : query.revision;
  const auto head = TRY(context.workspace.resolve_or_empty(revision));
  if (!head) return {};
  const store::Reader& reader = context.workspace.reader();
  const std::uint64_t length = TRY(reader.commit(*head))->depth + 1;
  const std::uint64_t limit = std::min(query.limit.value_or(kUsualRows), kMostRows);
  const std::uint64_t from = query.from.value_or(length - std::min(length, limit));
  if (from >= length || limit == 0) return {};
  const std::uint64_t end = std::min(length, from + limit);
  const std::size_t chars = static_cast<std::size_t>(query.chars.value_or(kUsualChars));

  // It has all entries that a directive names; the others have no marks.
  const auto state = TRY(context.workspace.repository().folder().part_at(*head, {}));
  std::vector<TurnRow> rows;
  for (const TurnView& view : TRY(read_line_part(reader, *head, from, end - from))) {
    rows.push_back(row_of(view, chars));
    if (view.commit->op != store::Op::append) {
      rows.back().targets = TRY(compile::targets_of(reader, *view.commit));
    }
    add_marks(*state, rows.back());
  }
  const std::uint64_t until = std::min(length, end + kMargin) - 1;
  Filler filler(context, rows, chars);
  TRY(trace::derive(context.workspace.repository(), {.from = from - std::min(from, kMargin)},
                    TRY(store::ancestor_at(reader, *head, until)),
                    [&](const trace::Step& step) { return filler.add(step); }));
  for (const TurnRow& row : rows) {
    if (!sink(row)) break;
  }
  return {};
}

}  // namespace

constexpr Listing<TurnsQuery, TurnRow> kTurns{
    .name = "turns",
    .summary = "List a part of a history by position, with calls and their results",
    .rows = "turns",
    .group = Group::read,
    .details =
        "Turns are listed oldest first. A position is a commit's place on its line, from 0.\n"
        "Each call is with the turn that asks for it, and its diff with its result. Reading\n"
        "a part costs the part, however long the history is. Without --from it is the end.",
    .examples = kExamples,
    .run = run,
};

}  // namespace spoor::api
