#include "serve/page_server.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "base/base64.h"
#include "base/random.h"
#include "base/text.h"
#include "proxy/loopback.h"
#include "serve/connections.h"
#include "serve/http.h"

namespace spoor::serve {
namespace {

constexpr std::string_view kDataTarget = "/api";
constexpr std::string_view kEventsTarget = "/events";

// Nothing but the page's own files, and pictures that it makes of bytes it was given. Scripts can
// make no markup of a text (Trusted Types).
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

http::header<false> page_head(unsigned status, unsigned version, std::string_view media_type,
                              std::string_view caching = "no-store") {
  http::header<false> head;
  head.version(version);
  head.result(status);
  head.set("Content-Type", std::string(media_type));
  head.set("Content-Security-Policy", std::string(kPolicy));
  head.set("X-Content-Type-Options", "nosniff");
  head.set("X-Frame-Options", "DENY");
  head.set("Referrer-Policy", "no-referrer");
  head.set("Cross-Origin-Opener-Policy", "same-origin");
  head.set("Cross-Origin-Resource-Policy", "same-origin");
  head.set("Cache-Control", std::string(caching));
  return head;
}

void refuse_page(BeastWire& wire, unsigned status, unsigned version, std::string_view allow = {}) {
  http::header<false> head = page_head(status, version, "text/plain; charset=utf-8");
  head.set(http::field::connection, "close");
  if (status == 401) head.set(http::field::www_authenticate, "Bearer");
  if (status == 405) head.set(http::field::allow, std::string(allow));
  Outgoing<false> response(wire, std::move(head));
  // The connection ends with it in any case.
  if (response.write(fmt::format("{}\n", status))) static_cast<void>(response.end());
}

std::string_view header(const http::header<true>& head, const char* name) {
  return view_of(head[name]);
}

// A page of another origin, or one that made its name point here, may not ask.
bool is_from_here(const http::header<true>& head) {
  const std::string_view host = header(head, "Host");
  const std::string_view origin = header(head, "Origin");
  return head.count(http::field::host) == 1 && proxy::may_ask(host, "") &&
         head.count(http::field::origin) <= 1 &&
         (origin.empty() || origin == fmt::format("http://{}", host));
}

bool is_from_page(const http::header<true>& head) {
  const std::string_view site = header(head, "Sec-Fetch-Site");
  return site.empty() || site == "same-origin";
}

// Takes as long for a token that is nearly right as for any other.
bool is_token(std::string_view given, std::string_view token) {
  return !token.empty() && given.size() == token.size() &&
         CRYPTO_memcmp(given.data(), token.data(), token.size()) == 0;
}

bool has_token(const http::header<true>& head, std::string_view token) {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string_view value = header(head, "Authorization");
  return value.starts_with(kScheme) && is_token(value.substr(kScheme.size()), token);
}

bool is_json_type(const http::header<true>& head) {
  const std::string type = lowered(header(head, "Content-Type"));
  return trimmed(std::string_view(type).substr(0, type.find(';'))) == "application/json";
}

}  // namespace

Result<std::string> new_page_token() {
  constexpr std::size_t kBytes = 32;
  std::string token = with_url_alphabet(encode_base64(TRY(random_bytes(kBytes))));
  token.resize(std::min(token.find('='), token.size()));
  return token;
}

class PageServer::Impl {
 public:
  Impl(Descriptor socket, PageServerOptions options)
      : options_(std::move(options)),
        connections_(std::move(socket), {options_.most_connections, options_.head},
                     [this](Guest& guest) { answer_all(guest); }) {}

  Connections& connections() { return connections_; }

 private:
  void answer_all(Guest& guest) {
    Wire& wire = guest.wire();
    BeastWire beast(wire);
    boost::beast::flat_buffer buffer;
    auto time = options_.head;
    while (!guest.is_stopping()) {
      wire.set_patience(time);
      wire.set_deadline(std::chrono::steady_clock::now() + time);
      guest.set_idle(true);
      Incoming<true> request(beast, buffer);
      if (const auto read = request.read_head(); !read) {
        if (read.error().code == Error::Code::invalid) refuse_page(beast, 400, 11);
        return;
      }
      guest.set_idle(false);
      wire.set_deadline(std::nullopt);
      wire.set_patience(options_.silence);
      if (!answer(guest, beast, request)) return;
      if (request.head().version() != 11 || !request.goes_on() || !request.skip(kMostPageRequest)) {
        return;
      }
      time = options_.idle;
    }
  }

