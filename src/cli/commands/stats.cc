#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "api/turns/history.h"
#include "cli/common_options.h"
#include "cli/debrief_source.h"
#include "cli/session.h"
#include "cli/settings/prices.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/times.h"
#include "llm/open_requests.h"
#include "report/phrases.h"
#include "trace/totals_json.h"

namespace spoor::cli {

using api::HistoryQuery;
using api::HistoryStep;
using api::TurnView;

namespace {

constexpr std::array kOptions = {
    kRevision,
    Option{"--all", "", "count all branches and tags, not only HEAD"},
    kJson,
};

struct Stats {
  std::uint64_t commits = 0;
  std::uint64_t text_bytes = 0;
  std::map<std::string, std::uint64_t> types;
  trace::Totals totals;
  std::optional<Timestamp> first;
  std::optional<Timestamp> last;
  std::uint64_t file_bytes = 0;
};

void see(const TurnView& view, Stats& stats) {
  ++stats.commits;
  ++stats.types[std::string(view.kind())];
  stats.text_bytes += view.text_or_empty().size();
  if (const auto time = view.commit->time) {
    if (!stats.first || *time < *stats.first) stats.first = time;
    if (!stats.last || *stats.last < *time) stats.last = time;
  }
}

Result<Stats> count(const Session& session, const Workspace& workspace,
                    const Arguments& arguments) {
  HistoryQuery query;
  query.with_bookkeeping = true;
  if (arguments.has("--all")) {
    for (const char* prefix : {"refs/heads/", "refs/tags/", "refs/remotes/"}) {
      for (const store::Ref& ref : TRY(workspace.repository().store().refs(prefix))) {
        query.tips.push_back(TRY(workspace.reader().peel(ref.target)));
      }
    }
  } else {
    const std::string revision = arguments.text("revision", workspace.here());
    if (const auto tip = TRY(workspace.resolve_or_empty(revision))) query.tips.push_back(*tip);
  }
  Stats stats;
  TRY(walk(workspace, query, [&](const HistoryStep& step) {
    see(step.view, stats);
    return true;
  }));
  const llm::PriceList prices(TRY(read_prices(session.environment())));
  stats.totals = TRY(trace::totals_of(workspace.repository(), query.tips, &prices));
  // Open requests are not on any line, so this counts those of the whole store.
  const auto open = TRY(llm::open_requests(workspace.repository()));
  trace::add_unsettled(stats.totals, llm::sendings_of(open));
  stats.file_bytes = TRY(workspace.repository().store().size());
  return stats;
}

void print_json(Session& session, const Stats& stats) {
  const auto table = [](JsonWriter& json, const std::map<std::string, std::uint64_t>& counts) {
    json.object();
    for (const auto& [name, number] : counts) json.member(name, number);
    json.end();
  };
  JsonWriter json;
  json.object().member("commits", stats.commits).member("text_bytes", stats.text_bytes);
  json.member("file_bytes", stats.file_bytes);
  json.member("first_time", stats.first).member("last_time", stats.last);
  const trace::Totals& totals = stats.totals;
  json.member("input_tokens", totals.tokens.input.value_or(0));
  json.member("output_tokens", totals.tokens.output.value_or(0));
  json.member("cached_tokens", totals.tokens.cached.value_or(0));
  json.member("cache_written_tokens", totals.tokens.cache_written.value_or(0)).key("types");
  table(json, stats.types);
  json.key("models").object();
  for (const auto& [name, use] : totals.models) json.member(name, use.answers);
  json.end().key("tools").object();
  for (const auto& [name, use] : totals.tools) {
    json.key(name).object().member("calls", use.calls).member("failures", use.failed);
    json.member("refused", use.refused).end();
  }
  json.end().key("ends");
  table(json, totals.ends);
  json.key("totals");
  write_value(json, trace::to_json(totals));
  session.out().verbatim(json.end().take());
}

// A table with aligned numbers, except after names of unreasonable length.
class Table {
 public:
  Table(Output& out, int longest_name) : out_(out), names_(std::clamp(longest_name, 28, 60)) {}

