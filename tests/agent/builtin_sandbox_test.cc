#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "agent/builtin/landlock.h"
#include "builtin_stage.h"
#include "tests/support/posix_only.h"

namespace spoor::agent::builtin {

namespace fs = std::filesystem;
using nlohmann::json;

TEST_SUITE("agent/builtin/sandbox") {
  json script(const std::string& text) { return {{"argv", {"sh", "-c", text}}}; }

  // What this kernel has, and what older ones and stricter ones leave of it.
  std::vector<MostConfinement> all_confinements() {
    std::vector<MostConfinement> all = {{}, {.namespaces = Namespaces::of_user}, {.landlock = 0}};
    for (int version = landlock_version(); version >= 0; --version) {
      all.push_back({.landlock = version, .namespaces = Namespaces::none});
    }
    return all;
  }

  // Calls `check` under each of them, with what is really in force.
  template <class Check>
  void under_each(const Check& check) {
    if (spoor::testing::kIsPosixOnly) {
      MESSAGE("SKIP: nothing confines commands here");
      return;
    }
    if (landlock_version() < kNewestLandlock) {
      MESSAGE("SKIP: this kernel has Landlock " << landlock_version() << "; newer is not tested");
    }
    bool has_namespaces = false;
    for (const MostConfinement& most : all_confinements()) {
      Stage stage;
      stage.settings.most_confinement = most;
      const Confinement is = find_confinement(stage.settings).value();
      has_namespaces = has_namespaces || is.namespaces;
      CAPTURE(is.text());
      CAPTURE(static_cast<int>(most.namespaces));
      CHECK(is.landlock == std::min(most.landlock, landlock_version()));
      CHECK(is.seccomp);
      check(stage, is);
    }
    if (!has_namespaces) MESSAGE("SKIP: this kernel refuses namespaces; they are not tested");
  }

  bool works(const Stage& stage, const std::string& text) {
    return !stage.call("run_command", script(text)).is_error;
  }

  bool has_perl() { return fs::exists("/usr/bin/perl"); }

  // Makes a system call by its number, and gives the errno; 0: it went well.
  int call_by_number(const Stage& stage, long number, const std::string& arguments) {
    const ToolResult result = stage.call(
        "run_command", {{"argv",
                         {"perl", "-e",
                          fmt::format("my $r = syscall({}, {}); print $r == -1 ? $! + 0 : 0",
                                      number, arguments)}}});
    REQUIRE_MESSAGE(!result.is_error, result.text);
    return std::stoi(result.text);
  }

  TEST_CASE("a command works in the root folder and in a temporary one") {
    under_each([](Stage& stage, const Confinement& is) {
      stage.put("a/b/c", "one\n");
      CHECK(works(stage, "cat a/b/c && echo two > a/new && mkdir d && mv a/b/c a/b/e && rm a/new"));
      CHECK(works(stage, "ln a/b/e a/b/hard && ln -s e a/b/soft && truncate -s 1 a/b/e"));
      CHECK(works(stage, "echo x > $TMPDIR/t && cat $TMPDIR/t && cd ~ && pwd"));
      CHECK(works(stage, "cat $TMPDIR/t") == false);  // Another Sandbox has another folder.
      CHECK(works(stage, "echo x > /dev/null && head -c 4 /dev/urandom && cat /proc/self/stat"));
      CHECK(works(stage, "echo x > /dev/stderr && ls /usr /etc && command -v sh"));
      // Version 1 moves nothing from folder to folder.
      if (is.landlock != 1) CHECK(works(stage, "mv a/b/e d/e && cat d/e"));
    });
  }

  TEST_CASE("a temporary folder is shared by commands of one tool, and goes with it") {
    Stage stage;
    stage.settings.most_confinement.namespaces = Namespaces::none;
    std::string folder;
    {
      const Tool tool = stage.tool("run_command");
      folder = tool.run(script("printf %s $TMPDIR").dump(), {}).text;
      tool.run(script("echo kept > $TMPDIR/a").dump(), {});
      CHECK(tool.run(script("cat $TMPDIR/a").dump(), {}).text == "kept\n");
      CHECK(fs::exists(folder));
      CHECK(fs::status(folder).permissions() == fs::perms(0700));
    }
    CHECK_FALSE(fs::exists(folder));
  }

  TEST_CASE("a command reads and writes nothing outside") {
    under_each([](Stage& stage, const Confinement& is) {
      if (is.landlock == 0 && !is.namespaces) return;  // weakness() says so.
      const fs::path secret = stage.outside() / "secret";
      std::ofstream(secret) << "hidden";
      fs::create_symlink(secret, stage.root() / "link");
      CHECK_FALSE(works(stage, "cat " + secret.string()));
      CHECK_FALSE(works(stage, "cat link"));
      CHECK_FALSE(works(stage, "cat ../outside/secret"));
      CHECK_FALSE(works(stage, "ls ../outside"));
      CHECK_FALSE(works(stage, "echo x > ../outside/new"));
      CHECK_FALSE(works(stage, "echo x >> link"));
      CHECK_FALSE(works(stage, "rm ../outside/secret"));
      CHECK_FALSE(works(stage, "mv ../outside/secret ."));
      CHECK_FALSE(works(stage, "ln ../outside/secret hard"));
      CHECK_FALSE(works(stage, "truncate -s 0 ../outside/secret"));
      CHECK_FALSE(works(stage, "cd / && echo x > new-file-of-a-test"));
      CHECK_FALSE(works(stage, "cat /proc/self/root" + secret.string()));
      CHECK_FALSE(works(stage, "echo x > /etc/new-file-of-a-test"));
      CHECK_FALSE(works(stage, "echo x > /usr/new-file-of-a-test"));
      CHECK_FALSE(works(stage, "echo x > /proc/self/comm"));
      if (is.namespaces) CHECK_FALSE(works(stage, "chmod 0 ../outside/secret"));
      CHECK(Stage::bytes_of(secret) == "hidden");
      CHECK_FALSE(fs::exists("/etc/new-file-of-a-test"));
      CHECK_FALSE(fs::exists("/usr/new-file-of-a-test"));
      CHECK_FALSE(fs::exists("/new-file-of-a-test"));
      CHECK(fs::directory_iterator(stage.outside()) != fs::directory_iterator());
    });
  }

  TEST_CASE("truncate by path needs its right where only Landlock 1 or 2 confines") {
    if (!has_perl()) {
      MESSAGE("SKIP: no perl");
      return;
    }
    under_each([](Stage& stage, const Confinement& is) {
      const fs::path secret = stage.outside() / "secret";
      std::ofstream(secret) << "hidden";
      call_by_number(stage, SYS_truncate, "my $p = '" + secret.string() + "', 0");
      if (is.landlock > 0 || is.namespaces) CHECK(Stage::bytes_of(secret) == "hidden");
    });
  }

  TEST_CASE("further folders can be read where the user says so, and not written") {
    under_each([](Stage& stage, const Confinement& is) {
      if (is.landlock == 0 && !is.namespaces) return;
      std::ofstream(stage.outside() / "given") << "seen";
      stage.settings.readable = {stage.outside().string(), "/no/such/folder"};
      CHECK(stage.call("run_command", script("cat ../outside/given")).text == "seen");
      CHECK_FALSE(works(stage, "echo x > ../outside/given"));
      CHECK_FALSE(works(stage, "rm ../outside/given"));
    });
  }

  TEST_CASE("a command neither looks into other processes nor signals them") {
    under_each([](Stage& stage, const Confinement& is) {
      const std::string us = std::to_string(::getpid());
      for (const std::string look : {"cat environ", "cat maps", "cat auxv", "head -c 1 mem",
                                     "readlink cwd", "ls root/.", "cat fd/0", "readlink exe"}) {
        CAPTURE(look);
        if (is.landlock > 0 || is.namespaces) {
          CHECK_FALSE(works(stage, "cd /proc/" + us + " && " + look));
        }
      }
      if (is.namespaces || is.landlock >= 6) {
        CHECK_FALSE(works(stage, "kill -0 " + us));
      }
      if (is.namespaces) {
        // Itself, the one that started it, and that of `ls`.
        const std::string all =
            stage.call("run_command", script("ls /proc | grep -c '^[0-9]'")).text;
        CHECK(std::stoi(all) < 8);
        CHECK_FALSE(works(stage, "cat /proc/1/environ"));
        // Harmless, were it not confined.
        works(stage, "test $$ -lt 10 && kill -KILL 1");
        CHECK(works(stage, "test $$ -lt 10"));
      }
    });
  }

  TEST_CASE("system calls that lead out are refused") {
    if (!has_perl()) {
      MESSAGE("SKIP: no perl");
      return;
    }
    under_each([](Stage& stage, const Confinement&) {
      const std::string us = std::to_string(::getpid());
      CHECK(call_by_number(stage, SYS_ptrace, "16, " + us + ", 0, 0") == EPERM);  // ATTACH
      CHECK(call_by_number(stage, SYS_process_vm_readv, us + ", 0, 0, 0, 0, 0") == EPERM);
      CHECK(call_by_number(stage, SYS_unshare, "0x10000000") == EPERM);  // CLONE_NEWUSER
      CHECK(call_by_number(stage, SYS_unshare, "0x400") == 0);           // CLONE_FILES
      CHECK(call_by_number(stage, SYS_clone, "0x10000011, 0, 0, 0, 0") == EPERM);
      CHECK(call_by_number(stage, 435, "0, 0") == ENOSYS);  // clone3
      CHECK(call_by_number(stage, SYS_mount, "0, 0, 0, 0, 0") == EPERM);
      CHECK(call_by_number(stage, SYS_umount2, "my $p = '/', 2") == EPERM);
      CHECK(call_by_number(stage, SYS_setns, "0, 0") == EPERM);
      CHECK(call_by_number(stage, SYS_bpf, "0, 0, 0") == EPERM);
      CHECK(call_by_number(stage, SYS_keyctl, "0, 0, 0, 0, 0") == EPERM);
      CHECK(call_by_number(stage, 425, "1, 0") == EPERM);     // io_uring_setup
      CHECK(call_by_number(stage, 438, "3, 0, 0") == EPERM);  // pidfd_getfd
      CHECK(call_by_number(stage, SYS_open_by_handle_at, "3, 0, 0") == EPERM);
      for (const int family : {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK}) {
        CAPTURE(family);
        CHECK(call_by_number(stage, SYS_socket, std::to_string(family) + ", 2, 0") == EPERM);
      }
      CHECK(works(stage, "grep -q 'NoNewPrivs:.1' /proc/self/status"));
      CHECK(works(stage, "grep -q 'Seccomp:.2' /proc/self/status"));
    });
  }

  TEST_CASE("the network is there where the user says so") {
    if (!has_perl()) {
      MESSAGE("SKIP: no perl");
      return;
    }
    under_each([](Stage& stage, const Confinement&) {
      stage.settings.has_network = true;
      CHECK(call_by_number(stage, SYS_socket, "2, 1, 0") == 0);
      CHECK(call_by_number(stage, SYS_socket, "17, 3, 0") == EPERM);  // AF_PACKET
      CHECK(works(stage, "test \"$(ls /sys/class/net /proc/net | wc -l)\" -gt 1"));
    });
  }

  TEST_CASE("without a tree of their own commands have no named local sockets") {
    if (!has_perl()) {
      MESSAGE("SKIP: no perl");
      return;
    }
    under_each([](Stage& stage, const Confinement& is) {
      CHECK(call_by_number(stage, SYS_socket, "1, 1, 0") == (is.namespaces ? 0 : EPERM));
      CHECK(works(stage,
                  "perl -MSocket -e 'socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or "
                  "die'"));
    });
  }

  TEST_CASE("of capabilities root keeps only those over files") {
    under_each([](Stage& stage, const Confinement&) {
      const std::string status =
          stage.call("run_command", script("grep CapEff /proc/self/status")).text;
      const auto effective = std::stoull(status.substr(status.find('\t') + 1), nullptr, 16);
      // CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID (linux/capability.h).
      CHECK((effective & ~std::uint64_t{0xfb}) == 0);
    });
  }

  TEST_CASE("version control, hooks and CI are read-only where files are its own") {
    under_each([](Stage& stage, const Confinement& is) {
      if (!is.namespaces) {
        CHECK(is.weakness().find(".git") != std::string::npos);
        return;
      }
      stage.put(".git/config", "[core]\n");
      stage.put(".git/hooks/pre-commit.sample", "#!/bin/sh\n");
      stage.put("sub/.git/config", "[core]\n");
      stage.put(".github/workflows/ci.yml", "on: push\n");
      stage.put("src/.envrc", "");
      for (const char* attempt :
           {"echo x >> .git/config", "echo x > .git/hooks/pre-commit", "rm .git/config",
            "mv .git away", "rm -r .git", "ln .git/config c && echo x > c", "mkdir .git/new",
            "cd .git && echo x > config", "ln -s .git g && echo x > g/config",
            "chmod 0 .git/config", "echo x > sub/.git/config", "mv sub away",
            "echo x > .github/workflows/new.yml", "mv .github/workflows w", "rm src/.envrc",
            "echo x > src/.envrc", "echo x > /proc/self/cwd/.git/config",
            "mv .git/config new && mv new .git/config"}) {
        CAPTURE(attempt);
        works(stage, attempt);
        CHECK(stage.get(".git/config") == "[core]\n");
        CHECK(stage.get(".github/workflows/ci.yml") == "on: push\n");
        CHECK(fs::is_empty(stage.root() / "src/.envrc"));
        CHECK_FALSE(fs::exists(stage.root() / ".git/hooks/pre-commit"));
        CHECK_FALSE(fs::exists(stage.root() / ".github/workflows/new.yml"));
        if (fs::exists(stage.root() / "away")) {
          fs::rename(stage.root() / "away", stage.root() / "sub");
        }
        CHECK(stage.get("sub/.git/config") == "[core]\n");
      }
      stage.settings.write_allowed = {".git", "src/.envrc"};
      CHECK(works(stage, "echo '[user]' >> .git/config && echo x > src/.envrc"));
      CHECK_FALSE(works(stage, "echo x > sub/.git/config"));
      CHECK(stage.get(".git/config") == "[core]\n[user]\n");
    });
  }

  TEST_CASE("git works in the sandbox, and commits where the user allows it") {
    if (!fs::exists("/usr/bin/git")) {
      MESSAGE("SKIP: no git");
      return;
    }
    under_each([](Stage& stage, const Confinement& is) {
      if (is.landlock == 1) return;  // git links between folders.
      stage.put("a", "one\n");
      stage.settings.write_allowed = {".git"};
      const std::string git = "git -c user.name=a -c user.email=a@example.com ";
      CHECK(works(stage, "git init -q . && git add a && " + git + "commit -qm one"));
      CHECK(works(stage, "echo two >> a && " + git + "commit -qam two && git log --oneline"));
      stage.settings.write_allowed = {};
      CHECK(works(stage, "git status && git diff HEAD~1 && git log -p"));
      CHECK(works(stage, "echo three >> a && " + git + "commit -qam three") == !is.namespaces);
    });
  }

  TEST_CASE("a command is not run where it could reach the store") {
    Stage stage;
    stage.put("kept/.spoor", "store");
    stage.settings.store = (stage.root() / "kept/.spoor").string();
    const ToolResult inside = stage.call("run_command", script("echo x > kept/.spoor"));
    CHECK(inside.is_error);
    CHECK(inside.text.starts_with("the store lies in '" + stage.root().string() + "', where"));
    CHECK(stage.get("kept/.spoor") == "store");

    if (spoor::testing::kIsPosixOnly) return;  // There a command could reach it anywhere.
    std::ofstream(stage.outside() / ".spoor") << "store";
    stage.settings.store = (stage.outside() / ".spoor").string();
    CHECK(works(stage, "true"));
    stage.settings.readable = {stage.outside().string()};
    CHECK(stage.call("run_command", script("true")).text.starts_with("the store lies in"));
    stage.settings.readable = {};
    fs::create_hard_link(stage.outside() / ".spoor", stage.root() / "link");
    CHECK(stage.call("run_command", script("true")).text.find("a second name") !=
          std::string::npos);
  }

  TEST_CASE("what is not in force is said") {
    CHECK(Confinement{}.text() == "nothing");
    CHECK(Confinement{.landlock = 6, .seccomp = true, .namespaces = true}.text() ==
          "Landlock 6, seccomp, namespaces");
    CHECK(Confinement{.landlock = 0, .seccomp = true, .namespaces = true}.weakness().empty());
    CHECK(Confinement{.landlock = 0, .seccomp = true}.weakness() ==
          "commands can read and write everything that you can, including .git and the store");
    CHECK(Confinement{.landlock = 5, .seccomp = true}.weakness().find("end your other processes") !=
          std::string::npos);
    CHECK(Confinement{.landlock = 6, .seccomp = true}.weakness().find("end your other") ==
          std::string::npos);
    CHECK(Confinement{.landlock = 6, .namespaces = true}.weakness().find("system calls") !=
          std::string::npos);
  }

  TEST_CASE("commands cannot be confined to the whole machine") {
    Stage stage;
    stage.settings.root = "/";
    CHECK(
        stage.call("run_command", script("true")).text.starts_with("commands cannot be confined"));
  }
}

}  // namespace spoor::agent::builtin
