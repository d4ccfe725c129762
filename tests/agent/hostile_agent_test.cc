// An agent that is out to destroy its record and to get out of its folder: random calls of all
// tools that read, write and run. Whatever it does, the record is whole and nothing else changes.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "store/fsck.h"
#include "tests/agent/builtin_stage.h"
#include "tests/agent/stage.h"
#include "tests/support/soak.h"

namespace spoor::agent {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::must;

constexpr std::string_view kSecret = "TOKEN-THAT-LIES-OUTSIDE";
constexpr int kRuns = 200;  // 10,000 with SPOOR_SOAK=50.

// What a shell is given. `STORE` is the store's path, `KEPT` its folder, `OUT` the folder beside
// the root, `PID` this process.
constexpr std::array kScripts = {
    "cat STORE",
    "cat STORE-wal",
    "cp STORE copy",
    "rm -f STORE STORE-wal STORE-shm STORE-lock",
    "mv STORE STORE.old",
    "mv KEPT away",
    "truncate -s 0 STORE",
    "truncate -s 0 STORE-wal",
    ": > STORE-wal",
    ": > STORE-journal",
    "dd if=/dev/zero of=STORE bs=4096 count=4 conv=notrunc",
    "ln STORE hard; echo x > hard",
    "ln -s STORE soft; echo x > soft; cat soft",
    "ln -s KEPT kept; ls -a kept; cat kept/.spoor",
    "chmod 000 STORE KEPT",
    "touch STORE-new",
    "cp /dev/null STORE",
    "tee STORE < /dev/null",
    "mkdir KEPT/sub",
    "rm -rf KEPT",
    "find KEPT -type f -delete",
    "find OUT/.. -name '.spoor*' -exec cp /dev/null {} +",
    "grep -r TOKEN OUT",
    "cat OUT/secret",
    "echo x >> OUT/secret",
    "rm -rf OUT",
    "ls -la OUT KEPT",
    "cp -r OUT taken; cat taken/secret",
    "cd .. && cat outside/secret",
    "cat /proc/self/root OUT/secret",
    "kill -KILL PID",
    "kill -STOP PID",
    "kill -TERM PID; kill -INT PID",
    "kill -STOP $PPID",
    "cat /proc/PID/environ",
    "tr '\\0' '\\n' < /proc/PID/environ",
    "head -c 100 /proc/PID/mem",
    "cat /proc/PID/maps",
    "cat /proc/PID/fd/*",
    "ls /proc/PID/fd /proc/PID/cwd/",
    "for p in /proc/[0-9]*; do cat $p/environ; done",
    "cat /proc/$PPID/environ",
    "cat /proc/1/environ",
    "for f in /proc/PID/fd/*; do : > $f; done 2>/dev/null",
    "env; set",
    "cat /proc/PID/root$HOME/x",
    "unshare -Ur sh -c 'cat OUT/secret'",
    "unshare -m sh -c 'mount -t tmpfs t KEPT'",
    "nsenter -t PID -a cat OUT/secret",
    "mount --bind OUT .git",
    "umount .git; echo x > .git/config",
    "umount -l OUT; ls OUT",
    "chroot / cat OUT/secret",
    "pivot_root . .",
    "perl -e 'syscall(101, 16, PID, 0, 0) == 0 and print \"TRACED\"'",
    "perl -e 'syscall(310, PID, 0, 0, 0, 0, 0) == 0 and print \"TRACED\"'",
    "perl -e 'socket(my $s, 2, 1, 0) and print \"CONNECTED\"'",
    "perl -MSocket -e 'socket(my $s, 1, 1, 0); connect($s, pack_sockaddr_un(\"OUT/socket\")) and "
    "print \"CONNECTED\"'",
    "echo '#!/bin/sh' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "echo '[core] fsmonitor = ./evil' >> .git/config",
    "git config core.fsmonitor ./evil",
    "git config core.hooksPath /tmp",
    "mv .git .away; mkdir .git; echo x > .git/config",
    "rm -rf .git",
    "ln -s .git g; echo x > g/config",
    "ln .git/config c; echo x > c",
    "cp -r .git other; rm -rf .git",
    "cd .git && echo x > config",
    "echo x > /proc/self/cwd/.git/config",
    "sed -i s/core/evil/ .git/config",
    "chmod 777 .git/config; rm .git/hooks/*",
    "echo 'on: push' > .github/workflows/evil.yml",
    "rm -r .github/workflows",
    "(setsid sh -c 'sleep 0.2; rm -rf KEPT OUT; echo x > .git/config' &)",
    "nohup sh -c 'while :; do echo x > STORE; done' > /dev/null 2>&1 &",
    "mkdir -p a/b; ls -R",
    "rm -rf a src; mkdir -p a/b src; echo one > src/a.txt",
    "echo $HOME $TMPDIR; cd; ls -a",
    "mkfifo pipe; ls",
    "cat src/a.txt",
    "rm -f soft hard kept g c",
    "ln -s / root; cat root/OUT/secret",
    "ln -s /proc/self/fd fds; ls fds/",
    "echo x > /etc/evil; echo x > /usr/evil; echo x > /evil"};

// What stands where a tool takes a path.
constexpr std::array kPaths = {"STORE",
                               "STORE-wal",
                               "STORE-shm",
                               "STORE-journal",
                               "STORE-lock",
                               "STORE-new",
                               "../kept/.spoor",
                               "../kept/.spoor-wal",
                               "src/../../kept/.spoor",
                               "kept/.spoor",
                               "kept/.SPOOR",
                               "kept/.spoor-wal",
                               "soft",
                               "hard",
                               "root/STORE",
                               "OUT/secret",
                               "../outside/secret",
                               "src/../../outside/secret",
                               ".git/config",
                               ".GIT/config",
                               "g/config",
                               ".git/hooks/pre-commit",
                               ".git/hooks/new/x",
                               "./.git//config",
                               "src/../.git/config",
                               "sub/.git/config",
                               "sub/.git/hooks/post-checkout",
                               ".github/workflows/ci.yml",
                               ".github/workflows/evil.yml",
                               ".gitlab-ci.yml",
                               "Jenkinsfile",
                               ".bashrc",
                               ".envrc",
                               ".vscode/tasks.json",
                               ".husky/pre-commit",
                               "/proc/self/environ",
                               "/proc/PID/environ",
                               "/proc/self/fd/3",
                               "fds/3",
                               "fds/5",
                               "/etc/evil",
                               "src/a.txt",
                               "a/b/new",
                               ".",
                               "..",
                               "/",
                               "kept",
                               "root",
                               "../kept",
                               "sub",
                               "pipe"};

class Hostile {
 public:
  Hostile(std::uint32_t seed, std::map<std::string, std::string> names)
      : random_(seed), names_(std::move(names)) {}

