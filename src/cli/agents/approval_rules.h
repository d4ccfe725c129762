#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "cli/error.h"

namespace spoor::cli {

/// Returns the object of a call in parts that rules compare: the words of a command, the folders
/// and the name of a file below `root`, the host and the path of a page. Two ways to write one path
/// are the same parts: `..`, links and the root's own name are resolved, as tools resolve them; a
/// path that leaves the root begins with an empty part. Empty for any other call, which a rule can
/// only name by its tool.
std::vector<std::string> parts_of_call(const std::string& root, std::string_view tool,
                                       std::string_view arguments);

/// A person's standing answer to the calls of a tool in one folder.
struct ApprovalRule {
  std::string root;                ///< the folder that the tools are confined to, absolute
  std::string tool;                ///< its id
  std::vector<std::string> parts;  ///< empty: all calls of the tool
  bool is_front = false;           ///< also for a call with more parts after these
  bool allows = false;

  bool operator==(const ApprovalRule&) const = default;

  /// Returns true if the rule is about a call of `tool_id` with these parts (parts_of_call()). A
  /// rule that refuses a program by its name also refuses it by its path. One that allows a
  /// command's front does not allow further options.
  bool meets(std::string_view tool_id, std::vector<std::string> call) const;

  /// Returns the rule: `run_command git diff …`, `edit_file src/…`. Its parts are a model's words.
  std::string text() const;
};

/// Returns the rule that a person is offered for a call and others like it: a program with its
/// subcommand and options, a folder, a host; the call alone where nothing wider is safe to offer,
/// and nullopt if the call has no parts, or longer ones than a person reads. It allows.
std::optional<ApprovalRule> offered_rule(const std::string& root, std::string_view tool,
                                         std::string_view arguments);

/// The rules that a user has kept, in `$XDG_STATE_HOME/spoor/approvals.json` (0600), outside of
/// every store: a store that comes from elsewhere cannot allow anything.
class ApprovalRules {
 public:
  explicit ApprovalRules(const Environment& environment);

  /// Returns the rule for a call in `root`, read anew each time: of several, one that refuses.
  /// Code::invalid if the file cannot be read as rules; no rule is in force then.
  Result<std::optional<ApprovalRule>> find(std::string_view root, std::string_view tool,
                                           std::string_view arguments) const;

  /// Keeps a rule. Returns Code::not_found without a home, Code::io, or Code::invalid as above.
  Result<void> keep(const ApprovalRule& rule) const;

  const std::string& path() const { return path_; }

 private:
  Result<std::vector<ApprovalRule>> read() const;

  std::string path_;  // Empty without a home.
};

}  // namespace spoor::cli
