// The table of calls in docs/checks.md: what is refused, and what passes.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "guard/check/builtin.h"
#include "guard/check/findings.h"
#include "tests/guard/check_events.h"
#include "trace/event_json.h"

namespace spoor::guard::check {
namespace {

struct CallRow {
  std::string call;
  std::string status;
  std::string found;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A cell without the blanks and backquotes around it; `\|` is a bar.
std::string cell_of(std::string text) {
  for (std::size_t at = text.find("\\|"); at != std::string::npos; at = text.find("\\|", at)) {
    text.erase(at, 1);
  }
  const std::size_t begin = text.find_first_not_of(" `");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" `") - begin + 1);
}

// The rows of the table beneath a heading.
std::vector<CallRow> rows_beneath(const std::string& page, const std::string& heading) {
  std::vector<CallRow> rows;
  std::size_t at = page.find("\n" + heading + "\n");
  REQUIRE(at != std::string::npos);
  const std::size_t end = std::min(page.find("\n#", at + heading.size()), page.size());
  while ((at = page.find("\n| `", at)) < end) {
    const std::size_t line_end = page.find('\n', at + 1);
    std::vector<std::string> cells;
    std::string cell;
    for (std::size_t i = at + 2; i < line_end; ++i) {
      if (page[i] == '|' && page[i - 1] != '\\') {
        cells.push_back(cell_of(cell));
        cell.clear();
      } else {
        cell += page[i];
      }
    }
    REQUIRE(cells.size() == 3);
    rows.push_back({cells[0], cells[1], cells[2]});
    at = line_end;
  }
  return rows;
}

const RuleSet& rules_for_calls() {
  static const std::unique_ptr<RuleSet> rules = rules_of_secrets().value();
  return *rules;
}

// What the rules that the page names say of a call.
CallRow judged(const std::string& call) {
  const auto scope = make_scope({.only = {}, .never = {"@ci", "@infra"}}, "/srv/p");
  const auto safety = make_safety({.secrets = false, .has_hosts = true, .hosts = {"good.example"}},
                                  "/srv/p", rules_for_calls());
  CheckStatus worst = CheckStatus::pass;
  std::string ids;
  for (Check* check : {scope.get(), safety.get()}) {
    const auto result = check->judge(of_script(call)).value();
    if (!result) continue;
    worst = worse(worst, result->status);
    const std::string found = ids_of(result);
    if (!found.empty()) ids += (ids.empty() ? "" : " ") + found;
  }
  return {call, std::string(name_of(worst)), ids};
}

}  // namespace

TEST_SUITE("guard/check/calls") {
  const std::string page = read_file(std::string(SPOOR_SOURCE_DIR) + "/docs/checks.md");

  TEST_CASE("no call that the page calls hostile passes, and it says what is found") {
    const auto rows = rows_beneath(page, "### Calls that do not pass");
    CHECK(rows.size() >= 101);
    for (const CallRow& row : rows) {
      CAPTURE(row.call);
      const CallRow now = judged(row.call);
      CHECK((now.status == "fail" || now.status == "unknown"));
      CHECK(now.status == row.status);
      CHECK(now.found == row.found);
    }
  }

  TEST_CASE("every call that the page calls plain passes") {
    const auto rows = rows_beneath(page, "### Calls that pass");
    CHECK(rows.size() >= 30);
    for (const CallRow& row : rows) {
      CAPTURE(row.call);
      const CallRow now = judged(row.call);
      CHECK(now.status == "pass");
      CHECK(now.found.empty());
    }
  }

  TEST_CASE("rows of calls for the page") {
    const char* list = std::getenv("SPOOR_CALLS");
    if (list == nullptr) return;
    std::ifstream file(list);
    for (std::string line; std::getline(file, line);) {
      const CallRow row = judged(line);
      fmt::print("{}\t{}\t{}\n", row.call, row.status, row.found);
    }
  }
}

}  // namespace spoor::guard::check
