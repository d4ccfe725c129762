// A store that was written when the fold had one version: tests/data/version-1, which make.sh
// there made with the program of that time.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/cli/program.h"

using namespace spoor;
using test::Program;

namespace {

const std::string kData = std::string(SPOOR_SOURCE_DIR) + "/tests/data/version-1/";

struct OldStore : Program {
  OldStore() {
    std::filesystem::copy_file(kData + "store.spoor", folder.path + "/store.spoor");
    environment.variables["SPOOR_STORE"] = folder.path + "/store.spoor";
  }
};

std::string file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE_MESSAGE(in.good(), path);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

// Files of golden/ whose names begin with `start`, by the rest of their names.
std::map<std::string, std::string> golden(const std::string& start) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kData + "golden")) {
    const std::string name = entry.path().filename();
    if (name.starts_with(start)) files[name.substr(start.size())] = file(entry.path());
  }
  return files;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_SUITE("cli/version_1") {
  TEST_CASE("each request of an old store is rebuilt and verified, byte for byte") {
    OldStore spoor;
    const auto sent = golden("sent-");
    REQUIRE(sent.size() == 4);
    for (const auto& [answer, body] : sent) {
      const auto told = spoor({"prompt", answer, "--raw"});
      CHECK(told.out == body);
      CHECK(told.err.starts_with("verified"));
    }
    // One of them was sent two answers of several turns as one message.
    CHECK(sent.at("a2efcd53").find("Done.Done, by name.") != std::string::npos);
  }

  TEST_CASE("version 1 compiles an old store to the bytes that the old program printed") {
    OldStore spoor;
    const std::map<std::string, std::vector<std::string>> ways = {
        {".txt", {}},
        {".openai.json", {"--to", "openai"}},
        {".anthropic.json", {"--to", "anthropic", "--include-reasoning"}},
        {".window.txt", {"--window", "3"}},
    };
    for (const std::string branch : {"codex/7e57c0de", "asked", "other"}) {
      std::string name = branch;
      std::replace(name.begin(), name.end(), '/', '-');
      for (const auto& [ending, options] : ways) {
        std::vector<std::string> words = {"compile", branch, "--fold-version", "1"};
        words.insert(words.end(), options.begin(), options.end());
        CHECK(spoor.out(words) == file(kData + "golden/" + name + ending));
      }
      const auto told = spoor({"compile", branch, "--fold-version", "1", "--stat"});
      // Today's program says first what an imported prompt lacks.
      const bool is_partial = told.err.starts_with("partial prompt: ");
      const std::size_t from = is_partial ? told.err.find('\n') + 1 : 0;
      CHECK(told.err.substr(from) == file(kData + "golden/" + name + ".stat"));
    }
  }

  TEST_CASE("the newest version compiles each answer of an old store at its own place") {
    OldStore spoor;
    const std::string said = spoor.out({"compile", "codex/7e57c0de"});
    CHECK(said.find("Rename tea.txt to teas.txt.\n--- assistant\nDone.\n") != std::string::npos);
    CHECK(said.find("Sort the list.\n--- assistant\nDone, by name.\n") != std::string::npos);
    CHECK(count(said, "--- user\n") == 8);  // One of nine is skipped.
    CHECK(count(said, "\ncall shell call_") == 2);
    // The annotation of the turn that both sides edited settles it.
    const auto told = spoor({"compile", "asked", "--strict", "--stat"});
    CHECK(told.status == 0);
    CHECK(told.err.find("conflict") == std::string::npos);
    CHECK(spoor({"compile", "asked", "--strict", "--fold-version", "1"}).status == 1);
  }

  TEST_CASE("an answer of an old store is judged by the prompt it was given then") {
    OldStore spoor;
    for (const auto& [answer, body] : golden("sent-")) {
      CHECK(spoor.out({"log", answer, "--limit", "1", "--counterfactual", "--json"})
                .find(R"("counterfactual": false)") != std::string::npos);
    }
  }

  TEST_CASE("sessions of an old store are named until they are read again, and work stays") {
    OldStore spoor;
    spoor({"store", "trust"});
    CHECK(spoor({"store", "fsck"}).err.find("read by older rules: codex/7e57c0de") !=
          std::string::npos);
    const auto met = spoor({"import", kData + "rollout.jsonl"});
    CHECK(met.err.find("read by older rules: codex/7e57c0de") != std::string::npos);
    const std::string before = spoor.out({"compile", "codex/7e57c0de"});

    const auto again = spoor({"import", "--again", kData + "rollout.jsonl"});
    CHECK(again.status == 0);
    CHECK(again.out.find("read again: 1 session") != std::string::npos);
    CHECK(spoor({"store", "fsck"}).err.empty());
    CHECK(spoor({"import", kData + "rollout.jsonl"}).err.empty());
    const std::string said = spoor.out({"compile", "codex/7e57c0de"});
    CHECK(said.find("Sort the list.\n--- assistant\nDone, by name.\n") != std::string::npos);
    CHECK(said.ends_with("--- user\nWrite it on the fridge.\n"));
    CHECK(count(said, "--- user\n") == 8);
    CHECK(spoor.out({"compile", "asked"}).ends_with("Four, as before.\n"));
    const std::string pinned = spoor.out({"log", "codex/7e57c0de", "--all-commits", "--oneline"});
    CHECK(pinned.find("the counts matter") != std::string::npos);
    for (const auto& [answer, body] : golden("sent-")) {
      CHECK(spoor.out({"prompt", answer, "--raw"}) == body);
    }

    CHECK(spoor({"undo"}).status == 0);
    CHECK(spoor.out({"compile", "codex/7e57c0de"}) == before);
  }

  TEST_CASE("'--fold-version' takes the versions that there are") {
    OldStore spoor;
    CHECK(spoor({"compile", "asked", "--fold-version", "3"}).status == 2);
    CHECK(spoor.out({"compile", "asked", "--fold-version", "2"}) ==
          spoor.out({"compile", "asked"}));
  }
}