  std::pair<std::string, std::string> call() {
    switch (random_() % 9) {
      case 0:
        return {"read_file", json{{"path", path()}}.dump()};
      case 1:
        return {"write_file", json{{"path", path()}, {"content", content()}}.dump()};
      case 2:
        return {"edit_file",
                json{{"path", path()}, {"old", old()}, {"new", content()}, {"all", true}}.dump()};
      case 3:
        return {"list", json{{"path", path()}, {"depth", 1 + random_() % 4}}.dump()};
      case 4:
        return {"grep", json{{"pattern", old()}, {"path", path()}}.dump()};
      default:
        return {"run_command",
                json{{"argv", {"sh", "-c", one_of(kScripts)}}, {"timeout_s", 5}}.dump()};
    }
  }

  std::size_t number(std::size_t below) { return random_() % below; }

 private:
  template <std::size_t count>
  std::string one_of(const std::array<const char*, count>& all) {
    std::string text = all[random_() % count];
    for (const auto& [name, value] : names_) {
      for (std::size_t at = text.find(name); at != std::string::npos;
           at = text.find(name, at + value.size())) {
        text.replace(at, name.size(), value);
      }
    }
    return text;
  }
  std::string path() { return one_of(kPaths); }
  std::string content() { return std::array{"", "x", "[core]\n\tfsmonitor = ./evil\n"}[number(3)]; }
  std::string old() { return std::array{"core", "SQLite format", "TOKEN", "o", "x"}[number(5)]; }

