#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "c/reply.h"
#include "c/store.h"
#include "facade/run_setup.h"

namespace spoor::c {
namespace {

using Json = nlohmann::ordered_json;

// Carries requests to the program's own function.
class ProgramTransport final : public llm::http::Transport {
 public:
  explicit ProgramTransport(const spoor_run_functions& functions) : functions_(functions) {}

  std::optional<llm::Failure> send(const llm::http::Request& request,
                                   const llm::http::Sink& sink) override {
    using Kind = llm::Failure::Kind;
    spoor_reply reply;
    const auto failed = [&](Kind kind) {
      llm::Failure failure;
      failure.kind = kind;
      failure.message = std::move(reply.bytes);
      return failure;
    };
    if (request.stop.stop_requested()) return failed(Kind::interrupted);
    const int32_t status =
        functions_.send(functions_.context, borrowed(request.url), borrowed(request.body), &reply);
    if (request.stop.stop_requested()) return failed(Kind::interrupted);
    if (status <= 0) return failed(Kind::network);
    sink.on_head({.status = status, .headers = {}});
    sink.on_bytes(reply.bytes);
    return std::nullopt;
  }

 private:
  const spoor_run_functions functions_;
};

// ---- Options ----

// The members of an object, each of which must be read.
class Members {
 public:
  static Result<Members> parse(std::string_view text) {
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return invalid("the options of a run are not a JSON object");
    return Members(std::move(json));
  }
  explicit Members(Json json) : json_(std::move(json)) {}

  /// Sets `to` to a member, if it is there and not null.
  template <class T>
  Result<void> take(const char* name, T& to) {
    const auto found = json_.find(name);
    if (found == json_.end()) return {};
    try {
      if (!found->is_null()) found->get_to(to);
    } catch (const Json::exception&) {
      return invalid(fmt::format("the member '{}' has a value of another kind", name));
    }
    json_.erase(found);
    return {};
  }

  template <class T>
  Result<void> take(const char* name, std::optional<T>& to) {
    const auto found = json_.find(name);
    if (found == json_.end() || found->is_null()) return {};
    return take(name, to.emplace());
  }

  Result<void> end() const {
    if (json_.empty()) return {};
    return invalid(fmt::format("unknown member '{}'", json_.begin().key()));
  }

