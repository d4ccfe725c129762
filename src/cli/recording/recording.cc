#include "cli/recording/recording.h"

#include <chrono>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "cli/begin_head.h"
#include "cli/recording/spool_watch.h"
#include "cli/settings/prices.h"
#include "cli/views/amounts.h"
#include "llm/price.h"
#include "proxy/recorder.h"

namespace spoor::cli {
namespace {

struct Sums {
  Recording recording;
  llm::Money cost;
  bool is_cost_known = true;
};

void add(const proxy::Recorded& recorded, const llm::PriceList& prices, Sums& sums) {
  Recording& all = sums.recording;
  all.ref = recorded.ref;
  ++all.requests;
  const llm::Usage& usage = recorded.usage;
  all.input += usage.input.value_or(0) + usage.cached.value_or(0) + usage.cache_written.value_or(0);
  all.output += recorded.usage.output.value_or(0);
  const llm::Price* price = prices.find(recorded.provider, recorded.model);
  const auto cost = price != nullptr ? llm::cost_of(recorded.usage, *price) : std::nullopt;
  if (cost) sums.cost += cost->amount;
  if (recorded.answer && (!cost || cost->is_lower_bound)) sums.is_cost_known = false;
}

// How long an exchange may wait for the agent to write its own file.
constexpr std::chrono::seconds kPatience{60};

bool is_old(const proxy::Exchange& exchange, Timestamp now) {
  const std::chrono::microseconds age(now.micros - exchange.begun.micros - exchange.end);
  return age > kPatience;
}

Result<void> record_one(const proxy::Spool& spool, const std::string& name, bool is_last,
                        proxy::Recorder& recorder, const llm::PriceList& prices, Sums& sums) {
  const auto claim = TRY(spool.claim(name));
  if (!claim) return {};  // Another recorder has it.
  const auto refuse = [&](std::string_view reason) -> Result<void> {
    spool.note_dropped(reason);
    return spool.refuse(name);
  };
  const auto exchange = spool.read(name);
  if (!exchange && exchange.error().code != Error::Code::corrupt) return exchange.error();
  if (!exchange) return refuse("marshal_error");
  const bool is_final =
      is_last || !spool.is_own(name) || is_old(exchange.value(), SystemClock().now());
  const auto recorded = recorder.record(exchange.value(), is_final);
  if (!recorded && proxy::may_pass(recorded.error())) return recorded.error();
  if (!recorded) return refuse("reducer_error");
  if (recorded->reason == proxy::kLater) return {};
  if (recorded->reason.empty()) {
    if (spool.is_own(name)) add(recorded.value(), prices, sums);
  } else if (recorded->reason != "non_turn_request") {
    return refuse(recorded->reason);
  }
  return spool.remove(name);
}

}  // namespace

import::AgentSessions agent_sessions(const Session& session, graph::Repository& repository){
    const Environment& environment = session.environment();
return {environment.variable("HOME").value_or(""),
        [&](const char* name) { return environment.variable(name); }, repository};
}  // namespace spoor::cli

std::string write_recording(const Recording& recording) {
  json::Object object;
  object.add_string("ref", recording.ref);
  object.add_integer("requests", static_cast<std::int64_t>(recording.requests));
  object.add_integer("input", static_cast<std::int64_t>(recording.input));
  object.add_integer("output", static_cast<std::int64_t>(recording.output));
  object.add_string("cost", recording.cost);
  return object.write() + "\n";
}

std::optional<Recording> read_recording(std::string_view line) {
  const auto document = json::parse(line);
  if (!document || !document->root().find("ref")) return std::nullopt;
  const json::Value root = document->root();
  const auto count = [&](std::string_view key) {
    return static_cast<std::uint64_t>(root.find(key).integer().value_or(0));
  };
  return Recording{root.find("ref").text(), count("requests"), count("input"), count("output"),
                   root.find("cost").text()};
}

Result<Recording> record_all(Session& session, const proxy::Spool& spool, int finish) {
  SpoolWatch watch(spool.folder());
  Workspace& workspace = *TRY(session.workspace_or_new());
  TRY(session.require_writing());
  const llm::PriceList prices(TRY(read_prices(session.environment())));
  graph::Repository& repository = workspace.repository();
  import::AgentSessions sessions = agent_sessions(session, repository);
  proxy::Recorder recorder(repository, [&](const import::KnownAgent& agent, Timestamp since) {
    return sessions.import(agent, since);
  });
  Sums sums;
  const auto record_spool = [&](bool is_last) -> Result<void> {
    for (const std::string& name : TRY(spool.names())) {
      TRY(record_one(spool, name, is_last, recorder, prices, sums));
    }
    return {};
  };
  do {
    TRY(record_spool(false));
  } while (watch.wait(finish));
  TRY(sessions.finish());  // The agent has ended: its files are complete.
  TRY(record_spool(true));
  TRY(begin_head(workspace, sums.recording.ref));
  const bool is_unknown = !sums.is_cost_known && sums.cost == llm::Money();
  sums.recording.cost = is_unknown ? "cost unknown" : short_cost(sums.cost, sums.is_cost_known);
  return sums.recording;
}

}  // namespace spoor::cli
