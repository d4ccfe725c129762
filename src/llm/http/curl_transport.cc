#include "llm/http/curl_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>

#include "llm/http/broken_pipes.h"
#include "llm/http/curl_library.h"
#include "llm/http/head_reader.h"

namespace spoor::llm::http {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

Failure refuse(std::string message) {
  return {
      .kind = Failure::Kind::invalid_request, .message = std::move(message), .should_retry = false};
}

Failure stopped() {
  return {.kind = Failure::Kind::interrupted, .message = "the call was stopped"};
}

/// Returns scheme, host and port: the part of a URL that messages may contain.
std::string_view origin_of(std::string_view url) {
  const std::size_t host = url.find("://");
  if (host == std::string_view::npos) return {};
  return url.substr(0, url.find_first_of("/?#", host + 3));
}

/// Returns the reason why a request cannot be sent; nullopt if it can.
std::optional<Failure> find_fault(const Request& request) {
  const std::string_view origin = origin_of(request.url);
  if (!origin.starts_with("https://") && !origin.starts_with("http://")) {
    return refuse("an address begins with https:// or http://");
  }
  if (origin.find('@') != std::string_view::npos) {
    return refuse("an address holds no name or password: a key goes into a header");
  }
  constexpr std::string_view kEndsLine("\r\n\0", 3);
  for (const auto& [name, value] : request.headers) {
    if (name.find_first_of(kEndsLine) != std::string::npos ||
        value.find_first_of(kEndsLine) != std::string::npos) {
      return refuse("a header is one line");
    }
  }
  return std::nullopt;
}

/// A handle for one exchange at a time, with its open connections.
class Lane {
 public:
  explicit Lane(const Curl& curl)
      : curl_(curl), easy_(curl.easy_init()), multi_(curl.multi_init()) {
    if (easy_ == nullptr || multi_ == nullptr) throw std::bad_alloc();
  }
  ~Lane() {
    const BrokenPipesHeldBack held;
    curl_.easy_cleanup(easy_);
    curl_.multi_cleanup(multi_);
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  CURL* easy() const { return easy_; }
  CURLM* multi() const { return multi_; }

 private:
  const Curl& curl_;
  CURL* const easy_;
  CURLM* const multi_;
};

/// One exchange on a lane.
class Transfer {
 public:
  Transfer(const Curl& curl, const Lane& lane, const Request& request, const Sink& sink)
      : curl_(curl), lane_(lane), request_(request), sink_(sink) {}
  ~Transfer() { curl_.slist_free_all(headers_); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  std::optional<Failure> run(const CurlOptions& options) {
    prepare(options);
    curl_.multi_add_handle(lane_.multi(), lane_.easy());
    std::optional<Failure> failure = drive();
    curl_.multi_remove_handle(lane_.multi(), lane_.easy());
    curl_.easy_reset(lane_.easy());  // It points into this object and outlives it.
    if (thrown_) std::rethrow_exception(thrown_);
    return failure;
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    curl_.easy_setopt(lane_.easy(), option, value);
  }

  void prepare(const CurlOptions& options) {
    set(CURLOPT_URL, request_.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");  // Older libraries lack it; find_fault() looks, too.
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    if (const std::string file = certificate_file(options.ca_file); !file.empty()) {
      set(CURLOPT_CAINFO, file.c_str());
    }
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT, 1L);  // A stopped call does not wait for name resolution.
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request_.connect_timeout.count()));
    set(CURLOPT_ERRORBUFFER, problem_.data());
    set_callbacks();
    set_body();
    set_headers();
  }

  void set_callbacks() {
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_bytes);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
  }

