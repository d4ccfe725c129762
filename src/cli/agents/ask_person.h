#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "agent/planner.h"
#include "cli/agents/approval_rules.h"
#include "cli/session.h"

namespace spoor::cli {

/// Answers for a person whether calls that need approval are made: by the rules that the person
/// has kept, else by asking at the terminal. An answer holds for the call, for all calls of the
/// tool in this session, or, kept as a rule, for calls like it in the folder. For
/// RunOptions::person; used by one thread.
class AskPerson {
 public:
  /// `root` is the folder of the tools, absolute. Without `may_ask` only rules answer.
  AskPerson(Session& session, std::string root, bool may_ask);

  /// Returns nullopt if the question stays open: nobody is there, or the person left it (Ctrl-C, or
  /// the end of the input).
  std::optional<agent::PersonsAnswer> operator()(const agent::Tool& tool,
                                                 std::string_view arguments);

 private:
  std::optional<agent::PersonsAnswer> by_rule(const std::string& tool, std::string_view arguments);
  std::optional<agent::PersonsAnswer> ask(const std::string& tool, std::string_view arguments);
  void keep(ApprovalRule rule, bool allows);

  Session& session_;
  const ApprovalRules rules_;
  const std::string root_;
  const bool may_ask_;
  std::set<std::string> allowed_;  // Tools that need no further question.
};

/// Prints a call as a person judges it: all of it, with an edit as a diff.
void print_proposed_call(Output& out, std::string_view tool, std::string_view arguments);

}  // namespace spoor::cli
