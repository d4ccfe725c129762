#include "cli/recording/receiving.h"

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "cli/recording/recording.h"
#include "cli/recording/spool_watch.h"
#include "receive/spooled.h"

namespace spoor::cli {

std::string write_received(const Received& received) {
  json::Object object;
  const auto add = [&](std::string_view key, std::uint64_t count) {
    object.add_integer(key, static_cast<std::int64_t>(count));
  };
  object.add_string("ref", received.ref);
  add("traces", received.traces);
  add("spans", received.spans);
  add("turns", received.turns);
  add("events", received.events);
  add("joined", received.joined);
  add("requests", received.requests);
  add("refused", received.refused);
  return object.write() + "\n";
}

std::optional<Received> read_received(std::string_view line) {
  const auto document = json::parse(line);
  if (!document || !document->root().find("ref")) return std::nullopt;
  const json::Value root = document->root();
  const auto count = [&](std::string_view key) {
    return static_cast<std::uint64_t>(root.find(key).integer().value_or(0));
  };
  return Received{root.find("ref").text(), count("traces"), count("spans"),    count("turns"),
                  count("events"),         count("joined"), count("requests"), count("refused")};
}

Result<Received> record_received(Session& session, const proxy::Spool& spool, int finish) {
  SpoolWatch watch(spool.folder());
  Workspace& workspace = *TRY(session.workspace_or_new());
  TRY(session.require_writing());
  graph::Repository& repository = workspace.repository();
  import::AgentSessions sessions = agent_sessions(session, repository);
  receive::SpoolRecorder recorder(spool, repository,
                                  [&](const import::KnownAgent& agent, Timestamp since) {
                                    return sessions.import(agent, since);
                                  });
  const auto record = [&](bool is_final) {
    return recorder.record(receive::SpoolRecorder::Clock::now(), is_final);
  };
  do {
    TRY(record(false));
  } while (watch.wait(finish));
  TRY(sessions.finish());  // The agents may have ended: their files are complete.
  TRY(record(true));
  const auto& [traces, spans, turns, ref] = recorder.traces();
  const auto& [events, joined] = recorder.events();
  return Received{
      ref, traces, spans, turns, events, joined, recorder.requests(), recorder.refused()};
}

}  // namespace spoor::cli
