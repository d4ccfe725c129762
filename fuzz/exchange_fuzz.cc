// Any bytes, as everything that the proxy reads of others: an HTTP message or a WebSocket in any
// pieces, a compressed body, a request that is cut, an exchange in a file.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "proxy/content_coding.h"
#include "proxy/cut_body.h"
#include "proxy/exchange.h"
#include "proxy/message_tap.h"
#include "proxy/socket_exchanges.h"
#include "proxy/socket_messages.h"

using namespace spoor;
using namespace spoor::proxy;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

constexpr std::size_t kMost = 1U << 16U;

// Reads a message of which `step` bytes more are there each time; returns its body.
template <bool is_request>
std::string body_of(std::string_view bytes, std::size_t step) {
  std::size_t room = kMost;
  MessageTap<is_request> tap(kMost, room);
  std::size_t read = 0;
  for (std::size_t end = 0; end < bytes.size() && !tap.is_done();) {
    end = std::min(bytes.size(), end + step);
    while (read < end && !tap.is_done()) {
      const auto used = tap.read(bytes.substr(read, end - read));
      if (!used) return "(none)";  // When that is seen depends on the pieces.
      require(*used <= end - read);
      if (*used == 0) break;
      read += *used;
    }
  }
  require(tap.body.size() <= kMost);
  return tap.is_done() ? tap.body : "(none)";
}

// Reads the messages of a WebSocket of which `step` bytes come each time.
std::string messages_of(std::string_view bytes, std::size_t step) {
  std::string all;
  SocketMessages reader(kMost, [&](const std::string& message, bool is_whole) {
    require(message.size() <= kMost && (is_whole || message.empty()));
    all += message + "\n";
  });
  bool is_sound = true;
  for (std::size_t at = 0; at < bytes.size() && is_sound; at += step) {
    is_sound = reader.read(bytes.substr(at, step));
  }
  return all;
}

std::string serialize(const Exchange& exchange) {
  return describe(exchange) + "\n" + exchange.request + exchange.response;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}}) {
    require(body_of<true>(text, step) == body_of<true>(text, kMost));
    require(body_of<false>(text, step) == body_of<false>(text, kMost));
  }
  const std::string messages = messages_of(text, 1);
  require(messages == messages_of(text, 7) && messages == messages_of(text, kMost));
  SocketExchanges exchanges(kMost, [](const SocketExchanges::Part& part) {
    require(part.request.size() <= kMost && part.response.size() <= kMost);
  });
  if (exchanges.read_client(text, 1)) exchanges.read_server(text, 2);
  exchanges.close(Ending::upstream_cut, 3);
  for (const char* coding : {"gzip", "zstd", "deflate", "br"}) {
    const auto decoded = decode_content(coding, text, kMost);
    if (decoded) require(decoded->size() <= kMost);
  }
  if (const auto exchange = parse_exchange(text)) {
    const std::string once = serialize(exchange.value());
    require(serialize(parse_exchange(once).value()) == once);
  }
  std::uint64_t bytes = 0;
  const auto objects = store::encode_rope(text, cut_body(text), store::Salter());
  for (const auto& object : objects) {
    if (object.kind == store::Kind::blob) bytes += object.body.size() - sizeof(store::Salt);
  }
  require(bytes == text.size());
  return 0;
}
