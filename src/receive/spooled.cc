#include "receive/spooled.h"

#include <optional>
#include <utility>

namespace spoor::receive {
namespace {

// Returns what a file of the spool contains; nullopt if it is of another kind.
std::optional<Signal> signal_of(const proxy::Exchange& exchange) {
  if (exchange.target == "/v1/traces") return Signal::traces;
  if (exchange.target == "/v1/logs") return Signal::logs;
  return std::nullopt;
}

}  // namespace

Result<void> put(const proxy::Spool& spool, Signal signal, std::string document) {
  proxy::Exchange exchange;
  exchange.method = "POST";
  exchange.target = signal == Signal::traces ? "/v1/traces" : "/v1/logs";
  exchange.request = std::move(document);
  exchange.begun = SystemClock().now();
  return spool.put(exchange);
}

Result<void> SpoolRecorder::refuse(const std::string& name, std::string_view reason) {
  refused_ += 1;
  spool_.note_dropped(reason);
  return spool_.refuse(name);
}

// Takes what is new. False: there is more.
Result<bool> SpoolRecorder::take(Clock::time_point now) {
  for (const std::string& name : TRY(spool_.names())) {
    if (held_.contains(name)) continue;
    if (bytes_ > most_) return false;
    const auto claim = TRY(spool_.claim(name));
    if (!claim) continue;  // Another recorder has it.
    const auto exchange = spool_.read(name);
    if (!exchange && exchange.error().code != Error::Code::corrupt) return exchange.error();
    const auto signal = exchange ? signal_of(exchange.value()) : std::nullopt;
    if (!signal) {
      TRY(refuse(name, "marshal_error"));
      continue;
    }
    const auto parsed = json::parse(exchange.value().request);
    if (!parsed) {
      TRY(refuse(name, "reducer_error"));
      continue;
    }
    const json::Value document = parsed->root();
    held_.emplace(name, document.raw().size());
    bytes_ += document.raw().size();
    if (*signal == Signal::traces) {
      traces_.add(name, document, now);
      prompts_.add(name, document, now);
    } else {
      events_.add(name, document, now);
    }
  }
  return true;
}

Result<void> SpoolRecorder::record(Clock::time_point now, bool is_final) {
  for (bool is_all = false; !is_all;) {
    is_all = TRY(take(now));
    TRY(traces_.record(now, is_final || !is_all));
    TRY(prompts_.record(now, is_final || !is_all));
    TRY(events_.record(now, is_final || !is_all));
    for (const auto& [name, is_refused] : posts_.take_closed()) {
      const auto held = held_.extract(name);
      bytes_ -= held.mapped();
      TRY(is_refused ? refuse(name, "reducer_error") : spool_.remove(name));
    }
  }
  return {};
}

}  // namespace spoor::receive
