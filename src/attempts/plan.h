#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool.h"
#include "base/json/reader.h"
#include "llm/money.h"
#include "store/oid.h"

namespace spoor::attempts {

using store::Oid;

/// How the tool calls of attempts are answered.
enum class Answers {
  recorded,  ///< by the recorded result of an identical call
  live,      ///< by the tools, as in `spoor run`
  deny,      ///< by a refusal
};
std::string_view name_of(Answers answers);
std::optional<Answers> answers_from(std::string_view name);

/// The conditions under which an attempt passes.
struct Expectation {
  std::string test;         ///< a shell command: exit status 0 passes; empty: none
  std::string text;         ///< a text that the answer must contain; empty: none
  std::string judge;        ///< the model that judges the answer; empty: none
  std::string rubric;       ///< for the judge: what a correct answer is
  std::string constraints;  ///< that no action may break, write_run_constraints(); empty: none

  bool empty() const {
    return test.empty() && text.empty() && judge.empty() && constraints.empty();
  }
  /// A judge and its rubric belong together.
  bool is_whole() const { return judge.empty() == rubric.empty(); }
  bool operator==(const Expectation&) const = default;
};

/// The limits of all attempts of a tree together; nullopt: no limit.
struct Limits {
  std::optional<llm::Money> max_cost;
  std::optional<std::uint64_t> max_tokens;
  std::optional<std::int64_t> max_steps;

  bool operator==(const Limits&) const = default;
};

/// The plan of a tree of attempts, as its first commit records it. A value.
struct Plan {
  Oid base;                         ///< the commit that all attempts go on from
  std::optional<Oid> line;          ///< the end of the history whose results are repeated
  std::string goal;                 ///< the request that is answered; of a run, its goal
  std::vector<std::string> models;  ///< `PROVIDER/MODEL`, at least one
  std::int64_t count = 1;           ///< attempts of each model
  Answers answers = Answers::recorded;
  std::vector<agent::ToolDefinition> tools;  ///< that the models are offered
  std::string settings;                      ///< of live tools, a JSON object; empty: none
  std::string options;                       ///< of the agent, a JSON object: agent::read_options()
  std::int64_t window_tokens = 0;            ///< of a prompt; 0: what fits the model
  std::int64_t observations = 0;             ///< of the run that wrote the base
  std::string changes;                       ///< the digest of the changes to the history
  Limits limits;
  Expectation expects;
  std::string dataset;      ///< that the tree runs an item of; empty: none
  std::optional<Oid> item;  ///< the item's commit

  std::int64_t attempts() const { return count * static_cast<std::int64_t>(models.size()); }

  /// Returns the model of attempt `number`, from 1. The models take turns, so that a budget that
  /// runs out cuts all of them alike.
  const std::string& model_of(std::int64_t number) const {
    return models[static_cast<std::size_t>(number - 1) % models.size()];
  }

  /// Reports whether both try the same: apart from limits, and from how far the history goes on.
  bool tries_the_same(const Plan& other) const;

  bool operator==(const Plan&) const = default;
};

/// The most attempts that a plan may have.
constexpr std::int64_t kMostAttempts = 10'000;

/// Converts a plan to and from a JSON object. Returns Code::corrupt if it is not one.
std::string write_plan(const Plan& plan);
Result<Plan> read_plan(std::string_view text);

/// Converts an expectation to and from a JSON object.
std::string write_expectation(const Expectation& expects);
Expectation read_expectation(const json::Value& object);

}  // namespace spoor::attempts
