#include "agent/mcp/http_channel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "agent/timed_stop.h"
#include "base/base64.h"
#include "base/text.h"
#include "compile/turn.h"
#include "llm/wire/sse.h"

namespace spoor::agent::mcp {
namespace {

namespace http = llm::http;
using std::chrono::milliseconds;

constexpr milliseconds kFarewell{2'000};  // To give up a session.
constexpr milliseconds kAlways{24 * 3'600'000};
constexpr std::size_t kMostSession = 1'024;  // Bytes of a session's id.

// The response to one message.
struct Response {
  int status = 0;
  bool is_events = false;
  std::string session;
  std::string location;
  std::string body;              // An answer that is not a stream, or is an error.
  std::optional<Answer> answer;  // The one in a stream.
  bool is_too_long = false;
};

class HttpChannel final : public Channel {
 public:
  HttpChannel(ServerAddress address, http::Transport& transport, Listener listener)
      : address_(std::move(address)), transport_(transport), listener_(std::move(listener)) {}

  ~HttpChannel() override {
    stop_.request_stop();
    if (listening_.joinable()) listening_.join();
    if (session().empty()) return;
    const TimedStop stop({}, kFarewell);
    http::Request request = make_request({}, stop.token());
    request.method = "DELETE";
    (void)transport_.send(request, {});  // Best effort: the server forgets it in the end.
  }

  Result<Answer> ask(const Request& asked, const Deadline& deadline) override {
    const std::string id = std::to_string(++last_id_);
    const Response response =
        TRY(post(write_request(id, asked.method, asked.params), id, asked, deadline));
    return answer_in(response, id);
  }

  Result<void> tell(std::string_view method, std::string_view params) override {
    const Deadline deadline(stop_.get_token(), kFarewell);
    TRY(post(write_request("", method, params), {}, {std::string(method), {}}, deadline));
    return {};
  }

  void listen(const Request& request) override {
    if (listening_.joinable()) return;
    listening_ = std::jthread([this, request] {
      const Deadline deadline(stop_.get_token(), kAlways);
      const std::string id = std::to_string(++last_id_);
      (void)post(write_request(id, request.method, request.params), id, request, deadline);
    });
  }

  void speak(std::string_view revision) override {
    const std::lock_guard lock(mutex_);
    revision_ = revision;
  }

  bool is_http() const override { return true; }
  bool is_alive() const override { return !is_over_; }

 private:
  http::Request make_request(const Request& asked, const std::stop_token& stop) const {
    http::Request request;
    request.url = address_.url;
    request.headers = address_.headers;
    request.headers.emplace_back("content-type", "application/json");
    request.headers.emplace_back("accept", "application/json, text/event-stream");
    request.headers.emplace_back("user-agent", "spoor");
    request.stop = stop;
    if (!asked.method.empty()) request.headers.emplace_back("mcp-method", asked.method);
    for (const auto& header : asked.headers) request.headers.push_back(header);
    const std::lock_guard lock(mutex_);
    if (!revision_.empty()) request.headers.emplace_back("mcp-protocol-version", revision_);
    if (!session_.empty()) request.headers.emplace_back("mcp-session-id", session_);
    return request;
  }

  std::string session() const {
    const std::lock_guard lock(mutex_);
    return session_;
  }

  Result<Response> post(const std::string& body, const std::string& id, const Request& asked,
                        const Deadline& deadline) {
    TRY(deadline.check());
    const TimedStop stop(deadline.stop(), deadline.left().value_or(kAlways));
    http::Request request = make_request(asked, stop.token());
    request.body = body;
    request.idle_timeout = deadline.left().value_or(kAlways);
    request.connect_timeout = std::min(request.connect_timeout, request.idle_timeout);
    Response response;
    llm::wire::SseDecoder events;
    std::size_t since_event = 0;
    const auto failure =
        transport_.send(request, {[&](const http::Head& head) { read_head(head, response); },
                                  [&](std::string_view bytes) {
                                    since_event += bytes.size();
                                    response.is_too_long = since_event > kMostMessage;
                                    if (response.is_too_long) return false;
                                    if (!response.is_events || response.status != 200) {
                                      response.body += bytes;
                                      return true;
                                    }
                                    events.feed(bytes, [&](const llm::wire::SseEvent& event) {
                                      since_event = 0;
                                      if (!event.is_cut) take_event(event.data, id, response);
                                    });
                                    return !response.answer;
                                  }});
    TRY(deadline.check());
    if (failure) {
      Error error = llm::to_error(*failure);
      error.message = failure->message;
      error.hint.clear();  // The hint is about models.
      if (error.code == Error::Code::invalid) error.code = Error::Code::unavailable;
      return error;
    }
    if (response.is_too_long) {
      return unavailable(
          fmt::format("the server sent a message of more than {} MiB", kMostMessage >> 20U));
    }
    const std::lock_guard lock(mutex_);
    const bool is_begun = asked.method == "initialize" && response.status / 100 == 2;
    if (is_begun) session_ = response.session;
    if (response.status == 404 && !session_.empty()) {
      session_.clear();
      is_over_ = true;
      return unavailable("the server has ended the session");
    }
    return response;
  }

  static void read_head(const http::Head& head, Response& response) {
    response.status = head.status;
    response.is_events =
        lowered(head.find("content-type")).find("text/event-stream") != std::string::npos;
    response.location = head.find("location");
    const std::string_view session = head.find("mcp-session-id");
    if (session.size() <= kMostSession) response.session = session;
  }

  void take_event(std::string_view data, const std::string& id, Response& response) {
    const auto document = json::parse(data);
    const json::Value message = document ? document->root() : json::Value();
    const json::Value method = message.find("method");
    const json::Value message_id = message.find("id");
    if (method.is_string() && message_id) {
      std::string answer;
      {
        const std::lock_guard lock(listening_mutex_);
        answer = write_answer(message_id.raw(), listener_.asked(method.text()));
      }
      (void)post(answer, {}, {}, Deadline(stop_.get_token(), kFarewell));
    } else if (method.is_string()) {
      const std::lock_guard lock(listening_mutex_);
      listener_.notified(method.text(), message.find("params"));
    } else if (message_id.raw() == id) {
      response.answer = read_answer(message);
    }
  }

  Result<Answer> answer_in(const Response& response, const std::string& id) const {
    if (response.answer) return *response.answer;
    const auto document = json::parse(response.body);
    const json::Value message = document ? document->root() : json::Value();
    const bool is_ours = message.find("id").raw() == id || response.status != 200;
    if (auto answer = read_answer(message); answer && is_ours) return *answer;
    if (response.status == 401 || response.status == 403) {
      return denied(fmt::format("the server answers with HTTP status {}", response.status),
                    "name its key with --mcp-key NAME=VARIABLE");
    }
    if (response.status / 100 == 3) {
      return unavailable(
          fmt::format("the server leads on to '{}'", compile::preview(response.location, 200)),
          "name that address if you trust it");
    }
    if (response.status / 100 != 2) {
      return unavailable(fmt::format("the server answers with HTTP status {}", response.status),
                         compile::preview(response.body, 200));
    }
    return unavailable(response.is_events ? "the server's stream ended without an answer"
                                          : "the server's answer is not a message of the protocol",
                       compile::preview(response.body, 200));
  }

  const ServerAddress address_;
  http::Transport& transport_;
  const Listener listener_;
  std::atomic<std::int64_t> last_id_ = 0;
  std::atomic<bool> is_over_ = false;  // The session ended.
  std::mutex listening_mutex_;         // Calls the listener one at a time.
  mutable std::mutex mutex_;
  std::string revision_;  // Guarded by mutex_.
  std::string session_;   // Guarded by mutex_.
  std::stop_source stop_;
  std::jthread listening_;
};

}  // namespace

std::unique_ptr<Channel> make_http_channel(ServerAddress address, http::Transport& transport,
                                           Listener listener) {
  return std::make_unique<HttpChannel>(std::move(address), transport, std::move(listener));
}

std::string header_value(const std::string& value) {
  const auto is_plain = [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); };
  const bool has_edges = !value.empty() && (value.front() <= ' ' || value.back() <= ' ');
  const bool looks_coded = value.starts_with("=?base64?") && value.ends_with("?=");
  if (!has_edges && !looks_coded && std::all_of(value.begin(), value.end(), is_plain)) {
    return value;
  }
  return fmt::format("=?base64?{}?=", encode_base64(value));
}

}  // namespace spoor::agent::mcp
