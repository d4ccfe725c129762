#include "base/os/beneath.h"

#include <cerrno>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "tests/base/os_folder.h"

#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

using namespace spoor;
using namespace spoor::os;
namespace fs = std::filesystem;

namespace {

// A root with a file, folders, and links of all kinds; `out` lies outside.
struct Stage {
  Folder all;
  Descriptor root;

  Stage() {
    fs::create_directories(all / "root/a/b");
    fs::create_directories(all / "out");
    all.write("root/file", "file");
    all.write("root/a/b/deep", "deep");
    all.write("out/secret", "secret");
    link("a/b", "root/in");
    link("in/deep", "root/twice");
    link("../../file", "root/a/b/up");
    link("../../../out", "root/a/b/way-out");
    link("../out/secret", "root/leads-out");
    link(all / "root/file", "root/absolute");
    link("/proc/self/root", "root/magic");
    link("loop", "root/loop");
    link("missing", "root/dangling");
    link("a/", "root/slash");
    link("file/", "root/file-slash");
    for (int i = 0; i < 45; ++i) {
      link(i == 0 ? "file" : "chain" + std::to_string(i - 1), "root/chain" + std::to_string(i));
    }
    root = Descriptor(::open((all / "root").c_str(), kFolderFlags | O_CLOEXEC));
    REQUIRE(root);
  }

  void link(const std::string& to, const std::string& name) const {
    fs::create_symlink(to, all / name);
  }
};

const std::vector<std::string> kPaths = {"file",
                                         "a/b/deep",
                                         "a//b/./deep",
                                         "in/deep",
                                         "twice",
                                         "a/b/up",
                                         "in/up",
                                         "in/../b/deep",
                                         "a/..",
                                         ".",
                                         "a/../file",
                                         "..",
                                         "../out",
                                         "a/../..",
                                         "a/b/way-out",
                                         "in/way-out",
                                         "leads-out",
                                         "absolute",
                                         "/etc",
                                         "magic",
                                         "magic/etc",
                                         "loop",
                                         "loop/x",
                                         "dangling",
                                         "dangling/",
                                         "missing",
                                         "missing/x",
                                         "file/",
                                         "file/x",
                                         "slash",
                                         "slash/b",
                                         "file-slash",
                                         "in/",
                                         "chain3",
                                         "chain39",
                                         "chain40",
                                         "chain44",
                                         "",
                                         "a/b/../../file",
                                         "in/../../file",
                                         "a/b/way-out/secret",
                                         "in/way-out/../root/file"};

struct Found {
  int problem = 0;
  ino_t inode = 0;
  bool operator==(const Found&) const = default;
};

doctest::String toString(const Found& found) {
  return doctest::toString(found.problem) + " " + doctest::toString(found.inode);
}

Found in(int file) {
  if (file < 0) return {errno, 0};
  const Descriptor open(file);
  struct stat about {};
  REQUIRE(::fstat(open.number(), &about) == 0);
  return {0, about.st_ino};
}

}  // namespace

TEST_SUITE("base/os/beneath") {
#if __has_include(<linux/openat2.h>)
  TEST_CASE("a path leads where the kernel says") {
    const Stage stage;
    for (const int flags : {O_RDONLY, O_RDONLY | O_DIRECTORY}) {
      for (const std::string& path : kPaths) {
        CAPTURE(path);
        open_how how{};
        how.flags = static_cast<decltype(how.flags)>(flags | O_CLOEXEC);
        how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
        const long answer =
            ::syscall(SYS_openat2, stage.root.number(), path.c_str(), &how, sizeof how);
        if (answer < 0 && errno == ENOSYS) return;
        CHECK(in(open_beneath(stage.root.number(), path, flags)) == in(static_cast<int>(answer)));
      }
    }
  }
#endif

  TEST_CASE("links are followed below the folder, and no path leads out") {
    const Stage stage;
    const auto inode_of = [&](const std::string& name) {
      struct stat found {};
      REQUIRE(::stat((stage.all / name).c_str(), &found) == 0);
      return found.st_ino;
    };
    const auto opened = [&](const char* path) {
      return in(open_beneath(stage.root.number(), path, O_RDONLY));
    };
    CHECK(opened("twice") == Found{0, inode_of("root/a/b/deep")});
    CHECK(opened("in/up") == Found{0, inode_of("root/file")});
    for (const char* path : {"..", "leads-out", "absolute", "in/way-out/secret", "/etc"}) {
      CAPTURE(path);
      CHECK(opened(path) == Found{EXDEV, 0});
    }
    CHECK(opened("loop") == Found{ELOOP, 0});
    CHECK(opened("chain44") == Found{ELOOP, 0});
  }

  TEST_CASE("looking finds what opening finds") {
    const Stage stage;
    for (const std::string& path : kPaths) {
      CAPTURE(path);
      struct stat found {};
      const int answer = stat_beneath(stage.root.number(), path, found);
      const Found looked = answer == 0 ? Found{0, found.st_ino} : Found{errno, 0};
      CHECK(looked == in(open_beneath(stage.root.number(), path, O_RDONLY)));
    }
  }

  TEST_CASE("a pipe is looked at without its other end") {
    const Stage stage;
    REQUIRE(::mkfifo((stage.all / "root/pipe").c_str(), 0600) == 0);
    struct stat found {};
    REQUIRE(stat_beneath(stage.root.number(), "pipe", found) == 0);
    CHECK(S_ISFIFO(found.st_mode));
  }

  TEST_CASE("an open folder has a path, also after it was moved") {
    const Stage stage;
    CHECK(path_of(stage.root.number()) == stage.all / "root");
    const Descriptor deep(open_beneath(stage.root.number(), "in", kFolderFlags));
    REQUIRE(deep);
    CHECK(path_of(deep.number()) == stage.all / "root/a/b");
    fs::rename(stage.all / "root/a", stage.all / "out/a");
    CHECK(path_of(deep.number()) == stage.all / "out/a/b");
    CHECK(path_of(-1).empty());
  }
}
