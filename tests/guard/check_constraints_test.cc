#include "guard/check/constraints.h"

#include <fstream>
#include <iterator>
#include <set>

#include <doctest/doctest.h>

#include "guard/check/findings.h"

namespace spoor::guard::check {
namespace {

std::string refusal(const std::string& toml) {
  const auto rules = read_constraints(toml, "c.toml");
  return rules ? "" : rules.error().message;
}

// A file with one constraint of these members.
std::string one(const std::string& members) { return "[[constraint]]\nid = \"a\"\n" + members; }

}  // namespace

TEST_SUITE("guard/check/constraints") {
  TEST_CASE("each kind is read, and says in words what it looks for") {
    const auto rules = read_constraints(R"toml(
[[constraint]]
id = "words"
rule = "be kind"
type = "style"
[[constraint]]
id = "shape"
check = "format"
json = true
schema = '{"type":"object"}'
max_length = 10
no_emoji = true
fences = ["cpp"]
requires = ["a"]
forbids = ["b"]
on = ["message", "plan"]
severity = "low"
[[constraint]]
id = "paths"
check = "scope"
only = ["src/"]
never = ["@ci", "*.tf"]
[[constraint]]
id = "safe"
check = "safety"
hosts = ["Example.com", "*.good.org"]
[[constraint]]
id = "tree"
check = "repo"
clean_tree = true
tests = true
before = ["merge"]
[[constraint]]
id = "work"
check = "quality"
tests = true
exit_codes = true
max_retries = 2
[[constraint]]
id = "own"
check = "command"
argv = ["./check.py", "-x"]
timeout_ms = 500
type = "safety"
[[constraint]]
id = "asked"
check = "judge"
rule = "the answer is polite"
model = "ollama/x"
)toml",
                                        "c.toml");
    REQUIRE_MESSAGE(rules, (rules ? "" : rules.error().message));
    std::string seen;
    for (const Rule& rule : rules->rules) {
      seen += rule.constraint.id + " " + std::string(name_of(rule.constraint.type)) + ": " +
              rule.constraint.rule + "\n";
    }
    CHECK(seen ==
          "words style: be kind\n"
          "shape format: JSON of a schema; at most 10 characters; no emoji; code fences of: cpp; "
          "has: a; has not: b\n"
          "paths scope: only src/; never @ci, *.tf\n"
          "safe safety: no secrets; no destructive commands; hosts: example.com, *.good.org\n"
          "tree quality: a clean tree before merge; tests that pass before merge\n"
          "work quality: tests pass; commands succeed; at most 2 retries\n"
          "own safety: judged by ./check.py\n"
          "asked other: the answer is polite\n");
    CHECK(rules->rules[1].severity == Severity::low);
    CHECK(rules->rules[1].on.size() == 2);
    CHECK(std::get<CommandRules>(rules->rules[6].how).timeout == std::chrono::milliseconds(500));
    CHECK(rules->has_commands());
    CHECK(rules->constraints().size() == 8);
  }

  TEST_CASE("a rule without words counts rightly, and says that a list allows nothing") {
    for (const auto& [members, words] :
         {std::pair("check = 'safety'\nsecrets = false\ndestructive = false\nhosts = []",
                    "hosts: none"),
          std::pair("check = 'format'\nfences = []\nmax_length = 1",
                    "at most 1 character; code fences of: none"),
          std::pair("check = 'quality'\nmax_retries = 1", "at most 1 retry"),
          std::pair("check = 'quality'\nmax_retries = 0", "no retries")}) {
      const auto rules = read_constraints(one(members), "c.toml");
      REQUIRE(rules);
      CHECK(rules->rules.front().constraint.rule == words);
    }
  }

