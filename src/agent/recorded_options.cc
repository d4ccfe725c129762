#include "agent/planner.h"

#include <utility>

#include "agent/planners/models.h"
#include "base/json/writer.h"
#include "llm/request_params.h"

namespace spoor::agent {

std::string write_options(std::string_view planner, const llm::Candidate& llm,
                          const Session& session, const Catalogue& catalogue,
                          const RunOptions& options) {
  const Calling calling = planners::calling_of(options.calling, llm.provider->profile());
  json::Object object;
  object.add_string("planner", planner);
  object.add_string("model", llm::full_name(llm));
  std::vector<std::string> fallbacks;
  for (const auto& fallback : options.fallbacks) {
    fallbacks.push_back(llm::full_name(fallback));
  }
  if (!fallbacks.empty()) object.add_json("fallbacks", json::write_strings(fallbacks));
  if (!llm.params.empty()) {
    if (const auto params = json::canonical(llm.params)) object.add_json("params", *params);
  }
  std::vector<std::string> ids;
  for (const auto& entry : catalogue.entries) ids.push_back(entry.id);
  object.add_json("tools", json::write_strings(ids));
  object.add_integer("max_steps", options.max_steps);
  object.add_integer("max_replans", options.max_replans);
  object.add_integer("max_outer_iterations", options.max_outer_iterations);
  if (options.planner_version > 1) {
    object.add_integer("planner_version", options.planner_version);
  }
  if (options.synthesize) object.add_boolean("synthesize", true);
  if (options.max_tokens_per_call > 0) {
    object.add_integer("max_tokens_per_call", options.max_tokens_per_call);
  }
  if (options.nudges_per_step != 1) {
    object.add_integer("nudges_per_step", options.nudges_per_step);
  }
  object.add_integer("window_tokens", session.options().window_tokens);
  object.add_string("when_full", name_of(session.options().when_full));
  object.add_string("calling", name_of(calling));
  object.add_boolean("rationale", options.rationale);
  object.add_boolean("strict_refs", options.strict_refs);
  if (!options.temperature.empty()) object.add_string("temperature", options.temperature);
  if (!options.effort.empty()) object.add_string("effort", options.effort);
  if (!options.instructions.empty()) object.add_string("instructions", options.instructions);
  if (options.budget.max_cost) {
    object.add_raw_token("max_cost_usd", dollars(*options.budget.max_cost));
  }
  if (options.budget.max_tokens) {
    object.add_raw_token("max_tokens", std::to_string(*options.budget.max_tokens));
  }
  if (options.budget.max_wall_time) {
    object.add_raw_token("max_wall_time_s", seconds(*options.budget.max_wall_time));
  }
  if (!options.keep.empty()) {
    if (const auto kept = json::canonical(options.keep)) object.add_json("caller", *kept);
  }
  return object.write();
}

namespace {

void read_integer(const json::Value& root, std::string_view key, std::int64_t& value) {
  if (const auto read = root.find(key).integer()) value = *read;
}

}  // namespace

Result<std::vector<std::string>> models_of(std::string_view text) {
  const auto document = json::parse(text);
  std::vector<std::string> models = {document ? document->root().find("model").text() : ""};
  if (models.front().empty()) return corrupt("the options of a run name no model");
  for (const json::Value fallback : document->root().find("fallbacks").elements()) {
    models.push_back(fallback.text());
  }
  return models;
}

Result<Session::Options> session_options_of(const record::Header& header) {
  const auto document = json::parse(header.options);
  if (!document) return corrupt("the options of a run are not a JSON object");
  Session::Options options;
  options.principal = header.principal;
  read_integer(document->root(), "window_tokens", options.window_tokens);
  const json::Value when_full = document->root().find("when_full");
  // Earlier versions recorded `leaves_in_blocks`, or neither.
  const bool in_blocks = document->root().find("leaves_in_blocks").is_true();
  options.when_full = in_blocks ? WhenFull::drop : WhenFull::drop_each;
  if (when_full) {
    const auto read = when_full_from(when_full.text());
    if (!read) return unavailable("the run's window is left in a way that is not known");
    options.when_full = *read;
  }
  return options;
}

Result<void> read_options(std::string_view text, RunOptions& options) {
  const auto document = json::parse(text);
  if (!document || !document->root().is_object()) {
    return corrupt("the options of a run are not a JSON object");
  }
  const json::Value root = document->root();
  options.tools = TRY(read_tool_selection(root.find("tools")));
  read_integer(root, "max_steps", options.max_steps);
  read_integer(root, "max_replans", options.max_replans);
  read_integer(root, "max_outer_iterations", options.max_outer_iterations);
  read_integer(root, "max_tokens_per_call", options.max_tokens_per_call);
  read_integer(root, "nudges_per_step", options.nudges_per_step);
  options.planner_version = 1;
  read_integer(root, "planner_version", options.planner_version);
  options.synthesize = root.find("synthesize").is_true();
  const auto calling = calling_from(root.find("calling").text());
  if (!calling) return corrupt("the options of a run name an unknown way of calling tools");
  options.calling = *calling;
  options.rationale = !root.find("rationale").is_false();
  options.strict_refs = root.find("strict_refs").is_true();
  options.temperature = root.find("temperature").text();
  options.effort = root.find("effort").text();
  options.instructions = root.find("instructions").text();
  options.budget = {};
  options.budget.max_cost = llm::parse_dollars(root.find("max_cost_usd").raw());
  if (const auto tokens = root.find("max_tokens").integer()) {
    options.budget.max_tokens = static_cast<std::uint64_t>(*tokens);
  }
  if (const auto wall_time = root.find("max_wall_time_s")) {
    // Microseconds, parsed exactly, as dollars are.
    if (const auto read = llm::parse_dollars(wall_time.raw())) {
      options.budget.max_wall_time = std::chrono::microseconds(read->nano_dollars / 1'000);
    }
  }
  return {};
}

}  // namespace spoor::agent
