#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"
#include "proxy/server.h"

namespace spoor::serve {

/// A file of the page, which is the same for everyone.
struct PageAsset {
  std::string_view path;        ///< `/app.js`
  std::string_view media_type;  ///< of a text, which is UTF-8
  std::string_view gzip;        ///< its bytes, compressed (RFC 1952)
};

/// The longest request for data, in bytes.
constexpr std::size_t kMostPageRequest = 4U << 20U;

struct PageServerOptions {
  std::span<const PageAsset> assets;
  std::string token;  ///< of those who may ask for data

  /// Answers a request for data: JSON to JSON. Called from many threads.
  std::function<std::string(std::string_view request)> answer;

  /// Passes the text of each event to `put`, until that returns false or `is_over` returns true.
  /// Called on the thread of one connection.
  using Put = std::function<bool(std::string_view event)>;
  std::function<Result<void>(const Put& put, const std::function<bool()>& is_over)> follow;

  std::size_t most_connections = 64;
  std::chrono::milliseconds head{10'000};     ///< for a request's head
  std::chrono::milliseconds silence{30'000};  ///< for each wait within a body
  std::chrono::milliseconds idle{120'000};    ///< between two requests
};

/// Serves a page to browsers of this machine: `GET` of its assets, and with the bearer token
/// `POST /api` for data and `GET /events` for server-sent events.
///
/// Each response forbids the browser to run, load or send anything that is not of this origin, to
/// guess types, to keep an answer, and to show the page in a frame.
///
/// Status 401 without the token; 403 to a Host that is not this machine (DNS rebinding) and to
/// requests of other origins; 404, 405, 413 and 415 as usual.
class PageServer final : public proxy::Server {
 public:
  PageServer(Descriptor socket, PageServerOptions options);
  ~PageServer() override;

  void run() override;
  void stop() override;
  void abandon() override;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

/// Returns a new token: 256 random bits in 43 letters, digits, `-` and `_`. Returns Code::io.
Result<std::string> new_page_token();

}  // namespace spoor::serve
