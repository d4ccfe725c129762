#include "audit/check/words.h"

#include <array>
#include <utility>

#include "store/words.h"

namespace spoor::audit::check {
namespace {

using Action = AgentAction::Type;
using Type = Constraint::Type;

constexpr std::array kStatuses = {std::pair{CheckStatus::pass, std::string_view("pass")},
                                  std::pair{CheckStatus::warn, std::string_view("warn")},
                                  std::pair{CheckStatus::fail, std::string_view("fail")},
                                  std::pair{CheckStatus::unknown, std::string_view("unknown")}};
constexpr std::array kSeverities = {std::pair{Severity::info, std::string_view("info")},
                                    std::pair{Severity::low, std::string_view("low")},
                                    std::pair{Severity::medium, std::string_view("medium")},
                                    std::pair{Severity::high, std::string_view("high")},
                                    std::pair{Severity::critical, std::string_view("critical")}};
constexpr std::array kTypes = {std::pair{Type::style, std::string_view("style")},
                               std::pair{Type::safety, std::string_view("safety")},
                               std::pair{Type::format, std::string_view("format")},
                               std::pair{Type::scope, std::string_view("scope")},
                               std::pair{Type::quality, std::string_view("quality")},
                               std::pair{Type::other, std::string_view("other")}};
constexpr std::array kActions = {std::pair{Action::plan, std::string_view("plan")},
                                 std::pair{Action::edit, std::string_view("edit")},
                                 std::pair{Action::run_tests, std::string_view("run_tests")},
                                 std::pair{Action::command, std::string_view("command")},
                                 std::pair{Action::open_pr, std::string_view("open_pr")},
                                 std::pair{Action::merge, std::string_view("merge")},
                                 std::pair{Action::deploy, std::string_view("deploy")},
                                 std::pair{Action::api_call, std::string_view("api_call")},
                                 std::pair{Action::message, std::string_view("message")},
                                 std::pair{Action::no_op, std::string_view("no_op")},
                                 std::pair{Action::blocked, std::string_view("blocked")},
                                 std::pair{Action::override_, std::string_view("override")},
                                 std::pair{Action::other, std::string_view("other")}};

}  // namespace

std::string_view word_of(CheckStatus status) { return store::word_in(kStatuses, status); }
std::optional<CheckStatus> status_from(std::string_view name) {
  return store::value_in(kStatuses, name);
}
std::string_view word_of(Severity severity) { return store::word_in(kSeverities, severity); }
std::optional<Severity> severity_from(std::string_view name) {
  return store::value_in(kSeverities, name);
}
std::string_view word_of(Constraint::Type type) { return store::word_in(kTypes, type); }
std::optional<Constraint::Type> type_from(std::string_view name) {
  return store::value_in(kTypes, name);
}
std::string_view word_of(AgentAction::Type type) { return store::word_in(kActions, type); }
std::optional<AgentAction::Type> action_from(std::string_view name) {
  return store::value_in(kActions, name);
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

}  // namespace spoor::audit::check