  void title(std::string_view text) {
    if (!is_first_) out_.newline();
    is_first_ = false;
    out_.print(Style::strong, text).newline();
  }

  void row(std::string_view name, const std::string& value, const std::string& warning = {}) {
    out_.print("  " + padded(visible_line(name), names_)).print(fmt::format("{:>14}", value));
    out_.print(Style::warning, warning).newline();
  }

 private:
  Output& out_;
  const int names_;
  bool is_first_ = true;
};

int longest_name_of(const Stats& stats) {
  int longest = 0;
  const auto see = [&](std::string_view name) {
    longest = std::max(longest, display_width(visible_line(name)));
  };
  for (const auto& [model, use] : stats.totals.models) see(model);
  for (const auto& [tool, use] : stats.totals.tools) see(tool);
  return longest;
}

void print_tokens(Table& table, const trace::Totals& totals) {
  const trace::TokenSum& tokens = totals.tokens;
  if (!tokens.all()) return;
  table.title(tokens.trust == trace::Trust::reported ? "Tokens" : "Tokens, partly counted");
  const auto row = [&](const char* name, const std::optional<std::uint64_t>& count) {
    if (count) table.row(name, grouped(*count));
  };
  row("input", tokens.input);
  row("read from cache", tokens.cached);
  row("written to cache", tokens.cache_written);
  row("output", tokens.output);
  const std::string cost = report::cost_phrase(totals.cost);
  if (!cost.empty()) table.row("cost", cost);
}

void print_stats(Output& out, const Stats& stats) {
  Table table(out, longest_name_of(stats));
  table.title("Commits");
  table.row("all", grouped(stats.commits));
  for (const auto& [type, number] : stats.types) table.row(type, grouped(number));
  if (stats.first && stats.last) {
    table.title("Time");
    out.print(fmt::format("  {} to {}\n", plain_time(*stats.first), plain_time(*stats.last)));
  }
  const trace::Totals& totals = stats.totals;
  if (!totals.models.empty()) {
    table.title("Answers by model");
    for (const auto& [model, use] : totals.models) table.row(model, grouped(use.answers));
  }
  print_tokens(table, totals);
  if (totals.unsettled_requests > 0) {
    table.title("Requests");
    out.print(Style::warning, "  " + trace::unsettled_phrase(totals)).newline();
  }
  if (!totals.tools.empty()) {
    table.title("Tool calls");
    for (const auto& [name, use] : totals.tools) {
      std::string notes;
      if (use.failed > 0) notes += fmt::format("  {} failed", use.failed);
      if (use.refused > 0) notes += fmt::format("  {} refused", use.refused);
      table.row(name, grouped(use.calls), notes);
    }
  }
  if (!totals.ends.empty()) {
    table.title("Ends of runs");
    for (const auto& [word, number] : totals.ends) table.row(word, grouped(number));
  }
  if (totals.edits > 0) {
    table.title("Edits");
    table.row("files", grouped(totals.files));
    table.row("edits", grouped(totals.edits));
    table.row("lines added", grouped(static_cast<std::uint64_t>(totals.added)));
    table.row("lines removed", grouped(static_cast<std::uint64_t>(totals.removed)));
    if (totals.uncounted_edits > 0) table.row("of unknown size", grouped(totals.uncounted_edits));
  }
  table.title("Size");
  table.row("texts", byte_size(stats.text_bytes));
  table.row("store", byte_size(stats.file_bytes));
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  const Stats stats = TRY(count(session, workspace, arguments));
  if (arguments.has("--json")) {
    print_json(session, stats);
  } else {
    print_stats(session.out(), stats);
  }
  return {};
}

}  // namespace

extern const Command kStats{
    .name = "stats",
    .summary = "Count turns, tokens, models and tool calls",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
};

}  // namespace spoor::cli
