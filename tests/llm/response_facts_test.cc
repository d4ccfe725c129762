#include "llm/http/response_facts.h"

#include <doctest/doctest.h>

using namespace spoor;
using namespace std::chrono_literals;
using llm::http::Head;
using llm::http::Headers;

namespace {

// 2026-11-21T20:00:00Z
const spoor::Timestamp kNow = spoor::parse_rfc3339("2026-11-21T20:00:00Z").value();

std::optional<std::chrono::milliseconds> asked(Headers headers) {
  return llm::http::asked_wait(Head{429, std::move(headers)}, kNow);
}

}  // namespace

TEST_SUITE("llm/http/response_facts") {
  TEST_CASE("retry-after-ms goes before retry-after") {
    CHECK(asked({{"retry-after", "9"}, {"retry-after-ms", "250"}}) == 250ms);
    CHECK(asked({{"retry-after-ms", "250.5"}}) == 251ms);
    CHECK(asked({{"retry-after-ms", "soon"}, {"retry-after", "9"}}) == 9s);
  }

  TEST_CASE("retry-after is seconds or a date") {
    CHECK(asked({{"retry-after", "7"}}) == 7s);
    CHECK(asked({{"retry-after", "0"}}) == 0ms);
    CHECK(asked({{"retry-after", "1.5"}}) == 1500ms);
    CHECK(asked({{"retry-after", "Sat, 21 Nov 2026 20:00:30 GMT"}}) == 30s);
    CHECK(asked({{"retry-after", "Sat, 21 Nov 2026 19:00:00 GMT"}}) == 0ms);
  }

  TEST_CASE("what is no time is as if it were not there; what is too long is bounded") {
    for (const char* bad :
         {"", "soon", "1s", "0x10", "nan", "inf", "1e3", "Sat, 31 Feb 2026 20:00:30 GMT"}) {
      CAPTURE(bad);
      CHECK_FALSE(asked({{"retry-after", bad}}));
    }
    CHECK(asked({{"retry-after", "-5"}}) == 0ms);
    CHECK(asked({{"retry-after", "99999999999999999999999999"}}).value() > 1000h);
  }

  TEST_CASE("without retry-after the last of the used-up limits says when") {
    CHECK(asked({{"anthropic-ratelimit-requests-remaining", "0"},
                 {"anthropic-ratelimit-requests-reset", "2026-11-21T20:00:10Z"},
                 {"anthropic-ratelimit-input-tokens-remaining", "0"},
                 {"anthropic-ratelimit-input-tokens-reset", "2026-11-21T20:00:40Z"},
                 {"anthropic-ratelimit-output-tokens-remaining", "5"},
                 {"anthropic-ratelimit-output-tokens-reset", "2026-11-21T20:59:00Z"}}) == 40s);
    CHECK_FALSE(asked({{"anthropic-ratelimit-requests-remaining", "12"},
                       {"anthropic-ratelimit-requests-reset", "2026-11-21T20:00:10Z"}}));
  }

  TEST_CASE("a date is read in the form that servers must send, and in no other") {
    // The example of RFC 9110, 5.6.7.
    CHECK(llm::http::read_http_date("Sun, 06 Nov 1994 08:49:37 GMT")->text() ==
          "1994-11-06T08:49:37.000000Z");
    CHECK_FALSE(llm::http::read_http_date("Sunday, 06-Nov-94 08:49:37 GMT"));
    CHECK_FALSE(llm::http::read_http_date("Sun, 06 Nov 1994 08:49:37 UTC"));
    CHECK_FALSE(llm::http::read_http_date("Sun, 06 Nov 1994 25:49:37 GMT"));
    CHECK_FALSE(llm::http::read_http_date("Sun, -6 Nov 1994 08:49:37 GMT"));
  }

  TEST_CASE("a request's name is kept with the message, unless it could do harm") {
    llm::Failure failure{.message = "too much"};
    llm::http::add_facts(failure, {429, {{"request-id", "req_7"}, {"x-should-retry", "false"}}},
                         kNow);
    CHECK(failure.message == "too much (request req_7)");
    CHECK(failure.should_retry == false);
    CHECK(llm::http::request_id({500, {{"x-request-id", "a\x1b[31mb"}}}).empty());
    CHECK(llm::http::request_id({500, {{"x-request-id", std::string(129, 'x')}}}).empty());
  }

  TEST_CASE("x-should-retry says yes, no or nothing") {
    CHECK(llm::http::asked_retry({529, {{"x-should-retry", "true"}}}) == true);
    CHECK_FALSE(llm::http::asked_retry({529, {{"x-should-retry", "maybe"}}}));
    CHECK_FALSE(llm::http::asked_retry({529, {}}));
  }
}
