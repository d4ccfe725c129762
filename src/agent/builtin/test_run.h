#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spoor::agent::builtin {

/// What a run of tests said of itself.
struct TestRun {
  std::string runner;  ///< ctest, pytest, unittest, go, cargo, jest, vitest, doctest or gtest
  std::string unit;    ///< what was counted: `tests`, or `packages` where go names no tests
  std::int64_t passed = 0;
  std::int64_t failed = 0;  ///< with those that could not be run to their end
  std::int64_t skipped = 0;

  bool operator==(const TestRun&) const = default;

  /// `13 passed, 1 failed, 0 skipped`
  std::string text() const;
};

/// Reads the summary of a known runner out of what a command printed. Nothing when there is none,
/// or the command is one that shows files (`cat`, `grep`, …). Believes what it reads: a program can
/// print anything. Linear in the output.
///
/// Where several summaries of one runner stand in the output (cargo has one a crate, a script may
/// run ctest twice) they are added up, but of pytest, jest and vitest only the last counts, for
/// they sum up by themselves. Where there are several runners, the one that argv names counts, else
/// the first in the order above: a ctest that shows the output of doctest is a run of ctest.
///
/// The forms are those that the runners print: CTest 3.25, pytest 8, go 1.22, cargo 1.80 and
/// cargo-nextest 0.9, Jest 29, Vitest 1, doctest 2.4, GoogleTest 1.14, unittest of Python 3.11.
std::optional<TestRun> read_test_run(std::span<const std::string> argv, std::string_view output);

}  // namespace spoor::agent::builtin