  // Returns false if the connection ends with it.
  bool answer(Guest& guest, BeastWire& beast, Incoming<true>& request) {
    const http::header<true>& head = request.head();
    const std::string_view target = view_of(head.target());
    const std::string_view path = target.substr(0, target.find('?'));
    const auto refuse = [&](unsigned status, std::string_view allow = {}) {
      refuse_page(beast, status, head.version(), allow);
      return false;
    };
    if (!is_from_here(head)) return refuse(403);
    const bool is_data = path == kDataTarget;
    if (is_data || path == kEventsTarget) {
      if (!is_from_page(head)) return refuse(403);
      if (!has_token(head, options_.token)) return refuse(401);
      if (head.method() != (is_data ? http::verb::post : http::verb::get)) {
        return refuse(405, is_data ? "POST" : "GET");
      }
      guest.let_in();
      if (!is_data) return send_events(guest, beast, request);
      return is_json_type(head) ? send_data(beast, request) : refuse(415);
    }
    const auto asset =
        std::ranges::find(options_.assets, path == "/" ? "/index.html" : path, &PageAsset::path);
    if (asset == options_.assets.end()) return refuse(404);
    if (head.method() != http::verb::get) return refuse(405, "GET");
    guest.let_in();
    http::header<false> out =
        page_head(200, head.version(), fmt::format("{}; charset=utf-8", asset->media_type));
    out.set("Content-Encoding", "gzip");  // Every browser takes it.
    Outgoing<false> response(beast, std::move(out));
    return response.write(asset->gzip) && response.end();
  }

  bool send_data(BeastWire& beast, Incoming<true>& request) {
    std::string body;
    std::array<char, 65'536> block{};
    while (true) {
      const auto count = request.read(block);
      if (!count) return false;
      if (*count == 0) break;
      body.append(block.data(), *count);
      if (body.size() > kMostPageRequest) {
        refuse_page(beast, 413, request.head().version());
        return false;
      }
    }
    const std::string answer = options_.answer(body);
    Outgoing<false> response(beast, page_head(200, request.head().version(), "application/json"));
    return response.write(answer) && response.end();
  }

  bool send_events(Guest& guest, BeastWire& beast, Incoming<true>& request) {
    if (!request.skip(0)) return false;
    Outgoing<false> response(
        beast, page_head(200, request.head().version(), "text/event-stream; charset=utf-8"));
    bool is_open = true;
    auto said = std::chrono::steady_clock::now();
    guest.set_idle(true);
    const auto put = [&](std::string_view event) {
      said = std::chrono::steady_clock::now();
      is_open = is_open && response.write(fmt::format("data: {}\n\n", event));
      return is_open;
    };
    // A browser that left without a word is noticed when it is written to.
    constexpr std::chrono::seconds kSign{15};
    const auto is_over = [&] {
      if (!is_open || guest.is_stopping() || guest.wire().is_stale()) return true;
      if (std::chrono::steady_clock::now() - said < kSign) return false;
      said = std::chrono::steady_clock::now();
      is_open = static_cast<bool>(response.write(": here\n\n"));
      return !is_open;
    };
    if (options_.follow(put, is_over)) static_cast<void>(response.end());
    return false;
  }

  const PageServerOptions options_;
  Connections connections_;
};

PageServer::PageServer(Descriptor socket, PageServerOptions options)
    : impl_(std::make_unique<Impl>(std::move(socket), std::move(options))) {}
PageServer::~PageServer() = default;

void PageServer::run() { impl_->connections().run(); }
void PageServer::stop() { impl_->connections().stop(); }
void PageServer::abandon() { impl_->connections().abandon(); }

}  // namespace spoor::serve
