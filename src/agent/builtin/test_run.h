#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spoor::agent::builtin {

/// The summary that a test run printed.
struct TestRun {
  std::string runner;  ///< ctest, pytest, unittest, go, cargo, jest, vitest, doctest or gtest
  std::string unit;    ///< the counted unit: `tests`, or `packages` if go names no tests
  std::int64_t passed = 0;
  std::int64_t failed = 0;  ///< including tests that could not be run to their end
  std::int64_t skipped = 0;

  bool operator==(const TestRun&) const = default;

  /// `13 passed, 1 failed, 0 skipped`
  std::string text() const;
};

/// Reads the summary of a known test runner in a command's output. Returns nullopt if there is
/// none, or if the command is one that shows files (`cat`, `grep`, …). The summary is not verified:
/// a program can print anything. Linear in the output.
///
/// Several summaries of one runner are added up (cargo prints one for each crate, a script may run
/// ctest twice). For pytest, jest and vitest only the last counts, since it is already a sum. Of
/// several runners, the one in `argv` counts, else the first in the order of TestRun::runner: a
/// ctest run that shows doctest output is a ctest run.
///
/// Formats: CTest 3.25, pytest 8, go 1.22, cargo 1.80 and cargo-nextest 0.9, Jest 29, Vitest 1,
/// doctest 2.4, GoogleTest 1.14, unittest of Python 3.11.
std::optional<TestRun> read_test_run(std::span<const std::string> argv, std::string_view output);

}  // namespace spoor::agent::builtin
