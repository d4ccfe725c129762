#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "llm/profile.h"
#include "tests/llm/http/talk.h"

namespace spoor::testing {

/// A provider on this machine that speaks every wire format, streaming and not, lists models a page
/// at a time, counts tokens, and refuses when told to. A real server behind a real socket. Clients
/// in other processes GET /_requests: what came since the last time, as a JSON array.
class FakeProvider {
 public:
  enum class Tls { none, self_signed };

  struct Request {
    std::string method;
    std::string path;                            ///< with its query
    std::map<std::string, std::string> headers;  ///< names in lower case
    std::string body;
  };

  struct Refusal {
    int status = 429;
    std::map<std::string, std::string> headers = {};
    std::string body = {};
  };

  /// What is said to a request's body.
  using Script = std::function<Talk(llm::Wire wire, const std::string& body)>;

  /// Port 0: any that is free.
  explicit FakeProvider(Tls tls = Tls::none, int port = 0);
  ~FakeProvider();
  FakeProvider(const FakeProvider&) = delete;
  FakeProvider& operator=(const FakeProvider&) = delete;

  /// `http://127.0.0.1:PORT`, or https.
  std::string url() const;

  /// How to reach it in that wire format; it needs a key.
  llm::Profile profile(llm::Wire wire) const;

  /// The certificate that it made for itself, as PEM.
  std::string certificate() const;

  void say(Script script);
  /// Every call must bring it; empty (as at first): any will do.
  void demand_key(std::string key);
  /// The next calls are refused, one refusal each, in order.
  void refuse(std::vector<Refusal> refusals);
  void list(std::vector<std::string> models);

  std::vector<Request> requests() const;
  /// Of different connections that requests came on.
  std::size_t connections() const;

 private:
  class Server;

  std::unique_ptr<Server> server_;
};

}  // namespace spoor::testing
