#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "guard/check/event.h"
#include "trace/command_words.h"

namespace spoor::guard::check {

using trace::Words;

/// What a call of a tool says of what it does.
struct CallSeen {
  std::string tool;       ///< its id, or its name on the wire
  std::string arguments;  ///< JSON; empty where they are not known
  std::string artifact;   ///< the fact of our own tools: file_edit, command, test_run
};

/// The commands that a call runs, seen through what only starts them (check/commands.h); none where
/// it is none of a tool that runs commands, or code that does (tool_call.h).
std::vector<Words> commands_of(const CallSeen& call);

/// The line, or the argument vector, of such a call as it was given; empty: there is none.
std::string line_of(const CallSeen& call);

/// Does a command run tests, by its name? Runners (`ctest`, `pytest`, `go test`, `jest`, …), what
/// starts them (`npx`, `yarn`, `bundle exec`, `uv run`, `python -m`, `coverage run`), targets of
/// builders (`make test`, `gradle :app:test`, `cmake --build … --target test`) and scripts of a
/// project (`npm run test:ci`, `just test`). Not one that only lists, builds or explains them.
bool runs_tests(const Words& command);

/// What a call does, decided narrowly, by names and argument vectors alone:
///
///   edit       tools that write files (edit_file, write_file; Edit, Write, MultiEdit,
///              NotebookEdit, apply_patch, str_replace_editor, …), where they do not only show them
///   open_pr    `gh pr create`, `glab mr create`, `hub pull-request`
///   merge      `git merge`, `gh pr merge`, `glab mr merge`, not what ends or continues one
///   deploy     a program that by itself puts something into service or publishes it:
///              `kubectl apply`, `helm upgrade`, `terraform apply`, `fly deploy`, `npm publish`,
///              `docker push`, … A push of git is none
///   run_tests  a run of tests, as its output said (our tools), or by its name (test_command.h)
///   command    any other command, a program that is given as text, and one that would be the
///   above, but only explains, lists or
///              tries itself (`--help`, `--dry-run`, `kubectl rollout status`, `gh pr create
///              --web`)
///   api_call   http_get; WebFetch, WebSearch, and tools of MCP servers (`mcp__…`)
///   other      everything else: files read, folders listed, agents called
///
/// Of a line with several commands the first of this order counts: deploy, merge, open_pr,
/// run_tests, command.
AgentAction::Type type_of(const CallSeen& call);

}  // namespace spoor::guard::check
