#pragma once

#include <memory>

#include "cli/repl/line_editor.h"
#include "cli/repl/line_history.h"
#include "cli/repl/line_source.h"
#include "cli/session.h"

namespace spoor::cli {

/// Lines typed at the prompt, with history and completion.
class PersonSource final : public LineSource {
 public:
  /// Takes the terminal, and reads the history of earlier sessions. `session` must outlive the
  /// result. Returns Code::unavailable if lines cannot be edited here.
  static Result<std::unique_ptr<PersonSource>> open(Session& session);

  Result<std::optional<SourceLine>> next(bool goes_on) override;
  bool is_person() const override { return true; }
  void remember(const std::string& input) override;

 private:
  PersonSource(Session& session, std::unique_ptr<LineEditor> editor, LineHistory history)
      : session_(session), editor_(std::move(editor)), history_(std::move(history)) {}

  Session& session_;
  std::unique_ptr<LineEditor> editor_;
  LineHistory history_;
  bool history_failed_ = false;
};

}  // namespace spoor::cli
