#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/history.h"
#include "cli/json_writer.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/times.h"
#include "llm/source_exit_code.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    kRevision,
    Option{"--all", "", "of all branches and tags, not of HEAD alone"},
    kJson,
};

struct ToolUse {
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
};

struct Stats {
  std::uint64_t commits = 0;
  std::uint64_t text_bytes = 0;
  std::map<std::string, std::uint64_t> types;
  std::map<std::string, std::uint64_t> models;
  std::map<std::string, ToolUse> tools;
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t cached_tokens = 0;
  std::uint64_t cache_written_tokens = 0;
  std::optional<store::Timestamp> first;
  std::optional<store::Timestamp> last;
  std::uint64_t file_bytes = 0;
};

// A result that is an error, or of a command that did not end well.
bool has_failed(const TurnView& view) {
  if (view.commit->type != store::Type::tool) return false;
  if (view.fields.is_error) return true;
  const std::string known = view.facts.json("exit_code");
  if (!known.empty()) return known != "0";
  const std::string source = view.facts.text("source");
  return llm::read_source_exit_code(source, view.text_or_empty(), false).value_or(0) != 0;
}

class Counter {
 public:
  void see(const TurnView& view) {
    ++stats_.commits;
    ++stats_.types[std::string(view.kind())];
    stats_.text_bytes += view.text_or_empty().size();
    if (const auto time = view.commit->time) {
      if (!stats_.first || *time < *stats_.first) stats_.first = time;
      if (!stats_.last || *stats_.last < *time) stats_.last = time;
    }
    if (view.fields.tool_calls) {
      for (const compile::ToolCall& call : *view.fields.tool_calls) {
        ToolUse& use = stats_.tools[call.name];
        ++use.calls;
        // The walk is newest first, so the result has been seen.
        if (failed_calls_.erase(call.id) > 0) ++use.failures;
      }
    }
    if (has_failed(view)) failed_calls_.insert(view.fields.call_id);
    see_usage(view);
  }

  Stats take() { return std::move(stats_); }

 private:
  // Providers report usage on each record of a message, growing; the last one of
  // a message id counts, and it comes first, since the walk is newest first.
  void see_usage(const TurnView& view) {
    const std::string message = compile::message_id_of(*view.commit);
    const bool is_new = message.empty() || messages_.insert(message).second;
    if (is_new && !view.model().empty()) ++stats_.models[view.model()];
    const Usage usage = usage_of(view.facts);
    if (!usage.output && !usage.input) return;
    if (!message.empty() && !counted_.insert(message).second) return;
    stats_.input_tokens += usage.input.value_or(0);
    stats_.output_tokens += usage.output.value_or(0);
    stats_.cached_tokens += usage.cache_read.value_or(0);
    stats_.cache_written_tokens += usage.cache_write.value_or(0);
  }

  Stats stats_;
  std::set<std::string> messages_;
  std::set<std::string> counted_;
  std::set<std::string> failed_calls_;
};

std::uint64_t file_size(const std::string& path) {
  std::error_code problem;
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  return problem ? 0 : size;
}

Result<Stats> count(const Workspace& workspace, const Arguments& arguments) {
  HistoryQuery query;
  query.with_bookkeeping = true;
  if (arguments.has("--all")) {
    for (const char* prefix : {"refs/heads/", "refs/tags/"}) {
      for (const store::Ref& ref : TRY(workspace.repository().store().refs(prefix))) {
        query.tips.push_back(TRY(workspace.reader().peel(ref.target)));
      }
    }
  } else {
    const std::string revision = arguments.text("revision", workspace.here());
    if (const auto tip = TRY(workspace.resolve_or_empty(revision))) query.tips.push_back(*tip);
  }
  Counter counter;
  TRY(walk(workspace, query, [&](const HistoryStep& step) {
    counter.see(step.view);
    return true;
  }));
  Stats stats = counter.take();
  stats.file_bytes = file_size(workspace.path()) + file_size(workspace.path() + "-wal");
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
  json.member("input_tokens", stats.input_tokens).member("output_tokens", stats.output_tokens);
  json.member("cached_tokens", stats.cached_tokens);
  json.member("cache_written_tokens", stats.cache_written_tokens).key("types");
  table(json, stats.types);
  json.key("models");
  table(json, stats.models);
  json.key("tools").object();
  for (const auto& [name, use] : stats.tools) {
    json.key(name).object().member("calls", use.calls).member("failures", use.failures).end();
  }
  session.out().verbatim(json.end().end().take());
}

// Numbers stand below each other, but for names that are longer than is sensible.
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
  for (const auto& [model, number] : stats.models) see(model);
  for (const auto& [tool, use] : stats.tools) see(tool);
  return longest;
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
  if (!stats.models.empty()) {
    table.title("Replies by model");
    for (const auto& [model, number] : stats.models) table.row(model, grouped(number));
  }
  if (stats.input_tokens + stats.output_tokens > 0) {
    table.title("Tokens, as reported");
    table.row("input", grouped(stats.input_tokens));
    table.row("read from cache", grouped(stats.cached_tokens));
    table.row("written to cache", grouped(stats.cache_written_tokens));
    table.row("output", grouped(stats.output_tokens));
  }
  if (!stats.tools.empty()) {
    table.title("Tool calls");
    for (const auto& [name, use] : stats.tools) {
      const std::string failed = use.failures == 0 ? "" : fmt::format("  {} failed", use.failures);
      table.row(name, grouped(use.calls), failed);
    }
  }
  table.title("Size");
  table.row("texts", byte_size(stats.text_bytes));
  table.row("store file", byte_size(stats.file_bytes));
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  const Stats stats = TRY(count(workspace, arguments));
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
