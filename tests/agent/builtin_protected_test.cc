#include <sys/stat.h>
#include <sys/syscall.h>

#include <doctest/doctest.h>

#include "agent/builtin/git_folder.h"
#include "agent/builtin/protected_files.h"
#include "builtin_stage.h"
#include "compile/fact.h"
#include "graph/repository.h"
#include "tests/support/posix_only.h"

namespace spoor::agent::builtin {

namespace fs = std::filesystem;
using nlohmann::json;

TEST_SUITE("agent/builtin/protected_files") {
  using Paths = std::vector<std::string>;

  json shell(const std::string& text) { return {{"argv", {"sh", "-c", text}}}; }

  bool writes(const Stage& stage, const std::string& path) {
    return !stage.call("write_file", {{"path", path}, {"content", "x"}}).is_error;
  }

  Paths found_in(const Stage& stage, const Paths& allowed = {}, Extent extent = Extent::outermost) {
    const Root root = Root::open(stage.root().string(), {{}, ProtectedPaths(allowed)}).value();
    Paths paths;
    for (const auto& [path, file] :
         find_protected(root, extent, Deadline({}, std::chrono::milliseconds(0))).value()) {
      paths.push_back(path);
    }
    return paths;
  }

  // A bare repository, as git takes a folder for one.
  void put_git_folder(const Stage& stage, const std::string& folder) {
    stage.put(folder + "/HEAD", "ref: refs/heads/main\n");
    stage.put(folder + "/config", "[core]\n");
    stage.put(folder + "/objects/a", "");
    stage.put(folder + "/refs/a", "");
  }

  void put_store(const Stage& stage, const std::string& path) {
    fs::create_directories((stage.root() / path).parent_path());
    REQUIRE(graph::Repository::create((stage.root() / path).string(), {}));
  }

  // Whether this kernel lets a tree of its own be made, without which nothing is read-only.
  bool has_trees(const Stage& stage) {
    if (find_confinement(stage.settings).value().namespaces) return true;
    MESSAGE("SKIP: this kernel refuses namespaces");
    return false;
  }

  TEST_CASE("those that are there are found, outermost first and not one in another") {
    Stage stage;
    for (const char* path :
         {".git/config", ".git/modules/a.git/config", "sub/.git/config", "a/.envrc", "a/b/c",
          "node_modules/x/.travis.yml", "a/build/_deps/x/.git/config"}) {
      stage.put(path, "x");
    }
    fs::create_directory_symlink(".git", stage.root() / "way");
    CHECK(found_in(stage) == Paths{".git", "a/.envrc", "sub/.git"});
    CHECK(found_in(stage, {".git", "a"}) == Paths{"sub/.git"});
    CHECK(found_in(stage, {".git/config"}) == Paths{".git/modules", "a/.envrc", "sub/.git"});
    CHECK(found_in(stage, {"."}).empty());
    CHECK(found_in(stage, {"sub"}, Extent::whole) ==
          Paths{".git", ".git/config", ".git/modules/a.git/config", "a/.envrc"});
  }

  TEST_CASE("a folder that holds a repository is protected whatever its name") {
    Stage stage;
    put_git_folder(stage, "a/repository");
    stage.put("b/HEAD", "ref: refs/heads/main\n");
    stage.put("b/commondir", "../a/repository\n");
    stage.put("c/HEAD", "x");
    stage.put("c/refs/a", "x");
    CHECK(found_in(stage) == Paths{"a/repository", "b"});
    CHECK_FALSE(writes(stage, "a/repository/config"));
    CHECK_FALSE(writes(stage, "a/repository/hooks/post-checkout"));
    CHECK_FALSE(writes(stage, "b/config.worktree"));
    CHECK(writes(stage, "c/config"));
    stage.settings.write_allowed = {"a/repository"};
    CHECK(writes(stage, "a/repository/config"));
  }

  TEST_CASE("no file tool makes a folder one that git takes for a repository") {
    const std::vector<Paths> ways = {{"n/config", "n/objects/a", "n/refs/a", "n/HEAD"},
                                     {"n/HEAD", "n/objects/a", "n/refs/a"},
                                     {"n/HEAD", "n/refs/a", "n/objects/a/b/c"},
                                     {"n/HEAD", "n/commondir"},
                                     {"n/commondir", "n/HEAD"},
                                     {"HEAD", "objects/a", "refs/a"}};
    for (const Paths& way : ways) {
      CAPTURE(way.back());
      Stage stage;
      for (std::size_t i = 0; i + 1 < way.size(); ++i) CHECK(writes(stage, way[i]));
      const ToolResult last = stage.call("write_file", {{"path", way.back()}, {"content", "x"}});
      CHECK(last.is_error);
      CHECK(last.text.find("is write-protected") != std::string::npos);
      CHECK_FALSE(is_git_folder((stage.root() / "n").string()));
      CHECK_FALSE(is_git_folder(stage.root().string()));
      stage.settings.write_allowed = {"."};
      CHECK(writes(stage, way.back()));
    }
  }

  TEST_CASE("the folder that a .git file names is protected") {
    Stage stage;
    stage.put("work/.git", "gitdir: ../kept\n");
    put_git_folder(stage, "kept");
    CHECK(found_in(stage) == Paths{"kept", "work/.git"});
    CHECK_FALSE(writes(stage, "kept/config"));
    CHECK_FALSE(writes(stage, "kept/hooks/pre-commit"));
  }

  TEST_CASE("what a repository's settings name to be run is protected") {
    Stage stage;
    stage.put("p/.git/config",
              "# c\n[CORE]hooksPath = \"hooks\" ; c\n\tfsmonitor = ./tools/watch --all\n"
              "[include]\n path = ../team.config\n[filter \"a.b\"]\nclean = tools/cl\\\nean\n"
              "[alias]\nx = !scripts/x\n[branch \"main\"]\nmerge = refs/heads/main\n");
    stage.put("p/team.config", "[include]\npath = team.config\n[gpg]\nprogram = ./bin/sign\n");
    for (const char* path : {"p/hooks/a", "p/tools/watch", "p/tools/clean", "p/tools/other",
                             "p/bin/sign", "p/scripts/x", "p/refs/heads/main"}) {
      stage.put(path, "x");
    }
    CHECK(found_in(stage) == Paths{"p/.git", "p/bin/sign", "p/hooks", "p/scripts/x",
                                   "p/team.config", "p/tools/clean", "p/tools/watch"});
    CHECK_FALSE(writes(stage, "p/hooks/pre-commit"));
    CHECK_FALSE(writes(stage, "p/tools/watch"));
    CHECK_FALSE(writes(stage, "p/team.config"));
    CHECK(writes(stage, "p/tools/other"));
    CHECK(writes(stage, "hooks/pre-commit"));
    fs::remove_all(stage.root() / "p/hooks");
    CHECK_FALSE(writes(stage, "p/hooks/pre-commit"));
    // The repository may begin above the root.
    stage.settings.root = (stage.root() / "p/tools").string();
    CHECK_FALSE(writes(stage, "watch"));
  }

  TEST_CASE("no file tool writes a store of anybody's, nor makes one") {
    Stage stage;
    put_store(stage, ".spoor");
    put_store(stage, "deep/traces.db");
    const std::string bytes = stage.get(".spoor");
    const std::string other = stage.get("deep/traces.db");
    for (const char* path :
         {".spoor", ".spoor-wal", ".spoor-mark", ".SPOOR-lock", "deep/traces.db",
          "deep/traces.db-wal", "deep/traces.db-x", "new/.spoor", "new/.spoor-replies"}) {
      CAPTURE(path);
      const ToolResult result = stage.call("write_file", {{"path", path}, {"content", ""}});
      CHECK(result.is_error);
      CHECK(result.text.find("belongs to a spoor store") != std::string::npos);
      CHECK(stage.call("edit_file", {{"path", path}, {"old", "a"}, {"new", "b"}}).is_error);
    }
    CHECK(stage.get(".spoor") == bytes);
    CHECK(stage.get("deep/traces.db") == other);
    CHECK_FALSE(fs::exists(stage.root() / "new/.spoor"));
    CHECK(writes(stage, "deep/traces.d-wal"));
    stage.settings.write_allowed = {".spoor"};
    CHECK(writes(stage, ".spoor-search"));
    CHECK_FALSE(writes(stage, "deep/traces.db"));
  }

  TEST_CASE("no command writes a store of anybody's") {
    for (const Namespaces most : {Namespaces::any, Namespaces::of_user, Namespaces::none}) {
      Stage stage;
      stage.settings.most_confinement.namespaces = most;
      put_store(stage, ".spoor");
      put_store(stage, "deep/traces.db");
      fs::create_hard_link(stage.root() / ".spoor", stage.root() / "link");
      const std::string bytes = stage.get(".spoor");
      const std::string other = stage.get("deep/traces.db");
      CAPTURE(static_cast<int>(most));
      for (const char* attempt :
           {"dd if=/dev/zero of=.spoor conv=notrunc count=1", "rm -f .spoor", "echo x > .spoor",
            "echo x > link", "mv deep/traces.db old; echo x > deep/traces.db",
            "mv deep old && mkdir deep && echo x > deep/traces.db"}) {
        CAPTURE(attempt);
        CHECK(stage.call("run_command", shell(attempt)).is_error);
        CHECK(stage.get(".spoor") == bytes);
        CHECK(stage.get("deep/traces.db") == other);
      }
      const bool has_tree = find_confinement(stage.settings).value().namespaces;
      const ToolResult harmless = stage.call("run_command", shell("cat .spoor > copy"));
      CHECK(harmless.is_error == !has_tree);
      if (!has_tree) {
        CHECK(harmless.text.find("belongs to a spoor store") != std::string::npos);
        stage.settings.write_allowed = {".spoor", "link", "deep"};
        CHECK_FALSE(stage.call("run_command", shell("true")).is_error);
      }
    }
  }

  TEST_CASE("no command makes the log of a store, which SQLite would take into it") {
    Stage stage;
    if (!has_trees(stage)) return;
    put_store(stage, "traces.db");
    const std::string bytes = stage.get("traces.db");
    for (const char* name : {"traces.db-wal", "traces.db-journal"}) {
      const std::string log = name;
      CAPTURE(log);
      fs::remove(stage.root() / log);
      const ToolResult harmless = stage.call("run_command", shell("true"));
      CHECK(harmless.text == "[it printed nothing]");
      for (const std::string& attempt :
           {"echo x > " + log, "ln -sf /etc/passwd " + log,
            "rm -f " + log + " && cp /etc/passwd " + log, "echo x > x && mv -f x " + log}) {
        CAPTURE(attempt);
        CHECK(stage.call("run_command", shell(attempt)).is_error);
        CHECK(fs::is_regular_file(fs::symlink_status(stage.root() / log)));
        CHECK(fs::is_empty(stage.root() / log));
      }
    }
    CHECK(stage.get("traces.db") == bytes);
    CHECK(graph::Repository::open((stage.root() / "traces.db").string()));
  }

  TEST_CASE("a folder with something protected in it is not moved away by a command") {
    Stage stage;
    if (!has_trees(stage)) return;
    stage.put(".github/workflows/ci.yml", "on: push\n");
    stage.put("a/sub/.git/config", "[core]\n");
    put_git_folder(stage, "a/bare");
    stage.put("a/sub/work", "x");
    for (const char* attempt :
         {"mv .github .gh && mkdir -p .github/workflows && echo x > .github/workflows/ci.yml",
          "mv a/sub old && cp -r old a/sub && echo x >> a/sub/.git/config", "mv a b", "rm -rf a",
          "mv a/bare b && cp -r b a/bare && echo x >> a/bare/config", "mkdir x && mv -T x .github",
          "echo x >> a/bare/config", "mkdir a/bare/hooks"}) {
      CAPTURE(attempt);
      CHECK(stage.call("run_command", shell(attempt)).is_error);
      CHECK(stage.get(".github/workflows/ci.yml") == "on: push\n");
      CHECK(stage.get("a/sub/.git/config") == "[core]\n");
      CHECK(stage.get("a/bare/config") == "[core]\n");
    }
    stage.put("a/sub/work", "x");
    CHECK_FALSE(stage.call("run_command", shell("cd a/sub && mv work w && mv w ../w")).is_error);
    CHECK(stage.get("a/w") == "x");
  }

  TEST_CASE("another name of a protected file is as read-only as that") {
    Stage stage;
    if (!has_trees(stage)) return;
    stage.put(".git/config", "[core]\n");
    stage.put(".envrc", "x\n");
    stage.put("free", "x\n");
    fs::create_hard_link(stage.root() / ".git/config", stage.root() / "one");
    fs::create_hard_link(stage.root() / ".envrc", stage.root() / "two");
    fs::create_hard_link(stage.root() / "free", stage.root() / "three");
    CHECK(found_in(stage) == Paths{".envrc", ".git", "one", "two"});
    CHECK(stage.call("run_command", shell("echo x > one")).is_error);
    CHECK(stage.call("run_command", shell("echo x > two")).is_error);
    CHECK_FALSE(stage.call("run_command", shell("echo y > three")).is_error);
    CHECK(stage.get(".git/config") == "[core]\n");
    CHECK(stage.get(".envrc") == "x\n");
  }

  TEST_CASE("a folder that may not be read is protected as a whole") {
    if (::geteuid() == 0) {
      MESSAGE("SKIP: root reads every folder");
      return;
    }
    Stage stage;
    stage.put("sub/.git/config", "[core]\n");
    REQUIRE(::chmod((stage.root() / "sub").c_str(), 0) == 0);
    CHECK(found_in(stage) == Paths{"sub"});
    ::chmod((stage.root() / "sub").c_str(), 0755);
  }

  TEST_CASE("protected files that a command made or changed are told to the model") {
    for (const Namespaces most : {Namespaces::any, Namespaces::none}) {
      Stage stage;
      stage.settings.most_confinement.namespaces = most;
      CAPTURE(static_cast<int>(most));
      stage.put(".git/config", "[core]\n");
      stage.put(".git/hooks/a", "x");
      stage.put("src/a", "x");
      const auto told = [&](const std::string& text) {
        const ToolResult result = stage.call("run_command", shell(text));
        const std::size_t at = result.text.find("[write-protected files were changed or made");
        CHECK((at == std::string::npos) == result.facts.get(fact::protected_changed).empty());
        return at == std::string::npos ? "" : result.text.substr(result.text.find(": ", at) + 2);
      };
      CHECK(told("echo y > src/a").empty());
      CHECK(told("cat .git/config").empty());
      CHECK(told("echo x > .envrc") == ".envrc]");
      CHECK(told("mkdir -p n/objects n/refs && echo x > n/HEAD; false").starts_with("n"));
      if (find_confinement(stage.settings).value().namespaces) continue;
      CHECK(told("echo x >> .git/config") == ".git/config]");
      CHECK(told("touch -d 2000-01-01 .git/hooks/a") == ".git/hooks/a]");
      CHECK(told("mv .git g && cp -r g .git").find(".git/config") != std::string::npos);
      CHECK(told("rm .envrc") == ".envrc]");
    }
  }

  TEST_CASE("what there is too much of to look at is not run in") {
    // A disk takes minutes to remove so many folders.
    const fs::path memory = "/dev/shm";
    Stage stage(fs::exists(memory) ? memory : fs::temp_directory_path());
    stage.put(".git/config", "[core]\n");
    fs::create_directory(stage.root() / "!");
    for (std::size_t i = 0; i < kMostFolders; ++i) {
      ::mkdir((stage.root() / "!" / std::to_string(i)).c_str(), 0700);
    }
    const ToolResult result = stage.call("run_command", shell("echo x >> .git/config"));
    CHECK(result.is_error);
    CHECK(result.text.find("too much") != std::string::npos);
    CHECK(stage.get(".git/config") == "[core]\n");
    stage.settings.write_allowed = {"!"};
    CHECK_FALSE(stage.call("run_command", shell("true")).is_error);
  }

  TEST_CASE("a command gives no file the bits setuid and setgid") {
    if (spoor::testing::kIsPosixOnly) return;  // Nothing confines commands there.
    for (const Namespaces most : {Namespaces::any, Namespaces::none}) {
      Stage stage;
      stage.settings.most_confinement.namespaces = most;
      stage.put("x", "x");
      CHECK(stage.call("run_command", shell("chmod 4755 x")).is_error);
      CHECK(stage.call("run_command", shell("chmod g+s x")).is_error);
      CHECK_FALSE(stage.call("run_command", shell("chmod 0755 x && chmod +t x")).is_error);
      if (!fs::exists("/usr/bin/perl")) {
        MESSAGE("SKIP: no perl");
        return;
      }
      const auto by_number = [&](long number, const std::string& arguments) {
        stage.call("run_command", {{"argv",
                                    {"perl", "-e",
                                     "my $p = 'new'; my $x = 'x'; umask 0; syscall(" +
                                         std::to_string(number) + ", " + arguments + ")"}}});
      };
      by_number(SYS_openat, "-100, $p, 0x41, 04755");
      by_number(SYS_fchmodat, "-100, $x, 06755");
      by_number(452, "-100, $x, 04755, 0");                         // fchmodat2
      by_number(437, "-100, $p, pack('QQQ', 0x41, 04755, 0), 24");  // openat2
      by_number(SYS_mknodat, "-100, $p, 0104755, 0");
#if defined(__x86_64__)
      by_number(SYS_open, "$p, 0x41, 04755");
      by_number(SYS_creat, "$p, 02755");
      by_number(SYS_mknod, "$p, 0104755, 0");
      by_number(SYS_chmod, "$x, 04755");
#endif
      CHECK_FALSE(fs::exists(stage.root() / "new"));
      struct stat found {};
      REQUIRE(::stat((stage.root() / "x").c_str(), &found) == 0);
      CHECK((found.st_mode & 06000U) == 0);
      by_number(SYS_openat, "-100, $p, 0x41, 0644");
      CHECK(fs::exists(stage.root() / "new"));
      by_number(SYS_openat, "-100, $x, 0, 04755");  // No file is made: the mode has no meaning.
    }
  }
}

}  // namespace spoor::agent::builtin
