#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "builtin_stage.h"
#include "tests/support/ports.h"
#include "tests/support/sanitized.h"

namespace spoor::agent::builtin {

namespace fs = std::filesystem;
using nlohmann::json;
using spoor::testing::kIsSanitized;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

TEST_SUITE("agent/builtin/run_command") {
  json argv(std::vector<std::string> words) { return {{"argv", std::move(words)}}; }
  json sh(const std::string& script) { return argv({"sh", "-c", script}); }

  milliseconds since(Clock::time_point start) {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
  }

  // A sleep that nobody else has begun. Inside of a namespace numbers of processes say nothing
  // here, so that it is found by its arguments.
  std::string unique_sleep() {
    static int count = 0;
    return "sleep 60." + std::to_string(::getpid()) + std::to_string(++count);
  }

  pid_t process_with(const std::string& command) {
    std::string wanted = command + ' ';
    std::replace(wanted.begin(), wanted.end(), ' ', '\0');
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      if (Stage::bytes_of(entry.path() / "cmdline") == wanted) return std::stoi(name);
    }
    return 0;
  }

  bool dies(const std::string& command) {
    for (int i = 0; i < 200 && process_with(command) != 0; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    return process_with(command) == 0;
  }

  TEST_CASE("a command gives what it printed, and facts") {
    Stage stage;
    const ToolResult result = stage.call("run_command", argv({"echo", "one  two", "$HOME", "*"}));
    CHECK(result.text == "one  two $HOME *\n");  // No shell.
    CHECK_FALSE(result.is_error);
    CHECK(result.facts.text("artifact") == "command");
    CHECK(result.facts.json("exit_code") == "0");
    CHECK_FALSE(result.facts.json("duration_ms").empty());
    CHECK(result.facts.json("signal").empty());
    CHECK(result.attach.empty());
    CHECK(stage.call("run_command", argv({"true"})).text == "[it printed nothing]");
  }

  TEST_CASE("a command's time is told by the clock that is given") {
    Stage stage;
    spoor::testing::ManualClock clock;
    stage.settings.clock = &clock;
    const ToolResult result = stage.call("run_command", argv({"sleep", "0.02"}));
    CHECK(result.facts.json("duration_ms") == "0");
  }

  TEST_CASE("a command that fails is an error with its exit code before what it printed") {
    Stage stage;
    const ToolResult result = stage.call("run_command", sh("echo out; echo bad >&2; exit 3"));
    CHECK(result.is_error);
    CHECK(result.text == "exit code 3\nout\nbad\n");
    CHECK(result.facts.json("exit_code") == "3");
  }

  TEST_CASE("a signal that ended it is told") {
    Stage stage;
    const ToolResult result = stage.call("run_command", sh("kill -SEGV $$"));
    CHECK(result.is_error);
    CHECK(result.text.starts_with("signal 11 ended it ("));
    CHECK(result.facts.json("signal") == "11");
    CHECK(result.facts.json("exit_code").empty());
  }

  TEST_CASE("what cannot be run says why") {
    Stage stage;
    stage.put("script", "no program\n");
    const auto text_of = [&](const json& arguments) {
      const ToolResult result = stage.call("run_command", arguments);
      CHECK(result.is_error);
      CHECK(result.facts.empty());
      return result.text;
    };
    CHECK(text_of(argv({"no-such-program-anywhere"})) ==
          "cannot run 'no-such-program-anywhere': No such file or directory; 'argv' is a program "
          "and its arguments; no shell reads them");
    CHECK(text_of(argv({"echo a | wc"})).starts_with("cannot run 'echo a | wc'"));
    CHECK(text_of(argv({"./script"})).starts_with("cannot run './script': Permission denied"));
    fs::permissions(stage.root() / "script", fs::perms(0755));
    CHECK(text_of(argv({"./script"})).find("name its interpreter") != std::string::npos);
    CHECK(text_of({{"argv", {"true"}}, {"cwd", "nothing"}}) == "there is no 'nothing'");
    CHECK(text_of({{"argv", {"true"}}, {"cwd", "../outside"}}) ==
          "'../outside' leads out of the root folder");
    CHECK(text_of({{"argv", {"true"}}, {"timeout_s", 601}}) ==
          "'timeout_s' must be from 0.001 to 600");
  }

  TEST_CASE("it runs in the root folder, or in one below") {
    Stage stage;
    stage.put("src/file", "");
    CHECK(stage.call("run_command", argv({"pwd", "-P"})).text == stage.root().string() + "\n");
    CHECK(stage.call("run_command", {{"argv", {"pwd", "-P"}}, {"cwd", "src"}}).text ==
          (stage.root() / "src\n").string());
  }

  TEST_CASE("it reads nothing, and gets neither keys, nor files, nor ignored signals of ours") {
    Stage stage;
    stage.settings.environment.emplace_back("OPENAI_API_KEY", "sk-secret");
    stage.settings.environment.emplace_back("HOME", "/home/me");
    ::setenv("SPOOR_TEST_TOKEN", "leaks", 1);
    CHECK(stage.call("run_command", argv({"cat"})).text == "[it printed nothing]");
    const std::string variables = stage.call("run_command", argv({"env"})).text;
    const std::string begin = "PATH=/usr/local/bin:/usr/bin:/bin\nTERM=dumb\nHOME=";
    REQUIRE(variables.starts_with(begin));
    const std::string home =
        variables.substr(begin.size(), variables.find('\n', begin.size()) - begin.size());
    CHECK(home != "/home/me");
    CHECK(variables == begin + home + "\nTMPDIR=" + home + "\n");
    ::unsetenv("SPOOR_TEST_TOKEN");
    const int open_file = ::dup(STDERR_FILENO);  // Without O_CLOEXEC.
    const std::string files = stage.call("run_command", argv({"ls", "/proc/self/fd"})).text;
    CHECK(files == "0\n1\n2\n3\n");  // The last one is that of ls.
    ::close(open_file);
    const auto before = ::signal(SIGPIPE, SIG_IGN);
    const std::string status = stage.call("run_command", argv({"cat", "/proc/self/status"})).text;
    ::signal(SIGPIPE, before);
    CHECK(status.find("SigIgn:\t0000000000000000") != std::string::npos);
    CHECK(status.find("SigBlk:\t0000000000000000") != std::string::npos);
  }

  TEST_CASE("bytes are kept as they came") {
    Stage stage;
    CHECK(stage.call("run_command", argv({"printf", R"(\377\000\033[1mx\r)"})).text ==
          std::string("\xff\0\x1b[1mx\r", 8));
  }

  TEST_CASE("a long output keeps beginning and end; more of it is attached") {
    Stage stage;
    stage.settings.output_cap = 1000;
    const ToolResult result = stage.call("run_command", argv({"seq", "1", "2000"}));
    CHECK(result.text.size() < 1100);
    CHECK(result.text.starts_with("1\n2\n3\n"));
    CHECK(result.text.ends_with("\n1999\n2000\n"));
    CHECK(result.text.find(" bytes left out]\n") != std::string::npos);
    REQUIRE(result.attach.size() == 1);
    CHECK(result.attach[0].media_type == "text/plain");
    std::string whole;
    for (int i = 1; i <= 2000; ++i) whole += std::to_string(i) + "\n";
    CHECK(result.attach[0].bytes == whole);
    CHECK(result.facts.json("output_bytes") == std::to_string(whole.size()));
  }

  TEST_CASE("an output of 100 MB takes little memory") {
    Stage stage;
    rusage before{};
    rusage after{};
    ::getrusage(RUSAGE_SELF, &before);
    const ToolResult result =
        stage.call("run_command", argv({"head", "-c", "100000000", "/dev/zero"}));
    ::getrusage(RUSAGE_SELF, &after);
    CHECK_FALSE(result.is_error);
    CHECK(result.facts.json("output_bytes") == "100000000");
    CHECK(result.text.size() < 31'000);
    CHECK(result.attach.at(0).bytes.size() < 4'300'000);
    // KiB: some copies of what is kept.
    if (!kIsSanitized) CHECK(after.ru_maxrss - before.ru_maxrss < 40'000);
  }

  TEST_CASE("what takes too long is ended, with what it printed until then") {
    Stage stage;
    const auto start = Clock::now();
    const ToolResult result = stage.call(
        "run_command", {{"argv", {"sh", "-c", "echo begun; sleep 30"}}, {"timeout_s", 0.2}});
    CHECK(since(start) < milliseconds(2000));
    CHECK(result.is_error);
    CHECK(result.text == "took longer than 0.2 s and was ended\nbegun\n");
    CHECK(result.facts.json("timed_out") == "true");
    CHECK(result.facts.json("signal") == "15");
  }

  TEST_CASE("the time of the context holds, too") {
    Stage stage;
    const auto start = Clock::now();
    const ToolResult result =
        stage.call("run_command", argv({"sleep", "30"}), {.timeout = milliseconds(100)});
    CHECK(since(start) < milliseconds(2000));
    CHECK(result.text.starts_with("took longer than 0.1 s and was ended"));
  }

  TEST_CASE("what ignores SIGTERM is killed") {
    Stage stage;
    const auto start = Clock::now();
    const ToolResult result = stage.call(
        "run_command",
        {{"argv", {"sh", "-c", "trap '' TERM; sleep 30; sleep 30"}}, {"timeout_s", 1.5}});
    CHECK(since(start) < milliseconds(8000));
    CHECK(result.facts.json("signal") == "9");
  }

  TEST_CASE("a grandchild dies with the command at its timeout") {
    Stage stage;
    const std::string sleep = unique_sleep();
    const ToolResult result = stage.call(
        "run_command",
        {{"argv", {"sh", "-c", "(trap '' TERM; sh -c 'touch begun; exec " + sleep + "') & wait"}},
         {"timeout_s", 0.5}});
    CHECK(result.is_error);
    CHECK(fs::exists(stage.root() / "begun"));
    CHECK(dies(sleep));
  }

  TEST_CASE("what a command leaves running is killed when the command has ended") {
    Stage stage;
    const std::string sleep = unique_sleep();
    const auto start = Clock::now();
    const ToolResult result = stage.call("run_command", sh(sleep + " & echo ready"));
    CHECK(since(start) < milliseconds(5000));  // Though the sleep holds its output open.
    CHECK_FALSE(result.is_error);
    CHECK(result.text == "ready\n");
    CHECK(dies(sleep));
  }

  TEST_CASE("what is printed shortly after the end is heard") {
    Stage stage;
    CHECK(stage.call("run_command", sh("(sleep 0.05; echo late) & echo early")).text ==
          "early\nlate\n");
  }

  TEST_CASE("what made itself a session of its own is not waited for") {
    Stage stage;
    const std::string script =
        "setsid sh -c 'touch begun; exec SLEEP' & "
        "while [ ! -e begun ]; do sleep 0.01; done; echo ready";
    const auto run = [&](const std::string& sleep) {
      fs::remove(stage.root() / "begun");
      std::string with = script;
      with.replace(with.find("SLEEP"), 5, sleep);
      const auto start = Clock::now();
      CHECK(stage.call("run_command", sh(with)).text == "ready\n");
      CHECK(since(start) < milliseconds(5000));
    };
    stage.settings.most_confinement.namespaces = Namespaces::none;
    const std::string left = unique_sleep();
    run(left);
    const pid_t id = process_with(left);
    CHECK(id > 0);  // As the header says.
    if (id > 0) ::kill(id, SIGKILL);

    stage.settings.most_confinement.namespaces = Namespaces::any;
    if (!find_confinement(stage.settings).value().namespaces) {
      MESSAGE("SKIP: this kernel refuses namespaces");
      return;
    }
    const std::string ended = unique_sleep();
    run(ended);
    CHECK(dies(ended));
  }

  TEST_CASE("a command that closes its output and goes on is waited for") {
    Stage stage;
    const ToolResult result = stage.call("run_command", sh("exec >&- 2>&-; sleep 0.3; exit 7"));
    CHECK(result.facts.json("exit_code") == "7");
  }

  TEST_CASE("a stop ends it at once") {
    Stage stage;
    milliseconds longest{0};
    const fs::path begun = stage.root() / "begun";
    for (const std::string script : {"sleep 60", "trap '' TERM; sleep 60; sleep 60", "yes"}) {
      CAPTURE(script);
      fs::remove(begun);
      std::stop_source stop;
      Clock::time_point asked;
      std::thread other([&] {
        for (int i = 0; i < 600 && !fs::exists(begun); ++i) {
          std::this_thread::sleep_for(milliseconds(100));
        }
        asked = Clock::now();
        stop.request_stop();
      });
      const ToolResult result =
          stage.call("run_command", sh("echo >begun; " + script), {.stop = stop.get_token()});
      other.join();
      longest = std::max(longest, since(asked));
      CHECK(result.is_error);
      CHECK(result.text.starts_with("interrupted; it was ended\n"));
      CHECK(result.facts.json("interrupted") == "true");
    }
    MESSAGE("the longest took " << longest.count() << " ms");
    // 100 is what it takes; the rest is for a busy machine.
    if (!kIsSanitized) CHECK(longest < milliseconds(300));
  }

  TEST_CASE("many commands run from several threads at once") {
    Stage stage;
    const Tool tool = stage.tool("run_command");
    std::vector<std::thread> threads;
    std::vector<int> right(4, 0);
    for (std::size_t i = 0; i < right.size(); ++i) {
      threads.emplace_back([&, i] {
        for (int n = 0; n < 25; ++n) {
          const std::string word = std::to_string(i) + "-" + std::to_string(n);
          if (tool.run(argv({"echo", word}).dump(), {}).text == word + "\n") ++right[i];
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(right == std::vector<int>{25, 25, 25, 25});
  }

  TEST_CASE("a run of tests is told as one, from the whole of its output") {
    Stage stage;
    stage.settings.output_cap = 1000;
    stage.put("ctest",
              "#!/bin/sh\nseq 1 1000\n"
              "echo '50% tests passed, 1 tests failed out of 2'\nseq 1 1000\nexit 8\n");
    fs::permissions(stage.root() / "ctest", fs::perms(0755));
    const ToolResult result = stage.call("run_command", argv({"./ctest"}));
    CHECK(result.is_error);
    CHECK(result.text.starts_with("exit code 8; ctest: 1 passed, 1 failed, 0 skipped\n1\n2\n"));
    CHECK(result.facts.text("artifact") == "test_run");
    CHECK(result.facts.json("tests") ==
          R"({"failed":1,"passed":1,"runner":"ctest","skipped":0,"unit":"tests"})");
    CHECK(result.facts.json("exit_code") == "8");
  }
}

}  // namespace spoor::agent::builtin
