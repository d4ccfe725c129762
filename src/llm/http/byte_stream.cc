#include "llm/http/byte_stream.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "llm/http/curl_library.h"

namespace spoor::llm::http {

class ByteStream::Handle {
 public:
  explicit Handle(Curl curl) : curl_(curl), easy_(curl.easy_init()) {
    if (easy_ == nullptr) throw std::bad_alloc();
  }
  ~Handle() { curl_.easy_cleanup(easy_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  std::optional<Failure> connect(const std::string& url, std::chrono::milliseconds timeout,
                                 const CurlOptions& options, const std::stop_token& stop) {
    std::array<char, CURL_ERROR_SIZE> problem{};
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_CONNECT_ONLY, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    if (const std::string file = certificate_file(options.ca_file); !file.empty()) {
      set(CURLOPT_CAINFO, file.c_str());
    }
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_HTTPPROXYTUNNEL, 1L);
    if (!options.uses_proxies) set(CURLOPT_PROXY, "");
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_TCP_NODELAY, 1L);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(timeout.count()));
    set(CURLOPT_ERRORBUFFER, problem.data());
    const curl_xferinfo_callback has_stopped = [](void* token, auto...) -> int {
      return static_cast<const std::stop_token*>(token)->stop_requested() ? 1 : 0;
    };
    set(CURLOPT_XFERINFOFUNCTION, has_stopped);
    set(CURLOPT_XFERINFODATA, &stop);
    set(CURLOPT_NOPROGRESS, 0L);
    const CURLcode code = curl_.easy_perform(easy_);
    set(CURLOPT_NOPROGRESS, 1L);
    set(CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
    if (code == CURLE_OK) {
      curl_.easy_getinfo(easy_, CURLINFO_ACTIVESOCKET, &socket_);
      if (socket_ != CURL_SOCKET_BAD) return std::nullopt;
    }
    return Failure{.kind = Failure::Kind::network,
                   .message = problem[0] != '\0' ? problem.data() : curl_.easy_strerror(code)};
  }

  int socket() const { return socket_; }

  Moved send(std::string_view bytes) {
    Moved moved;
    const CURLcode code = curl_.easy_send(easy_, bytes.data(), bytes.size(), &moved.bytes);
    moved.is_closed = code != CURLE_OK && code != CURLE_AGAIN;
    return moved;
  }

  Moved receive(std::span<char> into) {
    Moved moved;
    const CURLcode code = curl_.easy_recv(easy_, into.data(), into.size(), &moved.bytes);
    moved.is_broken = code != CURLE_OK && code != CURLE_AGAIN;
    moved.is_closed = moved.is_broken || (code == CURLE_OK && moved.bytes == 0);
    return moved;
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    curl_.easy_setopt(easy_, option, value);
  }

  const Curl curl_;
  CURL* const easy_;
  curl_socket_t socket_ = CURL_SOCKET_BAD;
};

ByteStream::ByteStream(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
ByteStream::~ByteStream() = default;

std::variant<std::unique_ptr<ByteStream>, Failure> ByteStream::connect(
    const std::string& url, std::chrono::milliseconds timeout, const CurlOptions& options,
    const std::stop_token& stop) {
  const auto curl = load_curl(options.libraries);
  if (!curl) return no_library(options);
  auto handle = std::make_unique<Handle>(*curl);
  if (auto failure = handle->connect(url, timeout, options, stop)) return std::move(*failure);
  return std::unique_ptr<ByteStream>(new ByteStream(std::move(handle)));
}

int ByteStream::socket() const { return handle_->socket(); }

ByteStream::Moved ByteStream::send(std::string_view bytes) { return handle_->send(bytes); }

ByteStream::Moved ByteStream::receive(std::span<char> into) { return handle_->receive(into); }

}  // namespace spoor::llm::http
