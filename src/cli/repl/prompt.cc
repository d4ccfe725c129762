#include "cli/repl/prompt.h"

#include "cli/terminal/untrusted.h"

namespace spoor::cli {
namespace {

using Parts = std::vector<PromptPart>;

// An unreadable store must not prevent typing; the next command reports the error.
Parts describe(const Workspace& workspace) {
  const auto head = workspace.head();
  const auto commit = workspace.head_commit();
  if (!head || !commit) return {{Style::warning, "(unreadable)"}};
  Parts parts;
  if (head.value().is_detached()) {
    parts.push_back({Style::head, "(detached)"});
  } else {
    parts.push_back({Style::branch, visible_line(head.value().branch)});
  }
  parts.push_back({Style::plain, " "});
  if (commit.value()) {
    parts.push_back({Style::commit, workspace.short_id(*commit.value())});
  } else {
    parts.push_back({Style::muted, "(no commits)"});
  }
  if (!workspace.view().is_present()) {
    parts.push_back({Style::plain, " at "});
    parts.push_back({Style::head, workspace.short_id(*workspace.view().now().commit)});
  }
  return parts;
}

}  // namespace

Parts prompt_for(Session& session) {
  const auto workspace = session.workspace();
  Parts parts;
  if (workspace) {
    parts = describe(*workspace.value());
  } else if (workspace.error().code == Error::Code::not_found) {
    parts = {{Style::muted, "(no store)"}};
  } else {
    parts = {{Style::warning, "(unreadable)"}};
  }
  parts.push_back({Style::plain, "> "});
  return parts;
}

Parts continuation_prompt() { return {{Style::muted, "..."}, {Style::plain, "> "}}; }

}  // namespace spoor::cli
