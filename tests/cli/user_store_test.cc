// The store of one's own: where commands work outside of a project, and what an agent is recorded
// in.
#include <filesystem>

#include <sys/stat.h>

#include <doctest/doctest.h>

#include "base/files.h"
#include "cli/settings/store_path.h"
#include "tests/cli/program.h"
#include "tests/store/child.h"
#include "tests/support/holds.h"

using namespace spoor;
using namespace spoor::cli;
using test::Program;
using testing::holds;

namespace {

namespace fs = std::filesystem;

unsigned mode_of(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0U;
}

void stand_in(Program& spoor, const std::string& folder) {
  spoor.environment.working_directory = spoor.folder.path + "/" + folder;
  fs::create_directories(spoor.environment.working_directory);
}

std::string replies_in(const Program& spoor) {
  const std::string path = spoor.folder.path + "/replies.jsonl";
  const std::string reply = R"({"choices":[{"message":{"role":"assistant","content":"done"}}]})"
                            "\n";
  REQUIRE(write_file(path, reply + reply + reply, 0600));
  return "scripted/" + path;
}

struct AtHome : Program {
  AtHome() {
    stand_in(*this, "work/tea");
    store = folder.path + "/.local/share/spoor/.spoor";
  }
  std::string store;
};

}  // namespace

TEST_SUITE("cli/store_path") {
  TEST_CASE("no password of an address is shown, however it is written") {
    for (const std::string part :
         {"u:secret@h/d", "u:s?secret@h/d", "u:a@secret@h/d", "u@h/d?password=secret",
          "h/d?store=p&sslpassword=secret&password=secret", "?password=a&password=secret",
          "h?p%61ssword=secret", "h/d?PASSWORD=secret&store=x", "u:secret@h?store=x"}) {
      for (const std::string scheme : {"postgres://", "postgresql://"}) {
        const std::string shown = shown_store(scheme + part);
        CHECK_MESSAGE(shown.find("secret") == std::string::npos, shown);
        CHECK(shown != scheme + part);
      }
    }
    for (const std::string plain : {"postgres://u@h:5432/d?store=x&sslmode=require",
                                    "postgres://h/d", "postgres://h", "/a/b:c@d", "u:p@h"}) {
      CHECK(shown_store(plain) == plain);
    }
    CHECK(shown_store("postgres://u:secret@h/d?store=x") == "postgres://u@h/d?store=x");
  }
}

