#include "guard/check/words.h"

namespace spoor::guard::check {
namespace {

// The value that has this word, of those from 0 to `last`.
template <class Value>
std::optional<Value> value_of(std::string_view name, Value last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (name_of(static_cast<Value>(i)) == name) return static_cast<Value>(i);
  }
  return std::nullopt;
}

}  // namespace

std::optional<CheckStatus> status_from(std::string_view name) {
  return value_of(name, CheckStatus::unknown);
}
std::optional<Severity> severity_from(std::string_view name) {
  return value_of(name, Severity::critical);
}
std::optional<Constraint::Type> type_from(std::string_view name) {
  return value_of(name, Constraint::Type::other);
}
std::optional<AgentAction::Type> action_from(std::string_view name) {
  return value_of(name, AgentAction::Type::other);
}

CheckStatus status_of(Severity worst) {
  return worst >= Severity::medium ? CheckStatus::fail : CheckStatus::warn;
}

CheckStatus worse(CheckStatus a, CheckStatus b) {
  const auto rank = [](CheckStatus status) {
    switch (status) {
      case CheckStatus::fail:
        return 3;
      case CheckStatus::warn:
        return 2;
      case CheckStatus::unknown:
        return 1;
      case CheckStatus::pass:
        return 0;
    }
    return 0;
  };
  return rank(a) >= rank(b) ? a : b;
}

}  // namespace spoor::guard::check
