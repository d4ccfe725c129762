#include "agent/builtin/test_run.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace spoor::agent::builtin {
namespace {

constexpr std::string_view kBlank = " \t";

constexpr std::size_t kShortestLine = 2;     // `OK`
constexpr std::size_t kLongestLine = 4'000;  // Summaries are shorter.
constexpr std::int64_t kMostCounted = 1'000'000'000;

// Returns a line without colours (a copy in `room` if it has any) and without trailing white space.
// Its beginning identifies it.
std::string_view plain(std::string_view line, std::string& room) {
  if (line.find('\x1b') != std::string_view::npos) {
    room.clear();
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] != '\x1b') {
        room += line[i];
      } else if (i + 1 < line.size() && line[i + 1] == '[') {  // ESC [ … letter
        i += 2;
        while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
      }
    }
    line = room;
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) {
    line.remove_suffix(1);
  }
  return line;
}

// Removes a whole number from the front.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || number < 0 || number > kMostCounted) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

// Parses `5 passed`, `2 failed`, … between separators: a number and a word. Returns nullopt if a
// part does not begin with a number.
class Counts {
 public:
  static std::optional<Counts> read(std::string_view text, std::string_view separators) {
    Counts counts;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of(separators), text.size());
      std::string_view part = trimmed(text.substr(0, end), kBlank);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (part.empty()) continue;
      const std::optional<std::int64_t> number = take_number(part);
      if (!number) return std::nullopt;
      part = trimmed(part, kBlank);
      counts.all_.emplace_back(part.substr(0, part.find(' ')), *number);
    }
    if (counts.all_.empty()) return std::nullopt;
    return counts;
  }

  // Returns the sum for these words.
  std::int64_t of(std::initializer_list<std::string_view> words) const {
    std::int64_t sum = 0;
    for (const auto& [word, number] : all_) {
      if (std::find(words.begin(), words.end(), word) != words.end()) sum += number;
    }
    return sum;
  }

  bool has(std::string_view word) const {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const auto& count) { return count.first == word; });
  }

 private:
  std::vector<std::pair<std::string_view, std::int64_t>> all_;
};

// Reads one runner's summary, line by line.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual const char* name() const = 0;
  virtual void line(std::string_view text) = 0;  // As plain() returns it.
  virtual std::optional<TestRun> result() const { return run_; }

 protected:
  TestRun& run() {
    if (!run_) run_ = TestRun{name(), "tests"};
    return *run_;
  }

  std::optional<TestRun> run_;
};

// 93% tests passed, 1 tests failed out of 14
// Skipped tests count as passed there; each has a line, as do tests not run.
class Ctest final : public Reader {
 public:
  const char* name() const override { return "ctest"; }

  void line(std::string_view text) override {
    // ` 3/14 Test  #3: name ...........***Skipped   0.01 sec`
    if (text.find("Test ") != std::string_view::npos) {
      if (text.find("***Skipped ") != std::string_view::npos) ++skipped_;
      if (text.find("***Not Run (Disabled)") != std::string_view::npos) ++disabled_;
    }
    if (!take_number(text) || !take(text, "% tests passed, ")) return;
    const std::optional<std::int64_t> failed = take_number(text);
    if (!failed || (!take(text, " tests failed out of ") && !take(text, " test failed out of "))) {
      return;
    }
    const std::optional<std::int64_t> total = take_number(text);
    if (!total || *total < *failed) return;
    const std::int64_t skipped = std::min(skipped_, *total - *failed);
    run().passed += *total - *failed - skipped;
    run().failed += *failed;
    run().skipped += skipped + disabled_;
    skipped_ = 0;
    disabled_ = 0;
  }

 private:
  std::int64_t skipped_ = 0;
  std::int64_t disabled_ = 0;
};

// ========= 1 failed, 3 passed, 2 skipped in 0.12s =========
class Pytest final : public Reader {
 public:
  const char* name() const override { return "pytest"; }

  void line(std::string_view text) override {
    while (take(text, "=")) {
    }
    while (text.ends_with('=')) text.remove_suffix(1);
    text = trimmed(text, kBlank);
    const std::size_t end = text.rfind(" in ");
    if (end == std::string_view::npos) return;
    std::string_view time = text.substr(end + 4);
    // `0.12s`; for a long run `83.50s (0:01:23)`.
    if (!take_number(time) || time.find('s') == std::string_view::npos || time.front() != '.')
      return;
    const std::string_view counted = text.substr(0, end);
    if (counted == "no tests ran") {
      run_ = TestRun{name(), "tests"};
      return;
    }
    const std::optional<Counts> counts = Counts::read(counted, ",");
    constexpr std::array kWords = {"passed",  "failed",  "error",   "errors",
                                   "skipped", "xfailed", "xpassed", "deselected"};
    if (!counts ||
        std::none_of(kWords.begin(), kWords.end(), [&](auto word) { return counts->has(word); })) {
      return;
    }
    run_ = TestRun{name(), "tests", counts->of({"passed", "xpassed"}),
                   counts->of({"failed", "error", "errors"}), counts->of({"skipped", "xfailed"})};
  }
};

