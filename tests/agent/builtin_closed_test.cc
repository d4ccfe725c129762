#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "agent/builtin/protected_paths.h"
#include "agent/builtin/root.h"
#include "agent/builtin/store_guard.h"
#include "builtin_stage.h"

namespace spoor::agent::builtin {

namespace fs = std::filesystem;
using nlohmann::json;

TEST_SUITE("agent/builtin/store_guard") {
  constexpr const char* kTold = "belongs to the store that this run is recorded in";

  // A root with a store in it, and some ways that lead there.
  void make_store(Stage & stage) {
    stage.put("data/.spoor", "SQLite format 3 and much more\n");
    stage.put("data/.spoor-wal", "the log\n");
    stage.put("data/.spoorrc", "not the store's\n");
    fs::create_symlink(".spoor", stage.root() / "data/soft");
    fs::create_directory_symlink("data", stage.root() / "way");
    fs::create_hard_link(stage.root() / "data/.spoor", stage.root() / "hard");
    stage.settings.store = (stage.root() / "data/.spoor").string();
  }

  TEST_CASE("no file tool reads or writes the store, by whatever path") {
    Stage stage;
    make_store(stage);
    for (const char* path : {"data/.spoor", "./data//.spoor", "data/../data/.spoor",
                             "data/.spoor-wal", "data/soft", "way/.spoor", "way/soft", "hard"}) {
      CAPTURE(path);
      const ToolResult read = stage.call("read_file", {{"path", path}});
      CHECK(read.is_error);
      CHECK(read.text.find(kTold) != std::string::npos);
      CHECK(stage.call("grep", {{"pattern", "much"}, {"path", path}}).is_error);
      CHECK(stage.call("write_file", {{"path", path}, {"content", ""}}).is_error);
      CHECK(stage.call("edit_file", {{"path", path}, {"old", "much"}, {"new", "no"}}).is_error);
    }
    const std::string absolute = stage.settings.store;
    CHECK(stage.call("read_file", {{"path", absolute}}).is_error);
    CHECK(stage.call("write_file", {{"path", absolute}, {"content", ""}}).is_error);
    CHECK(stage.get("data/.spoor") == "SQLite format 3 and much more\n");
    CHECK(stage.get("data/.spoor-wal") == "the log\n");
    CHECK(stage.call("read_file", {{"path", "data/.spoorrc"}}).text == "     1\tnot the store's\n");
  }

  TEST_CASE("files that the store has not made yet are not made by a tool") {
    Stage stage;
    make_store(stage);
    for (const char* path :
         {"data/.spoor-journal", "data/.SPOOR-shm", "way/.spoor-anything", "data/.spoor-lock/x"}) {
      CAPTURE(path);
      const ToolResult result = stage.call("write_file", {{"path", path}, {"content", "x"}});
      CHECK(result.is_error);
      CHECK(result.text.find(kTold) != std::string::npos);
    }
    CHECK_FALSE(fs::exists(stage.root() / "data/.spoor-lock"));
    CHECK(stage.call("write_file", {{"path", "new/way/.GIT/config"}, {"content", "x"}}).is_error);
    CHECK_FALSE(fs::exists(stage.root() / "new"));  // What was made on the way is gone again.
    CHECK_FALSE(stage.call("write_file", {{"path", "x.spoor-other"}, {"content", "x"}}).is_error);
    CHECK_FALSE(stage.call("write_file", {{"path", "data/.spoorx"}, {"content", "x"}}).is_error);
  }

  TEST_CASE("list and grep do not show the store") {
    Stage stage;
    make_store(stage);
    CHECK(stage.call("list", {{"depth", 2}}).text ==
          "data/\ndata/.spoorrc\ndata/soft -> .spoor\nway -> data\n");
    CHECK(stage.call("grep", {{"pattern", "o"}}).text == "data/.spoorrc:1:not the store's\n");
  }

  TEST_CASE("the store is known by its file, also where it was moved to") {
    Stage stage;
    make_store(stage);
    fs::rename(stage.root() / "hard", stage.root() / "moved");
    CHECK(stage.call("read_file", {{"path", "moved"}}).is_error);
  }

  TEST_CASE("tools leave the locks on the store as they are") {
    Stage stage;
    make_store(stage);
    const int held = ::open(stage.settings.store.c_str(), O_RDWR | O_CLOEXEC);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    REQUIRE(::fcntl(held, F_SETLK, &lock) == 0);
    stage.call("read_file", {{"path", "data/.spoor"}});
    stage.call("grep", {{"pattern", "much"}});
    stage.call("grep", {{"pattern", "much"}, {"path", "hard"}});
    stage.call("write_file", {{"path", "hard"}, {"content", ""}});
    stage.call("edit_file", {{"path", "way/.spoor"}, {"old", "much"}, {"new", ""}});
    const pid_t other = ::fork();
    if (other == 0) {
      struct flock wanted {};
      wanted.l_type = F_WRLCK;
      ::fcntl(held, F_GETLK, &wanted);
      ::_exit(wanted.l_type == F_UNLCK ? 1 : 0);
    }
    int status = 1;
    ::waitpid(other, &status, 0);
    CHECK(status == 0);
    ::close(held);
  }

  TEST_CASE("without a store everything can be read") {
    Stage stage;
    make_store(stage);
    stage.settings.store.clear();
    CHECK_FALSE(stage.call("read_file", {{"path", "data/.spoor"}}).is_error);
    CHECK(stage.call("list", {{"path", "data"}}).text.find("data/.spoor\n") != std::string::npos);
  }
}

TEST_SUITE("agent/builtin/protected_paths") {
  TEST_CASE("what programs run by themselves is protected, at any depth and in any case") {
    const ProtectedPaths paths;
    for (const char* path : {".git",
                             ".git/config",
                             ".GIT/hooks/x",
                             "a/b/.git/config",
                             "copy.git/hooks/x",
                             ".gitmodules",
                             ".github/workflows/ci.yml",
                             "a/.github/workflows/ci.yml",
                             ".gitlab-ci.yml",
                             "Jenkinsfile",
                             "ci/Jenkinsfile.prod",
                             ".circleci/config.yml",
                             ".husky/pre-commit",
                             ".bashrc",
                             "home/.zshenv",
                             ".envrc",
                             ".vscode/tasks.json",
                             "x.code-workspace",
                             ".idea/a.xml",
                             ".devcontainer/devcontainer.json",
                             ".claude/settings.json",
                             ".config/fish/config.fish",
                             ".pre-commit-config.yaml",
                             ".ssh/authorized_keys",
                             ".hg/hgrc",
                             ".drone.yaml",
                             ".woodpecker.yaml",
                             "azure-pipelines.yaml",
                             "lefthook.toml",
                             ".simple-git-hooks.json",
                             ".builds/a.yml",
                             ".semaphore/semaphore.yml",
                             ".tekton/run.yaml",
                             "bitrise.yml",
                             ".gemini/settings.json",
                             ".kiro/hooks/x",
                             ".roo/mcp.json",
                             ".windsurf/hooks.json",
                             ".aider.conf.yml",
                             "opencode.json",
                             ".bzr/branch/branch.conf",
                             ".sl/config",
                             ".vim/vimrc",
                             ".emacs.d/init.el",
                             ".config/nvim/init.lua",
                             ".gdbinit",
                             ".mise.toml",
                             ".mise.local.toml",
                             ".lvimrc",
                             ".run/x.run.xml",
                             ".gitpod.yml",
                             ".config/spoor/config.toml",
                             ".local/share/spoor/trusted"}) {
      CAPTURE(path);
      CHECK(paths.has(path));
    }
    for (const char* path :
         {"git/config", "a.gitx", ".gitignore", ".github/CODEOWNERS", "workflows/ci.yml",
          "src/jenkins", ".config/app", "bashrc", "hooks/x", ".gitattributes", "Makefile",
          "mise.lock", "drone.yml", ".config/nvims", ""}) {
      CAPTURE(path);
      CHECK_FALSE(paths.has(path));
    }
  }

  TEST_CASE("what the user allows may be written, with all below it and nothing beside it") {
    const ProtectedPaths paths({".git/", "./.github/workflows/ci.yml"});
    CHECK_FALSE(paths.has(".git"));
    CHECK_FALSE(paths.has(".git/hooks/pre-commit"));
    CHECK_FALSE(paths.has(".Git/config"));
    CHECK_FALSE(paths.has(".github/workflows/ci.yml"));
    CHECK(paths.has("sub/.git/config"));
    CHECK(paths.has(".gitmodules"));
    CHECK(paths.has(".github/workflows/other.yml"));
    CHECK_FALSE(ProtectedPaths({"."}).has(".git/config"));
  }

  TEST_CASE("file tools read what is protected and do not write it, also through links") {
    Stage stage;
    stage.put(".git/config", "[core]\n");
    fs::create_directory_symlink(".git", stage.root() / "way");
    for (const char* path : {".git/config", "way/config", "./.git/hooks/../config"}) {
      CAPTURE(path);
      const ToolResult written = stage.call("write_file", {{"path", path}, {"content", "x"}});
      CHECK(written.is_error);
      CHECK(stage.call("edit_file", {{"path", path}, {"old", "core"}, {"new", "x"}}).is_error);
    }
    CHECK(
        stage.call("write_file", {{"path", ".git/config"}, {"content", "x"}}).text ==
        "'.git/config' is write-protected: programs run what it says; only the user can allow it, "
        "with --allow-write");
    CHECK(stage.call("write_file", {{"path", "new/.git/hooks/x"}, {"content", "x"}}).is_error);
    CHECK_FALSE(fs::exists(stage.root() / "new/.git"));
    CHECK_FALSE(stage.call("read_file", {{"path", ".git/config"}}).is_error);
    CHECK(stage.get(".git/config") == "[core]\n");
    stage.settings.write_allowed = {".git"};
    CHECK_FALSE(stage.call("write_file", {{"path", "way/config"}, {"content", "x"}}).is_error);
    CHECK(stage.get(".git/config") == "x");
  }
}

}  // namespace spoor::agent::builtin
