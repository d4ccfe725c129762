#include "report/debrief/trace_reader.h"

#include <utility>

#include "agent/numbers.h"
#include "base/json/reader.h"
#include "base/text.h"
#include "report/debrief/excerpt.h"
#include "report/debrief/fold.h"

namespace spoor::report::debrief {
namespace {

using agent::clean_rationale;
using agent::count_of;
using agent::kMaxWhy;
using agent::number_of;

using json::Value;
using What = std::optional<Fact::What>;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::optional<Timestamp> time_of(const Value& event) {
  const auto ms = count_of(event.find("timestamp"));
  if (!ms || *ms > static_cast<std::uint64_t>(kLastMicro / 1'000)) return std::nullopt;
  return Timestamp{static_cast<std::int64_t>(*ms) * 1'000};
}

std::optional<llm::Money> money_of(const Value& value) {
  return value.is_number() ? llm::parse_dollars(value.raw()) : std::nullopt;
}

std::optional<Rationale> rationale_in(const Value& value) {
  return clean_rationale(value).rationale;
}

std::vector<Alternative> alternatives_in(const Value& value) {
  std::vector<Alternative> found;
  if (!value.is_array()) return found;
  for (const Value entry : value.elements()) {
    const Value option = entry.find("option");
    const Value reason = entry.find("rejectedBecause");
    if (option.is_string() && reason.is_string()) found.push_back({option.text(), reason.text()});
  }
  return found;
}

CallReturned returned_by(const Value& event) {
  CallReturned returned{.tool = event.find("toolName").text()};
  const std::string error = event.find("error").text();
  const Value result = event.find("result");
  returned.is_error = event.find("ok").is_false() || !error.empty();
  std::string said = error;
  if (said.empty()) said = result.is_string() ? result.text() : std::string(result.raw());
  returned.said = first_words(said, kMaxSaid);
  for (const char* key : {"exitCode", "exit_code"}) {
    if (const auto code = result.find(key).integer()) returned.exit_code = code;
  }
  return returned;
}

Reacted reaction_of(const Value& event) {
  Reacted reacted{event.find("decisionType").text(), event.find("reason").text(),
                  rationale_in(event.find("rationale"))};
  if (reacted.rationale || trimmed(reacted.what).empty()) return reacted;
  reacted.rationale = Rationale{.why = cut(reacted.what, kMaxWhy)};
  const auto confidence = number_of(event.find("confidence"));
  if (confidence && *confidence >= 0 && *confidence <= 1) {
    reacted.rationale->confidence = confidence;
  }
  return reacted;
}

Completed completion_of(const Value& event) {
  Completed completed{.status = event.find("status").text()};
  completed.tokens = count_of(event.find("totalTokens"));
  completed.cost = money_of(event.find("totalCostUsd"));
  if (const auto ms = count_of(event.find("durationMs"))) {
    completed.elapsed_ms = static_cast<std::int64_t>(*ms);
  }
  completed.answer = event.find("output").text();
  completed.error = event.find("error").text();
  return completed;
}

Spent spent_by(const Value& event) {
  const Value response = event.find("response");
  return {.cost = {.input = count_of(response.find("tokensIn")),
                   .output = count_of(response.find("tokensOut")),
                   .money = money_of(response.find("costUsd"))}};
}

// Returns nothing for a kind of event that a debrief does not use.
What what_of(const Value& event) {
  const std::string kind = event.find("kind").text();
  const auto text = [&event](const char* key) { return event.find(key).text(); };
  const auto rationale = [&event] { return rationale_in(event.find("rationale")); };
  if (kind == "run-started") {
    return RunStarted{.run_id = text("runId"), .goal = text("task"), .model = text("model")};
  }
  if (kind == "tool-call-start") return CallChosen{0, text("toolName"), rationale()};
  if (kind == "tool-call-end") return returned_by(event);
  if (kind == "strategy-switched") {
    return StrategySwitched{text("from"), text("to"), text("reason"), rationale()};
  }
  if (kind == "assumption-recorded") return Assumed{text("assumption"), rationale()};
  if (kind == "curator-decision") return Curated{text("action"), text("targetRef"), rationale()};
  if (kind == "alternatives-considered") {
    return Weighed{text("chosen"), alternatives_in(event.find("alternatives"))};
  }
  if (kind == "decision-evaluated") return reaction_of(event);
  if (kind == "llm-exchange") return spent_by(event);
  if (kind == "kernel-state-snapshot") {
    if (!event.find("terminatedBy").is_string()) return std::nullopt;
    return Terminated{.by = text("terminatedBy"),
                      .rationale = rationale_in(event.find("terminationRationale"))};
  }
  if (kind == "run-completed") return completion_of(event);
  return std::nullopt;
}

}  // namespace

void TraceReader::feed(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (rest_.size() + part.size() > kMaxLine) {
      is_too_long_ = true;
      rest_.clear();
    }
    if (end == std::string_view::npos) {
      if (!is_too_long_) rest_ += part;
      return;
    }
    piece.remove_prefix(end + 1);
    if (rest_.empty()) {
      line(part);
    } else {
      rest_ += part;
      finish();
    }
  }
}

void TraceReader::finish() {
  const std::string whole = std::exchange(rest_, {});
  line(whole);
}

void TraceReader::line(std::string_view text) {
  if (std::exchange(is_first_, false) && text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  if (std::exchange(is_too_long_, false)) {
    ++skipped_;
    return;
  }
  if (trimmed(text).empty()) return;
  const auto read = json::parse(text);
  if (!read || !read->root().is_object()) {
    ++skipped_;
    return;
  }
  const Value event = read->root();
  Fact fact{.step = event.find("iter").integer().value_or(0), .time = time_of(event)};
  if (!std::exchange(has_run_id_, true)) {
    fact.what = RunStarted{.run_id = event.find("runId").text()};
    sink_(fact);
  }
  if (What what = what_of(event)) {
    fact.what = std::move(*what);
    sink_(fact);
  }
}

Debrief debrief_of_trace(std::string_view text, std::size_t most) {
  DebriefFold fold(most);
  TraceReader reader([&fold](const Fact& fact) { fold.add(fact); });
  reader.feed(text);
  reader.finish();
  Debrief debrief = fold.finish();
  debrief.skipped = reader.skipped();
  return debrief;
}

}  // namespace spoor::report::debrief
