#include "agent/builtin/test_run.h"

#include <chrono>
#include <initializer_list>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/sanitized.h"

namespace spoor::agent::builtin {

TEST_SUITE("agent/builtin/test_run") {
  std::optional<TestRun> read(std::vector<std::string> argv, std::string_view output) {
    return read_test_run(argv, output);
  }

  TestRun tests(std::string runner, std::int64_t passed, std::int64_t failed,
                std::int64_t skipped) {
    return {std::move(runner), "tests", passed, failed, skipped};
  }

  TEST_CASE("ctest") {
    constexpr std::string_view kSome = R"(Test project /src/build
    Start 1: parser
1/5 Test #1: parser ...........................   Passed    0.02 sec
    Start 2: writer
2/5 Test #2: writer ...........................***Failed    0.01 sec
    Start 3: network
3/5 Test #3: network ..........................***Skipped   0.00 sec
    Start 4: retired
4/5 Test #4: retired ..........................***Not Run (Disabled)   0.00 sec
    Start 5: slow
5/5 Test #5: slow .............................***Timeout   1.00 sec

50% tests passed, 2 tests failed out of 4

Total Test time (real) =   1.04 sec

The following tests did not run:
          3 - network (Skipped)
          4 - retired (Disabled)

The following tests FAILED:
          2 - writer (Failed)
          5 - slow (Timeout)
)";
    CHECK(read({"ctest"}, kSome) == tests("ctest", 1, 2, 2));
    CHECK(read({"cmake", "--build", ".", "--target", "test"}, kSome) == tests("ctest", 1, 2, 2));
    CHECK(read({"ctest"}, "100% tests passed, 0 tests failed out of 14\n") ==
          tests("ctest", 14, 0, 0));
    CHECK(read({"ctest"}, "No tests were found!!!\n") == std::nullopt);
    CHECK(read({"ctest"}, "0% tests passed, 5 tests failed out of 3\n") == std::nullopt);
  }