  TEST_CASE("what is not understood is refused, with its line") {
    struct Row {
      std::string toml;
      const char* says;
    };
    for (const Row& row : {
             Row{"x = 1", "c.toml:1: unknown key 'x'"},
             Row{"constraint = 1", "c.toml:1: write '[[constraint]]' once for each constraint"},
             Row{"[[constraint]]\nrule = 'a'", "c.toml:1: the constraint has no 'id'"},
             Row{one("check = 'scope'\nonlly = ['src/']"), "c.toml:4: unknown key 'onlly'"},
             Row{one("check = 'scop'"), "unknown check 'scop'; the checks are "},
             Row{one("rule = 'x'\nonly = ['src/']"), "unknown key 'only'"},
             Row{one("check = 'scope'"), "'a' checks nothing"},
             Row{one("check = 'safety'\nsecrets = false\ndestructive = false"), "checks nothing"},
             Row{one(""), "'a' has no 'rule'"},
             Row{one("rule = 'x'\nseverity = 'low'"), "'a' has 'severity' or 'on', but no 'check'"},
             Row{one("check = 'scope'\nonly = ['../x']"), "'../x' is not a path below the root"},
             Row{one("check = 'scope'\nonly = ['/x']"), "'/x' is not a path below the root"},
             Row{one("check = 'scope'\nonly = ['@ci']"), "unknown group '@ci' in 'only'"},
             Row{one("check = 'scope'\nnever = ['@cj']"), "unknown group '@cj' in 'never'"},
             Row{one("check = 'scope'\nnever = ['']"), "'never' contains an empty string"},
             Row{one("check = 'scope'\nnever = 'x'"), "'never' is not a list of strings"},
             Row{one("check = 'format'\nforbids = ['(']"), "'(': missing )"},
             Row{one("check = 'format'\nschema = '{'"), "c.toml:4: "},
             Row{one("check = 'format'\nmax_length = 0"),
                 "'max_length' is not a whole number from 1"},
             Row{one("check = 'format'\njson = 'yes'"), "'json' is neither true nor false"},
             Row{one("check = 'safety'\nhosts = ['https://a']"), "'https://a' is not a host"},
             Row{one("check = 'command'"), "'a' has no 'argv'"},
             Row{one("check = 'command'\nargv = ['x']\ntimeout_ms = 0"),
                 "'timeout_ms' is not a whole number"},
             Row{one("check = 'judge'"), "'a' has no 'rule'"},
             Row{one("check = 'repo'\ntests = true\nbefore = ['push']"), "unknown action 'push'"},
             Row{one("check = 'repo'\ntests = true\non = []"), "'on' is empty"},
             Row{one("rule = 'x'\ntype = 'y'"), "'type' must be style"},
             Row{one("check = 'scope'\nonly = ['a']\nseverity = 'bad'"), "'severity' must be info"},
             Row{one("rule = 'x'\n[[constraint]]\nid = 'a'\nrule = 'y'"),
                 "two constraints are named 'a'"},
             Row{"[[constraint]]\nid = 'A b'\nrule = 'x'", "an id must be 1 to 64 of"},
             Row{"[[constraint]]\nid = 'request-1'\nrule = 'x'",
                 "an id must not begin with 'request-'"},
             Row{"[[constraint", "c.toml:1:13: "},
             Row{"# \xFF", "is not UTF-8"},
         }) {
      CAPTURE(row.toml);
      CHECK_MESSAGE(refusal(row.toml).find(row.says) != std::string::npos, refusal(row.toml));
    }
    CHECK(refusal("") == "");
  }

