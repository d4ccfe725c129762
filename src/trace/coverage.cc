#include "trace/coverage.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "agent/spent_facts.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "compile/turn.h"
#include "llm/sent_prompt.h"
#include "trace/bytes.h"

namespace spoor::trace {
namespace {

using Thinking = Coverage::Thinking;

Presence presence_of(std::uint64_t known, std::uint64_t all) {
  if (known == 0) return Presence::absent;
  return known < all ? Presence::partial : Presence::present;
}

class Fold {
 public:
  Fold(const graph::Repository& repository, std::set<Oid> captured)
      : repository_(repository), reader_(repository.reader()), captured_(std::move(captured)) {}

  Result<void> add(const Step& step) {
    const auto* call = std::get_if<Call>(&step.what);
    if (call == nullptr || call->result) {
      ++steps_;
      if (step.at.commit->time) ++timed_;
    }
    if (std::holds_alternative<Context>(step.what)) {
      if (step.at.commit->type == store::Type::system) has_system_ = true;
    } else if (const auto* message = std::get_if<Message>(&step.what)) {
      return add_answer(*message);
    }
    return {};
  }

  Result<Coverage> finish() {
    coverage_.system_prompt = has_system_ ? Presence::present : Presence::absent;
    if (coverage_.recorded > 0) {
      coverage_.tools = presence_of(coverage_.recorded, coverage_.answers);
    }
    coverage_.times = presence_of(timed_, steps_);
    if (coverage_.measured) {
      const auto answer = TRY(reader_.commit(*coverage_.measured));
      std::optional<Oid> before;
      if (!answer->parents.empty()) before = answer->parents.front();
      coverage_.stored = TRY(repository_.compile(before)).tokens;
    }
    return coverage_;
  }

 private:
  Result<void> add_answer(const Message& message) {
    if (message.is_critic || is_unasked(message)) return {};
    const bool is_first = coverage_.answers == 0;
    if (!message.continues) {
      ++coverage_.answers;
      if (!message.source.empty()) ++coverage_.imported;
      const auto has_request = [](const store::NamedCommit& record) {
        return record.commit->prompt.has_value();
      };
      if (std::any_of(message.records.begin(), message.records.end(), has_request)) {
        ++coverage_.recorded;
      } else if (is_captured(message)) {
        ++coverage_.captured;
      }
      const auto& usage = message.spent;
      const bool is_mixed = !is_first && coverage_.usage != usage.trust;
      coverage_.usage = is_mixed ? Trust::partial : usage.trust;
    }
    const auto sent = agent::request_tokens(message.spent.usage);
    if (sent && !message.records.empty()) {
      coverage_.sent = sent;
      coverage_.measured = first_of(message);
    }
    for (const store::NamedCommit& thought : message.reasoning) TRY(add_reasoning(thought));
    return {};
  }

  // Whether no model was asked, or its answer was stopped before it began: the program wrote it,
  // with a usage of nothing.
  static bool is_unasked(const Message& message) {
    const llm::Usage& usage = message.spent.usage;
    return agent::request_tokens(usage) == 0U && usage.output == 0U;
  }

  // A note about an answer names all of its commits, and captured_ the last.
  bool is_captured(const Message& message) const {
    const auto is_it = [this](const store::NamedCommit& part) {
      return captured_.contains(part.oid);
    };
    return std::any_of(message.records.begin(), message.records.end(), is_it) ||
           std::any_of(message.reasoning.begin(), message.reasoning.end(), is_it);
  }

  // Returns the first commit of an answer, whose parent is the end of the sent prompt.
  static Oid first_of(const Message& message) {
    const store::NamedCommit& record = message.records.front();
    if (message.reasoning.empty()) return record.oid;
    const store::NamedCommit& thought = message.reasoning.front();
    return thought.commit->depth < record.commit->depth ? thought.oid : record.oid;
  }

  Result<void> add_reasoning(const store::NamedCommit& thought) {
    if (coverage_.reasoning == Thinking::text || !thought.commit->content) return {};
    std::vector<Oid> wanted = {thought.commit->content->oid};
    if (thought.commit->fields) wanted.push_back(*thought.commit->fields);
    const auto bytes = TRY(bytes_of(reader_, wanted));
    const bool is_sealed = !bytes[0] || trimmed(*bytes[0]).empty();
    bool is_summary = false;
    if (wanted.size() > 1 && bytes[1]) {
      const auto fields = compile::read_fields(*bytes[1]);
      is_summary = fields && fields->format == "responses";
    }
    const Thinking found = is_sealed    ? Thinking::opaque
                           : is_summary ? Thinking::summary
                                        : Thinking::text;
    coverage_.reasoning = std::min(coverage_.reasoning, found);
    return {};
  }

