#include "llm/key.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <ostream>

#include "tests/store/temp_dir.h"

using namespace spoor;
using Code = spoor::Error::Code;

namespace {

template <class T>
concept Printable = requires(std::ostream& out, const T& value) {
  out << value;
};
static_assert(!Printable<llm::Key>);
static_assert(!fmt::is_formattable<llm::Key>::value);

std::filesystem::path write_key(const std::filesystem::path& path, std::string_view text,
                                mode_t mode) {
  std::ofstream(path, std::ios::binary) << text;
  REQUIRE(::chmod(path.c_str(), mode) == 0);
  return path;
}

}  // namespace

TEST_SUITE("llm/key") {
  TEST_CASE("white space around a key is not part of it") {
    CHECK(llm::make_key(" \tsk-abc\r\n", "test").value().secret() == "sk-abc");
  }

  TEST_CASE("what cannot stand in a header is no key") {
    for (const std::string_view bad :
         {std::string_view("a\nb"), std::string_view("a b"), std::string_view("a\x1b[0m"),
          std::string_view("a\0b", 3), std::string_view("schl\xc3\xbcssel"),
          std::string_view("a\x7f")}) {
      const auto key = llm::make_key(bad, "the test");
      REQUIRE_FALSE(key);
      CHECK(key.error().code == Code::invalid);
      CHECK(key.error().message.find(bad) == std::string::npos);
    }
    CHECK(llm::make_key(std::string(8193, 'k'), "test").error().code == Code::invalid);
    CHECK(llm::make_key(" \n", "test").error().code == Code::denied);
  }

  TEST_CASE("a provider that needs a key says which variable has none") {
    const auto anthropic = llm::find_profile("anthropic").value();
    CHECK(llm::key_from_variable(anthropic, "k").value().secret() == "k");
    for (const auto& value : {std::optional<std::string>(), std::optional<std::string>("  ")}) {
      const auto key = llm::key_from_variable(anthropic, value);
      CHECK(key.error().code == Code::denied);
      CHECK(key.error().hint == "set ANTHROPIC_API_KEY");
    }
    const auto ollama = llm::find_profile("ollama").value();
    CHECK(llm::key_from_variable(ollama, std::nullopt).value().empty());
    CHECK(llm::key_from_variable(ollama, "k").value().secret() == "k");
  }

  TEST_CASE("a key file is read when nobody else can") {
    const store::TempDir folder;
    const auto path = write_key(folder / "key", "sk-abc\n", 0600);
    CHECK(llm::key_from_file(path).value().secret() == "sk-abc");
    REQUIRE(::chmod(path.c_str(), 0400) == 0);
    CHECK(llm::key_from_file(path).value().secret() == "sk-abc");
  }

  TEST_CASE("a key file that others may read is refused, and the hint is the command") {
    const store::TempDir folder;
    for (const mode_t mode : {0644, 0640, 0604, 0620, 0601}) {
      const auto path = write_key(folder / "key", "sk-abc", mode);
      const auto key = llm::key_from_file(path);
      REQUIRE_FALSE(key);
      CHECK(key.error().code == Code::denied);
      CHECK(key.error().hint == "chmod 600 '" + path.string() + "'");
    }
  }

  TEST_CASE("what is no file, or not there, is no key file") {
    const store::TempDir folder;
    CHECK(llm::key_from_file(folder / "none").error().code == Code::not_found);
    CHECK(llm::key_from_file(folder.path()).error().code == Code::denied);
    const std::filesystem::path pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(llm::key_from_file(pipe).error().code == Code::denied);
    const auto empty = write_key(folder / "empty", "", 0600);
    CHECK(llm::key_from_file(empty).error().code == Code::denied);
  }

  TEST_CASE("a key is taken out of a text") {
    const llm::Key key = llm::make_key("sk-12345", "test").value();
    CHECK(llm::without_key("bad key sk-12345, sk-12345sk-12345", key) ==
          "bad key [REDACTED:known-key], [REDACTED:known-key][REDACTED:known-key]");
    CHECK(llm::without_key("nothing", {}) == "nothing");
  }

  TEST_CASE("a placeholder for a key leaves other words as they are") {
    const llm::Key key = llm::make_key("none", "test").value();
    CHECK(llm::without_key("nonetheless, none was found", key) == "nonetheless, none was found");
  }
}
