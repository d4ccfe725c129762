#include "cli/receiving.h"

#include <chrono>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "cli/recording.h"
#include "cli/spool_watch.h"
#include "receive/event_recorder.h"
#include "receive/spooled.h"
#include "receive/trace_recorder.h"

namespace spoor::cli {
namespace {

std::chrono::steady_clock::time_point moment() { return std::chrono::steady_clock::now(); }

constexpr std::size_t kMostTaken = 256U << 20U;  // At once: it is in memory until it is recorded.

// Takes what is new in the spool; it stays there until it is recorded. False: there is more.
Result<bool> take_new(const proxy::Spool& spool, receive::Posts& posts,
                      receive::TraceRecorder& traces, receive::EventRecorder& events,
                      std::uint64_t& refused) {
  std::size_t taken = 0;
  for (const std::string& name : TRY(spool.names())) {
    if (posts.has(name)) continue;
    if (taken > kMostTaken) return false;
    const auto claim = TRY(spool.claim(name));
    if (!claim) continue;  // Another recorder has it.
    const auto exchange = spool.read(name);
    if (!exchange && exchange.error().code != Error::Code::corrupt) return exchange.error();
    const auto signal = exchange ? receive::signal_of(exchange.value()) : std::nullopt;
    if (!signal) {
      refused += 1;
      spool.note_dropped("marshal_error");
      TRY(spool.refuse(name));
      continue;
    }
    const std::string& document = exchange.value().request;
    taken += document.size();
    *signal == receive::Signal::traces ? traces.add(name, document, moment())
                                       : events.add(name, document, moment());
  }
  return true;
}

}  // namespace

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
  return Received{root.find("ref").text(), count("traces"), count("spans"),  count("turns"),
                  count("events"),         count("joined"), count("refused")};
}

Result<Received> record_received(Session& session, const proxy::Spool& spool, int finish) {
  const SpoolWatch watch(spool.folder());
  Workspace& workspace = *TRY(session.workspace_or_new());
  TRY(session.require_writing());
  receive::Posts posts;
  graph::Repository& repository = workspace.repository();
  receive::TraceRecorder traces(repository, posts);
  import::AgentSessions sessions = agent_sessions(session, repository);
  receive::EventRecorder events(repository, posts,
                                [&](const import::KnownAgent& agent, Timestamp since) {
                                  return sessions.import(agent, since);
                                });
  Received received;
  const auto record = [&](bool is_final) -> Result<void> {
    for (bool is_all = false; !is_all;) {
      is_all = TRY(take_new(spool, posts, traces, events, received.refused));
      TRY(traces.record(moment(), is_final || !is_all));
      TRY(events.record(moment(), is_final));
      for (const auto& [name, is_refused] : posts.take_closed()) {
        if (!is_refused) {
          TRY(spool.remove(name));
          continue;
        }
        received.refused += 1;
        spool.note_dropped("reducer_error");
        TRY(spool.refuse(name));
      }
    }
    return {};
  };
  do {
    TRY(record(false));
  } while (watch.wait(finish));
  TRY(sessions.finish());  // The agents may have ended: their files are complete.
  TRY(record(true));
  const receive::TraceRecorder::Sums& sums = traces.sums();
  received.ref = sums.ref;
  received.traces = sums.traces;
  received.spans = sums.spans;
  received.turns = sums.turns;
  received.events = events.sums().events;
  received.joined = events.sums().joined;
  return received;
}

}  // namespace spoor::cli
