#include "cli/repl/person_source.h"

#include "base/environment.h"
#include "cli/repl/prompt.h"
#include "cli/repl/tab.h"

namespace spoor::cli {

Result<std::unique_ptr<PersonSource>> PersonSource::open(Session& session) {
  const auto completer = [&session](std::string_view line, std::size_t cursor) {
    return complete_line(session, line, cursor);
  };
  auto editor = TRY(LineEditor::open(completer, session.out().has_color()));
  const std::string folder = state_home(session.environment());
  LineHistory history(folder.empty() ? folder : folder + "/history");
  if (const auto loaded = history.load(); !loaded) session.report(loaded.error());
  for (const std::string& line : history.lines()) editor->remember(line);
  return std::unique_ptr<PersonSource>(
      new PersonSource(session, std::move(editor), std::move(history)));
}

Result<std::optional<SourceLine>> PersonSource::next(bool goes_on) {
  LineEditor::Typed typed = editor_->read(goes_on ? continuation_prompt() : prompt_for(session_));
  switch (typed.ends) {
    case LineEditor::Ends::line:
      return std::optional(SourceLine{std::move(typed.text), {}});
    case LineEditor::Ends::interrupted:
      session_.out().newline().flush();
      return spoor::interrupted("the line was dropped");
    case LineEditor::Ends::end:
      session_.out().newline().flush();
      return std::optional<SourceLine>();
  }
  return std::optional<SourceLine>();
}

void PersonSource::remember(const std::string& input) {
  // A line that requests redaction is also redacted here, whatever the store's mode.
  const bool asks = input.find("--capture") != std::string::npos;
  const auto line =
      session_.scrubbed(input, asks ? compile::Capture::redacted : compile::Capture::full);
  if (line && !line->has_value()) return;  // Only its hash would be recorded.
  const auto kept = line ? history_.add(**line) : Result<bool>(line.error());
  if (!kept && !history_failed_) session_.report(kept.error());
  history_failed_ = history_failed_ || !kept;
  if (kept && kept.value()) editor_->remember(input);
}

}  // namespace spoor::cli
