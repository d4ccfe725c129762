#include "guard/redact/redactor.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/json/writer.h"
#include "guard/redact/denied_keys.h"
#include "guard/redact/rule.h"
#include "tests/guard/corpus.h"

namespace spoor::guard {
namespace {

const RuleSet& builtin() {
  static const std::unique_ptr<RuleSet> rules = RuleSet::with_builtin().value();
  return *rules;
}

std::string redacted(const std::string& text) {
  MemoryNumbering numbers;
  auto done = Redactor(builtin(), numbers).redact(text);
  REQUIRE_MESSAGE(done, (done ? "" : done.error().message));
  return done.value();
}

}  // namespace

TEST_SUITE("guard/redact/redactor") {
  TEST_CASE("of 5,000 look-alikes none is touched, as text or as a value of JSON") {
    MemoryNumbering numbers;
    const Redactor redactor(builtin(), numbers);
    for (const std::string& text : look_alikes(5000, 20260703)) {
      CHECK(redactor.redact(text).value() == text);
      const std::string member = "{\"content\":" + json::write_string(text) + "}";
      CHECK(redactor.redact(member).value() == member);
    }
  }

  TEST_CASE("a secret is found behind an escape that is written out, and behind a colour") {
    int tried = 0;
    for (const Rule& rule : builtin().rules()) {
      const bool begins_with_it = rule.regex.starts_with("\\b") && rule.secret_group == 0;
      if (!begins_with_it) continue;
      for (const std::string& secret : rule.positive) {
        if (redacted(secret).find('[') != 0) continue;  // Something stands before it already.
        for (const char* before : {"Exit code 1\\n", "\\t", "\\r", "\\u000a", "\\x1b[31m",
                                   "\\033[01;31m\\033[K", "\x1b[0;1;31m", "key%3D", "x\\u001b[K"}) {
          CAPTURE(before);
          const std::string text = before + secret;
          CHECK(redacted(text) == before + redacted(secret));
          ++tried;
        }
        CHECK(redacted("ab" + secret) == "ab" + secret);
      }
    }
    CHECK(tried > 300);
  }

  TEST_CASE("doing it again changes nothing, and JSON stays JSON") {
    MemoryNumbering numbers;
    const Redactor redactor(builtin(), numbers);
    const auto secrets = made_up_secrets(2000, 20260704);
    Dice dice(20260705);
    for (std::size_t i = 0; i < secrets.size(); ++i) {
      // Pieces of three of them, glued where it comes.
      std::string text = secrets[i].text;
      for (int j = 0; j < 2; ++j) {
        const std::string& other = secrets[dice.below(secrets.size())].text;
        text.insert(dice.below(text.size() + 1), other.substr(0, dice.below(other.size() + 1)));
      }
      const std::string once = redactor.redact(text).value();
      CHECK(redactor.redact(once).value() == once);

      const std::string inner = "{\"a\":" + json::write_string(text) + ",\"n\":4111111111111111}";
      const std::string outer =
          "{\"token\":" + json::write_string(text) + ",\"s\":" + json::write_string(inner) + "}";
      const std::string clean = redactor.redact(outer).value();
      CHECK(redactor.redact(clean).value() == clean);
      const auto parsed = nlohmann::json::parse(clean, nullptr, false);
      REQUIRE_FALSE(parsed.is_discarded());
      REQUIRE_FALSE(
          nlohmann::json::parse(parsed["s"].get<std::string>(), nullptr, false).is_discarded());
    }
  }

  TEST_CASE("the same secret has the same number, another one the next") {
    CHECK(redacted("a@somewhere.com, b@somewhere.com, a@somewhere.com") ==
          "[REDACTED:email:1], [REDACTED:email:2], [REDACTED:email:1]");
  }

  TEST_CASE("a secret that spans an escape is found, and all other bytes stay") {
    const std::string key = std::string("gh") + "p_0123456789abcdefghijABCDEFGHIJ012345";
    const std::string escaped = std::string("gh") + "p_0123456789abcdefghij\\u0041BCDEFGHIJ012345";
    CHECK(redacted("{ \"x\" : \"say " + escaped + "\", \"y\":1.50 }") ==
          "{ \"x\" : \"say [REDACTED:github-token:1]\", \"y\":1.50 }");
    CHECK(redacted("[\"postgres:\\/\\/app:" + std::string("Sum") + "mer2031@db\\/app\"]") ==
          "[\"postgres://app:[REDACTED:url-password:1]@db/app\"]");
    CHECK(redacted(key) == "[REDACTED:github-token:1]");
  }

  TEST_CASE("a key tells what its value is") {
    CHECK(redacted(R"({"password":"Summer2031x"})") == R"({"password":"[REDACTED:password:1]"})");
    CHECK(redacted(R"({"user":"Summer2031x"})") == R"({"user":"Summer2031x"})");
    CHECK(redacted(R"({"card":4111111111111111})") == R"({"card":"[REDACTED:card:1]"})");
  }

  TEST_CASE("of an address with a password in it the password goes, and no more") {
    const std::string login = std::string("postgres://admin:hun") + "ter2pass";
    CHECK(redacted("at " + login + "@db.example.org") ==
          "at postgres://admin:[REDACTED:url-password:1]@db.example.org");
    CHECK(redacted(login + "@db.example.org:5432/x?sslmode=require") ==
          "postgres://admin:[REDACTED:url-password:1]@db.example.org:5432/x?sslmode=require");
    CHECK(redacted("mail jo@somewhere.com") == "mail [REDACTED:email:1]");
  }

  TEST_CASE("lines of JSON are JSON, a text with some in it is a text") {
    CHECK(redacted("{\"password\":\"Summer2031x\"}\n{\"a\":1}\n") ==
          "{\"password\":\"[REDACTED:password:1]\"}\n{\"a\":1}\n");
    CHECK(redacted("got {\"password\":\"Summer2031x\"} back") ==
          "got {\"password\":\"[REDACTED:password:1]\"} back");
  }

  TEST_CASE("rules that guess pass over ids, hashes, times and paths; those that know do not") {
    CHECK(redacted(R"({"file_path":"/home/jo@somewhere.com/x"})") ==
          R"({"file_path":"/home/jo@somewhere.com/x"})");
    CHECK(redacted(R"({"id":"4111111111111111"})") == R"({"id":"4111111111111111"})");
    const std::string key = std::string("gh") + "p_0123456789abcdefghijABCDEFGHIJ012345";
    CHECK(redacted("{\"id\":\"" + key + "\"}") == R"({"id":"[REDACTED:github-token:1]"})");
    for (const char* name : {"id", "parentUuid", "call_id", "created_at", "createdAt", "sha256",
                             "file_path", "cwd", "signature", "encrypted_content"}) {
      CHECK_MESSAGE(is_denied_key(name), name);
    }
    for (const char* name : {"text", "format", "chat", "aws_access_key_id", "account_id", "paid",
                             "token_hash", "valid", "content"}) {
      CHECK_MESSAGE(!is_denied_key(name), name);
    }
  }

  TEST_CASE("a placeholder that nobody made hides nothing") {
    const std::string key = std::string("gh") + "p_0123456789abcdefghijABCDEFGHIJ012345";
    CHECK(redacted("[REDACTED:" + key + ":1]") == "[REDACTED:[REDACTED:github-token:1]:1]");
    CHECK(redacted("password=[REDACTED:email:1]Summer2031x") == "password=[REDACTED:password:1]");
  }

  TEST_CASE("a secret longer than a rule's reach is taken whole") {
    const std::string body(20000, 'A');
    const std::string text = "-----BEGIN " + std::string("PRIVATE KEY-----\n") + body +
                             "\n-----END " + std::string("PRIVATE KEY-----");
    CHECK(redacted("see\n" + text + "\nend") == "see\n[REDACTED:private-key:1]\nend");
    std::string token = std::string("ey") + "J" + std::string(5000, 'a') + ".b0b0b0.c";
    CHECK(redacted(token + " x") == "[REDACTED:jwt:1] x");
  }

  TEST_CASE("what is told of a redaction is not the secret") {
    MemoryNumbering numbers;
    std::vector<Redaction> all;
    REQUIRE(Redactor(builtin(), numbers).redact("x\nto jo@somewhere.com", {}, &all));
    REQUIRE(all.size() == 1);
    CHECK(all[0] == Redaction{"email", 5, 16, "[REDACTED:email:1]"});
  }

  TEST_CASE("bytes that are no text do no harm") {
    CHECK(redacted(std::string("\xff\xfe\0jo@somewhere.com\0\x80", 21)) ==
          std::string("\xff\xfe\0[REDACTED:email:1]\0\x80", 23));
    CHECK(redacted("").empty());
  }
}

TEST_SUITE("guard/redact/rule_reader") {
  TEST_CASE("what is not understood is refused, with its line") {
    const auto problem = [](std::string_view text) {
      const auto read = read_rules(text, "r.toml");
      return read ? std::string() : read.error().message;
    };
    CHECK(problem("[[rules]]\nid = 'a'\nregx = 'x'") == "r.toml:3: unknown key 'regx'");
    CHECK(problem("[[rules]]\nid = 'A'\nregex = 'x'").starts_with("r.toml:1: a rule's id must be"));
    CHECK(problem("[[rules]]\nid = 'a'").ends_with("'a' has no regex"));
    CHECK(problem("[[rules]]\nid = 'a'\nregex = 'x'\nentropy = 9.0").starts_with("r.toml:4: "));
    CHECK(problem("rules = 3").ends_with("'rules' is not a list of tables"));
    CHECK(problem("[[rules]").starts_with("r.toml:1:9: "));
    CHECK(problem("[[rules]]\nid = 'a'\nregex = 'x'\n[[rules]]\nid = 'a'\nregex = 'y'")
              .ends_with("two rules are named 'a'"));
    CHECK(problem("[[rules]]\nid = 'a'\nregex = 'x'\n[[rules.allowlists]]\nstopwords = ['']")
              .ends_with("r.toml:5: 'stopwords' contains an empty string"));
    CHECK(problem("[[rules]]\nid = 'a'\nregex = 'x'\nkeywords = ['k', '']")
              .ends_with("r.toml:4: 'keywords' contains an empty string"));
    CHECK(problem("[[rules]]\nid = 'a'\nregex = 'x'\nreach = -1")
              .starts_with("r.toml:4: 'reach' is not a whole number from 0 to "));
    CHECK(problem("[[rules]]\nid = 'a'\nregex = 'x'\nguesses = 1")
              .ends_with("'guesses' is neither true nor false"));
    CHECK(problem("# \xff") == "r.toml is not UTF-8");
    CHECK(problem(std::string((4U << 20U) + 1, '\n')) == "r.toml is larger than 4096 KiB");
  }

  TEST_CASE("rules of one's own come first, take the place of built-in ones, and leave some out") {
    auto file = read_rules(R"(
[[rules]]
id = "employee"
regex = 'E-([0-9]{6})'
secretGroup = 1
keywords = ["e-\\d"]
[[rules]]
id = "email"
regex = '[a-z]+@ours\.test'
keywords = ["@"]
[[rules.allowlists]]
regexes = ['^hello@']
[extend]
disabled_rules = ["phone"]
)",
                           "own.toml");
    REQUIRE_MESSAGE(file, (file ? "" : file.error().message));
    const auto rules = RuleSet::with_builtin(std::move(file).value());
    REQUIRE(rules);
    MemoryNumbering numbers;
    const Redactor redactor(*rules.value(), numbers);
    CHECK(redactor.redact("E-123456 jo@ours.test hello@ours.test jo@somewhere.com").value() ==
          "E-[REDACTED:employee:1] [REDACTED:email:1] hello@ours.test jo@somewhere.com");
    CHECK(redactor.redact("+49 30 12345678").value() == "+49 30 12345678");
    RuleFile wrong;
    wrong.disabled = {"no-such-rule"};
    CHECK_FALSE(RuleSet::with_builtin(wrong));
  }

