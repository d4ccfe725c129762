// Keywords are found wherever they stand, in texts of any length: compared with a search for each
// of them at each place.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "guard/redact/triggers.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::guard;

namespace {

using Found = std::vector<std::tuple<std::size_t, std::size_t, std::size_t>>;

char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c >= '0' && c <= '9' ? '0' : c;
}

bool is_at(std::string_view text, std::size_t at, std::string_view keyword) {
  if (text.size() - at < keyword.size()) return false;
  return std::equal(keyword.begin(), keyword.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, char b) { return folded(a) == folded(b); });
}

// The start of a text is the start of a line.
Found plainly(const std::vector<Rule>& rules, std::string_view text) {
  Found found;
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    for (const std::string& keyword : rules[rule].keywords) {
      for (std::size_t at = 0; at < text.size(); ++at) {
        if (is_at(text, at, keyword)) found.emplace_back(rule, at, at + keyword.size());
      }
      const std::string_view rest = std::string_view(keyword).substr(1);
      if (keyword[0] == '\n' && !rest.empty() && is_at(text, 0, rest)) {
        found.emplace_back(rule, 0, rest.size());
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Found by_triggers(const Triggers& triggers, std::string_view text) {
  std::vector<Triggers::Hit> hits;
  triggers.find(text, hits);
  Found found;
  for (const Triggers::Hit& hit : hits) found.emplace_back(hit.rule, hit.begin, hit.end);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_SUITE("guard/triggers") {
  TEST_CASE("every keyword is found at every place, and nothing else") {
    std::mt19937 random(testing::seeded(7));
    const auto below = [&](std::size_t n) { return random() % n; };
    for (int round = 0; round < testing::rounds(300); ++round) {
      CAPTURE(round);
      // Few letters, so that keywords overlap and contain each other.
      std::vector<Rule> rules(1 + below(4));
      for (Rule& rule : rules) {
        for (std::size_t i = 1 + below(4); i > 0; --i) {
          std::string keyword(below(8) == 0 ? "\n" : "");
          for (std::size_t n = 1 + below(below(3) == 0 ? 30 : 4); n > 0; --n) {
            keyword += "ab0"[below(3)];
          }
          if (std::find(rule.keywords.begin(), rule.keywords.end(), keyword) ==
              rule.keywords.end()) {
            rule.keywords.push_back(keyword);
          }
        }
      }
      const Triggers triggers(rules);
      for (const std::size_t most : {8UL, 80UL, 400UL, 3000UL}) {
        std::string text(below(most), ' ');
        for (char& c : text) c = "abAB019.\n"[below(9)];
        CAPTURE(text);
        CHECK(by_triggers(triggers, text) == plainly(rules, text));
      }
    }
  }
}
