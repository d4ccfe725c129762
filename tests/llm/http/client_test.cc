#include "llm/client.h"

#include <doctest/doctest.h>

#include "llm/http/curl_transport.h"
#include "llm/http/recorded_transport.h"
#include "llm/retrying.h"
#include "llm/wire/reply_parser.h"
#include "tests/llm/http/fake_provider.h"
#include "tests/llm/http/raw_server.h"
#include "tests/support/ports.h"

using namespace spoor;
using namespace std::chrono_literals;
using llm::Failure;
using llm::HttpProvider;
using llm::Wire;
using llm::http::CurlTransport;
using llm::http::Exchange;
using llm::http::RecordedTransport;
using testing::FakeProvider;
using testing::RawServer;
using Kind = Failure::Kind;

namespace {

constexpr std::array kWires = {Wire::openai_chat, Wire::openai_responses, Wire::anthropic,
                               Wire::gemini, Wire::ollama};

llm::Key key(std::string_view text = "sk-very-secret") {
  return llm::make_key(text, "test").value();
}

/// What a call's body needs for the fake to answer it.
std::string body_of_call(bool stream) {
  return stream ? R"({"model":"fake-1","stream":true})" : R"({"model":"fake-1","stream":false})";
}

/// A provider of ours that talks to a fake one.
struct World {
  explicit World(Wire wire, std::string_view secret = "sk-very-secret")
      : provider(fake.profile(wire), key(secret), transport, clock) {}

  llm::Reply complete(bool stream = true) {
    return provider.complete({.model = "fake-1", .body = body_of_call(stream), .stream = stream},
                             {});
  }

  FakeProvider fake;
  testing::ManualClock clock;
  CurlTransport transport;
  HttpProvider provider;
};

bool mentions(const Failure& failure, std::string_view text) {
  return failure.message.find(text) != std::string::npos ||
         failure.raw.find(text) != std::string::npos ||
         failure.type.find(text) != std::string::npos;
}

/// The reply to one recorded exchange.
llm::Reply reply_to(Exchange exchange, Wire wire = Wire::anthropic) {
  testing::ManualClock clock;
  RecordedTransport transport({std::move(exchange)});
  HttpProvider provider({.name = "recorded", .wire = wire, .base_url = "https://x"}, key(),
                        transport, clock);
  return provider.complete({.model = "m", .body = "{}"}, {});
}

}  // namespace

