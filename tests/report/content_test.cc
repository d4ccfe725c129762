#include "trace/content.h"

#include <doctest/doctest.h>

#include "report/event/failure_modes.h"
#include "report/event/ids.h"
#include "trace/event_json.h"

namespace spoor::report {

using trace::Content;
using trace::content_of;
using trace::erased_content;
using trace::ModelOutput;
using trace::unknown_content;

namespace {

using compile::Capture;

const std::string kCommitment =
    R"({"bytes":5,"hash":"hmac-sha256:)" + std::string(64, 'a') + R"(","mode":"hashed"})";

}  // namespace

TEST_SUITE("report/event/content") {
  TEST_CASE("a text is a string, with U+FFFD for what is no UTF-8") {
    CHECK(to_json(content_of("a\n\"b\"", Capture::full)) == R"("a\n\"b\"")");
    CHECK(to_json(content_of("a\xff\xed\xa0\x80z", Capture::full)) ==
          "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"");
    CHECK(to_json(content_of("see [REDACTED:aws-key:1]", Capture::full)) ==
          R"("see [REDACTED:aws-key:1]")");
  }

  TEST_CASE("a redacted text says where its placeholders are") {
    const Content content = content_of(
        "key [REDACTED:aws-key:1], not [REDACTED:X:1] nor [REDACTED:a:]; é "
        "[REDACTED:e-mail:12]",
        Capture::redacted);
    REQUIRE(content.redactions.size() == 2);
    CHECK(content.redactions[0].rule == "aws-key");
    for (const auto& one : content.redactions) {
      CHECK(content.text.substr(one.start, one.length).starts_with("[REDACTED:" + one.rule + ":"));
      CHECK(content.text[one.start + one.length - 1] == ']');
    }
    CHECK(to_json(content_of("a", Capture::redacted)) ==
          R"({"mode":"redacted","redactions":[],"text":"a"})");
  }

  TEST_CASE("a placeholder has a rule of 40 characters and a number of 12 digits at most") {
    const auto count = [](const std::string& rule, const std::string& number) {
      return content_of("[REDACTED:" + rule + ':' + number + ']', Capture::redacted)
          .redactions.size();
    };
    CHECK(count(std::string(40, 'a'), std::string(12, '9')) == 1);
    CHECK(count(std::string(41, 'a'), "1") == 0);
    CHECK(count("a", std::string(13, '9')) == 0);
    CHECK(count("", "1") == 0);
    CHECK(count("a", "1x") == 0);
    CHECK(content_of("[REDACTED:a:1", Capture::redacted).redactions.empty());
    CHECK(content_of("[REDACTED:a:1[REDACTED:b:2]", Capture::redacted).redactions.size() == 1);
  }

  TEST_CASE("a commitment stands for its text, in whatever mode") {
    for (const Capture mode : {Capture::full, Capture::redacted, Capture::hashed}) {
      CHECK(to_json(content_of(kCommitment, mode)) == kCommitment);
    }
    CHECK(to_json(content_of("", Capture::hashed)) == R"("")");
    CHECK(content_of(R"({"mode":"hashed"})", Capture::full).mode == Content::Mode::full);
  }

  TEST_CASE("what was erased, and what is not known, says just that") {
    CHECK(to_json(erased_content()) == R"({"mode":"erased"})");
    CHECK(to_json(unknown_content()) == R"({"mode":"unknown"})");
  }

  TEST_CASE("ids are those of OpenTelemetry, other for each, and the same each time") {
    store::Oid one;
    store::Oid other;
    other.bytes[31] = 1;
    CHECK(trace_id_of(one).size() == 32);
    CHECK(span_id_of(one).size() == 16);
    CHECK(span_id_of(one) == span_id_of(one));
    CHECK(span_id_of(one) != span_id_of(other));
    CHECK(span_id_of(one) != run_span_id(one));
    CHECK(call_span_id(one, 1) != call_span_id(one, 2));
    const std::string id = event_id_of(one);
    CHECK(id.size() == 36);
    CHECK(id[14] == '8');
    CHECK(std::string("89ab").find(id[19]) != std::string::npos);
  }

  TEST_CASE("a profile names what it requires and is not known") {
    DecisionEvent event;
    event.timestamp = "2026-11-21T20:01:00.000000Z";
    event.request.user_request_raw = content_of("g", Capture::full);
    event.model_output = ModelOutput{};
    event.model_output->output_raw = content_of("x", Capture::full);
    event.session.session_id = "main";
    event.session.agent_id = "spoor/react";
    CHECK(missing_of(event, Profile::black_box).empty());
    CHECK(missing_of(event, Profile::white_box) ==
          std::vector<std::string>{"prompt_provenance/provider", "prompt_provenance/model",
                                   "prompt_provenance/prompt_bundle_hash",
                                   "model_output/usage/input_tokens",
                                   "model_output/usage/output_tokens"});
    event.timestamp.clear();
    event.model_output->output_raw = unknown_content();
    CHECK(missing_of(event, Profile::black_box) ==
          std::vector<std::string>{"timestamp", "model_output/output_raw"});
  }
}

}  // namespace spoor::report
