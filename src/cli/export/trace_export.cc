#include "cli/export/trace_export.h"

#include <fmt/format.h>

#include "cli/debrief_source.h"
#include "cli/export/output_file.h"
#include "cli/models/stop_on_interrupt.h"
#include "cli/settings/prices.h"
#include "cli/terminal/untrusted.h"
#include "cli/views/times.h"
#include "guard/check/evaluations.h"
#include "llm/http/curl_transport.h"
#include "receive/protobuf.h"
#include "report/event/projection.h"
#include "report/export/otlp.h"
#include "report/export/prov.h"

namespace spoor::cli {
namespace {

using trace::DecisionEvent;

constexpr std::size_t kMostOfAnswer = 500;  // Bytes of a collector's response.

// Posts one signal to a collector, in protobuf, which every one of them reads; some refuse JSON.
// OTLP/HTTP: docs of opentelemetry-proto, "OTLP/HTTP". Returns whether there is anything at that
// address.
Result<bool> post(const std::string& address, receive::Signal signal, const std::string& document,
                  const std::stop_token& stop) {
  const std::string body = TRY(receive::protobuf_of_json(signal, document));
  llm::http::CurlTransport transport;
  llm::http::Request request;
  request.url = address;
  request.headers = {{"Content-Type", "application/x-protobuf"}};
  request.body = body;
  request.stop = stop;
  int status = 0;
  std::string answer;
  const llm::http::Sink sink{.on_head = [&](const llm::http::Head& head) { status = head.status; },
                             .on_bytes =
                                 [&](std::string_view bytes) {
                                   answer += bytes.substr(
                                       0, kMostOfAnswer - std::min(kMostOfAnswer, answer.size()));
                                   return true;
                                 }};
  if (const auto failure = transport.send(request, sink)) return to_error(*failure);
  if (status >= 200 && status < 300) return true;
  if (status == 404 || status == 405) return false;
  return unavailable(fmt::format("{} answered {}: {}", address, status, visible_line(answer)),
                     "OTLP over HTTP is usually at port 4318");
}

// Posts traces and logs. Viewers of traces, such as Phoenix, take no logs.
Result<void> post_all(Session& session, std::string address, const report::OtlpExport& otlp) {
  const StopOnInterrupt interrupt;
  while (address.ends_with('/')) address.pop_back();
  if (!TRY(post(address + "/v1/traces", receive::Signal::traces, otlp.traces(),
                interrupt.token()))) {
    return unavailable(fmt::format("{}/v1/traces takes no traces", address),
                       "OTLP over HTTP is usually at port 4318");
  }
  if (!TRY(post(address + "/v1/logs", receive::Signal::logs, otlp.logs(), interrupt.token()))) {
    session.err().print(fmt::format("{} takes no log events\n", address));
  }
  return {};
}

}  // namespace

Result<void> export_trace(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  const graph::Repository& repository = workspace.repository();
  const auto& named = arguments.all("revision");
  const auto subject = TRY(find_subject(workspace, named.empty() ? "latest" : named.front()));
  report::OtlpExport::Options options;
  options.edition = report::edition_from(arguments.text("--edition", "1.41"))
                        .value_or(report::OtelEdition::v1_41);
  options.with_content = arguments.has("--content");
  report::OtlpExport otlp(options);
  report::ProvExport prov;
  const auto judgements = TRY(guard::check::read_evaluations(repository));
  report::EventOptions how;
  how.judgements = &judgements;
  const llm::PriceList prices(TRY(read_prices(session.environment())));
  how.prices = &prices;
  std::uint64_t events = 0;
  TRY(report::project(repository, subject.run, subject.head, how,
                      [&](DecisionEvent&& event) -> Result<void> {
                        ++events;
                        otlp.add(event);
                        prov.add(event);
                        return {};
                      }));
  if (arguments.has("--otlp")) {
    TRY(write_output(session, arguments.text("--otlp"), otlp.traces() + '\n' + otlp.logs() + '\n'));
  }
  if (arguments.has("--prov")) {
    TRY(write_output(session, arguments.text("--prov"), prov.document() + '\n'));
  }
  if (arguments.has("--post")) {
    TRY(post_all(session, arguments.text("--post"), otlp));
  }
  const bool is_quiet = arguments.text("--otlp") == "-" || arguments.text("--prov") == "-";
  if (!is_quiet) session.out().print(fmt::format("{}\n", counted(events, "event")));
  return {};
}

}  // namespace spoor::cli