TEST_SUITE("cli/user_store") {
  TEST_CASE("outside of a project a store of one's own is made, which nobody else may read") {
    AtHome spoor;
    const auto said = spoor({"user", "hello"});
    CHECK(said.err == "made a new store: " + spoor.store + "\n");
    CHECK(mode_of(spoor.store) == 0600);
    CHECK(mode_of(spoor.store + "-wal") == 0600);
    CHECK(mode_of(spoor.store + "-lock") == 0600);
    CHECK(mode_of(fs::path(spoor.store).parent_path()) == 0700);
    CHECK(mode_of(spoor.environment.working_directory + "/.spoor") == 0);
  }

  TEST_CASE("eight programs that are the first at once make one store, and all write to it") {
    AtHome spoor;
    std::vector<store::Child> programs;
    for (int i = 0; i < 8; ++i) {
      programs.emplace_back([&spoor, i] {
        return spoor({"user", "turn " + std::to_string(i)}).status;
      });
    }
    for (store::Child& each : programs) CHECK(each.wait() == 0);
    const std::string log = spoor.out({"log"});
    for (int i = 0; i < 8; ++i) CHECK(holds(log, "turn " + std::to_string(i)));
  }

  TEST_CASE("below a project's store that one is meant") {
    AtHome spoor;
    spoor({"user", "mine"});
    spoor({"init"});
    stand_in(spoor, "work/tea/deep/down");
    spoor({"user", "the project's"});
    CHECK(holds(spoor.out({"log"}), "the project's"));
    CHECK_FALSE(holds(spoor.out({"log"}), "mine"));
  }

  TEST_CASE("a new store is its owner's alone, wherever it is") {
    AtHome spoor;
    spoor({"init"});
    CHECK(mode_of(spoor.environment.working_directory + "/.spoor") == 0600);
  }

  TEST_CASE("each folder has a HEAD of its own there, on a branch that is called like it") {
    AtHome spoor;
    spoor({"user", "of tea"});
    stand_in(spoor, "work/soup");
    spoor({"user", "of soup"});
    CHECK_FALSE(holds(spoor.out({"log"}), "of tea"));
    stand_in(spoor, "elsewhere/tea");
    CHECK(holds(spoor.out({"status"}), "On branch tea-2"));
    spoor({"user", "another tea"});
    stand_in(spoor, "work/tea");
    CHECK(holds(spoor.out({"log"}), "of tea"));
    CHECK(holds(spoor.out({"status"}), "On branch tea\n"));
    spoor({"switch", "soup"});
    CHECK(holds(spoor.out({"log"}), "of soup"));
    spoor({"switch", "-"});
    CHECK(holds(spoor.out({"log"}), "of tea"));
    stand_in(spoor, "elsewhere/tea");
    CHECK(holds(spoor.out({"log"}), "another tea"));
  }

  TEST_CASE("gc keeps the commit that HEAD of another folder is at") {
    AtHome spoor;
    spoor({"user", "one"});
    spoor({"user", "two"});
    const std::string two = spoor.out({"log", "-n", "1", "--oneline"});
    const std::string id = two.substr(0, two.find(' '));
    stand_in(spoor, "work/soup");
    spoor({"switch", "--detach", id});
    stand_in(spoor, "work/tea");
    spoor({"reset", "HEAD~1"});
    const auto prune = [&] {
      CHECK(spoor({"store", "gc", "--prune", "--retention", "now"}).status == 0);
    };
    prune();
    stand_in(spoor, "work/soup");
    CHECK(holds(spoor.out({"log"}), "two"));
    spoor({"switch", "tea"});
    stand_in(spoor, "work/tea");
    prune();
    stand_in(spoor, "work/soup");
    spoor({"switch", "-"});  // Where it was before is kept too.
    CHECK(holds(spoor.out({"log"}), "two"));
  }

  TEST_CASE("a folder within a git work tree is that project") {
    AtHome spoor;
    REQUIRE(write_file(spoor.environment.working_directory + "/.git/HEAD", "ref: refs/heads/x\n",
                       0600));
    spoor({"user", "of the project"});
    stand_in(spoor, "work/tea/src/deep");
    CHECK(holds(spoor.out({"log"}), "of the project"));
  }

  TEST_CASE("a run is recorded there, outside of the folder that the agent works in") {
    AtHome spoor;
    const std::string model = replies_in(spoor);
    spoor({"init"});
    const auto ran = spoor({"run", "be done", "--model", model});
    CHECK(ran.status == 0);
    CHECK(holds(ran.err, "recorded in your own store: spoor --store '" + spoor.store + "' log"));
    CHECK(spoor.out({"log"}).empty());
    CHECK(holds(spoor.out({"--store", spoor.store, "log"}), "be done"));
    // Unless told otherwise.
    const auto told = spoor({"run", "be done here", "--model", model, "--store", "."});
    CHECK_FALSE(holds(told.err, "recorded in"));
    CHECK(holds(spoor.out({"log"}), "be done here"));
    spoor.environment.variables["SPOOR_STORE"] = ".spoor";
    CHECK(spoor({"run", "and again", "--model", model}).status == 0);
    CHECK(holds(spoor.out({"log"}), "and again"));
  }

  TEST_CASE("a store that cannot become what it is to be is not there") {
    AtHome spoor;
    const std::string here = spoor.environment.working_directory;
    // No folder: nothing can be noted in it, and no key put there.
    const std::string file = spoor.folder.path + "/file";
    REQUIRE(write_file(file, "x", 0600));
    spoor.environment.variables["XDG_DATA_HOME"] = file;
    const auto refused = spoor({"init"});
    CHECK(refused.status == 1);
    CHECK(holds(refused.err, "hint: new stores are listed there; set XDG_DATA_HOME"));
    CHECK(fs::is_empty(here));
    spoor.environment.variables.erase("XDG_DATA_HOME");
    spoor({"config", "keys.directory", file});
    CHECK(spoor({"init", "--private"}).status == 1);
    CHECK(fs::is_empty(here));
    spoor({"config", "--unset", "keys.directory"});
    CHECK(spoor({"init", "--private"}).status == 0);
  }

  TEST_CASE("~ is the home in SPOOR_STORE and in settings that are paths") {
    AtHome spoor;
    fs::create_directories(spoor.folder.path + "/stores");
    spoor({"init", "~/stores/a.spoor"});
    spoor.environment.variables["SPOOR_STORE"] = "~/stores/a.spoor";
    CHECK(holds(spoor.out({"status", "--json"}), spoor.folder.path + "/stores/a.spoor"));
    spoor.environment.variables["SPOOR_STORE"] = "~/stores/c.spoor";
    CHECK(holds(spoor({"init"}).out, spoor.folder.path + "/stores/c.spoor"));
    spoor({"config", "keys.directory", "~/my-keys"});
    spoor({"init", "--private", "~/stores/b.spoor"});
    CHECK(mode_of(spoor.folder.path + "/my-keys") == 0700);
  }

  TEST_CASE("without a home there is no store of one's own, and one is made where init says") {
    AtHome spoor;
    spoor.environment.variables.erase("HOME");
    const auto refused = spoor({"user", "hello"});
    CHECK(refused.status == 1);
    CHECK(refused.err ==
          "error: no home folder for a store of your own\n"
          "hint: name a file with '--store FILE', or create a store here with 'spoor init'\n");
    CHECK(fs::is_empty(spoor.environment.working_directory));
    spoor({"init"});
    CHECK(spoor({"user", "hello"}).status == 0);
    CHECK(mode_of(spoor.environment.working_directory + "/.spoor") == 0600);
    CHECK(holds(spoor.out({"status"}), "On branch main"));
  }
}