TEST_SUITE("llm/client") {
  TEST_CASE("each wire is spoken to a server that demands its key, streaming and not") {
    for (const Wire wire : kWires) {
      CAPTURE(name_of(wire));
      World world(wire);
      world.fake.demand_key("sk-very-secret");
      for (const bool stream : {true, false}) {
        const llm::Reply reply = world.complete(stream);
        CHECK_FALSE(reply.failure);
        CHECK(reply.text() == testing::Talk().text);
        CHECK(reply.usage.output == 7);
      }
    }
  }

  TEST_CASE("the body is sent byte for byte, over one connection") {
    World world(Wire::openai_chat);
    const std::string body = R"({ "model":"fake-1",  "stream" : true, "x":1.50e0 })";
    for (int i = 0; i < 3; ++i) {
      CHECK_FALSE(world.provider.complete({.model = "fake-1", .body = body}, {}).failure);
    }
    CHECK(world.fake.requests().at(2).body == body);
    CHECK(world.fake.requests().at(2).headers.at("content-type") == "application/json");
    CHECK(world.fake.connections() == 1);
  }

  TEST_CASE("a wrong key is unauthorized, and is not repeated though the server did") {
    for (const Wire wire : kWires) {
      CAPTURE(name_of(wire));
      World world(wire, "sk-wrong-secret");
      world.fake.demand_key("another");
      const llm::Reply reply = world.complete();
      REQUIRE(reply.failure);
      CHECK(reply.failure->kind == Kind::unauthorized);
      CHECK(reply.failure->status == 401);
      CHECK_FALSE(mentions(*reply.failure, "secret"));
      CHECK(reply.failure->message.find("wrong key '[REDACTED:known-key]'") != std::string::npos);
      const auto models = world.provider.model_listing()->models({});
      REQUIRE_FALSE(models);
      CHECK(models.error().message.find("secret") == std::string::npos);
      CHECK(models.error().code == spoor::Error::Code::denied);
    }
  }

  TEST_CASE("the key is in no failure of any kind") {
    const std::string secret = "sk-very-secret";
    const std::string body = testing::error_body(Wire::anthropic, 400, "invalid_request_error",
                                                 "you sent " + secret + " twice: " + secret);
    for (const int status : {301, 400, 401, 404, 429, 500, 529}) {
      const llm::Reply reply =
          reply_to({.status = status,
                    .headers = {{"request-id", "req_" + secret}, {"location", "https://" + secret}},
                    .body = body});
      REQUIRE(reply.failure);
      CHECK_FALSE(mentions(*reply.failure, secret));
    }
    const std::string event = "event: error\ndata: " + body + "\n\n";
    for (const std::string& text : {event, "{" + secret, secret}) {
      const llm::Reply reply = reply_to({.body = text});
      REQUIRE(reply.failure);
      CHECK_FALSE(mentions(*reply.failure, secret));
    }
  }

  TEST_CASE("without a key that is needed nothing is sent") {
    testing::ManualClock clock;
    RecordedTransport transport({});
    HttpProvider provider(llm::find_profile("mistral").value(), {}, transport, clock);
    const llm::Reply reply = provider.complete({.model = "m", .body = "{}"}, {});
    CHECK(reply.failure->kind == Kind::unauthorized);
    CHECK(reply.failure->message == "there is no key for 'mistral'");
    CHECK(provider.model_listing()->models({}).error().code == spoor::Error::Code::denied);
    CHECK(transport.sent().empty());
  }

  TEST_CASE("what the head of a refusal says is in the failure, in each of its forms") {
    const auto failure = [](llm::http::Headers headers) {
      return *reply_to({.status = 429,
                        .headers = std::move(headers),
                        .body = testing::error_body(Wire::anthropic, 429, "rate_limit_error",
                                                    "slow down")})
                  .failure;
    };
    CHECK(failure({{"retry-after-ms", "1234"}}).retry_after == 1234ms);
    CHECK(failure({{"retry-after", "5"}}).retry_after == 5s);
    // The clock stands at 2030-01-01T00:00:00Z.
    CHECK(failure({{"retry-after", "Tue, 01 Jan 2030 00:00:09 GMT"}}).retry_after == 9s);
    CHECK(failure({{"anthropic-ratelimit-tokens-remaining", "0"},
                   {"anthropic-ratelimit-tokens-reset", "2030-01-01T00:01:00Z"}})
              .retry_after == 60s);
    CHECK(failure({{"x-should-retry", "false"}}).should_retry == false);
    const Failure named = failure({{"request-id", "req_9"}});
    CHECK(named.message == "slow down (request req_9)");
    CHECK(named.kind == Kind::rate_limited);
    CHECK(named.status == 429);
    CHECK(named.type == "rate_limit_error");
    CHECK_FALSE(named.retry_after);
  }

  TEST_CASE("a server's refusals are retried as its heads say") {
    World world(Wire::anthropic);
    const auto refusal = [](int status, std::map<std::string, std::string> headers) {
      return FakeProvider::Refusal{
          status, std::move(headers),
          testing::error_body(Wire::anthropic, status,
                              status == 529 ? "overloaded_error" : "rate_limit_error", "busy")};
    };
    world.fake.refuse({refusal(429, {{"retry-after", "3"}}), refusal(529, {}),
                       refusal(429, {{"retry-after-ms", "40"}})});
    struct Noted final : llm::Waiting {
      void wait(std::chrono::milliseconds time, const std::stop_token&) override {
        waits.push_back(time);
      }
      std::vector<std::chrono::milliseconds> waits;
    } waiting;
    struct Never final : llm::Chance {
      double fraction() override { return 0; }
    } chance;
    llm::RetryingProvider retrying(world.provider, {}, waiting, chance);
    const llm::Reply reply = retrying.complete({.model = "fake-1", .body = body_of_call(true)}, {});
    CHECK_FALSE(reply.failure);
    CHECK(waiting.waits == std::vector<std::chrono::milliseconds>{3s, 500ms, 40ms});
    CHECK(world.fake.requests().size() == 4);

    world.fake.refuse({refusal(529, {{"x-should-retry", "false"}})});
    CHECK(retrying.complete({.model = "fake-1", .body = body_of_call(true)}, {}).failure->kind ==
          Kind::overloaded);
    CHECK(world.fake.requests().size() == 5);
  }

  TEST_CASE("a redirect fails and says where it points; the key stays here") {
    RawServer other([](RawServer::Connection& connection, const std::string&) {
      return connection.send(testing::response("200 OK", "{}"));
    });
    RawServer server([&](RawServer::Connection& connection, const std::string&) {
      return connection.send(
          testing::response("307 Temporary Redirect", "", "Location: " + other.url() + "/v1\r\n"));
    });
    testing::ManualClock clock;
    CurlTransport transport;
    HttpProvider provider({.name = "x", .base_url = server.url()}, key(), transport, clock);
    const llm::Reply reply = provider.complete({.model = "m", .body = "{}"}, {});
    REQUIRE(reply.failure);
    CHECK(reply.failure->status == 307);
    CHECK(reply.failure->message.find("points to " + other.url()) != std::string::npos);
    CHECK_FALSE(llm::is_worth_retrying(*reply.failure));
    CHECK(other.connections() == 0);
  }

  TEST_CASE("a whole answer that is followed by a reset is whole") {
    const testing::Talk talk;
    std::string body;
    for (const std::string& frame : testing::stream_frames(Wire::anthropic, talk)) body += frame;
    const llm::Reply reply =
        reply_to({.body = body, .failure = Failure{.kind = Kind::network, .message = "reset"}});
    CHECK_FALSE(reply.failure);
    CHECK(reply.text() == talk.text);
  }

  TEST_CASE("why a connection ended says more than that the stream is incomplete") {
    std::string body;
    for (const std::string& frame : testing::stream_frames(Wire::anthropic, {})) body += frame;
    body.resize(body.size() / 2);
    const llm::Reply reply =
        reply_to({.body = body, .failure = Failure{.kind = Kind::timeout, .message = "silence"}});
    REQUIRE(reply.failure);
    CHECK(reply.failure->kind == Kind::timeout);
    CHECK(reply.failure->message == "silence");
  }

  TEST_CASE("what is no answer of a model is malformed") {
    for (const char* body :
         {"<html>Login to the hotel's network</html>", "{\"choices\":", "null"}) {
      CAPTURE(body);
      for (const Wire wire : kWires) {
        const llm::Reply reply = reply_to({.body = body}, wire);
        REQUIRE(reply.failure);
        CHECK((reply.failure->kind == Kind::malformed || reply.failure->kind == Kind::network));
        CHECK(reply.pieces.empty());
      }
    }
  }

  TEST_CASE("a compressed answer, which nobody asked for, is not undone") {
    const llm::Reply reply =
        reply_to({.headers = {{"content-encoding", "gzip"}}, .body = "\x1f\x8b"});
    REQUIRE(reply.failure);
    CHECK(reply.failure->kind == Kind::malformed);
    CHECK(reply.failure->message == "the answer is compressed, which was not asked for");
  }

  TEST_CASE("what a success brought is there as it was received, readable or not") {
    const std::string broken = "data: {\"choices\":[]}\n\ndata: {oh no}\n\ndata: [DONE]\n\n";
    for (const std::string& body : {std::string("<html>so sorry</html>"), broken,
                                    std::string(R"({"content":[{"type":"text","text":"Hi"}]})")}) {
      CAPTURE(body);
      CHECK(reply_to({.body = body}, Wire::anthropic).received == body);
    }
    CHECK(reply_to({.headers = {{"content-encoding", "gzip"}}, .body = "\x1f\x8b"}).received ==
          "\x1f\x8b");
    CHECK(reply_to({.body = "it is sk-very-secret"}).received.find("secret") == std::string::npos);
  }

  TEST_CASE("an endless answer is given up at the limit, and an endless refusal much earlier") {
    std::size_t sent = 0;
    int status = 200;
    RawServer server([&](RawServer::Connection& connection, const std::string&) {
      connection.send("HTTP/1.1 " + std::to_string(status) +
                      " X\r\nContent-Length: 100000000\r\n\r\n");
      connection.send("data: {\"x\":\"");
      const std::string more(65536, 'x');
      for (sent = 0; sent < 100'000'000 && connection.send(more);) sent += more.size();
      return false;
    });
    testing::ManualClock clock;
    CurlTransport transport;
    HttpProvider provider({.name = "x", .base_url = server.url(), .needs_key = false}, {},
                          transport, clock);
    const llm::Reply reply = provider.complete({.model = "m", .body = "{}"}, {});
    REQUIRE(reply.failure);
    CHECK(reply.failure->kind == Kind::malformed);

    status = 500;
    const llm::Reply refused = provider.complete({.model = "m", .body = "{}"}, {});
    REQUIRE(refused.failure);
    CHECK(refused.failure->status == 500);
    CHECK(refused.failure->raw.size() <= 65536);
  }

  TEST_CASE("a stream of 100 MB costs no more memory than the limit of a reply") {
    // Counted at the sink: the transport hands bytes on and keeps none.
    std::size_t read = 0;
    class Endless final : public llm::http::Transport {
     public:
      explicit Endless(std::size_t& count) : read_(count) {}
      std::optional<Failure> send(const llm::http::Request&, const llm::http::Sink& sink) override {
        sink.on_head({.status = 200});
        const std::string chunk = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" +
                                  std::string(60'000, 'x') + "\"}}]}\n\n";
        while (read_ < 100'000'000) {
          read_ += chunk.size();
          if (!sink.on_bytes(chunk)) break;
        }
        return std::nullopt;
      }

     private:
      std::size_t& read_;
    } transport(read);
    testing::ManualClock clock;
    HttpProvider provider({.name = "x", .base_url = "https://x", .needs_key = false}, {}, transport,
                          clock);
    const llm::Reply reply = provider.complete({.model = "m", .body = "{}"}, {});
    CHECK(reply.failure->kind == Kind::malformed);
    CHECK(read <= llm::wire::kMaxReply + 200'000);
    CHECK_FALSE(reply.text().empty());
  }

  TEST_CASE("models are listed from all pages, sorted") {
    for (const Wire wire : kWires) {
      CAPTURE(name_of(wire));
      World world(wire);
      world.fake.list({"m-5", "m-1", "m-4", "m-2", "m-3"});
      CHECK(world.provider.model_listing()->models({}).value() ==
            std::vector<std::string>{"m-1", "m-2", "m-3", "m-4", "m-5"});
      const bool has_pages = wire == Wire::anthropic || wire == Wire::gemini;
      CHECK(world.fake.requests().size() == (has_pages ? 3 : 1));
    }
  }

  TEST_CASE("a list that never ends is left") {
    testing::ManualClock clock;
    std::vector<Exchange> pages;
    for (int i = 0; i < 200; ++i) {
      pages.push_back({.body = R"({"models":[{"name":"models/m"}],"nextPageToken":")" +
                               std::to_string(i) + "\"}"});
    }
    RecordedTransport transport(std::move(pages));
    HttpProvider provider({.name = "x", .wire = Wire::gemini, .base_url = "https://x"}, key(),
                          transport, clock);
    CHECK(provider.model_listing()->models({}).value() == std::vector<std::string>{"m"});
    CHECK(transport.sent().size() == 100);
  }

  TEST_CASE("tokens are counted where the provider counts them") {
    World anthropic(Wire::anthropic);
    const llm::Request request{.model = "fake-1",
                               .body = R"({"model":"fake-1","max_tokens":1,"messages":[]})"};
    REQUIRE(anthropic.provider.token_counting() != nullptr);
    CHECK(anthropic.provider.token_counting()->count(request).value() ==
          std::string_view(R"({"model":"fake-1","messages":[]})").size());
    World gemini(Wire::gemini);
    CHECK(gemini.provider.token_counting()->count(request).value() > 0);
    CHECK(gemini.fake.requests().at(0).path == "/v1beta/models/fake-1:countTokens");
    for (const Wire wire : {Wire::openai_chat, Wire::openai_responses, Wire::ollama}) {
      CHECK(World(wire).provider.token_counting() == nullptr);
    }
  }
}
