// Which stores may do more than be read.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/files.h"
#include "store/sqlite/sqlite_store.h"
#include "store/trusted_stores.h"
#include "tests/cli/program.h"
#include "tests/store/child.h"
#include "tests/store/watched_vfs.h"
#include "tests/support/holds.h"
#include "tests/support/posix_only.h"

using namespace spoor;
using namespace spoor::cli;
using test::Program;
using testing::holds;

namespace {

namespace fs = std::filesystem;

/// A folder with a store and a script of replies, and a copy of it as another would send it.
struct Copied : Program {
  Copied() {
    theirs = folder.path + "/theirs";
    fs::create_directories(theirs + "/project");
    environment.working_directory = theirs;
    (*this)({"init"});
    (*this)({"user", "hello"});
    REQUIRE(store::SqliteStore::open(theirs + "/.spoor")
                .value()
                ->set_local("config.author", "mallory"));
    const std::string call =
        R"({"choices":[{"message":{"role":"assistant","content":"","tool_calls":[{"id":"c1",)"
        R"("type":"function","function":{"name":"run_command",)"
        R"("arguments":"{\"argv\":[\"touch\",\"owned\"]}"}}]}}]})";
    REQUIRE(write_file(theirs + "/replies.jsonl", call + "\n", 0600));
    // It waits for a person before the call.
    (*this)({"run", "touch it", "--store", ".", "--model", "scripted/" + theirs + "/replies.jsonl",
             "--tools", "run_command", "--ask-before", "run_command", "--root", "project"});
    REQUIRE(holds(out({"runs"}), "touch it"));
    copy = folder.path + "/copy";
    fs::copy(theirs, copy, fs::copy_options::recursive);
    environment.working_directory = copy;
  }
  std::string theirs, copy;
};

}  // namespace

