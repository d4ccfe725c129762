#pragma once

#include <string>
#include <string_view>

#include "agent/planner.h"
#include "cli/agents/reasons_filter.h"
#include "cli/agents/run_printer.h"
#include "cli/models/reply_printer.h"
#include "cli/session.h"

namespace spoor::cli {

/// How a conversation shows what a model thinks.
enum class ShownThinking {
  folded,  ///< one line, when it is complete
  full,    ///< as it arrives
  none,
};

/// Shows a turn of a conversation with an agent as it happens: thinking, the model's words, each
/// call with its result, and an edit as a diff. Words and thinking are on standard output, the rest
/// is on standard error. For one run; called from the run's thread.
class TalkPrinter {
 public:
  /// `has_words`: the model's text is for people; false: it is JSON, and only the answer is shown.
  TalkPrinter(Session& session, ShownThinking thinking, bool has_words);

  void take(const agent::RunEvent& event);

  /// Ends what is on the last line, so that something else can be printed.
  void finish();

  /// Returns true if the model's last words were shown.
  bool has_shown_answer() const { return has_shown_answer_; }

 private:
  void print_words(std::string_view text);
  void end_words();
  void fold_thinking();

  Session& session_;
  const ShownThinking thinking_;
  const bool has_words_;
  RunPrinter calls_;
  ReplyPrinter words_;
  ReasonsFilter reasons_;
  std::string thought_;  // Not shown yet.
  bool has_shown_answer_ = false;
};

}  // namespace spoor::cli
