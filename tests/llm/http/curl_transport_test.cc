#include "llm/http/curl_transport.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/llm/http/fake_provider.h"
#include "tests/llm/http/raw_server.h"
#include "tests/store/temp_dir.h"

using namespace spoor;
using namespace std::chrono_literals;
using llm::Failure;
using llm::http::CurlTransport;
using llm::http::Head;
using llm::http::Request;
using llm::http::Sink;
using testing::FakeProvider;
using testing::RawServer;
using testing::response;
using Kind = Failure::Kind;

namespace {

/// What a sink was fed.
struct Fed {
  Head head;
  std::string body;

  Sink sink() {
    return {.on_head = [this](const Head& received) { head = received; },
            .on_bytes =
                [this](std::string_view bytes) {
                  body += bytes;
                  return true;
                }};
  }
};

RawServer::Handler answering(std::string bytes) {
  return [bytes = std::move(bytes)](RawServer::Connection& connection, const std::string&) {
    return connection.send(bytes);
  };
}

/// Says so many bytes, then does not go on.
RawServer::Handler falling_silent(std::string bytes) {
  return [bytes = std::move(bytes)](RawServer::Connection& connection, const std::string&) {
    connection.send(bytes);
    connection.wait_for_close();
    return false;
  };
}

/// A variable of the environment, for as long as this lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

constexpr std::string_view kEndless = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n";

}  // namespace

