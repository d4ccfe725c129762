#include "guard/check/action_type.h"

#include <algorithm>
#include <array>
#include <optional>

namespace spoor::guard::check {
namespace {

using trace::behind;
using trace::lists;
using trace::plain_words;
using trace::says;

constexpr int kMostLaunchers = 8;  // Launchers that start each other.

// A program that runs tests, and the options and first words that make it do something else.
struct Runner {
  std::string_view words;
  std::string_view unless = {};
};
constexpr std::string_view kPytestUnless =
    "--collect-only --co --fixtures --fixtures-per-test --markers --setup-plan";
constexpr std::array kRunners = {
    Runner{"ctest", "-N --show-only --print-labels -H"},
    Runner{"pytest", kPytestUnless},
    Runner{"py.test", kPytestUnless},
    Runner{"unittest"},
    Runner{"nose2"},
    Runner{"tox", "-l --listenvs -a --listenvs-all list config devenv"},
    Runner{"nox", "-l --list --list-sessions"},
    Runner{"jest", "--listTests --showConfig --init --clearCache"},
    Runner{"vitest", "list init"},
    Runner{"mocha"},
    Runner{"playwright test", "--list"},
    Runner{"rspec"},
    Runner{"phpunit", "--list-tests --list-suites --list-groups"},
    Runner{"go test", "-list --list -c -n"},
    Runner{"cargo test", "--no-run --list"},
    Runner{"cargo nextest run", "--no-run"},
    Runner{"bun test"},
    Runner{"deno test", "--no-run"},
    Runner{"dotnet test", "--list-tests -t"},
    Runner{"bazel test", "--nobuild"},
    Runner{"meson test", "--list"},
    Runner{"mix test"},
    Runner{"swift test", "list --list-tests"},
};

// A program that makes the given targets, in any order.
struct Builder {
  std::string_view name;
  std::string_view targets;
  std::string_view takes_word = {};  // Options whose next word is not a target.
  std::string_view unless = {};
};
constexpr std::string_view kMakeUnless = "-n --just-print --recon -q --question -t --touch";
constexpr std::array kBuilders = {
    Builder{"make", "test tests check", "-C -f -I -o -W", kMakeUnless},
    Builder{"gmake", "test tests check", "-C -f -I -o -W", kMakeUnless},
    Builder{"ninja", "test check", "-C -f -j -k -l -t", "-n -t"},
    Builder{"mvn", "test verify", "-pl -f", "-DskipTests -Dmaven.test.skip"},
    Builder{"mvnw", "test verify", "-pl -f", "-DskipTests -Dmaven.test.skip"},
    Builder{"gradle", "test check", "-x --exclude-task -p -b --tests", "-m"},
    Builder{"gradlew", "test check", "-x --exclude-task -p -b --tests", "-m"},
    Builder{"rake", "test spec", "-f -C", "-n -T -P"},
};

// Commands that run scripts which a project names.
constexpr std::array<std::string_view, 15> kScripts = {
    "npm run",   "npm run-script", "pnpm run", "yarn run",     "bun run",
    "deno task", "mise run",       "mise r",   "just",         "task",
    "npm",       "pnpm",           "yarn",     "composer run", "composer"};

// A command that runs the program named after it, and its options that take a word.
struct Launcher {
  std::string_view words;
  std::string_view takes_word = {};
};
constexpr std::array kLaunchers = {
    Launcher{"npx", "-p --package"},
    Launcher{"bunx"},
    Launcher{"bun x"},
    Launcher{"npm exec", "-p --package -w --workspace"},
    Launcher{"pnpm exec"},
    Launcher{"pnpm dlx", "--package"},
    Launcher{"yarn exec"},
    Launcher{"yarn dlx", "-p --package"},
    Launcher{"bundle exec"},
    Launcher{"uv run",
             "--with --with-requirements --with-editable --extra --group --only-group --no-group "
             "--python -p --directory --project --package --env-file"},
    Launcher{"poetry run"},
    Launcher{"pipenv run"},
    Launcher{"pdm run", "-p"},
    Launcher{"rye run"},
    Launcher{"hatch run"},
    Launcher{"mise exec", "-C"},
    Launcher{"coverage run", "--source --include --omit --rcfile --concurrency --context"},
    Launcher{"xvfb-run", "-s -n -e -f -p"},
    Launcher{"cross-env"},
    Launcher{"yarn"},
    Launcher{"pnpm"},
};

bool is_python(std::string_view program) {
  return program.starts_with("python") &&
         program.find_first_not_of("0123456789.", 6) == std::string_view::npos;
}

// `test`, `test:ci`, `tests-all`; not `testdata`.
bool is_test_script(std::string_view name) {
  if (!name.starts_with("test")) return false;
  name.remove_prefix(name.starts_with("tests") ? 5 : 4);
  const bool goes_on = !name.empty() && ((name.front() >= 'a' && name.front() <= 'z') ||
                                         (name.front() >= 'A' && name.front() <= 'Z'));
  return !goes_on;
}

bool is_runner(const Words& command) {
  for (const Runner& runner : kRunners) {
    const std::size_t at = behind(command, runner.words);
    if (at == 0) continue;
    if (says(command, runner.unless)) return false;
    return at >= command.size() || !lists(runner.unless, command[at]);
  }
  return false;
}

bool builds_tests(const Words& command) {
  if (command.front() == "cmake" && says(command, "--build")) {
    for (std::size_t i = 1; i + 1 < command.size(); ++i) {
      if (lists("--target -t", command[i]) && lists("test check", command[i + 1])) return true;
    }
    return false;
  }
  for (const Builder& builder : kBuilders) {
    if (builder.name != command.front()) continue;
    if (says(command, builder.unless)) return false;
    for (std::size_t i = 1; i < command.size(); ++i) {
      const std::string_view word = command[i];
      if (lists(builder.takes_word, word)) ++i;
      const std::size_t colon = word.rfind(':');  // `:app:test`
      const std::string_view target =
          colon == std::string_view::npos ? word : word.substr(colon + 1);
      if (lists(builder.targets, target)) return true;
    }
    return false;
  }
  return false;
}

bool runs_test_script(const Words& command) {
  for (const std::string_view words : kScripts) {
    const std::size_t at = behind(command, words);
    if (at == 0) continue;
    const Words rest(command.begin() + static_cast<std::ptrdiff_t>(at) - 1, command.end());
    const auto plain = plain_words(rest);
    if (plain.size() < 2) continue;
    if (is_test_script(plain[1]) || (words == "npm" && plain[1] == "t")) return true;
  }
  return false;
}

// Returns the command that a launcher runs; nullopt if it is not a launcher.
std::optional<Words> launched_by(const Words& command) {
  std::size_t at = is_python(command.front()) ? 1 : 0;
  std::string_view takes_word = "-W -X";
  for (const Launcher& launcher : kLaunchers) {
    if (at > 0) break;
    at = behind(command, launcher.words);
    takes_word = launcher.takes_word;
  }
  if (at == 0) return std::nullopt;
  const auto from = [&](std::size_t begin) {
    return Words(command.begin() + static_cast<std::ptrdiff_t>(std::min(begin, command.size())),
                 command.end());
  };
  for (; at < command.size(); ++at) {
    const std::string& word = command[at];
    if (word == "-m" || word == "--module") return from(at + 1);
    const bool is_setting = command.front() == "cross-env" && word.find('=') != std::string::npos;
    if (!word.starts_with('-') && !is_setting) break;
    if (lists(takes_word, word)) ++at;
  }
  Words rest = from(at);
  // `python manage.py test` runs tests; any other Python file is unknown.
  if (!is_python(command.front())) return rest;
  const bool is_django =
      rest.size() > 1 && rest.front().ends_with("manage.py") && rest[1] == "test";
  return is_django ? Words{"unittest"} : Words();
}

}  // namespace

bool runs_tests(const Words& command) {
  if (says(command, "--help -h -help --version --dry-run")) return false;
  Words words = command;
  for (int i = 0; i < kMostLaunchers && !words.empty(); ++i) {
    if (is_runner(words) || builds_tests(words) || runs_test_script(words)) return true;
    auto launched = launched_by(words);
    if (!launched) return false;
    words = std::move(*launched);
  }
  return false;
}

}  // namespace spoor::guard::check