  TEST_CASE("a constraint of a request is words, and some words are checked") {
    const auto scope = constraint_from_text(" scope: only under src/, docs/ ", 1).value();
    CHECK(scope.constraint.id == "request-1");
    CHECK(scope.constraint.rule == "only under src/, docs/");
    CHECK(std::get<ScopeRules>(scope.how).only == std::vector<std::string>{"src/", "docs/"});
    const auto never = constraint_from_text("scope: never @ci, *.tf", 2).value();
    CHECK(std::get<ScopeRules>(never.how).never == std::vector<std::string>{"@ci", "*.tf"});
    const auto hosts = constraint_from_text("safety: hosts A.com", 3).value();
    CHECK(std::get<SafetyRules>(hosts.how).hosts == std::vector<std::string>{"a.com"});

    const auto words = constraint_from_text("style: only the best words", 4).value();
    CHECK(words.constraint.type == Constraint::Type::style);
    CHECK(std::holds_alternative<std::monostate>(words.how));
    const auto plain = constraint_from_text("note: be quick", 5).value();
    CHECK(plain.constraint.type == Constraint::Type::other);
    CHECK(plain.constraint.rule == "note: be quick");
    CHECK(constraint_from_text("Scope: only src/", 6).value().how ==
          constraint_from_text("scope: only src/", 6).value().how);
    CHECK_FALSE(constraint_from_text("  ", 6));
    CHECK_FALSE(constraint_from_text("scope:", 6));
    CHECK_FALSE(constraint_from_text("scope: only ../x", 6));
    CHECK_FALSE(constraint_from_text("scope: never @nosuch", 6));
    CHECK_FALSE(constraint_from_text("safety: hosts https://x", 6));
  }

  TEST_CASE("what begins as a check and is none of its forms is an error, and no mere words") {
    for (const char* text :
         {"scope: nver @ci", "scope: only", "scope: never ,", "scope: onlysrc/",
          "scope: be careful", "safety: host example.com", "safety: hosts", "safety: hosts ,",
          "safety: no secrets", "safety: hosts a.com b.com", "SCOPE: nver @ci"}) {
      CAPTURE(text);
      const auto rule = constraint_from_text(text, 1);
      REQUIRE_FALSE(rule);
      CHECK(rule.error().hint.find("'safety: hosts HOST, HOST'") != std::string::npos);
      CHECK(rule.error().hint.find("'other: '") != std::string::npos);
    }
    const auto unparted = constraint_from_text("scope: never infra and docs", 1);
    REQUIRE_FALSE(unparted);
    CHECK(unparted.error().hint.find("commas") != std::string::npos);
    for (const char* text : {"repo: a clean tree", "command: ./check", "judge: be polite"}) {
      CAPTURE(text);
      const auto rule = constraint_from_text(text, 1);
      REQUIRE_FALSE(rule);
      CHECK(rule.error().message.find("files of constraints") != std::string::npos);
    }
    for (const char* text : {"quality: tests pass", "format: JSON", "other: scope: nver"}) {
      CAPTURE(text);
      CHECK(is_words(constraint_from_text(text, 1).value()));
    }
  }

  TEST_CASE("the file that docs/checks.md shows is read") {
    std::ifstream page(std::string(SPOOR_SOURCE_DIR) + "/docs/checks.md");
    const std::string text{std::istreambuf_iterator<char>(page), {}};
    const std::string mark = "```toml\n";
    const std::size_t begin = text.find(mark);
    REQUIRE(begin != std::string::npos);
    const std::size_t end = text.find("```", begin + mark.size());
    const auto rules = read_constraints(
        std::string_view(text).substr(begin + mark.size(), end - begin - mark.size()), "checks.md");
    REQUIRE_MESSAGE(rules, (rules ? "" : rules.error().message));
    std::set<std::size_t> kinds;
    for (const Rule& rule : rules->rules) kinds.insert(rule.how.index());
    CHECK(kinds.size() == std::variant_size_v<Rule::How>);
  }

  TEST_CASE("of two with one id the first stays") {
    const Rules a = read_constraints(one("rule = 'x'"), "a").value();
    const Rules b = read_constraints(one("rule = 'y'"), "b").value();
    CHECK(joined(a, b).rules.size() == 1);
    CHECK(joined(a, b).rules.front().constraint.rule == "x");
    CHECK(joined(a, {}).rules.size() == 1);
  }
}

}  // namespace spoor::guard::check
