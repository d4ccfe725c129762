#include "llm/http/recorded_transport.h"

#include <fmt/format.h>

namespace spoor::llm::http {
namespace {

Failure refuse(std::string message) {
  return {.kind = Failure::Kind::invalid_request, .message = std::move(message)};
}

Failure stopped() {
  return {.kind = Failure::Kind::interrupted, .message = "the call was stopped"};
}

bool is_meant(const std::string& recorded, const std::string& asked) {
  return recorded.empty() || recorded == asked;
}

std::optional<Failure> play(const Exchange& exchange, const Request& request, const Sink& sink) {
  if (request.stop.stop_requested()) return stopped();
  if (sink.on_head && exchange.status != 0) {
    sink.on_head({.status = exchange.status, .headers = exchange.headers});
  }
  std::string_view rest = exchange.body;
  for (std::size_t number = 0; !rest.empty(); ++number) {
    if (request.stop.stop_requested()) return stopped();
    const std::size_t size =
        number < exchange.chunks.size() ? exchange.chunks[number] : rest.size();
    const std::string_view bytes = rest.substr(0, size);
    rest.remove_prefix(bytes.size());
    if (sink.on_bytes && !sink.on_bytes(bytes)) return std::nullopt;
  }
  return exchange.failure;
}

}  // namespace

RecordedTransport::RecordedTransport(std::vector<Exchange> exchanges)
    : exchanges_(std::move(exchanges)) {}

std::optional<Failure> RecordedTransport::send(const Request& request, const Sink& sink) {
  std::size_t number = 0;
  {
    const std::scoped_lock lock(mutex_);
    number = sent_.size();
    sent_.push_back({.method = request.method,
                     .url = request.url,
                     .headers = request.headers,
                     .body = std::string(request.body)});
  }
  if (number >= exchanges_.size()) {
    return refuse(fmt::format("{} exchanges are recorded, and this is request {}",
                              exchanges_.size(), number + 1));
  }
  const Exchange& exchange = exchanges_[number];
  if (!is_meant(exchange.method, request.method) || !is_meant(exchange.url, request.url)) {
    return refuse(fmt::format("recorded is {} {}, asked was {} {}", exchange.method, exchange.url,
                              request.method, request.url));
  }
  return play(exchange, request, sink);
}

std::vector<SentRequest> RecordedTransport::sent() const {
  const std::scoped_lock lock(mutex_);
  return sent_;
}

std::optional<Failure> RecordingTransport::send(const Request& request, const Sink& sink) {
  Exchange exchange{.method = request.method, .url = request.url, .status = 0};
  const Sink recording{
      .on_head =
          [&](const Head& head) {
            exchange.status = head.status;
            exchange.headers = head.headers;
            if (sink.on_head) sink.on_head(head);
          },
      .on_bytes =
          [&](std::string_view bytes) {
            exchange.body += bytes;
            exchange.chunks.push_back(bytes.size());
            return !sink.on_bytes || sink.on_bytes(bytes);
          },
  };
  exchange.failure = real_.send(request, recording);

  const std::scoped_lock lock(mutex_);
  exchanges_.push_back(std::move(exchange));
  return exchanges_.back().failure;
}

std::vector<Exchange> RecordingTransport::exchanges() const {
  const std::scoped_lock lock(mutex_);
  return exchanges_;
}

}  // namespace spoor::llm::http
