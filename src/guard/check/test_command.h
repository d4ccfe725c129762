#pragma once

#include "trace/command_words.h"

namespace spoor::guard::check {

using trace::Words;

/// Does a command run tests, by its name? Runners (`ctest`, `pytest`, `go test`, `jest`, …), what
/// starts them (`npx`, `yarn`, `bundle exec`, `uv run`, `python -m`, `coverage run`), targets of
/// builders (`make test`, `gradle :app:test`, `cmake --build … --target test`) and scripts of a
/// project (`npm run test:ci`, `just test`). Not one that only lists, builds or explains them.
bool runs_tests(const Words& command);

}  // namespace spoor::guard::check
