#include "report/debrief/phrases.h"

#include <fmt/format.h>

#include "agent/numbers.h"
#include "report/debrief/excerpt.h"

namespace spoor::report::debrief {
namespace {

using agent::grouped;

constexpr const char* kWaiting = "waiting";

std::string with(std::string word, std::string_view separator, const std::string& said) {
  if (!said.empty()) word.append(separator).append(one_line(said));
  return word;
}

}  // namespace

std::string phrase_of(const std::optional<Outcome>& outcome) {
  if (!outcome) return "no result";
  if (outcome->is_refused) return with("refused", ": ", outcome->said);
  if (outcome->is_interrupted) return with("interrupted", ": ", outcome->said);
  if (outcome->exit_code.value_or(0) != 0) {
    return with(fmt::format("exit {}", *outcome->exit_code), ", ", outcome->said);
  }
  if (outcome->is_error) {  // Planners write the word into the observation.
    constexpr std::string_view kWord = "error: ";
    const std::string_view said = outcome->said;
    return with("error", ": ",
                std::string(said.substr(said.starts_with(kWord) ? kWord.size() : 0)));
  }
  return with("ok", ", ", outcome->said);
}

std::string status_of(const Debrief& debrief) {
  if (debrief.verdict) {
    const Verdict& verdict = *debrief.verdict;
    const bool has_word = !verdict.stopped.empty() && verdict.status != kWaiting;
    if (verdict.stopped == "planner") return debrief.termination.by;  // A reason of its own.
    return !has_word ? verdict.status : verdict.stopped;
  }
  if (!debrief.is_run) return "not stated";
  const Note* last = nullptr;  // A run that was cut off while it waited.
  debrief.notes.visit([&last](const Note& note) { last = &note; });
  return last != nullptr && last->word == "parked" ? kWaiting : "unfinished";
}

std::string elapsed(std::int64_t ms) {
  if (ms < 1'000) return fmt::format("{} ms", ms);
  if (ms < 59'950) return fmt::format("{:.1f} s", static_cast<double>(ms) / 1'000);
  const std::int64_t seconds = (ms + 500) / 1'000;
  if (seconds < 3'600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {:02} min", seconds / 3'600, seconds / 60 % 60);
}

std::string phrase_of(const TokenCost& cost) {
  std::string out;
  if (const auto tokens = cost.tokens()) out = grouped(*tokens) + " tok";
  if (cost.money) {
    if (!out.empty()) out += ", ";
    out += '$' + llm::dollars(*cost.money);
  }
  return out;
}

std::string phrase_of(const CalledAgent& called) {
  std::string out = called.agent.empty() ? "an agent" : one_line(called.agent);
  out += fmt::format(": run {}, {}, {}", one_line(called.run).substr(0, 8), one_line(called.status),
                     agent::counted(static_cast<std::uint64_t>(called.steps), "step"));
  out += called.failed == 0 ? ", " + agent::counted(called.calls, "call")
                            : fmt::format(", {} of {} failed", called.failed,
                                          agent::counted(called.calls, "call"));
  if (called.refused > 0) out += fmt::format(", {} refused", called.refused);
  const std::string cost = phrase_of(called.cost);
  return cost.empty() ? out : out + ", " + cost;
}

std::string threshold_of(const Termination& termination) {
  if (termination.limit.empty()) return {};
  if (termination.spent.empty()) return "limit " + termination.limit;
  return fmt::format("spent {} of {}", termination.spent, termination.limit);
}

std::string coverage_of(const Debrief& debrief) {
  return fmt::format("{} of {} {} explained", debrief.explained, debrief.calls,
                     debrief.calls == 1 ? "call" : "calls");
}

std::string source_of(const PathEntry& entry) {
  using Source = trace::Reason::Source;
  const bool is_asked =
      entry.reason_source == Source::none || entry.reason_source == Source::rationale;
  return is_asked ? "" : fmt::format(" ({})", trace::name_of(entry.reason_source));
}

std::string origin_of(const Debrief& debrief) {
  if (!debrief.origin) return "";
  return fmt::format("step {} of run {}", debrief.origin->from_step,
                     debrief.origin->run.substr(0, 8));
}

std::string verdict_of(const Debrief& debrief) {
  std::string out = debrief.verdict ? one_line(debrief.verdict->status) : status_of(debrief);
  if (out.empty()) out = "unknown";
  const auto add = [&out](const std::string& part) { out += " | " + part; };
  const TokenCost& cost = debrief.cost;
  const bool has_tokens = debrief.verdict ? debrief.verdict->tokens > 0 || cost.tokens().has_value()
                                          : cost.tokens().has_value();
  if (has_tokens) {
    add(grouped(debrief.verdict ? debrief.verdict->tokens : *cost.tokens()) + " tok");
  }
  const auto money = debrief.verdict ? debrief.verdict->cost : cost.money;
  const bool is_exact = !debrief.totals || debrief.totals->cost.trust == trace::Trust::reported;
  if (money) add((is_exact ? "$" : "≈$") + llm::dollars(*money));
  if (debrief.verdict) {
    add(elapsed(debrief.verdict->elapsed_ms));
  } else if (debrief.began) {
    add(elapsed(debrief.elapsed_ms));
  }
  add(coverage_of(debrief));
  return out;
}

std::string path_of(const Debrief& debrief, std::size_t most) {
  std::string path;
  std::string last;
  std::uint64_t times = 0;
  const auto flush = [&] {
    if (times == 0) return;
    if (!path.empty()) path += " → ";
    path += last;
    if (times > 1) path += fmt::format(" ×{}", times);
  };
  const auto step = [&](const std::string& name) {
    if (times > 0 && name == last) {
      ++times;
      return;
    }
    flush();
    last = name;
    times = 1;
  };
  debrief.path.visit(
      [&](const PathEntry& entry) { step(one_line(entry.is_switch ? entry.action : entry.tool)); },
      [&](std::uint64_t count) { step(fmt::format("… {} more …", count)); });
  flush();
  return cut(path, most);
}

}  // namespace spoor::report::debrief