  const graph::Repository& repository_;
  const store::Reader& reader_;
  const std::set<Oid> captured_;  // Answers whose request is exact.
  Coverage coverage_;
  bool has_system_ = false;
  std::uint64_t steps_ = 0, timed_ = 0;
};

}  // namespace

std::string_view name_of(Presence presence) {
  switch (presence) {
    case Presence::present:
      return "present";
    case Presence::partial:
      return "partial";
    case Presence::absent:
      return "absent";
  }
  return {};
}

std::string_view name_of(Coverage::Thinking reasoning) {
  switch (reasoning) {
    case Thinking::text:
      return "text";
    case Thinking::summary:
      return "summary";
    case Thinking::opaque:
      return "opaque";
    case Thinking::none:
      return "none";
  }
  return {};
}

std::optional<double> Coverage::share() const {
  if (!stored || !sent || *sent == 0) return std::nullopt;
  const double share = static_cast<double>(*stored) / static_cast<double>(*sent);
  constexpr double kMostOff = 1.25;  // `stored` is an estimate.
  return share > kMostOff ? std::nullopt : std::optional(std::min(1.0, share));
}

Result<Coverage> coverage_of(const graph::Repository& repository, const Oid& head,
                             const Totals* totals) {
  std::set<Oid> captured;
  for (const auto& request : TRY(llm::captured_requests(repository, head))) {
    if (request.answer && request.is_exact) captured.insert(*request.answer);
  }
  Fold fold(repository, std::move(captured));
  TRY(derive(repository, {.arguments = false}, head,
             [&fold](const Step& step) { return fold.add(step); }));
  Coverage coverage = TRY(fold.finish());
  if (totals != nullptr && totals->edits > 0) {
    coverage.line_counts = presence_of(totals->edits - totals->uncounted_edits, totals->edits);
  }
  return coverage;
}

Result<std::optional<Coverage>> imported_coverage(const graph::Repository& repository,
                                                  const std::optional<Oid>& head) {
  if (!head || (TRY(repository.store().refs("refs/sources/")).empty() &&
                TRY(repository.store().refs("refs/captures/")).empty())) {
    return std::optional<Coverage>();
  }
  const Coverage coverage = TRY(coverage_of(repository, *head, nullptr));
  if (coverage.imported == 0) return std::optional<Coverage>();
  return std::optional(coverage);
}

std::string describe(const Coverage& coverage) {
  if (coverage.answers > 0 && coverage.recorded == coverage.answers) {
    return "every request is recorded as it was sent";
  }
  std::string text = fmt::format("system prompt {}, tools {}", name_of(coverage.system_prompt),
                                 name_of(coverage.tools));
  if (const auto share = coverage.share()) {
    const double percent = *share * 100;
    text += fmt::format(", {}{:.0f}% of the tokens sent", percent > 0 && percent < 1 ? "<" : "≈",
                        std::max(percent, 1.0));
  } else {
    text += ", tokens sent unknown";
  }
  text += fmt::format(", reasoning {}, usage {}, times {}", name_of(coverage.reasoning),
                      name_of(coverage.usage), name_of(coverage.times));
  if (coverage.line_counts) text += fmt::format(", line counts {}", name_of(*coverage.line_counts));
  if (coverage.captured > 0) {
    text +=
        fmt::format("; {} of {} requests are kept as they were sent: 'spoor prompt' prints them",
                    coverage.captured, coverage.answers);
  }
  return text;
}

std::string to_json(const Coverage& coverage) {
  const auto number = [](const std::optional<std::uint64_t>& count) {
    return count ? std::to_string(*count) : std::string("null");
  };
  json::Object object;
  object.add_json("answers", std::to_string(coverage.answers));
  object.add_json("recorded_requests", std::to_string(coverage.recorded + coverage.captured));
  object.add_string("system_prompt", name_of(coverage.system_prompt));
  object.add_string("tools", name_of(coverage.tools));
  object.add_json("stored_tokens", number(coverage.stored));
  object.add_json("sent_tokens", number(coverage.sent));
  object.add_string("reasoning", name_of(coverage.reasoning));
  object.add_string("usage", name_of(coverage.usage));
  object.add_string("times", name_of(coverage.times));
  if (coverage.line_counts) {
    object.add_string("line_counts", name_of(*coverage.line_counts));
  } else {
    object.add_json("line_counts", "null");
  }
  return object.write();
}

}  // namespace spoor::trace