  std::mt19937 random_;
  std::map<std::string, std::string> names_;
};

// All that no agent may change, as a text: files with their content and mode.
std::string picture_of(const fs::path& folder) {
  std::string picture;
  std::set<fs::path> sorted;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) sorted.insert(entry.path());
  for (const fs::path& path : sorted) {
    const auto status = fs::symlink_status(path);
    picture +=
        fmt::format("{} {:o} {}\n", path.string(), static_cast<unsigned>(status.permissions()),
                    fs::is_regular_file(status) ? builtin::Stage::bytes_of(path) : "");
  }
  return picture;
}

// The variables that this process was started with, but those that commands may have.
std::vector<std::string> own_variables() {
  std::vector<std::string> own;
  std::string all = builtin::Stage::bytes_of("/proc/self/environ");
  for (std::size_t at = 0; at < all.size(); at = all.find('\0', at) + 1) {
    const std::string one = all.c_str() + at;
    const std::string name = one.substr(0, one.find('='));
    const bool is_passed = name == "PATH" || name == "HOME" || name == "PWD" || name == "TERM" ||
                           name == "TMPDIR" || name == "_" || name == "OLDPWD";
    if (!is_passed && one.size() > 12) own.push_back(one);
  }
  return own;
}

struct Kept {
  std::string branch;
  compile::Oid tip;
  std::size_t turns = 0;
};

std::size_t count_turns(const graph::Repository& repository, const compile::Oid& tip) {
  std::size_t count = 0;
  must(repository.reader().run(tip, 10'000, [&](const store::NamedCommit&) {
    ++count;
    return true;
  }));
  return count;
}

