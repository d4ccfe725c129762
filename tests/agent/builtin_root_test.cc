#include "agent/builtin/root.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include <doctest/doctest.h>

#include "builtin_stage.h"

namespace spoor::agent::builtin {

namespace fs = std::filesystem;
using Way = Root::Way;
using Code = Error::Code;

TEST_SUITE("agent/builtin/root") {
  // Both ways, for each must hold by itself.
  constexpr Way kWays[] = {Way::kernel, Way::walk};

  Root open_root(const Stage& stage, Way way) {
    return Root::open(stage.root().string(), way).value();
  }

  template <class T>
  Code code_of(const Result<T>& result) {
    REQUIRE_FALSE(result.has_value());
    return result.error().code;
  }

  TEST_CASE("what is beneath the root is found, however the path is written") {
    Stage stage;
    stage.put("a/b/c.txt", "c");
    for (const Way way : kWays) {
      const Root root = open_root(stage, way);
      for (const std::string& path :
           {std::string("a/b/c.txt"), std::string("./a//b/./c.txt"), std::string("a/b/../b/c.txt"),
            std::string("a/../a/b/c.txt"), (stage.root() / "a/b/c.txt").string()}) {
        CAPTURE(path);
        CHECK(root.file(path).has_value());
      }
      CHECK(root.folder(".").has_value());
      CHECK(root.folder("a/..").has_value());
      CHECK(root.folder(stage.root().string()).has_value());
    }
  }

  TEST_CASE("what leads out is denied") {
    Stage stage;
    stage.put("a/in.txt", "in");
    fs::create_symlink(stage.outside(), stage.root() / "out");
    fs::create_symlink("../outside", stage.root() / "out_relative");
    std::ofstream(stage.outside() / "secret") << "secret";
    fs::create_symlink(stage.outside() / "secret", stage.root() / "a/secret");
    fs::create_symlink("/proc/self/root", stage.root() / "magic");
    for (const Way way : kWays) {
      const Root root = open_root(stage, way);
      for (const char* path :
           {"../outside/secret", "a/../../outside/secret", "/etc/passwd", "out/secret",
            "out_relative/secret", "a/secret", "magic/etc/passwd", "a/../../root/a/in.txt"}) {
        CAPTURE(path);
        CHECK(code_of(root.file(path)) == Code::denied);
      }
      CHECK(code_of(root.folder("..")) == Code::denied);
      CHECK(code_of(root.folder("out")) == Code::denied);
      CHECK(code_of(root.place("../x", true)) == Code::denied);
      CHECK(code_of(root.place("out/x", true)) == Code::denied);
      CHECK(code_of(root.place("out/new/x", true)) == Code::denied);
      CHECK(code_of(root.place("out_relative/new/x", true)) == Code::denied);
    }
    // A name that only begins like the root's is another folder.
    fs::create_directory(stage.root().string() + "-other");
    CHECK(code_of(open_root(stage, Way::kernel).folder(stage.root().string() + "-other")) ==
          Code::denied);
    fs::remove(stage.root().string() + "-other");
    CHECK(std::distance(fs::directory_iterator(stage.outside()), {}) == 1);
  }

  TEST_CASE("a link that stays beneath is followed by the kernel, and refused without it") {
    Stage stage;
    stage.put("real/file", "x");
    fs::create_symlink("real", stage.root() / "link");
    fs::create_symlink("../real/file", stage.root() / "real/around");
    CHECK(open_root(stage, Way::kernel).file("link/file").has_value());
    CHECK(open_root(stage, Way::kernel).file("real/around").has_value());
    const auto refused = open_root(stage, Way::walk).file("link/file");
    CHECK(code_of(refused) == Code::denied);
    CHECK(refused.error().hint.find("openat2") != std::string::npos);
    CHECK(code_of(open_root(stage, Way::walk).file("real/around")) == Code::denied);
  }

  TEST_CASE("errors say what is wrong with a path") {
    Stage stage;
    stage.put("file", "x");
    fs::create_symlink("loop", stage.root() / "loop");
    CHECK(::mkfifo((stage.root() / "pipe").c_str(), 0600) == 0);
    for (const Way way : kWays) {
      const Root root = open_root(stage, way);
      CHECK(code_of(root.file("nothing")) == Code::not_found);
      CHECK(code_of(root.file("file/below")) == Code::invalid);
      CHECK(code_of(root.file(".")) == Code::denied);  // A folder.
      CHECK(code_of(root.file("pipe")) == Code::denied);
      CHECK(code_of(root.file("loop")) == Code::denied);
      CHECK(code_of(root.file("")) == Code::invalid);
      CHECK(code_of(root.file(std::string("a\0b", 3))) == Code::invalid);
      CHECK(code_of(root.file(std::string(5000, 'a'))) == Code::invalid);
      CHECK(code_of(root.file(std::string(300, 'a'))) == Code::invalid);
      CHECK(code_of(root.folder("file")) == Code::invalid);
      CHECK(code_of(root.place(".", false)) == Code::invalid);
      CHECK(code_of(root.place("file/..", false)) == Code::invalid);
    }
  }

  TEST_CASE("folders on the way are made beneath the root") {
    Stage stage;
    for (const Way way : kWays) {
      const Root root = open_root(stage, way);
      const std::string name = way == Way::kernel ? "kernel" : "walk";
      CHECK(code_of(root.place(name + "/b/c/file", false)) == Code::not_found);
      const auto place = root.place(name + "/b/c/file", true);
      REQUIRE(place.has_value());
      CHECK(place.value().name == "file");
      CHECK(fs::is_directory(stage.root() / name / "b/c"));
    }
  }

  TEST_CASE("a root that is itself a link is the folder that it leads to") {
    Stage stage;
    stage.put("file", "x");
    const fs::path link = stage.outside() / "link";
    fs::create_directory_symlink(stage.root(), link);
    const Root root = Root::open(link.string()).value();
    CHECK(root.file("file").has_value());
    CHECK(root.file((link / "file").string()).has_value());
    CHECK(root.file((stage.root() / "file").string()).has_value());
    // The link may be turned elsewhere: the root stays.
    fs::remove(link);
    fs::create_directory_symlink(stage.outside(), link);
    CHECK(root.file("file").has_value());
    fs::remove(link);
  }

  TEST_CASE("the best way is the kernel's, where it has one") {
    Stage stage;
    const bool has_openat2 =
        ::syscall(SYS_openat2, -1, nullptr, nullptr, 0) == 0 || errno != ENOSYS;
    CHECK((Root::open(stage.root().string()).value().way() == Way::kernel) == has_openat2);
  }

  // Somebody swaps a folder for a link that leads out, all the time, while files are written there.
  void race(Way way) {
    Stage stage;
    fs::create_directory(stage.root() / "folder");
    const std::string folder = (stage.root() / "folder").string();
    const std::string link = (stage.root() / "link").string();
    fs::create_directory_symlink(stage.outside(), link);
    std::atomic<bool> is_over = false;
    std::thread swapper([&] {
      while (!is_over) {
        ::renameat2(AT_FDCWD, folder.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
      }
    });
    const Root root = Root::open(stage.root().string(), way).value();
    int made = 0;
    int denied = 0;  // Else nothing was raced.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (int i = 0; i < 4000 || made == 0 || denied == 0; ++i) {
      const auto place = root.place("folder/below/file", true);
      if (place) {
        ++made;
      } else if (place.error().code == Code::denied) {
        ++denied;
      }
      if (std::chrono::steady_clock::now() > end) break;
    }
    is_over = true;
    swapper.join();
    CHECK(fs::is_empty(stage.outside()));
    CHECK(made > 0);
    CHECK(denied > 0);
  }

  TEST_CASE("no race leads out") { race(Way::kernel); }
  TEST_CASE("no race leads out, without openat2") { race(Way::walk); }
}

}  // namespace spoor::agent::builtin
