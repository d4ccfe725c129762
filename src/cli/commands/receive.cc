#include <array>
#include <chrono>

#include <fmt/format.h>

#include "agent/numbers.h"
#include "cli/common_options.h"
#include "cli/recording/receiving.h"
#include "cli/recording/serving.h"
#include "cli/session.h"
#include "cli/views/turn_text.h"
#include "receive/receiver.h"
#include "receive/spooled.h"
#include "store/store.h"

namespace spoor::cli {
namespace {

using agent::counted;
using agent::grouped;
using proxy::Station;

constexpr std::chrono::milliseconds kEndGrace{2000};     // A client that is slow sends again.
constexpr std::string_view kAddress = "127.0.0.1:4318";  // The port that OTLP/HTTP has by default.

constexpr std::array kReceiveOptions = {
    Option{"--listen", "ADDRESS", "where programs send to (default: 127.0.0.1:4318)"},
};

constexpr std::array kReceiveExamples = {
    Example{"spoor receive", "record what programs on this machine send to the usual port"},
    Example{"spoor receive --listen 127.0.0.1:0", "at any free port, which is printed"},
};

// Prints "recorded otel/1f3a: 2 traces, 34 spans, 12 new turns, 51 events".
void print_received(Session& session, const std::optional<Received>& received) {
  Output& out = session.err();
  if (!received) {
    out.print("spoor: not everything is recorded yet; the next 'spoor receive' goes on\n").flush();
    return;
  }
  std::string line = "spoor: ";
  std::string counts;
  const auto add = [&](std::uint64_t count, const std::string& text) {
    if (count > 0) counts += (counts.empty() ? " " : ", ") + text;
  };
  add(received->spans,
      fmt::format("{}, {}, {}", counted(received->traces, "trace"),
                  counted(received->spans, "span"), counted(received->turns, "new turn")));
  add(received->events, fmt::format("{} ({} about turns in the store)",
                                    counted(received->events, "event"), grouped(received->joined)));
  add(received->requests, counted(received->requests, "request"));
  if (counts.empty()) {
    line += "nothing was recorded";
  } else {
    std::string ref = received->ref;
    const std::string heads = store::branch_ref("");
    if (ref.starts_with(heads)) ref.erase(0, heads.size());
    line += (ref.empty() ? "recorded" : "recorded " + ref + ":") + counts;
  }
  if (received->refused > 0) {
    line += fmt::format("; {} could not be recorded", counted(received->refused, "post"));
  }
  out.print(line + "\n").flush();
}

Result<void> run_receive(Session& session, const Arguments& arguments) {
  TRY(require_shell(session));
  const std::string folder = TRY(spool_folder(session, "received"));
  const Pipe said = TRY(Pipe::make());
  const auto station = TRY(Station::start(
      {.listen = arguments.text("--listen", std::string(kAddress)),
       .spool = folder,
       .serve = [](int socket,
                   const proxy::Spool& spool) -> Result<std::unique_ptr<proxy::Server>> {
         const auto put = [&spool](receive::Signal signal, std::string document) {
           return receive::put(spool, signal, std::move(document));
         };
         return std::unique_ptr<proxy::Server>(
             std::make_unique<receive::Receiver>(socket, receive::ReceiverOptions{.put = put}));
       },
       .grace = kEndGrace,
       .record = [&](const proxy::Spool& spool, int finish) -> int {
         const auto received = record_received(session, spool, finish);
         if (!received) return failed_recorder(session, received.error());
         said.say(write_received(received.value()));
         return kExitOk;
       }}));
  serve_until_signal(session, *station);
  station->finish();
  print_received(session, read_received(said.heard()));
  return {};
}

}  // namespace

extern const Command kReceive{
    .name = "receive",
    .summary = "Record the OpenTelemetry that agents and programs send",
    .options = kReceiveOptions,
    .run = run_receive,
    .group = Group::start,
    .details =
        "Prints its address, and takes OTLP/HTTP there, in JSON or protobuf, from programs\n"
        "on this machine. Spans of model calls become turns, as 'spoor import' makes them of\n"
        "a file; log events of Claude Code, Codex and Gemini CLI become notes about the turns\n"
        "of their sessions. Other spans, other events and all metrics are dropped. Ctrl-C\n"
        "ends it, after all is written.\n"
        "\n"
        "Tell programs with OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 and\n"
        "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf or http/json.",
    .examples = kReceiveExamples,
    .is_callable = false,
};

}  // namespace spoor::cli
