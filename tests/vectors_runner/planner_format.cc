#include <utility>

#include "tests/vectors_runner/fields.h"
#include "tests/vectors_runner/formats.h"
#include "tests/vectors_runner/planner_play.h"

namespace spoor::vectors {
namespace {

const Names kOptions = {"goal",         "max_steps",    "max_replans",     "max_outer_iterations",
                        "max_cost_usd", "max_tokens",   "max_wall_time_s", "tools",
                        "tool_filter",  "tracker_start"};
const Names kExpectations = {"stopped",         "answer",      "answer_json",  "error_contains",
                             "strategy",        "steps",       "llm_calls",    "critic_calls",
                             "tool_calls",      "catalogue",   "unregistered", "warnings",
                             "callable_calls",  "plans_count", "critiques",    "session_contains",
                             "session_excludes"};

void check_tool(const Json& tool) {
  check_keys(tool, {"id", "description", "params"}, {"annotations", "replies"}, "a tool");
  for (const Json& param : tool["params"]) {
    check_keys(param, {"name", "type", "required"}, {}, "a parameter");
  }
  if (!tool.contains("replies")) return;
  for (const Json& reply : tool["replies"]) {
    check_keys(reply, {}, {"return", "tool_error", "advance_s", "cost_usd", "dedupe"}, "a reply");
    require(reply.contains("return") != reply.contains("tool_error"), "a tool gives or fails");
    require(reply.value("dedupe", "child") == "child", "an unknown dedupe");
  }
}

void check_expectation(const Json& expect) {
  if (expect.contains("error_code")) {
    check_keys(expect, {"error_code"}, {}, "the expectation");
    return;
  }
  check_keys(expect, {"stopped"}, kExpectations, "the expectation");
  for (const Json& step : expect.value("steps", Json::array())) {
    check_keys(step, {"action"}, {"thought", "action_input", "observation", "observation_prefix"},
               "a step");
  }
  for (const Json& message : expect.value("session_contains", Json::array())) {
    check_keys(message, {"role", "text"}, {}, "a message of the session");
  }
}

AnyVector read_vector(const Json& json) {
  check_keys(json,
             {"name", "family", "origin", "planner", "options", "tools", "model_replies", "expect"},
             {"note"}, "a vector");
  require(json["name"].is_string(), "a name is no text");
  const Names origins = {"stated", "derived", "settled"};
  require(json["origin"].is_string() && origins.contains(json["origin"]), "an unknown origin");
  check_keys(json["options"], {"goal"}, kOptions, "the options");
  for (const Json& tool : json["tools"]) check_tool(tool);
  for (const Json& reply : json["model_replies"]) {
    check_keys(
        reply, {"for"},
        {"text", "provider_error", "prompt_tokens", "completion_tokens", "cost_usd", "advance_s"},
        "a reply of the model");
  }
  check_expectation(json["expect"]);
  return {.name = json["name"], .needs_store = true, .play = [json](testing::Backend* backend) {
            try {
              return play_planner(*backend, json);
            } catch (const std::exception& problem) {  // A value of another type than the format's.
              return std::vector<std::string>{problem.what()};
            }
          }};
}

std::vector<AnyVector> read_planners(const Json& file, const std::string& where,
                                     const Reading& how) {
  return read_each(file, where, how, read_vector);
}

}  // namespace

const Format kPlannerFormat{"spoor-planner-1", read_planners};

}  // namespace spoor::vectors
