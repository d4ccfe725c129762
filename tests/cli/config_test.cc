#include "cli/settings/config.h"

#include <doctest/doctest.h>

#include "base/files.h"
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

  TEST_CASE("every construct of TOML is read, and a setting has one name in all of them") {
    const auto values = parse_config(
        "a.b = \"dotted\"\n"
        "\"c.d\" = 'in quotes'\n"
        "e = {f = \"inline\", g = true}\n"
        "long = \"\"\"\none \\\n  line\"\"\"\n"
        "literal = '''\na\\b 'c' '''\n"
        "number = 1_000\nhexadecimal = 0x10\nescape = \"\\u00e9\"\n"
        "[h.\"i j\"]\nk = 1\n",
        "f");
    REQUIRE(values);
    const ConfigValues wanted = {
        {"a.b", "dotted"},    {"c.d", "in quotes"},     {"e.f", "inline"},  {"e.g", "true"},
        {"long", "one line"}, {"literal", "a\\b 'c' "}, {"number", "1000"}, {"hexadecimal", "16"},
        {"escape", "\u00e9"}, {"h.i j.k", "1"}};
    CHECK(values.value() == wanted);
  }

  TEST_CASE("a value that no setting can have is an error of its setting alone") {
    const ConfigFile file = read_config(
        "author = 'me'\nlist = [\n  1, # one\n  2,\n]\nday = 2026-11-26\nreal = 1.5\n"
        "\"k.a\" = 1\n[k]\na = 2\n[[many]]\nx = 1\n",
        "f");
    CHECK(file.values == ConfigValues{{"author", "me"}});
    REQUIRE(file.wrong.size() == 5);
    CHECK(file.wrong.at("list").message ==
          "f:2: 'list' is not a string, an integer, true or false");
    CHECK(file.wrong.at("day").message.starts_with("f:6: "));
    CHECK(file.wrong.at("real").message.starts_with("f:7: "));
    CHECK(file.wrong.at("k.a").message.ends_with("'k.a' is set twice"));
    CHECK(file.wrong.count("many") == 1);
  }

  TEST_CASE("an error names line and column of what is not TOML") {
    const auto values = parse_config("a = 1\nb = c\n", "/home/x/config.toml");
    REQUIRE(!values);
    CHECK(values.error().message.starts_with("/home/x/config.toml:2:5: "));
    CHECK(values.error().hint.find("TOML") != std::string::npos);
    for (const char* text : {"a = \"x\n", "a = \"x\" y\n", "just words\n", "a = 1\na = 2\n",
                             "a = 1\n[a]\nb = 1\n", "a = \"\xff\"\n"}) {
      CAPTURE(std::string(text));
      CHECK(read_config(text, "f").broken);
    }
    CHECK(read_config("a = \"" + std::string(1U << 18U, 'x') + "\"", "f").broken);
  }

  const auto edited = [](std::string_view text, std::string_view key,
                         const std::optional<std::string>& value) {
    const auto changed = edited_config(text, "f", key, value);
    return changed ? *changed : "error: " + changed.error().message;
  };

  TEST_CASE("setting a key changes its value and no other byte") {
    const std::string text = "# top\r\ncolor = \"auto\"\n\n[keys]\ndirectory = 'x' # there";
    CHECK(edited(text, "color", "never") ==
          "# top\r\ncolor = \"never\"\n\n[keys]\ndirectory = 'x' # there");
    CHECK(edited(text, "keys.directory", "y") ==
          "# top\r\ncolor = \"auto\"\n\n[keys]\ndirectory = \"y\" # there");
    CHECK(edited(text, "color", std::nullopt) == "# top\r\n\n[keys]\ndirectory = 'x' # there");
    CHECK(edited(text, "author", std::nullopt) == text);
    CHECK(edited("\ufeff\"\u00e9\" = {\"\u00e9\" = 1, author = '\u00e9'}\n", "\u00e9.author",
                 "y") == "\ufeff\"\u00e9\" = {\"\u00e9\" = 1, author = \"y\"}\n");
    CHECK(edited("author = \"\"\"\na\nb\"\"\" # c\nx = [\n 1]\n", "author", "y") ==
          "author = \"y\" # c\nx = [\n 1]\n");
    CHECK(edited("author = \"\"\"\na\nb\"\"\" # c\nx = [\n 1]\n", "author", std::nullopt) ==
          "x = [\n 1]\n");
    CHECK(edited("author = [\n1]\n", "author", "y") == "author = \"y\"\n");
    CHECK(edited("keys.directory = 1\n", "keys.directory", "y") == "keys.directory = \"y\"\n");
    CHECK(edited("keys.directory = 1\n", "keys.directory", std::nullopt).empty());
  }

  TEST_CASE("a new key is added to its section, or to a new one") {
    CHECK(edited("", "author", "me") == "author = \"me\"\n");
    CHECK(edited("\ufeff", "author", "me") == "\ufeff\x61uthor = \"me\"\n");
    CHECK(edited("[keys]\na = 1\n", "author", "me") == "author = \"me\"\n[keys]\na = 1\n");
    CHECK(edited("[keys]\na = 1\n[z]\n", "keys.directory", "d") ==
          "[keys]\na = 1\ndirectory = \"d\"\n[z]\n");
    CHECK(edited("[keys]\na = [\n1\n]\n# end\n[z]\n", "keys.directory", "d") ==
          "[keys]\na = [\n1\n]\ndirectory = \"d\"\n# end\n[z]\n");
    CHECK(edited("a = 1", "author", "d") == "a = 1\nauthor = \"d\"\n");
    CHECK(edited("a = 1\n", "keys.directory", "d") == "a = 1\n\n[keys]\ndirectory = \"d\"\n");
    CHECK(edited("[keys.x]\na = 1\n", "keys.directory", "d") ==
          "[keys.x]\na = 1\n\n[keys]\ndirectory = \"d\"\n");
  }

  TEST_CASE("a setting is never added where TOML has no place for it") {
    CHECK(edited("keys.a = 1\n[z]\n", "keys.directory", "d") ==
          "\"keys.directory\" = \"d\"\nkeys.a = 1\n[z]\n");
    CHECK(edited("keys = {a = 1}\n", "keys.directory", "d") ==
          "\"keys.directory\" = \"d\"\nkeys = {a = 1}\n");
    // 'capture' is a setting and would be a section too.
    CHECK(edited("capture = 'full'\n", "capture.fields", "d") ==
          "capture = 'full'\n\"capture.fields\" = \"d\"\n");
    CHECK(edited("[capture]\nfields = 'd'\n", "capture.fields", "e") ==
          "[capture]\nfields = \"e\"\n");
    CHECK(edited("[capture]\nfields = 'd'\n", "capture", "full")
              .starts_with("error: cannot add 'capture' to f without"));
  }

  TEST_CASE("a setting is removed with its line, or not at all") {
    CHECK(edited("keys = {directory = 'd', a = 1}\n", "keys.directory", std::nullopt) ==
          "error: f:1: cannot change 'keys.directory' without a change to another setting");
    CHECK(edited("\"k.a\" = 1\n[k]\na = 2\n", "k.a", "x").starts_with("error: f:"));
  }

  TEST_CASE("what was set reads back, whatever it holds") {
    for (const std::string value :
         {"", "a\"b", "a\\b", "tab\tline\nend", "#x", "\u00fc", "\x01\x7f\r", "'''\"\"\""}) {
      const auto text = edited_config("", "f", "keys.directory", value);
      REQUIRE(text);
      const auto values = parse_config(*text, "f");
      REQUIRE(values);
      CHECK(values.value().at("keys.directory") == value);
    }
    CHECK_FALSE(edited_config("", "f", "author", "\xff"));
    CHECK_FALSE(edited_config("", "f", "author", std::string(1, '\0')));
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

  TEST_CASE("a value of a wrong type is an error of its own setting alone, and can be replaced") {
    const TemporaryFolder folder;
    MapEnvironment environment;
    environment.variables["XDG_CONFIG_HOME"] = folder.path;
    Config config(environment);
    REQUIRE(write_file(config.file_name(),
                       "author = ['x']\ncolor = 'never'\n[keys]\ndirectory = 1.5\n", 0600));
    CHECK(config.get("author").error().message ==
          config.file_name() + ":1: 'author' is not a string, an integer, true or false");
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

  TEST_CASE("a wrong value can be corrected with 'config', and does not stop 'init'") {
    for (const char* text : {"author = \"a\\nb\"\n", "author = ['x']\n",
                             "patience = \"x\"\ncapture = []\n", "max-text = 'x'\n"}) {
      CAPTURE(std::string(text));
      spoor::test::Program spoor;
      spoor.environment.variables.erase("SPOOR_AUTHOR");
      const std::string file = spoor.folder.path + "/.config/spoor/config.toml";
      REQUIRE(write_file(file, text, 0600));
      CHECK(spoor({"init"}).status == 0);
      CHECK(spoor({"config"}).status == 0);
      CHECK(spoor({"user", "x"}).status == 1);  // It would be written otherwise than asked for.
      for (const char* key : {"author", "patience", "capture", "max-text"}) {
        CHECK(spoor({"config", "--unset", key}).status == 0);
      }
      CHECK(spoor({"user", "x"}).status == 0);
    }
  }

  TEST_CASE("a file that is not TOML is never edited, and commands that need a setting fail") {
    for (const char* text :
         {"what is this\n", "author = [x\n", "author = 'a'\ncolor = never\n", "a = \"\xff\"\n"}) {
      CAPTURE(std::string(text));
      spoor::test::Program spoor;
      spoor.environment.variables.erase("SPOOR_AUTHOR");
      const std::string file = spoor.folder.path + "/.config/spoor/config.toml";
      REQUIRE(write_file(file, text, 0600));
      CHECK(spoor({"init"}).status == 0);
      const auto listed = spoor({"config"});
      CHECK(listed.status == 0);
      CHECK(listed.err.find(file) != std::string::npos);
      for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
               {"user", "x"}, {"config", "author", "me"}, {"config", "--unset", "author"}}) {
        const auto refused = spoor(words);
        CHECK(refused.status == 1);
        CHECK(refused.err.find(file) != std::string::npos);
        CHECK(refused.err.find("hint: ") != std::string::npos);
      }
      CHECK(read_file(file).value() == text);
    }
  }

  TEST_CASE("the error of a setting names it, and is none if the environment answers") {
    const TemporaryFolder folder;
    MapEnvironment environment;
    environment.variables["XDG_CONFIG_HOME"] = folder.path;
    Config config(environment);
    REQUIRE(write_file(config.file_name(), "what is this\n", 0600));
    CHECK(config.get("author").error().message.starts_with(
        "cannot read the setting 'author': " + config.file_name() + ":1:6: "));
    environment.variables["SPOOR_AUTHOR"] = "me";
    CHECK(config.get("author").value().text == "me");
  }
}
