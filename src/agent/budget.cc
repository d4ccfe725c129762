#include "agent/budget.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/words.h"

namespace spoor::agent {
namespace {

constexpr std::array<std::pair<Stopped, std::string_view>, 9> kNames = {{
    {Stopped::goal_achieved, "goal_achieved"},
    {Stopped::max_steps, "max_steps"},
    {Stopped::max_cost, "max_cost"},
    {Stopped::max_tokens, "max_tokens"},
    {Stopped::max_wall_time, "max_wall_time"},
    {Stopped::refused, "refused"},
    {Stopped::error, "error"},
    {Stopped::interrupted, "interrupted"},
    {Stopped::planner, "planner"},
}};

}  // namespace

std::string_view name_of(Stopped stopped) { return word_in(kNames, stopped); }

std::optional<Stopped> stopped_from(std::string_view name) { return value_in(kNames, name); }

std::string seconds(std::chrono::microseconds time) {
  std::string text = fmt::format("{}.{:06}", time.count() / 1'000'000, time.count() % 1'000'000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::optional<Reached> check(const Budget& budget, const llm::Spending& spent,
                             std::chrono::microseconds elapsed) {
  if (budget.max_cost && spent.cost >= *budget.max_cost) {
    return Reached{Stopped::max_cost, dollars(*budget.max_cost), dollars(spent.cost)};
  }
  if (budget.max_tokens && spent.tokens() >= *budget.max_tokens) {
    return Reached{Stopped::max_tokens, std::to_string(*budget.max_tokens),
                   std::to_string(spent.tokens())};
  }
  if (budget.max_wall_time && elapsed >= *budget.max_wall_time) {
    return Reached{Stopped::max_wall_time, seconds(*budget.max_wall_time), seconds(elapsed)};
  }
  return std::nullopt;
}

Budget remainder(const Budget& budget, const llm::Spending& spent,
                 std::chrono::microseconds elapsed) {
  Budget rest = budget;
  if (rest.max_cost) rest.max_cost = std::max(llm::Money{}, *rest.max_cost - spent.cost);
  if (rest.max_tokens) *rest.max_tokens -= std::min(*rest.max_tokens, spent.tokens());
  if (rest.max_wall_time) {
    rest.max_wall_time = std::max(std::chrono::microseconds{0}, *rest.max_wall_time - elapsed);
  }
  return rest;
}

}  // namespace spoor::agent