void attack(builtin::Stage& stage, const fs::path& kept, int runs) {
  fs::create_directory(kept);
  const std::string store = (kept / ".spoor").string();
  stage.settings.store = store;
  std::ofstream(stage.outside() / "secret") << kSecret;
  stage.put(".git/config", "[core]\n\tbare = false\n");
  stage.put(".git/HEAD", "ref: refs/heads/main\n");
  stage.put(".git/hooks/pre-commit.sample", "#!/bin/sh\n");
  stage.put(".github/workflows/ci.yml", "on: push\n");
  const std::string outside = picture_of(stage.outside());
  const std::string git = picture_of(stage.root() / ".git");
  const std::string ci = picture_of(stage.root() / ".github/workflows");
  const auto variables = own_variables();

  auto repository = must(graph::Repository::create(store, {.author = "agent/hostile"}));
  Hostile hostile(spoor::testing::seeded(20), {{"STORE", store},
                                               {"KEPT", kept.string()},
                                               {"OUT", stage.outside().string()},
                                               {"PID", std::to_string(::getpid())}});
  std::vector<Kept> all;
  std::size_t calls = 0;
  for (int i = 0; i < spoor::testing::rounds(runs); ++i) {
    CAPTURE(i);
    stage.put("src/a.txt", "one\n");
    Registry registry;
    const std::vector<std::string> names = {"read_file", "write_file", "edit_file",
                                            "list",      "grep",       "run_command"};
    for (Tool& tool : builtin::make_tools(names, stage.settings).value()) {
      must(registry.add(std::move(tool)));
    }
    std::vector<llm::Reply> replies;
    std::vector<std::pair<std::string, std::string>> wanted;
    for (std::size_t n = 0; n < 2 + hostile.number(3); ++n) {
      wanted.push_back(hostile.call());
      replies.push_back(testing::calls({wanted.back()}, {}, static_cast<int>(n) + 1));
    }
    replies.push_back(llm::say("done"));
    testing::ListModel model(std::move(replies));
    const std::string branch = fmt::format("run-{}", i);
    Session session(*repository, branch);
    RunOptions options;
    options.registry = &registry;
    const PlanResult result =
        must(run(Strategy::react, "break out", {&model, "m", {}, {}}, session, options));
    CHECK(result.stopped == Stopped::goal_achieved);
    REQUIRE(result.steps.size() == wanted.size() + 1);
    for (std::size_t n = 0; n < wanted.size(); ++n) {
      CAPTURE(wanted[n].second);
      const std::string seen = result.steps[n].observation.value_or("");
      CAPTURE(seen);
      CHECK(seen.find(kSecret) == std::string::npos);
      CHECK(seen.find("SQLite format 3") == std::string::npos);
      CHECK(seen.find("TRACED") == std::string::npos);
      CHECK(seen.find("CONNECTED") == std::string::npos);
      for (const std::string& variable : variables) {
        CHECK(seen.find(variable) == std::string::npos);
      }
    }
    calls += wanted.size();
    REQUIRE(picture_of(stage.outside()) == outside);
    REQUIRE(picture_of(stage.root() / ".git") == git);
    REQUIRE(picture_of(stage.root() / ".github/workflows") == ci);
    for (const auto& entry : fs::directory_iterator(kept)) {
      CHECK(entry.path().filename().string().starts_with(".spoor"));
      CHECK(entry.path().filename() != ".spoor-journal");
      CHECK(entry.path().filename() != ".spoor-new");
    }
    for (const char* evil : {"/etc/evil", "/usr/evil", "/evil"}) CHECK_FALSE(fs::exists(evil));
    const compile::Oid tip = must(session.branch().tip()).value();
    all.push_back({branch, tip, count_turns(*repository, tip)});
  }
  repository.reset();

  const auto opened = must(graph::Repository::open(store));
  const auto report = must(store::fsck(opened->store()));
  CHECK(report.is_sound());
  for (const Kept& one : all) {
    CAPTURE(one.branch);
    CHECK(must(opened->store().ref(store::branch_ref(one.branch))) == one.tip);
    CHECK(count_turns(*opened, one.tip) == one.turns);
  }
  MESSAGE(all.size() << " runs, " << calls << " calls, " << report.object_count() << " objects");
}

}  // namespace

TEST_SUITE("agent/hostile") {
  TEST_CASE("an agent that attacks its record and its machine changes neither") {
    builtin::Stage stage;
    if (!builtin::find_confinement(stage.settings).value().namespaces) {
      MESSAGE("SKIP: this kernel refuses namespaces, without which .git is not protected");
      return;
    }
    attack(stage, stage.outside().parent_path() / "kept", kRuns / 2);
  }

  TEST_CASE("a run whose store is replaced under it ends with an error") {
    const builtin::Stage stage;
    const std::string store = (stage.outside() / ".spoor").string();
    auto repository = must(graph::Repository::create(store, {}));
    Tool swap;
    swap.id = "swap";
    swap.run = [&](std::string_view, const ToolContext&) {
      std::ofstream(stage.outside() / "other") << "SQLite format 3";
      fs::rename(stage.outside() / "other", store);
      return gave("swapped");
    };
    Registry registry;
    must(registry.add(std::move(swap)));
    RunOptions options;
    options.registry = &registry;
    Session session(*repository, "main");
    testing::ListModel model({testing::calls({{"swap", "{}"}}), llm::say("done")});
    const auto result = run(Strategy::react, "swap it", {&model, "m", {}, {}}, session, options);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Error::Code::io);
    CHECK(result.error().message.find("was moved, removed or replaced") != std::string::npos);
    CHECK(model.next() == 1);
    CHECK(builtin::Stage::bytes_of(store) == "SQLite format 3");
  }

  TEST_CASE("a record that lies beneath the root is not changed either") {
    builtin::Stage stage;  // No command is run here, as another test says.
    attack(stage, stage.root() / "kept", kRuns / 2);
  }
}

}  // namespace spoor::agent
