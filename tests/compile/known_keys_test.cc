#include "compile/known_keys.h"

#include <array>
#include <random>

#include <doctest/doctest.h>

#include "base/base64.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "graph/repository.h"
#include "tests/support/holds.h"
#include "tests/support/stored.h"

using namespace spoor;
using compile::kKeyMark;
using compile::KnownKey;
using testing::holds;

namespace {

std::string without(const std::string& secret, std::string text) {
  KnownKey(secret).take_out_of(text);
  return text;
}

const std::string kMark(kKeyMark);

// Every sign as a URL has it.
std::string percent(const std::string& text, const char* digits) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      out += c;
    } else {
      out += std::string("%") + digits[byte >> 4U] + digits[byte & 15U];
    }
  }
  return out;
}

}  // namespace

TEST_SUITE("compile/known_keys") {
  TEST_CASE("a key is found as it is, escaped as JSON and URLs do, and within base64") {
    const std::string secret = "sk-A/b+9=Zk3mQ7xT2w\"?&_end/";
    const std::string once = spoor::json::write_string(secret);
    const std::string twice = spoor::json::write_string(once);
    std::string slashes;  // As PHP and others write them.
    std::string codes;
    for (const char c : secret) {
      slashes += c == '/' ? "\\/" : c == '"' ? "\\\"" : std::string(1, c);
      codes += c == '/'   ? "\\u002F"
               : c == '"' ? "\\u0022"
               : c == '&' ? "\\u0026"
                          : std::string(1, c);
    }
    for (const std::string& form :
         {secret, once.substr(1, once.size() - 2), twice.substr(3, twice.size() - 6), slashes,
          codes, percent(secret, "0123456789ABCDEF"), percent(secret, "0123456789abcdef"),
          percent(percent(secret, "0123456789ABCDEF"), "0123456789ABCDEF")}) {
      CAPTURE(form);
      CHECK(without(secret, form) == kMark);
      CHECK(without(secret, "a " + form + ", " + form + " b") ==
            "a " + kMark + ", " + kMark + " b");
    }
    for (const std::string before : {"", "a", "ab", "user:"}) {
      const std::string coded = spoor::encode_base64(before + secret + " and more");
      for (const std::string& form : {coded, spoor::with_url_alphabet(coded)}) {
        const std::string left = without(secret, "Basic " + form);
        CHECK(holds(left, kMark));
        CHECK(left.size() < kMark.size() + 30);
      }
    }
  }

  TEST_CASE("JSON stays JSON, however the key begins and ends and whatever stands around it") {
    for (const std::string& secret :
         {std::string("nabcdefghij0123456789"), std::string("/ab/cdefghij01234567/"),
          std::string("\"quoted-0123456789abc\""), std::string("u00e9abcdefgh01234567"),
          std::string("-----BEGIN KEY-----\nMIIabc+/\n-----END KEY-----\n"),
          std::string("back\\slash\\0123456789\\")}) {
      for (const std::string around : {"", "\n", "\\", "\"", "/", "\\\\\"", "x"}) {
        std::string said = around;
        said += secret;
        said += around;
        std::string text = spoor::json::write_string(said);
        for (int depth = 0; depth < 3; ++depth) {
          CAPTURE(text);
          std::string clean = text;
          CHECK(KnownKey(secret).take_out_of(clean));
          CHECK(spoor::json::parse(clean));
          CHECK(KnownKey(secret).take_out_of(clean) == false);
          text = spoor::json::write_string(text);
        }
      }
    }
  }

  TEST_CASE("no key is left in any text of JSON, however deep, and each level stays JSON") {
    const std::string secret = "\"sk/n0123456789abc\\=%2F+u00e9-tail\n";
    const std::vector<std::string> parts = {secret,
                                            secret.substr(0, 20),
                                            secret.substr(20),
                                            "\\",
                                            "\"",
                                            "\n",
                                            "n",
                                            "u00e9",
                                            "u",
                                            "%2F",
                                            "%",
                                            "x",
                                            "/",
                                            "\u00e9",
                                            "0123456789abc"};
    std::mt19937 random(7);
    for (int i = 0; i < 20'000; ++i) {
      std::string said;
      for (std::size_t n = 1 + random() % 8; n > 0; --n) said += parts[random() % parts.size()];
      const bool has_key = holds(said, secret);
      const std::size_t depth = 1 + random() % 3;
      std::string text = said;
      for (std::size_t level = 0; level < depth; ++level) text = spoor::json::write_string(text);
      const bool was_there = KnownKey(secret).take_out_of(text);
      CAPTURE(said);
      CAPTURE(text);
      REQUIRE((was_there || !has_key));
      for (std::size_t level = 0; level < depth; ++level) {
        const auto read = spoor::json::parse(text);
        REQUIRE(read);
        text = read->root().text();
      }
      REQUIRE_FALSE(holds(text, secret));
      if (!was_there) REQUIRE(text == said);
    }
  }

  TEST_CASE("the first half of a long key is enough, and as much of the rest goes as is there") {
    const std::string secret = "sk-0123456789abcdef/ghijklmno=pqrstu";
    CHECK(without(secret, "it is sk-0123456789abcd") == "it is sk-0123456789abcd");
    CHECK(without(secret, "it is sk-0123456789abcdef/g") == "it is " + kMark);
    CHECK(without(secret, R"({"t":"sk-0123456789abcdef\u002Fghijkl"})") ==
          R"({"t":")" + kMark + R"("})");
    CHECK(without(secret, secret + "v") == kMark + "v");
  }

  TEST_CASE("what is only like a key stays") {
    const std::string secret = "sk-abcdefgh-01234567";
    for (const std::string text :
         {"sk-abcdefgh-012", "sk-abcdefgh_01234567", "sk-abcdefgh -01234567", "abcdefgh",
          "sk-ABCDEFGH-01234567", "sk-abcdefgh%2E01234567", ""}) {
      CHECK(without(secret, text) == text);
    }
    CHECK(without(secret, "sk-abcdefgh-sk-abcdefgh-01234567") == "sk-abcdefgh-" + kMark);
    CHECK(without("", "text") == "text");
    CHECK(without("?!-:/()[]{}<>=+&", "?!-:/()[]{}<>=+&") == "?!-:/()[]{}<>=+&");
  }

  TEST_CASE("many look-alikes take time in proportion to the text") {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += "core\\\\\\\\";
    std::string clean = text;
    CHECK_FALSE(KnownKey("-.-.-.-.-.-core-.-.-.-.-.-").take_out_of(clean));
    CHECK(clean == text);
  }

  TEST_CASE("short secrets and numbers are not known, and of two the longer one goes first") {
    for (const char* secret : {"fifteen-letters", "1234567890123456789", "  spaced-short  ", ""}) {
      compile::know_key(secret);
      std::string text = secret;
      CHECK_FALSE(compile::take_out_known_keys(text));
    }
    compile::know_key("part-0123456789-of");
    compile::know_key("  whole-part-0123456789-of-it\n");
    std::string text = "whole-part-0123456789-of-it, part-0123456789-of";
    CHECK(compile::take_out_known_keys(text));
    CHECK(text == kMark + ", " + kMark);
  }

  TEST_CASE("a key in the pieces of a stream is noticed, and only there") {
    compile::know_key("sk-stream-0123456789abcdef");
    const std::string pieces =
        "event: x\ndata: {\"delta\":{\"type\":\"t\",\"text\":\"it is sk-str\"}}\n\n"
        "data: {\"delta\":{\"type\":\"t\",\"text\":\"eam-0123456\"}}\r\n\r\n"
        "data: {\"delta\":{\"type\":\"t\",\"text\":\"789abcdef.\"}}\n\ndata: [DONE]\n";
    CHECK(compile::holds_known_key_in_pieces(pieces));
    CHECK(compile::holds_known_key_in_pieces(
        R"([{"text":"sk-stream-"},{"text":"0123456789abcdef"}])"));
    CHECK_FALSE(compile::holds_known_key_in_pieces(
        R"([{"text":"sk-stream-"},{"other":"0123456789abcdef"}])"));
    CHECK_FALSE(compile::holds_known_key_in_pieces("sk-str\neam-0123456789abcdef"));
  }

  TEST_CASE("no draft writes a known key, whatever it is a part of") {
    const std::string secret = "sk-draft/0123456789abcdef";
    compile::know_key(secret);
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    compile::Turn turn{.type = compile::Type::assistant, .text = "it is " + secret};
    turn.fields.tool_calls = {{"c-" + secret, "n" + secret, R"({"k":")" + secret + R"("})"}};
    turn.fields.rationale = R"({")" + secret + R"(":1,"a":"sk-draft\/0123456789abcdef"})";
    turn.facts.set(fact::model, secret);
    turn.extra.message = secret;
    turn.extra.metadata = R"({"z":1,")" + secret + R"(":")" + secret + R"("})";
    turn.extra.tags = {secret};
    turn.raw = {{R"({"x":"sk-draft\/0123456789abcdef"})"}, {"{}", "text/" + secret}};
    turn.attach = {{"\x89PNG\r\n" + secret, "image/png"},
                   {"data: {\"t\":\"sk-draft/0123\"}\ndata: {\"t\":\"456789abcdef\"}\n"}};
    turn.author = secret;
    const auto made = main.commit(turn);
    REQUIRE(made);
    const auto pinned = main.annotate(*made, store::Priority::pinned, secret);
    CAPTURE((pinned ? "" : pinned.error().message));
    REQUIRE(pinned);
    const auto edited = main.edit(*made, "now " + secret);
    REQUIRE(edited);
    REQUIRE(repository->transact(
        "test", graph::OnConflict::fail, [&](graph::Draft& draft) -> spoor::Result<void> {
          TRY(draft.move("refs/tags/t", TRY(draft.put_tag("t", *made, secret, {secret, {}, {}}))));
          store::Bundle bundle;
          bundle.commit = *made;
          bundle.renderer = "anthropic/1";
          bundle.model = secret;
          TRY(draft.put_bundle(bundle, R"({"m":")" + secret + R"("})", true));
          return {};
        }));
    const auto named = repository->create_branch("b/" + secret.substr(0, 8) + "/x", *made);
    CHECK(named);
    CHECK(repository->create_branch(secret, *made).error().code == spoor::Error::Code::denied);

    const std::string all = testing::all_stored(repository->store());
    CHECK(holds(all, kMark));
    CHECK(holds(all, "it is " + kMark));
    for (const char* form : {"sk-draft/0123456789abcdef", R"(sk-draft\/0123456789abcdef)",
                             R"("sk-draft/0123")", "0123456789abcdef"}) {
      CHECK_FALSE(holds(all, form));
    }
    const compile::Turn read = graph::read_turn(repository->reader(), *made).value();
    CHECK(read.facts.get(fact::raw_altered));
    CHECK(read.raw.at(0).bytes == R"({"x":")" + kMark + R"("})");
    CHECK(read.raw.at(1).media_type == "application/octet-stream");
    CHECK(read.attach.at(1).bytes == kMark);
    CHECK(read.fields.tool_calls->at(0).arguments == R"({"k":")" + kMark + R"("})");
  }

  TEST_CASE("a commit without a key in its items is not marked") {
    compile::know_key("sk-other-0123456789abcdef");
    const auto repository = graph::Repository::in_memory();
    compile::Turn turn{.type = compile::Type::assistant, .text = "sk-other-0123456789abcdef"};
    turn.raw = {{R"({"x":1})"}};
    const auto made = repository->branch("main").commit(turn).value();
    CHECK_FALSE(graph::read_turn(repository->reader(), made)->facts.get(fact::raw_altered));
    CHECK(repository->reader().commit(made).value()->meta.empty());
  }
}