  TEST_CASE("rules that a store carries only add: no allowlist, nobody's place, nothing left out") {
    auto stores = read_rules(R"(
[[allowlists]]
regexes = ['.']
[[rules]]
id = "email"
regex = 'never'
[[rules]]
id = "room"
regex = 'R-[0-9]{4}'
[[rules.allowlists]]
regexes = ['^R-0000$']
[[rules]]
id = "jo"
regex = '\bjo'
[extend]
disabled_rules = ["phone", "github-token"]
)",
                             "store.toml");
    REQUIRE_MESSAGE(stores, (stores ? "" : stores.error().message));
    auto users = read_rules("[[rules]]\nid = 'badge'\nregex = 'B-[0-9]{4}'\n", "own.toml").value();
    Additions added = additions_of(std::move(stores).value());
    CHECK(added.ignored == std::vector<std::string>{"1 allowlist for every rule",
                                                    "disabled_rules (phone, github-token)"});
    const auto rules = RuleSet::with_builtin(std::move(users), std::move(added)).value();
    MemoryNumbering numbers;
    const Redactor redactor(*rules, numbers);
    const std::string key = std::string("gh") + "p_0123456789abcdefghijABCDEFGHIJ012345";
    CHECK(redactor.redact("R-1234 R-0000 B-1234 ann@somewhere.com " + key).value() ==
          "[REDACTED:room:1] R-0000 [REDACTED:badge:1] [REDACTED:email:1] "
          "[REDACTED:github-token:1]");
    CHECK(redactor.redact("call +49 30 12345678").value() == "call [REDACTED:phone:1]");
    // Nor does a rule that takes the front of an address keep the rest of it from its own.
    CHECK(redactor.redact("to jo@somewhere.com").value().find("somewhere") == std::string::npos);
  }

  TEST_CASE("a rule with a path is for texts from there, and for those of nobody knows where") {
    std::vector<Rule> rules(1);
    rules[0].id = "here";
    rules[0].regex = "XY[0-9]+";
    rules[0].path = "\\.env$";
    const RuleSet set(rules);
    CHECK(set.find("XY12", {.path = "a/.env"}).value().size() == 1);
    CHECK(set.find("XY12", {.path = "a/b.cc"}).value().empty());
    CHECK(set.find("XY12").value().size() == 1);
  }
}

}  // namespace spoor::guard
