#include "cli/config.h"

#include <doctest/doctest.h>

#include "cli/files.h"
#include "tests/cli/program.h"
#include "tests/cli/temporary_folder.h"

using namespace spoor;
using namespace spoor::cli;
using spoor::test::TemporaryFolder;

TEST_SUITE("cli/config") {
  TEST_CASE("sections, strings, words, numbers and comments are read") {
    const auto values = parse_config(
        "# mine\nauthor = \"a \\\"b\\\"\" # me\n\n[keys]\ndirectory = '/x\\y'\n[n]\na = "
        "12\nb=true\n",
        "f");
    REQUIRE(values);
    CHECK(values.value().at("author") == "a \"b\"");
    CHECK(values.value().at("keys.directory") == "/x\\y");
    CHECK(values.value().at("n.a") == "12");
    CHECK(values.value().at("n.b") == "true");
  }

  TEST_CASE("a line that is not understood is named by its place") {
    const auto values = parse_config("a = 1\nb = [1]\n", "/home/x/config.toml");
    REQUIRE(!values);
    CHECK(values.error().message == "/home/x/config.toml:2: this line is not understood");
    CHECK(!parse_config("a = \"x\n", "f"));
    CHECK(!parse_config("a = \"x\" y\n", "f"));
    CHECK(!parse_config("just words\n", "f"));
  }

  TEST_CASE("setting a key changes its line and no other") {
    const std::string text = "# top\ncolor = \"auto\"\n\n[keys]\ndirectory = 'x' # there\n";
    CHECK(edited_config(text, "color", "never") ==
          "# top\ncolor = \"never\"\n\n[keys]\ndirectory = 'x' # there\n");
    CHECK(edited_config(text, "keys.directory", "y") ==
          "# top\ncolor = \"auto\"\n\n[keys]\ndirectory = \"y\"\n");
    CHECK(edited_config(text, "color", std::nullopt) ==
          "# top\n\n[keys]\ndirectory = 'x' # there\n");
  }

  TEST_CASE("a new key goes where its section is, or to a new one") {
    CHECK(edited_config("", "author", "me") == "author = \"me\"\n");
    CHECK(edited_config("[keys]\na = 1\n", "author", "me") == "author = \"me\"\n[keys]\na = 1\n");
    CHECK(edited_config("[keys]\na = 1\n[z]\n", "keys.directory", "d") ==
          "[keys]\na = 1\ndirectory = \"d\"\n[z]\n");
    CHECK(edited_config("a = 1\n", "keys.directory", "d") ==
          "a = 1\n\n[keys]\ndirectory = \"d\"\n");
  }

  TEST_CASE("what was set reads back, whatever it holds") {
    for (const std::string value : {"", "a\"b", "a\\b", "tab\tline\nend", "#x", "ü"}) {
      const auto values = parse_config(edited_config("", "keys.directory", value), "f");
      REQUIRE(values);
      CHECK(values.value().at("keys.directory") == value);
    }
  }

  TEST_CASE("environment goes before store, store before file, file before nothing") {
    const TemporaryFolder folder;
    MapEnvironment environment;
    environment.variables["XDG_CONFIG_HOME"] = folder.path;
    Config config(environment);
    CHECK(config.get("author").value().origin == "default");
    REQUIRE(config.set("author", "from file"));
    CHECK(config.get("author").value().text == "from file");
    config.ask_store([](std::string_view) { return std::optional<std::string>("from store"); });
    CHECK(config.get("author").value().text == "from store");
    environment.variables["SPOOR_AUTHOR"] = "from environment";
    CHECK(config.get("author").value().text == "from environment");
  }

  TEST_CASE("a store sets no pager") {
    MapEnvironment environment;
    Config config(environment);
    config.ask_store([](std::string_view) { return std::optional<std::string>("rm -rf ~"); });
    CHECK(config.get("pager").value().origin == "default");
  }

  TEST_CASE("an unknown setting is refused, with a suggestion") {
    MapEnvironment environment;
    Config config(environment);
    CHECK(config.get("autor").error().hint == "did you mean 'author'?");
  }

  TEST_CASE(
      "a line that cannot be read is in the way of its own setting alone, and can be mended") {
    const TemporaryFolder folder;
    MapEnvironment environment;
    environment.variables["XDG_CONFIG_HOME"] = folder.path;
    Config config(environment);
    REQUIRE(write_file(config.file_name(), "author = [x\ncolor = 'never'\n[keys]\ndirectory = y\n",
                       0600));
    CHECK(config.get("author").error().message ==
          config.file_name() + ":1: this line is not understood");
    CHECK(config.get("color").value().text == "never");
    CHECK_FALSE(config.file_values("keys."));
    REQUIRE(config.set("author", "me"));
    REQUIRE(config.set("keys.directory", std::nullopt));
    CHECK(read_file(config.file_name()).value() == "author = \"me\"\ncolor = 'never'\n[keys]\n");
  }

  TEST_CASE("a value that would make commands fail is refused when it is set") {
    spoor::test::Program spoor;
    spoor({"init"});
    for (const std::vector<std::string>& wrong :
         std::vector<std::vector<std::string>>{{"author", "a\nb"},
                                               {"author", ""},
                                               {"author", std::string(129, 'a')},
                                               {"model", "qwen3"},
                                               {"model", "ollama/"},
                                               {"keys.directory", "a\nb"},
                                               {"pager", "less\x1b[0m"},
                                               {"capture.fields", "raw=some"},
                                               {"redaction.rules", "/nowhere/rules.toml"}}) {
      CAPTURE(wrong[0]);
      for (const char* where : {"", "--in-store"}) {
        std::vector<std::string> words = {"config", wrong[0], wrong[1]};
        if (*where != 0) words.emplace_back(where);
        const auto refused = spoor(words);
        CHECK(refused.status == 1);
        CHECK(refused.err.find("hint: ") != std::string::npos);
      }
    }
    CHECK(spoor({"config", "model", "ollama/qwen3"}).status == 0);
    CHECK(spoor({"log"}).status == 0);
  }

  TEST_CASE("whatever the file says, settings can be mended and a store made") {
    for (const char* text : {"author = \"a\\nb\"\n", "author = [x\n", "what is this\n",
                             "patience = \"x\"\ncapture = [\n", "max-text = 'x'\n"}) {
      CAPTURE(std::string(text));
      spoor::test::Program spoor;
      spoor.environment.variables.erase("SPOOR_AUTHOR");
      const std::string file = spoor.folder.path + "/.config/spoor/config.toml";
      REQUIRE(write_file(file, text, 0600));
      CHECK(spoor({"init"}).status == 0);
      CHECK(spoor({"config"}).status == 0);
      CHECK(spoor({"user", "x"}).status == 1);  // It would be written otherwise than asked for.
      if (std::string(text) == "what is this\n") continue;
      for (const char* key : {"author", "patience", "capture", "max-text"}) {
        CHECK(spoor({"config", "--unset", key}).status == 0);
      }
      CHECK(spoor({"user", "x"}).status == 0);
    }
  }

  TEST_CASE("a file that is not understood is never edited") {
    const TemporaryFolder folder;
    MapEnvironment environment;
    environment.variables["XDG_CONFIG_HOME"] = folder.path;
    Config config(environment);
    REQUIRE(write_file(config.file_name(), "what is this\n", 0600));
    CHECK(!config.set("author", "me"));
    CHECK(read_file(config.file_name()).value() == "what is this\n");
  }
}
