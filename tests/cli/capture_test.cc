// Capture modes on the command line: who may ask for what, and what reaches the disk.
#include "cli/settings/capture.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "cli/agents/run_flags.h"
#include "cli/session.h"
#include "cli/terminal/memory_terminal.h"
#include "tests/cli/program.h"
#include "tests/guard/finder.h"
#include "tests/support/holds.h"

using spoor::test::Program;
using namespace spoor;
namespace fs = std::filesystem;

namespace {

using spoor::testing::holds;

// A file below the folder in which `words` stand.
std::string file_with(const std::string& folder, std::string_view words) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    if (guard::bytes_of(entry.path()).find(words) != std::string::npos) {
      return entry.path().filename().string();
    }
  }
  return {};
}

std::string capture_of(Program& spoor, const std::string& commit) {
  const std::string document = spoor.out({"show", commit, "--json"});
  const auto read = spoor::json::parse(document);
  REQUIRE(read);
  return read->root().find("meta").find("capture").text();
}

// One session on the program's folder, as a long one would have it.
struct Opened {
  explicit Opened(Program& spoor) : session({terminal, spoor.environment, spoor.clock}) {}
  cli::MemoryTerminal terminal;
  cli::Session session;
};

}  // namespace

TEST_SUITE("cli/capture") {
  TEST_CASE("a store that hashes keeps no word, and its key lies elsewhere") {
    Program spoor;
    REQUIRE(spoor({"init", "--capture", "hashed"}).status == 0);
    REQUIRE(spoor({"user", "a confidential matter"}).status == 0);
    REQUIRE(spoor({"assistant", "an indiscreet answer", "--message", "a telling label"}).status ==
            0);
    REQUIRE(spoor({"edit", "HEAD~1", "another confidential matter"}).status == 0);
    REQUIRE(spoor({"pin", "HEAD~2", "a confidential reason"}).status == 0);
    for (const char* words : {"confidential", "indiscreet", "telling"}) {
      CHECK(file_with(spoor.folder.path, words).empty());
    }
    CHECK(capture_of(spoor, "HEAD") == "hashed");
    CHECK(holds(spoor.out({"compile"}), "hmac-sha256:"));
    CHECK(spoor({"store", "fsck"}).status == 0);
    for (const char* command : {"log", "debrief", "report", "events"}) {
      const std::string shown = spoor.out({command});
      CAPTURE(shown);
      CHECK(holds(shown, command == std::string("events") ? "[hashed, 20 B]" : "[hashed, 21 B]"));
      CHECK_FALSE(holds(shown, "hmac-sha256"));
    }

    std::string key;
    for (const auto& entry : fs::recursive_directory_iterator(spoor.folder.path)) {
      if (entry.path().extension() == ".capture") key = entry.path().string();
    }
    REQUIRE_FALSE(key.empty());
    CHECK((fs::status(key).permissions() & fs::perms(0077)) == fs::perms::none);
    fs::remove(key);
    const auto refused = spoor({"user", "more"});
    CHECK(refused.status == 1);
    CHECK(holds(refused.err, "the key of this store's hashes is missing"));
    CHECK(spoor({"log"}).status == 0);
  }

  TEST_CASE("the most restrictive of store, environment, file and command holds") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "one"});
    CHECK(capture_of(spoor, "HEAD").empty());
    spoor.environment.variables["SPOOR_CAPTURE"] = "redacted";
    spoor({"user", "two"});
    CHECK(capture_of(spoor, "HEAD") == "redacted");
    spoor({"config", "--in-store", "capture", "hashed"});
    spoor({"user", "three"});
    CHECK(capture_of(spoor, "HEAD") == "hashed");
    spoor({"config", "--in-store", "capture", "full"});
    spoor.environment.variables["SPOOR_CAPTURE"] = "full";
    spoor({"config", "capture", "redacted"});
    spoor({"user", "four"});
    CHECK(capture_of(spoor, "HEAD") == "redacted");
    spoor.environment.variables["SPOOR_CAPTURE"] = "most";
    CHECK(spoor({"user", "five"}).status == 1);
  }

  TEST_CASE("a store's own rules cannot allow what redaction takes out, and config says so") {
    Program spoor;
    const std::string rules = spoor.folder.path + "/rules.toml";
    std::ofstream(rules)
        << "[[allowlists]]\nregexes = ['.']\n[extend]\ndisabled_rules = ['email']\n"
           "[[rules]]\nid = 'email'\nregex = 'never'\n[[rules]]\nid = 'n'\nregex = 'N[0-9]+'\n";
    const auto made = spoor({"init", "--capture", "redacted", "--rules", rules});
    REQUIRE(made.status == 0);
    CHECK(
        holds(made.err, "ignored, because a store can only add rules: 1 allowlist for every rule"));
    CHECK(holds(made.err, "ignored, because a store can only add rules: disabled_rules (email)"));
    REQUIRE(spoor({"user", "write to ann@somewhere.com of N77"}).status == 0);
    CHECK(holds(spoor.out({"log"}), "write to [REDACTED:email:1] of [REDACTED:n:1]"));
    CHECK(file_with(spoor.folder.path, "somewhere.com").empty());

    const std::string settings = spoor.out({"config"});
    CHECK(holds(settings, "this store adds 2 rules of redaction"));
    CHECK(
        holds(settings, "ignored, because a store can only add rules: 1 allowlist for every rule"));
    CHECK(holds(spoor.out({"config", "--json"}), "\"disabled_rules (email)\""));
  }

  TEST_CASE("config with --store changes that store, or says that it is a setting of yours") {
    Program spoor;
    spoor({"init", "a.spoor"});
    spoor({"init", "b.spoor"});
    REQUIRE(spoor({"--store", "b.spoor", "config", "capture", "redacted"}).status == 0);
    CHECK(spoor.out({"--store", "b.spoor", "config", "capture"}) == "redacted\n");
    CHECK(spoor.out({"--store", "a.spoor", "config", "capture"}) == "\n");
    CHECK_FALSE(fs::exists(spoor.folder.path + "/.config/spoor/config.toml"));

    const auto refused = spoor({"--store", "b.spoor", "config", "color", "never"});
    CHECK(refused.status == 1);
    CHECK(holds(refused.err, "a store may not set 'color'"));
    CHECK(holds(refused.err, "spoor config color VALUE, without --store"));
    CHECK(spoor({"--store", "none.spoor", "config", "capture", "full"}).status == 1);

    REQUIRE(spoor({"--store", "b.spoor", "config", "capture", "--unset"}).status == 0);
    CHECK(spoor.out({"--store", "b.spoor", "config", "capture"}) == "\n");
    REQUIRE(spoor({"config", "color", "never"}).status == 0);
    CHECK(fs::exists(spoor.folder.path + "/.config/spoor/config.toml"));
  }

  TEST_CASE("parts of a commit may be kept less fully than the rest") {
    Program spoor;
    spoor({"init"});
    REQUIRE(spoor({"config", "--in-store", "capture.fields", "arguments=hashed"}).status == 0);
    CHECK(spoor({"config", "--in-store", "capture.fields", "arguments=most"}).status == 1);
    spoor({"assistant", "open text", "--calls",
           R"([{"id":"c1","name":"ls","arguments":{"path":"/secret/place"}}])"});
    CHECK(file_with(spoor.folder.path, "/secret/place").empty());
    CHECK(holds(spoor.out({"show"}), "open text"));
    CHECK(holds(spoor.out({"show"}), "arguments=hashed"));
  }

  TEST_CASE("in prod nothing is kept in full, unless the store allows it") {
    Program spoor;
    spoor({"init"});
    spoor.environment.variables["SPOOR_ENVIRONMENT"] = "prod";
    const auto refused = spoor({"user", "hello"});
    CHECK(refused.status == 1);
    CHECK(holds(refused.err, "'prod'"));
    CHECK(file_with(spoor.folder.path, "hello").empty());
    CHECK(spoor({"branch", "x"}).status == 1);  // There is no commit; and no text is in the way.
    spoor.environment.variables["SPOOR_CAPTURE"] = "redacted";
    CHECK(spoor({"user", "hello"}).status == 0);
    spoor.environment.variables.erase("SPOOR_CAPTURE");
    CHECK(spoor({"log"}).status == 0);
    REQUIRE(spoor({"config", "--in-store", "capture.full-in-prod", "true"}).status == 0);
    CHECK(spoor({"user", "again"}).status == 0);
    CHECK(capture_of(spoor, "HEAD").empty());
    spoor.environment.variables["SPOOR_ENVIRONMENT"] = "moon";
    const auto unknown = spoor({"user", "once more"});
    CHECK(unknown.status == 1);
    CHECK(holds(unknown.err, "unknown environment 'moon'"));
  }

  TEST_CASE("a run remembers what it was under, and is gone on with no more fully") {
    Program spoor;
    spoor({"init"});
    spoor.environment.variables["SPOOR_CAPTURE"] = "redacted";
    spoor.environment.variables["SPOOR_CAPTURE_FIELDS"] = "raw=hashed";
    spoor.environment.variables["SPOOR_ENVIRONMENT"] = "staging";
    cli::ToolSettings kept;
    {
      Opened opened(spoor);
      REQUIRE(cli::keep_capture(opened.session, kept));
    }
    CHECK(kept.capture == "redacted");
    CHECK(kept.capture_fields == "raw=hashed");
    CHECK(kept.environment == "staging");
    const std::string json = R"({"caller":)" + cli::write_tool_settings(kept) + "}";
    CHECK(cli::read_tool_settings(json).value() == kept);
  }

  TEST_CASE("batch: a request may ask for less to be kept, and another process for all of them") {
    Program spoor;
    spoor({"init"});
    const std::string answers = spoor.out(
        {"batch"},
        R"({"op":"user","text":"mail jo@somewhere.com","capture":"redacted"})"
        "\n"
        R"({"op":"user","text":"confidential","capture":"hashed"})"
        "\n"
        R"({"op":"transaction","capture":"redacted","ops":[{"op":"user","text":"ann@somewhere.com"},)"
        R"({"op":"user","text":"hidden","capture":"hashed"}]})"
        "\n"
        R"({"op":"user","text":"open bob@somewhere.com"})"
        "\n"
        R"({"op":"log","capture":"redacted"})"
        "\n"
        R"({"op":"user","text":"x","capture":"most"})"
        "\n");
    CHECK(holds(answers, "'log' does not write texts"));
    CHECK(holds(answers, "unknown capture mode 'most'"));
    for (const char* words : {"jo@somewhere", "confidential", "ann@somewhere", "hidden"}) {
      CHECK(file_with(spoor.folder.path, words).empty());
    }
    CHECK_FALSE(file_with(spoor.folder.path, "bob@somewhere").empty());
    CHECK(capture_of(spoor, "HEAD").empty());
    CHECK(capture_of(spoor, "HEAD~1") == "hashed");
    CHECK(capture_of(spoor, "HEAD~2") == "redacted");
  }

  TEST_CASE("batch: settings that change while it runs hold from the next request on") {
    Program spoor;
    spoor({"init"});
    // The store is changed by another program between two reads of standard input.
    struct Changing final : cli::Terminal {
      explicit Changing(Program& program) : spoor(program) {}
      bool write(cli::Stream, std::string_view) override { return true; }
      spoor::Result<std::size_t> read(std::span<char> buffer) override {
        std::string line;
        if (++reads == 1) line = "{\"op\":\"user\",\"text\":\"a1@somewhere.com\"}\n";
        if (reads == 2) {
          spoor({"config", "--in-store", "capture", "redacted"});
          line = "{\"op\":\"user\",\"text\":\"a2@somewhere.com\"}\n";
        }
        std::copy(line.begin(), line.end(), buffer.begin());
        return line.size();
      }
      bool is_tty(cli::Stream) const override { return false; }
      bool input_is_tty() const override { return false; }
      int width() const override { return 80; }
      int height() const override { return 24; }
      void start_pager(const std::string&) override {}
      spoor::Result<void> finish() override { return {}; }
      Program& spoor;
      int reads = 0;
    } terminal(spoor);
    const std::vector<std::string> words = {"batch"};
    CHECK(cli::run_command_line({terminal, spoor.environment, spoor.clock}, words) == 0);
    CHECK_FALSE(file_with(spoor.folder.path, "a1@somewhere").empty());
    CHECK(file_with(spoor.folder.path, "a2@somewhere").empty());
  }

  TEST_CASE("a line that asks for a mode is remembered under it, and makes no store") {
    Program spoor;
    const std::string line = "import --capture redacted jo@somewhere.com.jsonl";
    {
      Opened opened(spoor);
      const auto kept = opened.session.scrubbed(line, compile::Capture::redacted);
      REQUIRE(kept);
      REQUIRE(kept->has_value());
      CHECK_FALSE(holds(**kept, "jo@somewhere"));
      CHECK(opened.session.scrubbed(line, compile::Capture::full).value() == line);
      CHECK_FALSE(opened.session.scrubbed(line, compile::Capture::hashed)->has_value());
    }
    CHECK_FALSE(fs::exists(spoor.folder.path + "/.spoor"));
    spoor.environment.variables["SPOOR_CAPTURE"] = "redacted";
    {
      Opened opened(spoor);
      CHECK_FALSE(holds(*opened.session.scrubbed(line, compile::Capture::full).value(), "jo@"));
    }
    spoor({"init", "--capture", "hashed"});
    Opened opened(spoor);
    CHECK_FALSE(opened.session.scrubbed("user hello", compile::Capture::full)->has_value());
  }

  TEST_CASE("an import may be hashed, and the same session again adds nothing") {
    Program spoor;
    const std::string sample = SPOOR_SOURCE_DIR "/examples/data/sample-session.jsonl";
    REQUIRE(spoor({"import", "--capture", "hashed", sample}).status == 0);
    CHECK(capture_of(spoor, "HEAD") == "hashed");
    CHECK(spoor({"store", "fsck"}).status == 0);
    CHECK(holds(spoor({"import", "--capture", "hashed", sample}).out, "new: 0 turns, 0 notes"));
    // No text of the session is there: neither of turns, nor of records that are none.
    std::ifstream file(sample);
    for (std::string line; std::getline(file, line);) {
      const auto record = spoor::json::parse(line);
      if (!record) continue;
      const auto content = record->root().find("message").find("content");
      if (content.is_string() && content.text().size() > 20) {
        CHECK(file_with(spoor.folder.path, content.text()).empty());
      }
      for (const auto& block : content.elements()) {
        const std::string text = block.find("text").text();
        if (text.size() > 20) CHECK(file_with(spoor.folder.path, text).empty());
      }
    }
  }

  TEST_CASE(
      "of 5,000 made-up secrets given to batch none reaches the disk, and no look-alike is "
      "touched") {
    constexpr std::size_t kMany = 5'000;
    const auto secrets = guard::made_up_secrets(kMany, 20261127);
    const auto others = guard::look_alikes(kMany, 20261128);
    const guard::SecretFinder finder(secrets);
    const auto requests = [&](const auto& text_at) {
      std::string input;
      for (std::size_t i = 0; i < kMany; ++i) {
        const std::string text = spoor::json::write_string(text_at(i));
        switch (i % 4) {
          case 0:
            input += fmt::format(R"({{"op":"user","text":{}}})", text);
            break;
          case 1:
            input += fmt::format(R"({{"op":"assistant","text":"","tool_calls":[{{"id":"c{}",)"
                                 R"("name":"run","arguments":{{"command":{}}}}}]}})",
                                 i, text);
            break;
          case 2:
            input += fmt::format(R"({{"op":"user","text":"x","attach":[{{"text":{}}}]}})", text);
            break;
          default:
            input += fmt::format(R"({{"op":"user","text":"x","metadata":{{"about":{}}}}})", text);
            break;
        }
        input += '\n';
      }
      return input;
    };
    Program spoor;
    spoor({"init", "--capture", "redacted"});
    const auto made = spoor({"batch"}, requests([&](std::size_t i) { return secrets[i].text; }));
    CHECK_FALSE(holds(made.out, "\"error\""));
    CHECK(finder.found_in(spoor.folder.path) == std::vector<std::string>());

    Program other;
    other({"init", "--capture", "redacted"});
    const auto kept = other({"batch"}, requests([&](std::size_t i) { return others[i]; }));
    CHECK_FALSE(holds(kept.out, "\"error\""));
    CHECK(file_with(other.folder.path, "[REDACTED:").empty());
  }
}
