#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "cli/agents/ask_person.h"
#include "cli/agents/prepared_agent.h"
#include "cli/agents/talk_printer.h"
#include "cli/repl/repl.h"
#include "cli/session.h"

namespace spoor::cli {

/// A conversation with an agent: each turn of the person is a run (react) on HEAD's branch, which
/// sees all turns before it. The model may change between turns.
class Conversation final : public Speaker {
 public:
  enum class Shown {
    text,        ///< for people
    json,        ///< one document for each turn, as of 'spoor run --json'
    json_lines,  ///< a line for each event, and that document as the last
  };
  /// `arguments` are those of 'spoor chat' (prepare_agent()). Returns Code::invalid for a wrong
  /// one.
  static Result<std::unique_ptr<Conversation>> open(Session& session, const Arguments& arguments,
                                                    Shown shown);

  /// Runs the agent on `text`. Returns why it did not come to an answer, with a hint.
  Result<void> say(std::string_view text) override;

  /// Prints how to continue the run at the branch's tip, if it did not reach its end.
  Result<void> report_unfinished();

 private:
  Conversation(Session& session, const Arguments& arguments, Shown shown, ToolSettings tools);

  Result<void> prepare();

  Session& session_;
  const Arguments arguments_;
  const Shown shown_;
  const ToolSettings tools_;
  const ShownThinking thinking_;
  AskPerson ask_;
  std::optional<PreparedAgent> agent_;        // Nullopt before the first turn.
  std::optional<llm::Money> most_cost_ = {};  // For all turns.
  llm::Money spent_ = {};
};

}  // namespace spoor::cli