TEST_SUITE("llm/http/curl_transport") {
  TEST_CASE("a request arrives as it was made, and its answer comes back") {
    RawServer server(answering(response("201 Made", "hello", "X-Odd: Value\r\n")));
    CurlTransport transport;
    Fed fed;
    CHECK_FALSE(transport.send({.url = server.url() + "/path?q=1",
                                .headers = {{"authorization", "Bearer k"}},
                                .body = "{\"a\":1}"},
                               fed.sink()));
    CHECK(fed.head.status == 201);
    CHECK(fed.head.find("x-odd") == "Value");
    CHECK(fed.body == "hello");

    const std::string request = server.requests().at(0);
    CHECK(request.starts_with("POST /path?q=1 HTTP/1.1\r\n"));
    CHECK(request.find("\r\nauthorization: Bearer k\r\n") != std::string::npos);
    CHECK(request.ends_with("\r\n\r\n{\"a\":1}"));
    CHECK(request.find("ccept-Encoding") == std::string::npos);
    CHECK(request.find("xpect:") == std::string::npos);
  }

  TEST_CASE("a long body is sent without asking first, and a GET has none") {
    RawServer server(answering(response("200 OK", "")));
    CurlTransport transport;
    Fed fed;
    const std::string body(3U << 20U, 'x');
    CHECK_FALSE(transport.send({.url = server.url(), .body = body}, fed.sink()));
    CHECK_FALSE(transport.send({.method = "GET", .url = server.url()}, fed.sink()));
    CHECK(server.requests().at(0).ends_with("\r\n\r\n" + body));
    CHECK(server.requests().at(1).starts_with("GET / HTTP/1.1\r\n"));
    CHECK(server.requests().at(1).find("ontent-Length") == std::string::npos);
  }

  TEST_CASE("one connection serves many requests") {
    RawServer server(answering(response("200 OK", "x")));
    CurlTransport transport;
    for (int i = 0; i < 5; ++i) {
      Fed fed;
      CHECK_FALSE(transport.send({.url = server.url()}, fed.sink()));
    }
    CHECK(server.requests().size() == 5);
    CHECK(server.connections() == 1);
  }

  TEST_CASE("a kept connection that the server has closed meanwhile is replaced unseen") {
    RawServer server([](RawServer::Connection& connection, const std::string&) {
      connection.send(response("200 OK", "x"));
      return false;
    });
    CurlTransport transport;
    for (int i = 0; i < 3; ++i) {
      Fed fed;
      CHECK_FALSE(transport.send({.url = server.url()}, fed.sink()));
      CHECK(fed.body == "x");
    }
    CHECK(server.connections() == 3);
  }

  TEST_CASE("several threads make requests at once") {
    std::mutex mutex;
    std::condition_variable all_here;
    int here = 0;
    RawServer server([&](RawServer::Connection& connection, const std::string&) {
      std::unique_lock lock(mutex);
      ++here;
      all_here.notify_all();
      all_here.wait(lock, [&] { return here == 4; });
      return connection.send(response("200 OK", "x"));
    });
    CurlTransport transport;
    std::atomic<int> answered = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
          Fed fed;
          if (!transport.send({.url = server.url()}, fed.sink()) && fed.body == "x") ++answered;
        });
      }
    }
    CHECK(answered == 4);
  }

  TEST_CASE("another thread stops a request that waits for its answer") {
    std::stop_source stop;
    RawServer server([&](RawServer::Connection& connection, const std::string&) {
      stop.request_stop();
      connection.wait_for_close();
      return false;
    });
    CurlTransport transport;
    Fed fed;
    // Were it not stopped, the request would wait for two minutes.
    const auto failure =
        transport.send({.url = server.url(), .stop = stop.get_token()}, fed.sink());
    REQUIRE(failure);
    CHECK(failure->kind == Kind::interrupted);
    CHECK(fed.head.status == 0);
  }

  TEST_CASE("another thread stops a request within its body, and keeps what came") {
    RawServer server(falling_silent(std::string(kEndless) + "half"));
    CurlTransport transport;
    std::stop_source stop;
    Fed fed;
    Sink sink = fed.sink();
    std::jthread other;
    const auto keep = sink.on_bytes;
    sink.on_bytes = [&](std::string_view bytes) {
      other = std::jthread([&] { stop.request_stop(); });
      return keep(bytes);
    };
    const auto failure = transport.send({.url = server.url(), .stop = stop.get_token()}, sink);
    REQUIRE(failure);
    CHECK(failure->kind == Kind::interrupted);
    CHECK(fed.body == "half");
  }

  TEST_CASE("a request that was stopped before is not made") {
    RawServer server(answering(response("200 OK", "")));
    CurlTransport transport;
    std::stop_source stop;
    stop.request_stop();
    CHECK(transport.send({.url = server.url(), .stop = stop.get_token()}, {})->kind ==
          Kind::interrupted);
    CHECK(server.connections() == 0);
  }

  TEST_CASE("silence longer than allowed is a timeout, before an answer and within one") {
    for (const std::string& begun : {std::string(), std::string(kEndless) + "half"}) {
      RawServer server(falling_silent(begun));
      CurlTransport transport;
      Fed fed;
      const auto failure = transport.send({.url = server.url(), .idle_timeout = 50ms}, fed.sink());
      REQUIRE(failure);
      CHECK(failure->kind == Kind::timeout);
      CHECK(failure->message.find("nothing came for 50 ms") != std::string::npos);
      CHECK(fed.body == (begun.empty() ? "" : "half"));
    }
  }

  TEST_CASE("an answer that comes slowly is no silence") {
    RawServer server([](RawServer::Connection& connection, const std::string&) {
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n");
      for (int i = 0; i < 13; ++i) {
        std::this_thread::sleep_for(100ms);
        if (!connection.send("x")) return false;
      }
      return true;
    });
    CurlTransport transport;
    Fed fed;
    CHECK_FALSE(transport.send({.url = server.url(), .idle_timeout = 1s}, fed.sink()));
    CHECK(fed.body == std::string(13, 'x'));
  }

  TEST_CASE("a reset within a body is a failure of the network, and what came is kept") {
    RawServer server([](RawServer::Connection& connection, const std::string&) {
      connection.send(std::string(kEndless) + "half");
      connection.reset();
      return false;
    });
    CurlTransport transport;
    Fed fed;
    const auto failure = transport.send({.url = server.url()}, fed.sink());
    REQUIRE(failure);
    CHECK(failure->kind == Kind::network);
    CHECK(fed.head.status == 200);
  }

  TEST_CASE("a body that ends too early, and a connection without an answer") {
    RawServer early([](RawServer::Connection& connection, const std::string&) {
      connection.send(std::string(kEndless) + "half");
      return false;
    });
    RawServer mute([](RawServer::Connection&, const std::string&) { return false; });
    CurlTransport transport;
    Fed fed;
    CHECK(transport.send({.url = early.url()}, fed.sink())->kind == Kind::network);
    CHECK(fed.body == "half");
    CHECK(transport.send({.url = mute.url()}, fed.sink())->kind == Kind::network);
  }

  TEST_CASE("nobody there is a failure of the network that names the host and no more") {
    std::string url;
    {
      const RawServer gone(answering(""));
      url = gone.url();
    }
    CurlTransport transport;
    const auto failure = transport.send({.url = url + "/secret-path?secret=query",
                                         .headers = {{"authorization", "Bearer sk-secret"}},
                                         .body = "secret body"},
                                        {});
    REQUIRE(failure);
    CHECK(failure->kind == Kind::network);
    CHECK(failure->message.find("'" + url + "'") != std::string::npos);
    CHECK(failure->message.find("secret") == std::string::npos);
  }

  TEST_CASE("an answer without a head is malformed, and so is a head without an end") {
    RawServer headless([](RawServer::Connection& connection, const std::string&) {
      connection.send("hello\r\n");
      return false;
    });
    RawServer endless([](RawServer::Connection& connection, const std::string&) {
      connection.send("HTTP/1.1 200 OK\r\n");
      while (connection.send("x-filler: " + std::string(1000, 'x') + "\r\n")) {
      }
      return false;
    });
    CurlTransport transport;
    Fed fed;
    CHECK(transport.send({.url = headless.url()}, fed.sink())->kind == Kind::malformed);
    CHECK(transport.send({.url = endless.url()}, fed.sink())->kind == Kind::malformed);
    CHECK(fed.body.empty());
  }

  TEST_CASE("a redirect is an answer: nobody goes where it points") {
    RawServer other(answering(response("200 OK", "gotcha")));
    RawServer server(answering(response("302 Found", "", "Location: " + other.url() + "/\r\n")));
    CurlTransport transport;
    Fed fed;
    CHECK_FALSE(transport.send({.url = server.url()}, fed.sink()));
    CHECK(fed.head.status == 302);
    CHECK(fed.head.find("location") == other.url() + "/");
    CHECK(other.connections() == 0);
  }

  TEST_CASE("what is compressed though nobody asked stays as it came") {
    RawServer server(answering(response("200 OK", "\x1f\x8b raw", "Content-Encoding: gzip\r\n")));
    CurlTransport transport;
    Fed fed;
    CHECK_FALSE(transport.send({.url = server.url()}, fed.sink()));
    CHECK(fed.body == "\x1f\x8b raw");
  }

  TEST_CASE("a sink that has enough ends the exchange without a failure") {
    RawServer server([](RawServer::Connection& connection, const std::string&) {
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n");
      while (connection.send(std::string(65536, 'x'))) {
      }
      return false;
    });
    CurlTransport transport;
    std::size_t size = 0;
    const Sink sink{.on_bytes = [&](std::string_view bytes) {
      size += bytes.size();
      return size < 100'000;
    }};
    CHECK_FALSE(transport.send({.url = server.url()}, sink));
    CHECK(size >= 100'000);
    CHECK(size < 200'000);
  }

  TEST_CASE("an exception of a sink comes out again, and the transport goes on") {
    RawServer server(answering(response("200 OK", "x")));
    CurlTransport transport;
    const Sink sink{.on_bytes = [](std::string_view) -> bool { throw std::runtime_error("mine"); }};
    CHECK_THROWS_WITH(transport.send({.url = server.url()}, sink), "mine");
    Fed fed;
    CHECK_FALSE(transport.send({.url = server.url()}, fed.sink()));
    CHECK(fed.body == "x");
  }

  TEST_CASE("a certificate that nobody vouches for is refused, and trying again is pointless") {
    const FakeProvider server(FakeProvider::Tls::self_signed);
    CurlTransport transport;
    Fed fed;
    const auto failure =
        transport.send({.method = "GET", .url = server.url() + "/v1/models"}, fed.sink());
    REQUIRE(failure);
    CHECK(failure->kind == Kind::network);
    CHECK(failure->should_retry == false);
    CHECK(server.requests().empty());
  }

  TEST_CASE("a certificate that one vouches for is trusted, for its own name alone") {
    const FakeProvider server(FakeProvider::Tls::self_signed);
    const store::TempDir folder;
    const std::string file = folder / "ca.pem";
    std::ofstream(file) << server.certificate();
    CurlTransport transport({.ca_file = file});
    Fed fed;
    CHECK_FALSE(transport.send({.method = "GET", .url = server.url() + "/v1/models"}, fed.sink()));
    CHECK(fed.head.status == 200);

    std::string other_name = server.url();
    other_name.replace(other_name.find("127.0.0.1"), 9, "127.0.0.2");
    const auto failure = transport.send({.method = "GET", .url = other_name}, fed.sink());
    REQUIRE(failure);
    CHECK(failure->kind == Kind::network);
  }

  TEST_CASE("only http and https, no passwords in addresses, and a header is one line") {
    CurlTransport transport;
    for (const char* url : {"", "file:///etc/passwd", "ftp://x/", "HTTP://x", "gopher://x",
                            "http://user:pass@127.0.0.1/"}) {
      const auto failure = transport.send({.url = url}, {});
      REQUIRE(failure);
      CHECK(failure->kind == Kind::invalid_request);
      CHECK(failure->message.find("pass@") == std::string::npos);
    }
    const auto split =
        transport.send({.url = "http://127.0.0.1/", .headers = {{"a", "b\r\nc: d"}}}, {});
    CHECK(split->kind == Kind::invalid_request);
  }

  TEST_CASE("the environment's proxy is asked, for https by a tunnel, and sees no key there") {
    RawServer proxy([](RawServer::Connection& connection, const std::string& request) {
      const bool is_tunnel = request.starts_with("CONNECT ");
      connection.send(is_tunnel ? response("403 No", "") : response("200 OK", "by proxy"));
      return !is_tunnel;
    });
    const Variable no_proxy("no_proxy", "");
    const Variable http_proxy("http_proxy", proxy.url());
    const Variable https_proxy("https_proxy", proxy.url());
    CurlTransport transport;
    Fed fed;
    CHECK_FALSE(transport.send({.url = "http://models.invalid/v1"}, fed.sink()));
    CHECK(fed.body == "by proxy");
    CHECK(proxy.requests().at(0).starts_with("POST http://models.invalid/v1 HTTP/1.1\r\n"));

    Fed none;
    const auto failure = transport.send(
        {.url = "https://models.invalid/v1", .headers = {{"authorization", "Bearer sk-secret"}}},
        none.sink());
    REQUIRE(failure);
    CHECK(failure->kind == Kind::network);
    CHECK(none.head.status == 0);
    CHECK(proxy.requests().at(1).starts_with("CONNECT models.invalid:443 HTTP/1.1\r\n"));
    CHECK(proxy.requests().at(1).find("sk-secret") == std::string::npos);
  }

  TEST_CASE("without the library a request fails and names the package") {
    CurlTransport transport({.libraries = {"libnothing-of-this-name.so.4"}});
    const auto failure = transport.send({.url = "http://127.0.0.1/"}, {});
    REQUIRE(failure);
    CHECK(failure->message.find("install the package libcurl4") != std::string::npos);
    CHECK(failure->should_retry == false);
  }
}