// Ran 5 tests in 0.001s
//
// FAILED (failures=1, errors=1, skipped=1)
class Unittest final : public Reader {
 public:
  const char* name() const override { return "unittest"; }

  void line(std::string_view text) override {
    std::string_view rest = text;
    if (take(rest, "Ran ")) {
      const std::optional<std::int64_t> number = take_number(rest);
      if (number && (take(rest, " tests in ") || take(rest, " test in "))) total_ = number;
      return;
    }
    if (!total_) return;
    if (take(rest, "OK") || take(rest, "FAILED") || take(rest, "NO TESTS RAN")) {
      add(trimmed(rest, kBlank));
    }
    total_.reset();
  }

 private:
  void add(std::string_view counted) {
    std::int64_t failed = 0;
    std::int64_t skipped = 0;
    if (take(counted, "(") && counted.ends_with(')')) counted.remove_suffix(1);
    while (!counted.empty()) {
      const std::size_t end = std::min(counted.find(','), counted.size());
      std::string_view part = trimmed(counted.substr(0, end), kBlank);
      counted.remove_prefix(std::min(end + 1, counted.size()));
      const std::size_t sign = std::min(part.find('='), part.size());
      const std::string_view word = part.substr(0, sign);
      part.remove_prefix(std::min(sign + 1, part.size()));
      const std::int64_t number = take_number(part).value_or(0);
      if (word == "failures" || word == "errors" || word == "unexpected successes")
        failed += number;
      if (word == "skipped" || word == "expected failures") skipped += number;
    }
    run().passed += std::max<std::int64_t>(*total_ - failed - skipped, 0);
    run().failed += failed;
    run().skipped += skipped;
  }

  std::optional<std::int64_t> total_;
};

// With -v one line for each test (subtests are indented), else only for failed ones; then the
// packages: `ok   example.com/a 0.003s`, `FAIL example.com/b 0.004s`, `?    example.com/c [no test
// files]`.
class Go final : public Reader {
 public:
  const char* name() const override { return "go"; }

  void line(std::string_view text) override {
    std::string_view rest = text;
    if (take(rest, "--- PASS: ")) ++tests_.passed;
    if (take(rest, "--- FAIL: ")) ++tests_.failed;
    if (take(rest, "--- SKIP: ")) ++tests_.skipped;
    if (take(rest, "ok  \t")) ++packages_.passed;
    if (take(rest, "FAIL\t")) ++packages_.failed;
    if (take(rest, "?   \t")) ++packages_.skipped;
  }

  std::optional<TestRun> result() const override {
    if (packages_.passed + packages_.failed + packages_.skipped == 0) return std::nullopt;
    // Without -v, passed tests are not listed.
    const bool has_names = tests_.passed + tests_.skipped > 0;
    TestRun run = has_names ? tests_ : packages_;
    run.runner = name();
    run.unit = has_names ? "tests" : "packages";
    return run;
  }

 private:
  TestRun tests_;
  TestRun packages_;
};

// test result: FAILED. 4 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
//      Summary [   0.005s] 5 tests run: 4 passed, 1 failed, 2 skipped
class Cargo final : public Reader {
 public:
  const char* name() const override { return "cargo"; }

  void line(std::string_view text) override {
    std::string_view rest = trimmed(text, kBlank);
    std::optional<Counts> counts;
    if (take(rest, "test result: ok. ") || take(rest, "test result: FAILED. ")) {
      counts = Counts::read(rest.substr(0, rest.find("; finished")), ";");
    } else if (take(rest, "Summary [")) {
      const std::size_t begin = rest.find(" run: ");
      if (begin != std::string_view::npos) counts = Counts::read(rest.substr(begin + 6), ",");
    }
    if (!counts) return;
    run().passed += counts->of({"passed"});
    run().failed += counts->of({"failed", "timed"});  // nextest: `1 timed out`
    run().skipped += counts->of({"ignored", "skipped"});
  }
};

// Tests:       1 failed, 2 skipped, 1 todo, 5 passed, 9 total
class Jest final : public Reader {
 public:
  const char* name() const override { return "jest"; }