  void set_body() {
    if (request_.method == "GET" && request_.body.empty()) {
      set(CURLOPT_HTTPGET, 1L);
      return;
    }
    set(CURLOPT_POST, 1L);
    // Borrowed, not copied: the view outlives the transfer.
    set(CURLOPT_POSTFIELDS, request_.body.empty() ? "" : request_.body.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  }

  void set_headers() {
    // Otherwise libcurl waits for the server's consent before it sends a long body.
    headers_ = curl_.slist_append(headers_, "Expect:");
    for (const auto& [name, value] : request_.headers) {
      headers_ = curl_.slist_append(headers_, fmt::format("{}: {}", name, value).c_str());
    }
    set(CURLOPT_HTTPHEADER, headers_);
  }

  std::optional<Failure> drive() {
    const std::stop_callback wake(request_.stop, [this] { curl_.multi_wakeup(lane_.multi()); });
    last_byte_ = SteadyClock::now();
    while (true) {
      if (request_.stop.stop_requested()) return stopped();
      int running = 0;
      const CURLMcode problem = curl_.multi_perform(lane_.multi(), &running);
      if (running == 0 || problem != CURLM_OK) return result();

      const auto silent = std::chrono::duration_cast<milliseconds>(SteadyClock::now() - last_byte_);
      const milliseconds left = request_.idle_timeout - silent;
      if (left.count() <= 0) return too_silent();
      const auto wait = std::min<std::int64_t>(left.count(), 1000);
      curl_.multi_poll(lane_.multi(), nullptr, 0, static_cast<int>(wait), nullptr);
    }
  }

  std::optional<Failure> result() {
    int left = 0;
    while (const CURLMsg* message = curl_.multi_info_read(lane_.multi(), &left)) {
      if (message->msg == CURLMSG_DONE) return read(message->data.result);
    }
    return broken(Failure::Kind::network, "libcurl gave up the call");
  }

  std::optional<Failure> read(CURLcode code) const {
    if (has_enough_ || code == CURLE_OK) return std::nullopt;
    if (is_bad_head_) return broken(Failure::Kind::malformed, "the response has no sound head");
    const char* said = problem_[0] != '\0' ? problem_.data() : curl_.easy_strerror(code);
    switch (code) {
      case CURLE_OPERATION_TIMEDOUT:
        return broken(Failure::Kind::timeout, said);
      case CURLE_URL_MALFORMAT:
        return refuse(fmt::format("'{}' is no address", origin_of(request_.url)));
      case CURLE_UNSUPPORTED_PROTOCOL:  // A response without a head counts as HTTP/0.9.
      case CURLE_WEIRD_SERVER_REPLY:
        return broken(Failure::Kind::malformed, said);
      case CURLE_PEER_FAILED_VERIFICATION:
      case CURLE_SSL_CACERT_BADFILE:
      case CURLE_SSL_CERTPROBLEM:
      case CURLE_SSL_ISSUER_ERROR: {
        Failure failure = broken(Failure::Kind::network, said);
        failure.should_retry = false;  // A retry will not be trusted either.
        return failure;
      }
      default:
        return broken(Failure::Kind::network, said);
    }
  }

  Failure too_silent() const {
    return broken(Failure::Kind::timeout,
                  fmt::format("nothing came for {} ms", request_.idle_timeout.count()));
  }

  Failure broken(Failure::Kind kind, std::string_view why) const {
    const std::string_view origin = origin_of(request_.url);
    const bool is_begun = reader_.head().status != 0;
    return {.kind = kind,
            .message = fmt::format("{} '{}': {}", is_begun ? "lost" : "cannot reach", origin, why)};
  }

  /// Runs a callback into our own code. Exceptions must not pass through libcurl: they are stored.
  template <class Call>
  bool call_back(const Call& call) {
    const BrokenPipesHeldBack::Pause pause(held_);
    last_byte_ = SteadyClock::now();
    try {
      return call();
    } catch (...) {
      thrown_ = std::current_exception();
      return false;
    }
  }

  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const std::string_view line(data, size * count);
    const bool goes_on = transfer.call_back([&] { return transfer.read_header(line); });
    return goes_on ? line.size() : 0;
  }

  bool read_header(std::string_view line) {
    const HeadReader::State state = reader_.feed(line);
    is_bad_head_ = state == HeadReader::State::broken;
    if (state == HeadReader::State::complete && sink_.on_head) sink_.on_head(reader_.head());
    return !is_bad_head_;
  }

  static std::size_t on_bytes(char* data, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const std::string_view bytes(data, size * count);
    const bool goes_on = transfer.call_back([&] {
      transfer.has_enough_ = transfer.sink_.on_bytes && !transfer.sink_.on_bytes(bytes);
      return !transfer.has_enough_;
    });
    return goes_on ? bytes.size() : 0;
  }

  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t sent) {
    auto& transfer = *static_cast<Transfer*>(self);
    if (sent != transfer.sent_) transfer.last_byte_ = SteadyClock::now();
    transfer.sent_ = sent;
    return 0;
  }

  const Curl& curl_;
  const Lane& lane_;
  const Request& request_;
  const Sink& sink_;
  BrokenPipesHeldBack held_;
  curl_slist* headers_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> problem_{};
  HeadReader reader_;
  bool has_enough_ = false;
  bool is_bad_head_ = false;
  std::exception_ptr thrown_;
  curl_off_t sent_ = 0;
  SteadyClock::time_point last_byte_;
};

}  // namespace

Failure no_library(const CurlOptions& options) {
  return {.kind = Failure::Kind::network,
          .message = fmt::format("{} is not on this system, and it makes the calls: install the "
                                 "package libcurl4 (libcurl4t64 on Ubuntu 24.04)",
                                 options.libraries.empty() ? "libcurl" : options.libraries[0]),
          .should_retry = false};
}

/// The library, after it is loaded, and the unused lanes.
class CurlTransport::Pool {
 public:
  explicit Pool(CurlOptions options) : options_(std::move(options)) {}

  std::optional<Failure> send(const Request& request, const Sink& sink) {
    if (auto fault = find_fault(request)) return fault;
    if (request.stop.stop_requested()) return stopped();
    std::unique_ptr<Lane> lane = take();
    if (lane == nullptr) return no_library(options_);
    auto failure = Transfer(*curl_, *lane, request, sink).run(options_);
    give_back(std::move(lane));
    return failure;
  }

 private:
  /// Returns null if the library is missing.
  std::unique_ptr<Lane> take() {
    const std::scoped_lock lock(mutex_);
    if (!curl_) curl_ = load_curl(options_.libraries);
    if (!curl_) return nullptr;
    if (idle_.empty()) return std::make_unique<Lane>(*curl_);
    auto lane = std::move(idle_.back());
    idle_.pop_back();
    return lane;
  }

  void give_back(std::unique_ptr<Lane> lane) {
    constexpr std::size_t kMostIdle = 8;
    const std::scoped_lock lock(mutex_);
    if (idle_.size() < kMostIdle) idle_.push_back(std::move(lane));
  }

  const CurlOptions options_;
  std::mutex mutex_;
  std::optional<Curl> curl_;                 // Set once, under mutex_; afterwards read only.
  std::vector<std::unique_ptr<Lane>> idle_;  // Guarded by mutex_.
};

CurlTransport::CurlTransport(CurlOptions options)
    : pool_(std::make_unique<Pool>(std::move(options))) {}

CurlTransport::~CurlTransport() = default;

std::optional<Failure> CurlTransport::send(const Request& request, const Sink& sink) {
  return pool_->send(request, sink);
}

}  // namespace spoor::llm::http