 private:
  Json json_;
};

struct Wanted {
  std::string branch = "main";
  std::string goal;
  std::string resume;
  std::optional<Approval> approval;
  std::string model;
  Model::Options connection;
  RunOptions run;
};

Result<Strategy> strategy_named(const std::string& name) {
  for (const Strategy each : {Strategy::react, Strategy::plan_and_execute, Strategy::reflexion}) {
    if (name == agent::name_of(inner(each))) return each;
  }
  return invalid(fmt::format("no strategy '{}'", name),
                 "take one of: react, plan_and_execute, reflexion");
}

Result<Tool> read_tool(const Json& json, const spoor_run_functions& functions) {
  if (!json.is_object()) return invalid("a tool is not a JSON object");
  Members members(json);
  Tool tool;
  Json parameters;
  TRY(members.take("id", tool.id));
  TRY(members.take("description", tool.description));
  TRY(members.take("parameters", parameters));
  TRY(members.take("read_only", tool.read_only));
  TRY(members.take("needs_approval", tool.needs_approval));
  TRY(members.end());
  if (functions.call_tool == nullptr) return invalid("there is no function 'call_tool'");
  if (!parameters.is_null()) tool.parameters = parameters.dump();
  tool.run = [functions, id = tool.id](const nlohmann::json& arguments) {
    spoor_reply reply;
    const std::string given = arguments.dump();
    const int32_t failed =
        functions.call_tool(functions.context, borrowed(id), borrowed(given), &reply);
    return ToolResult{.text = std::move(reply.bytes), .is_error = failed != 0};
  };
  return tool;
}

Result<std::optional<Approval>> read_approval(const Json& json) {
  if (json.is_null()) return std::optional<Approval>();
  if (!json.is_object()) return invalid("the member 'approval' is not a JSON object");
  Members members(json);
  Approval approval;
  TRY(members.take("allows", approval.allows));
  TRY(members.take("reason", approval.reason));
  TRY(members.end());
  return std::optional(approval);
}

Result<void> read_connection(Members& members, Model::Options& connection) {
  TRY(members.take("base_url", connection.base_url));
  TRY(members.take("rates", connection.rates));
  Json params;
  TRY(members.take("params", params));
  if (!params.is_null()) connection.params = params.dump();
  return {};
}

Result<Wanted> read_options(std::string_view text, const spoor_run_functions& functions) {
  Members members = TRY(Members::parse(text));
  Wanted wanted;
  RunOptions& run = wanted.run;
  std::string strategy = "react";
  Json tools, approval;
  TRY(members.take("branch", wanted.branch));
  TRY(members.take("goal", wanted.goal));
  TRY(members.take("resume", wanted.resume));
  TRY(members.take("approval", approval));
  TRY(members.take("model", wanted.model));
  TRY(members.take("strategy", strategy));
  TRY(members.take("tools", tools));
  TRY(members.take("synthesize", run.synthesize));
  TRY(members.take("memory_of", run.memory_of));
  TRY(members.take("instructions", run.instructions));
  TRY(members.take("max_steps", run.max_steps));
  TRY(members.take("max_dollars", run.max_dollars));
  TRY(members.take("max_tokens", run.max_tokens));
  TRY(members.take("native_calls", run.native_calls));
  TRY(members.take("strict_refs", run.strict_refs));
  TRY(read_connection(members, wanted.connection));
  TRY(members.end());
  run.strategy = TRY(strategy_named(strategy));
  wanted.approval = TRY(read_approval(approval));
  if (!tools.is_null() && !tools.is_array()) return invalid("the member 'tools' is not a list");
  for (const Json& tool : tools) run.tools.push_back(TRY(read_tool(tool, functions)));
  if (wanted.goal.empty() == wanted.resume.empty()) {
    return invalid("a run needs a 'goal' or, to go on with one, 'resume'");
  }
  return wanted;
}

Result<Model> open_model(Wanted& wanted, const spoor_run_functions& functions) {
  std::unique_ptr<llm::http::Transport> transport;
  if (functions.send != nullptr) transport = std::make_unique<ProgramTransport>(functions);
  return Access::open_model(wanted.model, std::move(wanted.connection), std::move(transport));
}

// Lets the run call the program's functions.
void connect(const spoor_run_functions& functions, std::stop_source& stopping, RunOptions& run) {
  run.stop = stopping.get_token();
  if (functions.event != nullptr) {
    run.on_event = [functions, &stopping](std::string_view event, std::string_view text) {
      if (functions.event(functions.context, borrowed(event), borrowed(text)) != 0) {
        stopping.request_stop();
      }
    };
  }
  if (functions.approve != nullptr) {
    run.person = [functions](std::string_view tool, std::string_view arguments) {
      spoor_reply reason;
      const int32_t said =
          functions.approve(functions.context, borrowed(tool), borrowed(arguments), &reason);
      std::optional<Approval> approval;
      if (said >= 0) approval = {.allows = said != 0, .reason = std::move(reason.bytes)};
      return approval;
    };
  }
}

// Asks the program whether a run is to stop, as long as this lives.
class StopWatch {
 public:
  StopWatch(const spoor_run_functions& functions, std::stop_source& stopping) {
    if (functions.is_stopped == nullptr) return;
    thread_ = std::jthread([this, functions, &stopping](const std::stop_token& ended) {
      std::unique_lock lock(mutex_);
      const auto is_over = [&] { return ended.stop_requested() || stopping.stop_requested(); };
      while (!over_.wait_for(lock, ended, kLook, is_over)) {
        if (functions.is_stopped(functions.context) != 0) stopping.request_stop();
      }
    });
  }

 private:
  static constexpr std::chrono::milliseconds kLook{50};
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::jthread thread_;  // Last, so that it ends before the members it uses.
};

// ---- Result ----

Json shown(const Step& step) {
  Json json = {
      {"commit", step.commit.hex()},     {"answer", step.answer.hex()}, {"why", step.why},
      {"thought", step.thought},         {"action", step.action},       {"input", step.input},
      {"observation", step.observation}, {"is_error", step.is_error},   {"started", step.started}};
  json["dollars"] = step.dollars ? Json(*step.dollars) : Json();
  return json;
}

std::string shown(const RunResult& result) {
  Json json = {{"run", result.run}, {"stopped", result.stopped}, {"by", result.by}};
  json["answer"] = result.answer ? Json(*result.answer) : Json();
  json["best"] = result.best;
  json["error"] = result.error;
  json["steps"] = Json::array();
  for (const Step& step : result.steps) json["steps"].push_back(shown(step));
  json["dollars"] = result.dollars;
  json["tokens"] = result.tokens;
  json["is_cost_known"] = result.is_cost_known;
  json["waits_for"] = result.waits_for;
  json["waits_with"] = result.waits_with;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Result<std::string> Store::run_agent(std::string_view options,
                                     const spoor_run_functions& functions) {
  Wanted wanted = TRY(read_options(options, functions));
  const Model model = TRY(open_model(wanted, functions));
  std::stop_source stopping;
  connect(functions, stopping, wanted.run);
  const StopWatch watch(functions, stopping);
  Branch branch = Access::branch(body_, wanted.branch);
  if (wanted.resume.empty()) return shown(TRY(branch.run(wanted.goal, model, wanted.run)));
  return shown(TRY(branch.resume(wanted.resume, model, wanted.run, wanted.approval)));
}

}  // namespace spoor::c
