#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "agent/planner.h"
#include "cli/agents/approval_rules.h"
#include "cli/session.h"

namespace spoor::cli {

/// How AskPerson answers where no rule does.
enum class WhoAnswers {
  person,    ///< the person at the terminal
  no_one,    ///< the question stays open
  approves,  ///< yes to all: `--approve-all`
};

/// Answers for a person whether calls that need approval are made: by the rules that the person
/// has kept, else by asking at the terminal. An answer holds for the call, for all calls of the
/// tool in this session, or, kept as a rule, for calls like it in the folder. For
/// RunOptions::person; used by one thread.
class AskPerson {
 public:
  /// `root` is the folder of the tools, absolute.
  AskPerson(Session& session, const std::string& root, WhoAnswers answers);

  /// Returns nullopt if the question stays open: no person is there, or the person left it (Ctrl-C,
  /// or the end of the input). `agent`: the called agent that wants to make the call; empty: the
  /// run itself.
  std::optional<agent::PersonsAnswer> operator()(const agent::Tool& tool,
                                                 std::string_view arguments,
                                                 const std::string& agent = {});

 private:
  std::optional<agent::PersonsAnswer> by_rule(const std::string& tool, std::string_view arguments);
  std::optional<agent::PersonsAnswer> ask(const std::string& tool, std::string_view arguments,
                                          const std::string& agent);
  void show(const std::string& tool, std::string_view arguments, const std::string& agent);
  void keep(ApprovalRule rule, bool allows);
  std::set<std::string>& allowed();

  Session& session_;
  const ApprovalRules rules_;
  const std::string root_;
  const WhoAnswers answers_;
  std::set<std::string> allowed_;  // Tools that need no further question, outside of a session.
};

}  // namespace spoor::cli
