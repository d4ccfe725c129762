#include "tests/llm/http/fake_provider.h"

#include <httplib.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/llm/http/certificate.h"

namespace spoor::testing {
namespace {

using llm::Wire;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string key_in(const httplib::Request& request) {
  for (const char* name : {"x-api-key", "x-goog-api-key"}) {
    if (request.has_header(name)) return request.get_header_value(name);
  }
  const std::string value = request.get_header_value("authorization");
  return value.starts_with("Bearer ") ? value.substr(7) : value;
}

/// Is a stream asked for? Gemini says so in the address, Ollama streams unless told not to.
bool wants_stream(Wire wire, const httplib::Request& request) {
  if (wire == Wire::gemini) return request.path.ends_with(":streamGenerateContent");
  return nlohmann::json::parse(request.body).value("stream", wire == Wire::ollama);
}

}  // namespace

class FakeProvider::Server {
 public:
  Server(Tls tls, int port) {
    if (tls == Tls::self_signed) {
      identity_ = std::make_unique<SelfSigned>();
      http_ = std::make_unique<httplib::SSLServer>(identity_->certificate(), identity_->key());
    } else {
      http_ = std::make_unique<httplib::Server>();
    }
    http_->set_keep_alive_max_count(10'000);
    http_->set_keep_alive_timeout(1);
    route();
    const std::string host = "127.0.0.1";
    port_ = port == 0 ? http_->bind_to_any_port(host) : (http_->bind_to_port(host, port), port);
    thread_ = std::jthread([this] { http_->listen_after_bind(); });
    while (!http_->is_running()) std::this_thread::yield();  // Else stop() would find nothing.
  }

  ~Server() { http_->stop(); }

  std::string url() const {
    return (identity_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_);
  }

  std::string certificate() const { return identity_->pem(); }

  std::mutex mutex;  // Guards all below.
  Script script = [](Wire, const std::string&) { return Talk{}; };
  std::string key;
  std::deque<Refusal> refusals;
  std::vector<std::string> models = {"fake-1", "fake-2", "fake-3"};
  std::vector<Request> requests;
  std::set<int> peers;

 private:
  using Handler = void (Server::*)(Wire, const httplib::Request&, httplib::Response&);

  void route() {
    post("/v1/messages", Wire::anthropic, &Server::complete);
    post("/v1/messages/count_tokens", Wire::anthropic, &Server::count);
    post("/v1/chat/completions", Wire::openai_chat, &Server::complete);
    post("/v1/responses", Wire::openai_responses, &Server::complete);
    post("/v1beta/models/[^:]+:(streamG|g)enerateContent", Wire::gemini, &Server::complete);
    post("/v1beta/models/[^:]+:countTokens", Wire::gemini, &Server::count);
    post("/api/chat", Wire::ollama, &Server::complete);
    get("/v1beta/models", Wire::gemini);
    get("/api/tags", Wire::ollama);
    http_->Get("/_requests", [this](const httplib::Request&, httplib::Response& answer) {
      tell_requests(answer);
    });
    http_->Get("/v1/models", [this](const httplib::Request& request, httplib::Response& answer) {
      const bool is_anthropic = request.has_header("anthropic-version");
      take(is_anthropic ? Wire::anthropic : Wire::openai_chat, &Server::list, request, answer);
    });
  }

  void tell_requests(httplib::Response& answer) {
    const std::scoped_lock lock(mutex);
    auto told = nlohmann::json::array();
    for (const Request& request : requests) {
      told.push_back({{"method", request.method},
                      {"path", request.path},
                      {"headers", request.headers},
                      {"body", request.body}});
    }
    requests.clear();
    answer.set_content(told.dump(), "application/json");
  }

  void post(const std::string& path, Wire wire, Handler handler) {
    http_->Post(path, [=, this](const httplib::Request& request, httplib::Response& answer) {
      take(wire, handler, request, answer);
    });
  }

  void get(const std::string& path, Wire wire) {
    http_->Get(path, [=, this](const httplib::Request& request, httplib::Response& answer) {
      take(wire, &Server::list, request, answer);
    });
  }

  void take(Wire wire, Handler handler, const httplib::Request& request,
            httplib::Response& answer) {
    const std::scoped_lock lock(mutex);
    keep(request);
    if (!refusals.empty()) {
      const Refusal refusal = refusals.front();
      refusals.pop_front();
      answer.status = refusal.status;
      for (const auto& [name, value] : refusal.headers) answer.set_header(name, value);
      answer.set_content(refusal.body, "application/json");
    } else if (!key.empty() && key_in(request) != key) {
      answer.status = 401;
      answer.set_content(
          error_body(wire, 401, "authentication_error", "wrong key '" + key_in(request) + "'"),
          "application/json");
    } else {
      (this->*handler)(wire, request, answer);
    }
  }

  void keep(const httplib::Request& request) {
    Request kept{.method = request.method, .path = request.target, .body = request.body};
    for (const auto& [name, value] : request.headers) {
      // The library adds where the connection comes from, in capitals: REMOTE_ADDR.
      if (name.find('_') == std::string::npos) kept.headers[lower(name)] = value;
    }
    requests.push_back(std::move(kept));
    peers.insert(request.remote_port);
  }

  void complete(Wire wire, const httplib::Request& request, httplib::Response& answer) {
    const Talk talk = script(wire, request.body);
    if (!wants_stream(wire, request)) {
      answer.set_content(whole_body(wire, talk), media_type(wire, false));
      return;
    }
    answer.set_chunked_content_provider(
        media_type(wire, true),
        [frames = stream_frames(wire, talk)](std::size_t, httplib::DataSink& sink) {
          for (const std::string& frame : frames) {
            if (!sink.write(frame.data(), frame.size())) return false;
          }
          sink.done();
          return true;
        });
  }

  void count(Wire wire, const httplib::Request& request, httplib::Response& answer) {
    const char* member = wire == Wire::gemini ? "totalTokens" : "input_tokens";
    const nlohmann::json body = {{member, request.body.size()}};
    answer.set_content(body.dump(), "application/json");
  }

  /// Two models a page, where the wire has pages.
  void list(Wire wire, const httplib::Request& request, httplib::Response& answer) {
    const bool has_pages = wire == Wire::anthropic || wire == Wire::gemini;
    const std::string from =
        request.get_param_value(wire == Wire::anthropic ? "after_id" : "pageToken");
    auto begin = models.begin();
    if (has_pages && !from.empty()) begin = std::ranges::find(models, from) + 1;
    const auto end = has_pages && models.end() - begin > 2 ? begin + 2 : models.end();
    const std::vector<std::string> page(begin, end);
    const std::string next = end == models.end() ? "" : page.back();
    answer.set_content(models_body(wire, page, next), "application/json");
  }

  std::unique_ptr<SelfSigned> identity_;
  std::unique_ptr<httplib::Server> http_;
  int port_ = 0;
  std::jthread thread_;
};

FakeProvider::FakeProvider(Tls tls, int port) : server_(std::make_unique<Server>(tls, port)) {}

FakeProvider::~FakeProvider() = default;

std::string FakeProvider::url() const { return server_->url(); }

llm::Profile FakeProvider::profile(Wire wire) const {
  std::string base = url();
  if (wire == Wire::openai_chat || wire == Wire::openai_responses) base += "/v1";
  if (wire == Wire::gemini) base += "/v1beta";
  return {.name = "fake", .wire = wire, .base_url = base, .key_variable = "FAKE_API_KEY"};
}

std::string FakeProvider::certificate() const { return server_->certificate(); }

void FakeProvider::say(Script script) {
  const std::scoped_lock lock(server_->mutex);
  server_->script = std::move(script);
}

void FakeProvider::demand_key(std::string key) {
  const std::scoped_lock lock(server_->mutex);
  server_->key = std::move(key);
}

void FakeProvider::refuse(std::vector<Refusal> refusals) {
  const std::scoped_lock lock(server_->mutex);
  server_->refusals.assign(refusals.begin(), refusals.end());
}

void FakeProvider::list(std::vector<std::string> models) {
  const std::scoped_lock lock(server_->mutex);
  server_->models = std::move(models);
}

std::vector<FakeProvider::Request> FakeProvider::requests() const {
  const std::scoped_lock lock(server_->mutex);
  return server_->requests;
}

std::size_t FakeProvider::connections() const {
  const std::scoped_lock lock(server_->mutex);
  return server_->peers.size();
}

}  // namespace spoor::testing