TEST_SUITE("cli/trust") {
  TEST_CASE("a store that was copied can be read, and nothing else") {
    Copied spoor;
    const std::string before = read_file(spoor.copy + "/.spoor").value().value_or("");
    CHECK(holds(spoor.out({"log"}), "hello"));
    CHECK(spoor({"store", "fsck"}).status == 0);
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"user", "more"},
                                               {"tag", "t"},
                                               {"branch", "x"},
                                               {"undo"},
                                               {"switch", "--create", "y"}}) {
      const auto refused = spoor(words);
      CAPTURE(words.front());
      CHECK(refused.status == 1);
      CHECK(refused.err == "error: '" + spoor.copy +
                               "/.spoor' was not made here, or has been copied since, so it can "
                               "only be read\nhint: if you know its origin, run 'spoor store "
                               "trust'\n");
    }
    CHECK(read_file(spoor.copy + "/.spoor").value().value_or("") == before);
  }

  TEST_CASE("a store that was copied keeps its log, however often it is read") {
    Copied spoor;
    const auto held = store::SqliteStore::open(spoor.theirs + "/.spoor").value();
    REQUIRE(held->set_local("a", "b"));  // In the log until this closes.
    for (const char* suffix : {"", "-wal", "-mark"}) {
      const std::string name = std::string("/.spoor") + suffix;
      fs::copy_file(spoor.theirs + name, spoor.copy + name, fs::copy_options::overwrite_existing);
    }
    const auto bytes = [&](const char* suffix) {
      return read_file(spoor.copy + "/.spoor" + suffix).value().value_or("");
    };
    const std::vector<std::string> before = {bytes(""), bytes("-wal"), bytes("-mark")};
    REQUIRE_FALSE(before[1].empty());
    CHECK(holds(spoor.out({"log"}), "hello"));
    CHECK(spoor({"store", "fsck"}).status == 0);
    CHECK(before == std::vector<std::string>{bytes(""), bytes("-wal"), bytes("-mark")});
  }

  TEST_CASE("a run in a folder from elsewhere does not go on") {
    Copied spoor;
    const auto refused = spoor({"resume", "--approve", "--store", "."});
    CHECK(refused.status == 1);
    CHECK(holds(refused.err, "can only be read"));
    CHECK_FALSE(fs::exists(spoor.copy + "/project/owned"));
  }

  TEST_CASE("rules that a store from elsewhere carries run no program, whoever asks for it") {
    Copied spoor;
    spoor.environment.working_directory = spoor.theirs;
    REQUIRE(write_file(spoor.theirs + "/rules.toml",
                       "[[constraint]]\nid = \"own\"\ncheck = \"command\"\nargv = [\"touch\", \"" +
                           spoor.folder.path + "/owned\"]\n",
                       0600));
    const std::string answer = R"({"choices":[{"message":{"role":"assistant","content":"done"}}]})";
    REQUIRE(write_file(spoor.theirs + "/answers.jsonl",
                       answer + "\n" + answer + "\n" + answer + "\n", 0600));
    spoor({"run", "say it", "--store", ".", "--model",
           "scripted/" + spoor.theirs + "/answers.jsonl", "--root", "project", "--constraints",
           spoor.theirs + "/rules.toml"});
    fs::remove_all(spoor.copy);
    fs::copy(spoor.theirs, spoor.copy, fs::copy_options::recursive);
    spoor.environment.working_directory = spoor.copy;
    const auto refused = spoor({"check", "--trust"});
    CHECK(refused.status == 1);
    CHECK(holds(refused.err, "can only be read"));
    CHECK(holds(refused.err, "spoor store trust"));
    CHECK_FALSE(fs::exists(spoor.folder.path + "/owned"));
    const auto passed_over = spoor({"check"});
    CHECK(holds(passed_over.err, "are skipped: the store is not trusted"));
    CHECK_FALSE(holds(passed_over.err, "--trust"));
    CHECK_FALSE(fs::exists(spoor.folder.path + "/owned"));
    spoor({"store", "trust"});
    CHECK(holds(spoor({"check"}).err, "'--trust' runs the programs"));
    spoor({"check", "--trust"});
    CHECK(fs::exists(spoor.folder.path + "/owned"));
  }

  TEST_CASE("a long text is not read where it could not be kept") {
    Copied spoor;
    spoor.environment.variables["SPOOR_MAX_TEXT"] = "1";
    const std::string text(std::size_t{2} << 20U, 'x');
    CHECK(holds(spoor({"user", "-"}, text).err, "can only be read"));
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"chat", "-", "--model", "a/b"},
                                               {"edit", "HEAD", "-"},
                                               {"amend", "-"},
                                               {"store", "erase", "--text-file", "-"}}) {
      CAPTURE(words[0]);
      CHECK(holds(spoor(words, text).err, "can only be read"));
    }
    spoor({"store", "trust"});
    CHECK(spoor({"user", "-"}, text).err ==
          "error: standard input is longer than the limit of 1 MiB\n"
          "hint: if there is enough memory, raise it: SPOOR_MAX_TEXT=2\n");
    CHECK(spoor({"user", "-"}, text.substr(0, text.size() / 2)).status == 0);
  }

  TEST_CASE("no model is asked for a store from elsewhere, since nothing could be written") {
    Copied spoor;
    CHECK(holds(spoor({"chat", "hi", "--model", "scripted/" + spoor.copy + "/replies.jsonl"}).err,
                "can only be read"));
  }

  TEST_CASE("settings that a store carries hold where it is trusted") {
    Copied spoor;
    spoor.environment.variables.erase("SPOOR_AUTHOR");
    CHECK_FALSE(holds(spoor.out({"config", "author"}), "mallory"));
    spoor({"store", "trust"});
    spoor({"log"});
    CHECK(holds(spoor.out({"config", "author"}), "mallory"));
  }

  TEST_CASE("spoor store trust makes it one's own, and --revoke takes that back") {
    Copied spoor;
    CHECK(spoor.out({"store", "trust"}) == "'" + spoor.copy + "/.spoor' is trusted\n");
    CHECK(spoor({"user", "more"}).status == 0);
    CHECK(spoor.out({"store", "trust"}) ==
          "nothing changed: '" + spoor.copy + "/.spoor' is trusted\n");
    CHECK(spoor.out({"store", "trust", "--list"}) ==
          spoor.theirs + "/.spoor\n" + spoor.copy + "/.spoor\n");
    CHECK(holds(spoor.out({"store", "trust", "--list", "--json"}), R"("path": ")" + spoor.copy));
    CHECK(spoor.out({"store", "trust", "--revoke"}) ==
          "'" + spoor.copy + "/.spoor' is not trusted\n");
    CHECK(spoor({"user", "more"}).status == 1);
    CHECK(spoor({"store", "trust", "--list", "--revoke"}).status == 2);
  }

  TEST_CASE("a store stays trusted where its folder is moved") {
    Copied spoor;
    fs::rename(spoor.theirs, spoor.folder.path + "/moved");
    spoor.environment.working_directory = spoor.folder.path + "/moved";
    CHECK(spoor({"user", "more"}).status == 0);
  }

  TEST_CASE("another file in a trusted store's place is not trusted") {
    Copied spoor;
    fs::rename(spoor.copy + "/.spoor", spoor.theirs + "/.spoor");
    spoor.environment.working_directory = spoor.theirs;
    CHECK(spoor({"user", "more"}).status == 1);
  }

  TEST_CASE("a file that got the number of a trusted one is not trusted") {
    if (testing::kIsPosixOnly) return;  // Nothing tells when a file was made.
    Copied spoor;
    const auto list = spoor.folder.path + "/.local/share/spoor/trusted";
    std::string text = read_file(list).value().value_or("");
    const std::size_t born = text.find('-');
    REQUIRE(born != std::string::npos);
    CHECK(text[born + 1] != '0');  // The disk says when a file was made.
    text[born + 1] = text[born + 1] == '1' ? '2' : '1';
    REQUIRE(write_file(list, text, 0600));
    spoor.environment.working_directory = spoor.theirs;
    CHECK(spoor({"user", "more"}).status == 1);
    CHECK(holds(spoor.out({"log"}), "hello"));
  }

  TEST_CASE("the list changes only under its lock") {
    Copied spoor;
    store::TrustedStores other(data_home(spoor.environment));
    auto held = other.hold().value();
    REQUIRE(held);
    const std::string path = spoor.theirs + "/.spoor";
    const auto store = store::SqliteStore::open(path).value();
    std::atomic<bool> is_done = false;
    std::thread revoking([&]() {
      CHECK(store::TrustedStores(data_home(spoor.environment)).remove(*store, path).value());
      is_done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK(!is_done);
    held.reset();
    revoking.join();
    CHECK(other.list().value().empty());
  }

  TEST_CASE("a list of 1,000 stores loses those that are gone when one is added") {
    Program spoor;
    REQUIRE(spoor({"--store", "kept.spoor", "init"}).status == 0);
    const std::string list = data_home(spoor.environment) + "/trusted";
    const std::string kept = read_file(list).value().value();
    const auto fill = [&](int count) {
      std::string text = kept;
      for (int i = 1; i < count; ++i) text += fmt::format("{:032x} {}-1 /gone/{}\n", i, i, i);
      REQUIRE(write_file(list, text, 0600));
    };
    const auto lines_after = [&](const std::string& name) {
      REQUIRE(spoor({"--store", name, "init"}).status == 0);
      const std::string text = read_file(list).value().value();
      return std::count(text.begin(), text.end(), '\n');
    };
    fill(999);
    CHECK(lines_after("one.spoor") == 1'000);
    fill(1'000);
    CHECK(lines_after("two.spoor") == 2);
    CHECK(spoor({"--store", "kept.spoor", "user", "hello"}).status == 0);
  }

  TEST_CASE("a program that is killed while it makes a store leaves none that is not trusted") {
    int kills = 0;
    for (int last = 0;; ++last) {
      CAPTURE(last);
      Program spoor;
      int deeds = 0;
      store::Child making([&] {
        const store::WatchedVfs watch([&](store::WatchedVfs::Act, const std::string&) {
          if (deeds++ == last) ::raise(SIGKILL);
        });
        return spoor({"--store", "new.spoor", "init"}).status;
      });
      const bool is_killed = making.wait() == -SIGKILL;
      const bool is_there = fs::exists(spoor.environment.working_directory + "/new.spoor");
      if (!is_there) REQUIRE(spoor({"--store", "new.spoor", "init"}).status == 0);
      REQUIRE(spoor({"--store", "new.spoor", "user", "hello"}).status == 0);
      if (!is_killed) break;
      ++kills;
    }
    CHECK(kills > 20);
  }

  TEST_CASE("a store of another user is not trusted, without a home neither") {
    if (::geteuid() != 0) {
      MESSAGE("skipped: only root can give a file away");
      return;
    }
    Copied spoor;
    REQUIRE(::chown((spoor.copy + "/.spoor").c_str(), 1234, 1234) == 0);
    spoor.environment.variables.erase("HOME");
    CHECK(holds(spoor({"user", "more"}).err, "belongs to another user (1234)"));
    CHECK(holds(spoor({"store", "trust"}).err, "set HOME"));
  }
}