  TEST_CASE("pytest") {
    constexpr std::string_view kSome = R"(
============================= test session starts ==============================
platform linux -- Python 3.11.2, pytest-8.1.1, pluggy-1.4.0
rootdir: /src
collected 9 items

tests/test_parser.py ..F.s                                               [ 55%]
tests/test_writer.py x.EX                                                [100%]

=================================== FAILURES ===================================
__________________________________ test_depth __________________________________

    def test_depth():
>       assert depth("[[]]") == 3
E       assert 2 == 3

tests/test_parser.py:12: AssertionError
=========================== short test summary info ============================
FAILED tests/test_parser.py::test_depth - assert 2 == 3
ERROR tests/test_writer.py::test_disk - OSError: full
= 1 failed, 4 passed, 1 skipped, 1 xfailed, 1 xpassed, 2 warnings, 1 error in 0.12s =
)";
    CHECK(read({"pytest", "-x"}, kSome) == tests("pytest", 5, 2, 2));
    CHECK(read({"python3", "-m", "pytest"}, kSome) == tests("pytest", 5, 2, 2));
    CHECK(read({"pytest", "-q"}, "....\n4 passed in 83.50s (0:01:23)\n") ==
          tests("pytest", 4, 0, 0));
    CHECK(read({"pytest"}, "============ no tests ran in 0.01s ============\n") ==
          tests("pytest", 0, 0, 0));
    CHECK(
        read(
            {"pytest"},
            "\x1b[31m==== \x1b[1m1 failed\x1b[0m, \x1b[32m2 passed\x1b[0m in 0.1s ====\x1b[0m\n") ==
        tests("pytest", 2, 1, 0));
    CHECK(read({"pytest"}, "we were done in 0.1s\n3 apples in 0.1s\n1 passed in June\n") ==
          std::nullopt);
  }

  TEST_CASE("unittest") {
    CHECK(read({"python3", "-m", "unittest"}, R"(.F.s
======================================================================
FAIL: test_depth (test_parser.Depth.test_depth)
----------------------------------------------------------------------
AssertionError: 2 != 3

----------------------------------------------------------------------
Ran 6 tests in 0.001s

FAILED (failures=1, errors=1, skipped=1, expected failures=1)
)") == tests("unittest", 2, 2, 2));
    CHECK(read({"python3", "t.py"}, "Ran 1 test in 0.000s\n\nOK\n") == tests("unittest", 1, 0, 0));
    CHECK(read({"python3", "t.py"}, "Ran 3 tests in 0.000s\n\nOK (skipped=1)\n") ==
          tests("unittest", 2, 0, 1));
    CHECK(read({"python3", "t.py"}, "Ran 3 tests in 0.000s\nKilled\nOK\n") == std::nullopt);
  }

  TEST_CASE("go test") {
    constexpr std::string_view kVerbose =
        "=== RUN   TestParse\n=== RUN   TestParse/empty\n--- PASS: TestParse (0.00s)\n"
        "    --- PASS: TestParse/empty (0.00s)\n=== RUN   TestDepth\n"
        "    parser_test.go:12: got 2, want 3\n--- FAIL: TestDepth (0.00s)\n"
        "=== RUN   TestDisk\n    disk_test.go:5: no disk\n--- SKIP: TestDisk (0.00s)\n"
        "FAIL\nFAIL\texample.com/parser\t0.003s\n?   \texample.com/cmd\t[no test files]\nFAIL\n";
    CHECK(read({"go", "test", "-v", "./..."}, kVerbose) == tests("go", 1, 1, 1));
    constexpr std::string_view kQuiet =
        "ok  \texample.com/writer\t0.002s\nok  \texample.com/reader\t(cached)\n"
        "--- FAIL: TestDepth (0.00s)\n    parser_test.go:12: got 2, want 3\nFAIL\n"
        "FAIL\texample.com/parser\t0.003s\n?   \texample.com/cmd\t[no test files]\nFAIL\n";
    CHECK(read({"go", "test", "./..."}, kQuiet) == TestRun{"go", "packages", 2, 1, 1});
    CHECK(read({"go", "vet"}, "--- PASS: no package\n") == std::nullopt);
  }

  TEST_CASE("cargo test and nextest") {
    constexpr std::string_view kSome = R"(   Compiling parser v0.1.0 (/src)
    Finished test [unoptimized + debuginfo] target(s) in 0.52s
     Running unittests src/lib.rs (target/debug/deps/parser-0123456789abcdef)

running 4 tests
test tests::empty ... ok
test tests::depth ... FAILED
test tests::disk ... ignored

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests parser

running 1 test
test src/lib.rs - parse (line 3) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.21s
)";
    CHECK(read({"cargo", "test"}, kSome) == tests("cargo", 3, 1, 1));
    CHECK(read({"cargo", "nextest", "run"},
               "     Summary [   0.005s] 5/7 tests run: 3 passed, 1 failed, 1 timed out, 2 "
               "skipped\n") == tests("cargo", 3, 2, 2));
  }

  TEST_CASE("jest and vitest") {
    constexpr std::string_view kJest = R"(PASS src/writer.test.js
FAIL src/parser.test.js
  ● depth

    expect(received).toBe(expected)

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 2 skipped, 1 todo, 5 passed, 9 total
Snapshots:   0 total
Time:        0.512 s
Ran all test suites.
)";
    CHECK(read({"npx", "jest"}, kJest) == tests("jest", 5, 1, 3));
    CHECK(read({"npm", "test"}, kJest) == tests("jest", 5, 1, 3));
    constexpr std::string_view kVitest = R"(
 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 5 passed | 2 skipped (8)
   Start at  10:00:00
   Duration  512ms
)";
    CHECK(read({"npx", "vitest", "run"}, kVitest) == tests("vitest", 5, 1, 2));
  }

  TEST_CASE("doctest and GoogleTest") {
    CHECK(read({"./build/parser_test"},
               "[doctest] doctest version is \"2.4.9\"\n"
               "[doctest] test cases:  12 |  11 passed | 1 failed | 141 skipped\n"
               "[doctest] assertions: 99 | 98 passed | 1 failed |\n"
               "[doctest] Status: FAILURE!\n") == tests("doctest", 11, 1, 141));
    CHECK(read({"./parser_test"}, R"([==========] Running 5 tests from 1 test suite.
[ RUN      ] Parser.Depth
[  FAILED  ] Parser.Depth (0 ms)
[==========] 5 tests from 1 test suite ran. (0 ms total)
[  PASSED  ] 3 tests.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] Parser.Disk
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Parser.Depth

 1 FAILED TEST
)") == tests("gtest", 3, 1, 1));
  }

  TEST_CASE("of two runners the named one counts, else the outer one") {
    constexpr std::string_view kBoth =
        "[doctest] test cases:  3 |  3 passed | 0 failed | 0 skipped\n"
        "100% tests passed, 0 tests failed out of 1\n";
    CHECK(read({"ctest", "-V"}, kBoth)->runner == "ctest");
    CHECK(read({"./dev", "test"}, kBoth)->runner == "ctest");
    CHECK(read({"sh", "-c", "cd build && /usr/bin/ctest -V"}, kBoth)->runner == "ctest");
    constexpr std::string_view kTwo = "1 passed in 0.01s\nTests:  2 passed, 2 total\n";
    CHECK(read({"sh", "-c", "jest;pytest"}, kTwo)->runner == "pytest");
    CHECK(read({"npx", "jest"}, kTwo)->runner == "jest");
  }

  TEST_CASE("what only shows files runs no tests, and other output is none") {
    constexpr std::string_view kLog = "100% tests passed, 0 tests failed out of 14\n";
    CHECK(read({"cat", "log"}, kLog) == std::nullopt);
    CHECK(read({"/usr/bin/grep", "tests", "log"}, kLog) == std::nullopt);
    CHECK(read({"make"}, "cc -c a.c\ncc -o a a.o\n") == std::nullopt);
    CHECK(read({}, kLog) == std::nullopt);
    CHECK(read({"make"}, "") == std::nullopt);
  }

  TEST_CASE("numbers that are too long, and lines without end, are no summaries") {
    CHECK(read({"ctest"}, "100% tests passed, 0 tests failed out of 99999999999999999999\n") ==
          std::nullopt);
    CHECK(read({"jest"}, "Tests: 99999999999999999999 passed, 1 total\n") == std::nullopt);
    const std::string endless(8'000'000, '=');
    const std::string many = [] {
      std::string text;
      for (int i = 0; i < 300'000; ++i) text += "\x1b[1m12 |,;(\x1b[m) in 1.\n";
      return text;
    }();
    const auto start = std::chrono::steady_clock::now();
    CHECK(read({"pytest"}, endless) == std::nullopt);
    CHECK(read({"make"}, many) == std::nullopt);
    if (!spoor::testing::kIsSanitized)
      CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  }
}

}  // namespace spoor::agent::builtin
