#include "llm/failure.h"

#include <doctest/doctest.h>

#include "base/utf8.h"
#include "llm/wire/reply_parser.h"

using spoor::llm::Failure;
using spoor::llm::kind_of_failure;
using spoor::llm::to_error;
using spoor::llm::wire::read_failure;
using Kind = Failure::Kind;
using Code = spoor::Error::Code;

namespace {

struct Case {
  int status;
  std::string_view body;
  Kind kind;
  std::string_view type;
  std::string_view message;
};

}  // namespace

TEST_SUITE("llm/failure") {
  TEST_CASE("the shapes in which providers tell errors") {
    const Case cases[] = {
        {429,
         R"({"error":{"message":"Slow down","type":"requests","param":null,"code":"rate_limit_exceeded"}})",
         Kind::rate_limited, "rate_limit_exceeded", "Slow down"},
        {529,
         R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"})",
         Kind::overloaded, "overloaded_error", "Overloaded"},
        {401,
         R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}})",
         Kind::unauthorized, "authentication_error", "invalid x-api-key"},
        {404, R"({"error":"model 'x' not found"})", Kind::not_found, "", "model 'x' not found"},
        {400,
         R"({"object":"error","message":"Invalid model","type":"invalid_model","code":"1500"})",
         Kind::invalid_request, "invalid_model", "Invalid model"},
        {422, R"({"detail":[{"loc":["body"],"msg":"Field required"},{"msg":"Too few"}]})",
         Kind::invalid_request, "", "Field required; Too few"},
        {429,
         R"({"message":"Too fast","type":"too_many_requests_error","param":"quota","code":"request_quota_exceeded"})",
         Kind::quota, "request_quota_exceeded", "Too fast"},
        {402,
         R"({"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}})",
         Kind::quota, "invalid_request_error", "Insufficient Balance"},
        {502, "<html><title>Bad Gateway</title></html>", Kind::server, "",
         "the provider answered 502"},
        {503, "upstream connect error", Kind::overloaded, "", "upstream connect error"},
        {500, "", Kind::server, "", "the provider answered 500"},
    };
    for (const Case& one : cases) {
      CAPTURE(one.body);
      const Failure failure = read_failure(one.status, one.body);
      CHECK(name_of(failure.kind) == name_of(one.kind));
      CHECK(failure.type == one.type);
      CHECK(failure.message == one.message);
      CHECK(failure.status == one.status);
      CHECK(failure.raw == one.body);
    }
  }

  TEST_CASE("a day's quota of Google's is a quota, a minute's is a rate, with the time to wait") {
    const auto body = [](const std::string& quota) {
      return R"([{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.",)"
             R"("status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure",)"
             R"("violations":[{"quotaId":")" +
             quota +
             R"("}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"21.5s"}]}}])";
    };
    const Failure minute = read_failure(429, body("GenerateRequestsPerMinutePerProjectPerModel"));
    CHECK(minute.kind == Kind::rate_limited);
    CHECK(minute.retry_after == std::chrono::milliseconds(21'500));
    const Failure day =
        read_failure(429, body("GenerateRequestsPerDayPerProjectPerModel-FreeTier"));
    CHECK(day.kind == Kind::quota);
  }

  TEST_CASE("what an aggregator's provider said is part of the message") {
    const Failure failure = read_failure(
        429,
        R"({"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"busy"}}})");
    CHECK(failure.message == "Provider returned error: busy");
    CHECK(failure.kind == Kind::rate_limited);
  }

  TEST_CASE("the longest wait of several details counts") {
    const auto failure = read_failure(
        429,
        R"({"error":{"code":429,"message":"Wait","details":[{"retryDelay":"21s"},{"retryDelay":"3s"},)"
        R"({"retryDelay":"soon"}]}})");
    CHECK(failure.retry_after == std::chrono::seconds(21));
  }

  TEST_CASE("words tell more than a status") {
    CHECK(kind_of_failure(429, "insufficient_quota", "") == Kind::quota);
    CHECK(kind_of_failure(400, "invalid_request_error", "Your credit balance is too low") ==
          Kind::quota);
    CHECK(kind_of_failure(429, "", "Rate limit reached on tokens per day (TPD)") == Kind::quota);
    CHECK(kind_of_failure(429, "rate_limit_exceeded", "try again in 2s; see /account/billing") ==
          Kind::rate_limited);
    CHECK(kind_of_failure(400, "context_length_exceeded", "") == Kind::too_long);
    CHECK(kind_of_failure(400, "invalid_request_error", "prompt is too long: 9 tokens > 5") ==
          Kind::too_long);
    CHECK(kind_of_failure(400, "INVALID_ARGUMENT",
                          "The input token count (9) exceeds the maximum number of tokens") ==
          Kind::too_long);
    CHECK(kind_of_failure(413, "", "") == Kind::too_long);
    CHECK(kind_of_failure(400, "INVALID_ARGUMENT", "API key not valid. Please pass") ==
          Kind::unauthorized);
    CHECK(kind_of_failure(400, "", "no") == Kind::invalid_request);
    CHECK(kind_of_failure(403, "", "you reached your spending limit") == Kind::quota);
    CHECK(kind_of_failure(401, "", "no key, so no spending limit") == Kind::unauthorized);
    CHECK(kind_of_failure(408, "", "") == Kind::timeout);
    CHECK(kind_of_failure(504, "", "") == Kind::timeout);
    CHECK(kind_of_failure(500, "overloaded_error", "") == Kind::overloaded);
  }

  TEST_CASE("within a stream there is no status") {
    CHECK(kind_of_failure(0, "overloaded_error", "") == Kind::overloaded);
    CHECK(kind_of_failure(0, "api_error", "") == Kind::server);
    CHECK(kind_of_failure(0, "invalid_request_error", "") == Kind::invalid_request);
    CHECK(kind_of_failure(0, "timeout_error", "") == Kind::timeout);
    CHECK(kind_of_failure(0, "429", "") == Kind::rate_limited);
    CHECK(kind_of_failure(0, "UNAVAILABLE", "") == Kind::overloaded);
    CHECK(kind_of_failure(0, "", "") == Kind::server);
  }

  TEST_CASE("a long message is cut between characters, and the raw at 64 KiB") {
    std::string text;
    while (text.size() < 100'000) text += "\xC3\xA9";
    const Failure failure = read_failure(500, text);
    CHECK(failure.raw.size() == 64U << 10U);
    CHECK(failure.message == text.substr(0, 1000) + "\xE2\x80\xA6");
  }

  TEST_CASE("a long error of an aggregator's provider is cut between characters") {
    std::string cause = "a";
    for (int i = 0; i < 600; ++i) cause += "é";
    const auto failure = read_failure(502, R"({"error":{"metadata":{"raw":")" + cause + R"("}}})");
    CHECK(spoor::is_utf8(failure.message));
    CHECK(failure.message.ends_with("…"));
  }

  TEST_CASE("as an error of this library") {
    const auto code_of = [](Kind kind) {
      Failure failure;
      failure.kind = kind;
      return to_error(failure).code;
    };
    CHECK(code_of(Kind::interrupted) == Code::interrupted);
    CHECK(code_of(Kind::unauthorized) == Code::denied);
    CHECK(code_of(Kind::quota) == Code::denied);
    CHECK(code_of(Kind::not_found) == Code::not_found);
    CHECK(code_of(Kind::invalid_request) == Code::invalid);
    CHECK(code_of(Kind::too_long) == Code::invalid);
    for (const Kind kind : {Kind::rate_limited, Kind::overloaded, Kind::timeout, Kind::server,
                            Kind::network, Kind::malformed}) {
      CHECK(code_of(kind) == Code::unavailable);
    }
    Failure failure;
    failure.status = 529;
    failure.message = "Overloaded";
    CHECK(to_error(failure).message == "Overloaded (HTTP 529)");
    CHECK(!to_error(failure).hint.empty());
  }
}
