#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/session.h"
#include "cli/arguments.h"
#include "cli/session.h"
#include "guard/redact/redactor.h"
#include "proxy/sent_turns.h"
#include "report/export/conversation.h"

namespace spoor::cli {

using store::Oid;

/// A line of a session to be exported.
struct ExportedLine {
  Oid head;
  std::string title;
  std::string branch, id;  ///< of the session's line that ends here; empty: none does
  std::vector<api::SessionLine>
      others;  ///< of the same session, if the whole session was asked for
};

/// Reads the conversations that a line of `export` names, with its filters, its compile options and
/// its redaction. For one thread.
class ExportedSessions {
 public:
  static Result<std::unique_ptr<ExportedSessions>> make(Session& session,
                                                        const Arguments& arguments);

  /// Returns the lines of the revisions on the line; without any, the main lines of all sessions
  /// that the filters choose, the one that started first first.
  Result<std::vector<ExportedLine>> lines();

  /// Reads a conversation. Returns nullopt, and counts it, if its coverage is below `--coverage`.
  Result<std::optional<report::Conversation>> read(const ExportedLine& line);

  /// Reads one without the filter.
  Result<report::Conversation> read_whole(const ExportedLine& line);

  /// Returns true if a line records as much as `--coverage` asks for.
  Result<bool> is_covered(const Oid& head);

  bool is_redacting() const { return rules_ != nullptr; }

  /// Returns a text or a JSON value without secrets, if `--redact` is given.
  Result<std::string> redact(std::string text);

  report::LeftOut& left_out() { return left_out_; }

  /// Prints to standard error what was left out. `exported`: such as `2 lines`, for people.
  void print_left_out(std::uint64_t exported, std::string_view unit);

 private:
  ExportedSessions(Session& session, const Arguments& arguments, api::Context context);

  // With what proxy::sent_turns() returns for the line's head.
  Result<bool> is_covered(const Oid& head, const std::optional<proxy::SentTurns>& sent);
  Result<report::Conversation> read_whole(const ExportedLine& line,
                                          const std::optional<proxy::SentTurns>& sent);

  Session& session_;
  const Arguments& arguments_;
  api::Context context_;
  report::LeftOut left_out_;
  guard::MemoryNumbering numbers_;
  std::unique_ptr<guard::RuleSet> rules_;  // Null: nothing is redacted.
};

}  // namespace spoor::cli
