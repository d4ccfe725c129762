#include "serve/http_link.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "proxy/loopback.h"
#include "serve/http.h"

namespace spoor::serve {
namespace {

using sync::ByteSink;
using sync::ByteSource;

constexpr std::size_t kLongest = 4'096;  // An address, or a token.

struct Url {
  std::string scheme;
  std::string host;  // With the port.
  std::string path;
};

std::optional<Url> split(const std::string& url) {
  const std::size_t colon = url.find("://");
  if (colon == std::string::npos || url.size() > kLongest) return std::nullopt;
  Url parts{.scheme = lowered(url.substr(0, colon))};
  if (parts.scheme != "http" && parts.scheme != "https") return std::nullopt;
  const std::string rest = url.substr(colon + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  parts.host = lowered(rest.substr(0, slash));
  parts.path = rest.substr(slash);
  while (parts.path.ends_with('/')) parts.path.pop_back();
  for (const char c : rest) {
    if (c <= ' ' || c == '\x7f' || c == '?' || c == '#') return std::nullopt;
  }
  if (parts.host.empty()) return std::nullopt;
  return parts;
}

Error refusal(unsigned status, const std::string& url) {
  if (status == 401 || status == 403) {
    return denied(fmt::format("{} does not accept this token", url),
                  fmt::format("get one from its owner ('spoor serve allow NAME'), then run: "
                              "spoor remote login {}",
                              url));
  }
  if (status == 413) {
    return denied(fmt::format("the web server at {} takes no bodies of this size", url),
                  "its owner can change that (nginx: client_max_body_size 0)");
  }
  if (status == 404) return not_found(fmt::format("no store answers at {}", url), "check the path");
  return unavailable(fmt::format("{} answers with status {}", url, status), "try again later");
}

class HttpLink final : public sync::Link {
 public:
  HttpLink(Url parts, HttpAddress address, std::function<bool()> is_cancelled)
      : url_(std::move(parts)),
        address_(std::move(address)),
        is_cancelled_(std::move(is_cancelled)) {
    head_.method(http::verb::post);
    head_.version(11);
    head_.target(url_.path + std::string(kTarget));
    head_.set(http::field::host, url_.host);
    head_.set("Content-Type", std::string(kContentType));
    if (!address_.token.empty()) {
      head_.set(http::field::authorization, "Bearer " + address_.token);
    }
  }

  Result<ByteSource> ask(const std::function<Result<void>(const ByteSink&)>& write) override {
    TRY(connect());
    Outgoing<true> request(*beast_, head_);
    auto written = write([&](std::string_view bytes) { return request.write(bytes); });
    if (written) written = request.end();
    // A server that refuses answers before it has read everything.
    if (!written && written.error().code != Error::Code::unavailable) {
      wire_.reset();
      return written.error();
    }
    response_.emplace(*beast_, buffer_);
    const auto got = response_->read_head();
    if (!got || !written) wire_.reset();
    const unsigned status = got ? response_->head().result_int() : 200;
    if (status != 200) {
      wire_.reset();
      return refusal(status, address_.url);
    }
    if (!written) return written.error();
    if (!got) return got.error();
    if (view_of(response_->head()["Content-Type"]) != kContentType) {
      wire_.reset();
      return refusal(404, address_.url);
    }
    return ByteSource([this](std::span<char> to) { return response_->read(to); });
  }

 private:
  Result<void> connect() {
    constexpr std::size_t kMostUnread = 1U << 20U;
    const bool is_free = wire_ && response_ && response_->goes_on() &&
                         response_->skip(kMostUnread) && !wire_->is_stale();
    if (is_free) return {};
    wire_.reset();
    constexpr std::chrono::milliseconds kTimeout{30'000};
    std::stop_source stop;
    auto made = [&] {
      std::mutex mutex;
      std::condition_variable_any ended;
      const std::jthread watch([&](const std::stop_token& done) {
        constexpr std::chrono::milliseconds kSlice{50};
        std::unique_lock lock(mutex);
        while (is_cancelled_ &&
               !ended.wait_for(lock, done, kSlice, [&] { return done.stop_requested(); })) {
          if (is_cancelled_()) stop.request_stop();
        }
      });
      // Over http:// this machine is asked, and nobody between hears the token.
      const llm::http::CurlOptions options{.ca_file = address_.ca_file,
                                           .uses_proxies = url_.scheme == "https"};
      return llm::http::ByteStream::connect(address_.url, kTimeout, options, stop.get_token());
    }();
    if (stop.stop_requested()) return interrupted("stopped");
    if (const auto* failure = std::get_if<llm::Failure>(&made)) {
      return unavailable(fmt::format("{} cannot be reached: {}", address_.url, failure->message),
                         "check the address, and that 'spoor serve' runs there");
    }
    wire_.emplace(std::move(std::get<0>(made)), Patience{.is_cancelled = is_cancelled_});
    beast_.emplace(*wire_);
    buffer_.clear();
    return {};
  }

  const Url url_;
  const HttpAddress address_;
  const std::function<bool()> is_cancelled_;
  http::header<true> head_;
  std::optional<Wire> wire_;
  std::optional<BeastWire> beast_;
  boost::beast::flat_buffer buffer_;
  std::optional<Incoming<false>> response_;
};

}  // namespace

Result<std::string> normal_url(const std::string& url) {
  const auto parts = split(url);
  if (!parts) {
    return invalid(fmt::format("'{}' is not an address", url), "give https://HOST[:PORT]/PATH");
  }
  if (parts->host.find('@') != std::string::npos) {
    return denied("the address has a user or a password, which a store would keep",
                  fmt::format("leave it out, and run: spoor remote login {}://{}{}", parts->scheme,
                              parts->host.substr(parts->host.rfind('@') + 1), parts->path));
  }
  return parts->scheme + "://" + parts->host + parts->path;
}

Result<std::unique_ptr<sync::Link>> http_link(HttpAddress address,
                                              std::function<bool()> is_cancelled) {
  address.url = TRY(normal_url(address.url));
  Url parts = *split(address.url);
  if (address.token.size() > kLongest) {
    return invalid("the token is too long", "it is a line that 'spoor serve allow' printed");
  }
  if (parts.scheme == "http" && !proxy::may_ask(parts.host, "")) {
    return denied("over http:// others could read the token and the texts",
                  fmt::format("use https://{}{}, or ssh", parts.host, parts.path));
  }
  return std::unique_ptr<sync::Link>(
      std::make_unique<HttpLink>(std::move(parts), std::move(address), std::move(is_cancelled)));
}

}  // namespace spoor::serve