  void line(std::string_view text) override {
    if (!take(text, "Tests: ")) return;
    const std::optional<Counts> counts = Counts::read(text, ",");
    if (!counts || !counts->has("total")) return;
    run_ = TestRun{name(), "tests", counts->of({"passed"}), counts->of({"failed"}),
                   counts->of({"skipped", "todo"})};
  }
};

//       Tests  1 failed | 5 passed | 2 skipped (8)
class Vitest final : public Reader {
 public:
  const char* name() const override { return "vitest"; }

  void line(std::string_view text) override {
    text = trimmed(text, kBlank);
    if (!take(text, "Tests ") || !text.ends_with(')')) return;
    const std::size_t total = text.rfind('(');
    if (total == std::string_view::npos) return;
    const std::optional<Counts> counts = Counts::read(text.substr(0, total), "|");
    if (!counts || (!counts->has("passed") && !counts->has("failed") && !counts->has("skipped"))) {
      return;
    }
    run_ = TestRun{name(), "tests", counts->of({"passed"}), counts->of({"failed"}),
                   counts->of({"skipped", "todo"})};
  }
};

// [doctest] test cases:  12 |  11 passed | 1 failed | 141 skipped
// Tests excluded by a filter count as skipped.
class Doctest final : public Reader {
 public:
  const char* name() const override { return "doctest"; }

  void line(std::string_view text) override {
    if (!take(text, "[doctest] test cases:")) return;
    const std::size_t bar = text.find('|');
    if (bar == std::string_view::npos) return;
    const std::optional<Counts> counts = Counts::read(text.substr(bar), "|");
    if (!counts) return;
    run().passed += counts->of({"passed"});
    run().failed += counts->of({"failed"});
    run().skipped += counts->of({"skipped"});
  }
};

// [  PASSED  ] 5 tests.
// [  SKIPPED ] 1 test, listed below:
// [  FAILED  ] 2 tests, listed below:
class Gtest final : public Reader {
 public:
  const char* name() const override { return "gtest"; }

  void line(std::string_view text) override {
    std::int64_t TestRun::*count = nullptr;
    if (take(text, "[  PASSED  ] ")) count = &TestRun::passed;
    if (take(text, "[  SKIPPED ] ")) count = &TestRun::skipped;
    if (take(text, "[  FAILED  ] ")) count = &TestRun::failed;
    if (count == nullptr) return;
    const std::optional<std::int64_t> number = take_number(text);
    if (!number) return;
    if (text == " tests." || text == " test." || text == " tests, listed below:" ||
        text == " test, listed below:") {
      run().*count += *number;
    }
  }
};

std::string_view base_name(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

// Splits a command into words; a script (`sh -c '…'`) is split at blanks.
std::vector<std::string_view> words_of(std::span<const std::string> argv) {
  std::vector<std::string_view> words;
  for (const std::string_view word : argv) {
    std::string_view rest = word;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(" \t\n;&|()"), rest.size());
      if (end > 0) words.push_back(base_name(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return words;
}

bool only_shows_files(std::span<const std::string> argv) {
  constexpr std::array<std::string_view, 16> kShow = {
      "cat",  "head", "tail", "grep", "egrep", "rg", "sed",  "awk",
      "less", "more", "git",  "diff", "find",  "ls", "echo", "printf"};
  return argv.empty() ||
         std::find(kShow.begin(), kShow.end(), base_name(argv.front())) != kShow.end();
}

bool names_runner(const std::vector<std::string_view>& words, std::string_view runner) {
  for (const std::string_view word : words) {
    if (word == runner || (runner == "pytest" && word == "py.test")) return true;
  }
  return false;
}

}  // namespace

std::string TestRun::text() const {
  return fmt::format("{} passed, {} failed, {} skipped", passed, failed, skipped);
}

std::optional<TestRun> read_test_run(std::span<const std::string> argv, std::string_view output) {
  if (only_shows_files(argv)) return std::nullopt;
  Ctest ctest;
  Pytest pytest;
  Unittest unittest;
  Go go;
  Cargo cargo;
  Jest jest;
  Vitest vitest;
  Doctest doctest;
  Gtest gtest;
  const std::array<Reader*, 9> readers = {&ctest, &pytest, &unittest, &go,   &cargo,
                                          &jest,  &vitest, &doctest,  &gtest};
  std::string room;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = plain(output.substr(0, std::min(end, kLongestLine)), room);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (line.size() < kShortestLine) continue;
    for (Reader* reader : readers) reader->line(line);
  }
  const std::vector<std::string_view> words = words_of(argv);
  std::optional<TestRun> first;
  for (const Reader* reader : readers) {
    std::optional<TestRun> run = reader->result();
    if (run && names_runner(words, reader->name())) return run;
    if (run && !first) first = run;
  }
  return first;
}

}  // namespace spoor::agent::builtin
