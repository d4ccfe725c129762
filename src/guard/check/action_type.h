#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "guard/check/event.h"
#include "trace/command_words.h"

namespace spoor::guard::check {

using trace::Words;

/// The facts of a tool call that decide its type.
struct CallSeen {
  std::string tool;       ///< its id, or its name on the wire
  std::string arguments;  ///< JSON; empty if they are not known
  std::string artifact;   ///< the fact of our own tools: file_edit, command, test_run
};

/// Returns the commands that a call runs, without the programs that only start them
/// (check/commands.h). Empty unless the tool runs commands, or code that runs commands
/// (trace/tool_call.h).
std::vector<Words> commands_of(const CallSeen& call);

/// Returns the line or argument vector of such a call, as given; empty if there is none.
std::string line_of(const CallSeen& call);

/// Returns true if a command runs tests, by its name: runners (`ctest`, `pytest`, `go test`,
/// `jest`, …), programs that start them (`npx`, `yarn`, `bundle exec`, `uv run`, `python -m`,
/// `coverage run`), targets of builders (`make test`, `gradle :app:test`, `cmake --build … --target
/// test`) and scripts of a project (`npm run test:ci`, `just test`). False for a command that only
/// lists, builds or explains tests.
bool runs_tests(const Words& command);

/// Returns the type of a call. Decides narrowly, by names and argument vectors alone:
///
///   edit       tools that write files (edit_file, write_file; Edit, Write, MultiEdit,
///              NotebookEdit, apply_patch, str_replace_editor, …), unless they only show them
///   open_pr    `gh pr create`, `glab mr create`, `hub pull-request`
///   merge      `git merge`, `gh pr merge`, `glab mr merge`, not a command that ends or continues a
///              merge
///   deploy     a program that itself puts something into service or publishes it:
///              `kubectl apply`, `helm upgrade`, `terraform apply`, `fly deploy`, `npm publish`,
///              `docker push`, … A push of git does not count
///   run_tests  a run of tests, by its output (spoor's own tools) or by its name (runs_tests)
///   command    any other command, a program that is given as text, and one of the above that only
///              explains, lists or tries itself (`--help`, `--dry-run`, `kubectl rollout status`,
///              `gh pr create --web`)
///   api_call   http_get; WebFetch, WebSearch, and tools of MCP servers (`mcp__…`)
///   other      everything else: files read, folders listed, agents called
///
/// A line with several commands has the first type of this order: deploy, merge, open_pr,
/// run_tests, command.
AgentAction::Type type_of(const CallSeen& call);

}  // namespace spoor::guard::check
