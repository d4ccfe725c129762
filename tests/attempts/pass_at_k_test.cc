#include "attempts/pass_at_k.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace {

using spoor::attempts::bootstrap;
using spoor::attempts::mean_pass_at_k;
using spoor::attempts::Outcomes;
using spoor::attempts::pass_at_k;

constexpr double kNear = 1e-9;

bool is_one_of(double value, const nlohmann::json& allowed) {
  return std::any_of(allowed.begin(), allowed.end(), [&](const nlohmann::json& each) {
    return std::abs(each.get<double>() - value) < kNear;
  });
}

}  // namespace

TEST_SUITE("attempts/pass_at_k") {
  // The cases are computed by tests/attempts/pass_at_k.py, with other formulas.
  TEST_CASE("pass@k and its interval are those of the exact distribution") {
    std::ifstream file(SPOOR_SOURCE_DIR "/tests/attempts/pass_at_k.json");
    const auto cases = nlohmann::json::parse(file);
    REQUIRE(cases.size() > 200);
    for (const auto& each : cases) {
      CAPTURE(each.dump());
      const Outcomes outcomes{each["n"], each["c"]};
      const auto value = pass_at_k(outcomes, each["k"]);
      REQUIRE(value);
      CHECK(std::abs(*value - each["value"].get<double>()) < 1e-9);
      for (const std::uint64_t seed : {1U, 2U}) {
        const auto interval = bootstrap(std::vector{outcomes}, each["k"], seed);
        REQUIRE(interval);
        CHECK(is_one_of(interval->low, each["low"]));
        CHECK(is_one_of(interval->high, each["high"]));
      }
    }
  }

  TEST_CASE("pass@k needs at least k attempts") {
    CHECK(!pass_at_k({3, 1}, 4));
    CHECK(!pass_at_k({0, 0}, 1));
    CHECK(!pass_at_k({3, 1}, 0));
    CHECK(!bootstrap(std::vector<Outcomes>{{3, 1}}, 4, 1));
  }

  TEST_CASE("several tasks count alike, whatever number of attempts each has") {
    const std::vector<Outcomes> tasks = {{10, 10}, {2, 0}};
    CHECK(mean_pass_at_k(tasks, 1) == 0.5);
    CHECK(mean_pass_at_k(tasks, 3) == 1.0);  // Only the first has three attempts.
    CHECK(!mean_pass_at_k(tasks, 11));
  }

  TEST_CASE("the bootstrap draws tasks, and depends on the seed and on nothing else") {
    std::vector<Outcomes> tasks;
    for (std::uint64_t i = 0; i < 20; ++i) tasks.push_back({4, i % 5});
    const auto one = bootstrap(tasks, 1, 7);
    const auto same = bootstrap(tasks, 1, 7);
    const auto other = bootstrap(tasks, 1, 8);
    REQUIRE((one && same && other));
    CHECK(one->low == same->low);
    CHECK(one->high == same->high);
    // The mean of 20 tasks with a standard deviation of 0.354: 0.5 plus and minus 0.155.
    CHECK(std::abs(one->low - 0.345) < 0.03);
    CHECK(std::abs(one->high - 0.655) < 0.03);
    CHECK(std::abs(one->low - other->low) < 0.03);
  }
}
