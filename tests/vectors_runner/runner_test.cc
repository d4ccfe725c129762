#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/vectors_runner/formats.h"
#include "tests/vectors_runner/play.h"
#include "tests/vectors_runner/rename.h"

using namespace spoor;
using vectors::BadVector;
using vectors::Json;

namespace {

// A file of one vector with these ops and expectations.
Json file_with(const Json& ops, const Json& expect) {
  const Json vector = {
      {"name", "v"}, {"family", "f"}, {"origin", "new"}, {"ops", ops}, {"expect", expect}};
  return {{"format", "spoor-graph-1"}, {"area", "commit"}, {"vectors", Json::array({vector})}};
}

vectors::Vector vector_of(const Json& ops, const Json& expect) {
  return vectors::parse_vectors(file_with(ops, expect), "test").at(0);
}

std::vector<std::string> play(const Json& ops, const Json& expect) {
  return vectors::play(*testing::memory_backend(), vector_of(ops, expect));
}

const Json kUser = {{"op", "user"}, {"text", "a"}, {"id", "x"}};
const Json kOne = Json::array({kUser});

// One or two plain words may be anybody's.
bool is_own(const std::string& text) {
  return text.find('_') != std::string::npos || std::count(text.begin(), text.end(), ' ') >= 2;
}

// Every string of 12 bytes or more that a vector calls itself or writes.
void collect_texts(const Json& value, std::set<std::string>& texts) {
  for (const auto& [key, item] : value.items()) {
    if (value.is_object() && (key == "name" || key == "text") && item.is_string()) {
      const auto text = item.get<std::string>();
      if (text.size() >= 12 && is_own(text)) texts.insert(text);
    }
    if (item.is_structured()) collect_texts(item, texts);
  }
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_SUITE("vectors_runner") {
  TEST_CASE("what is not in the format is refused, not passed over") {
    const auto refuses = [](const Json& ops, const Json& expect) {
      CHECK_THROWS_AS(vector_of(ops, expect), BadVector);
    };
    refuses(Json::array({{{"op", "telepathy"}}}), Json::object());
    refuses(Json::array({{{"op", "user"}}}), Json::object());
    refuses(Json::array({{{"op", "user"}, {"text", "a"}, {"colour", 1}}}), Json::object());
    refuses(Json::array({{{"op", "reopen"}, {"expect_error", "io"}}}), Json::object());
    refuses(Json::array({{{"op", "user"}, {"text", "a"}, {"expect_error", "bad_luck"}}}), Json());
    refuses(Json::array({kUser, kUser}), Json::object());
    refuses(kOne, {{"heads", 1}});
    refuses(kOne, {{"x.colour", 1}});
    refuses(kOne, {{"y", 1}});
    refuses(kOne, {{"x.starts_with", "a"}});
    refuses(Json::array({{{"op", "compile"}, {"id", "c"}}}), {{"c.colour", 1}});
  }

  TEST_CASE("another format or another field of the file is refused") {
    Json file = file_with(kOne, Json::object());
    file["format"] = "spoor-graph-2";
    CHECK_THROWS_AS(vectors::parse_vectors(file, "test"), BadVector);
    file = file_with(kOne, Json::object());
    file["comment"] = "";
    CHECK_THROWS_AS(vectors::parse_vectors(file, "test"), BadVector);
  }

  TEST_CASE("a file is read as the format it names, and an unknown one is refused") {
    namespace fs = std::filesystem;
    const fs::path file = fs::temp_directory_path() / "spoor-vectors-runner-test.json";
    const auto read = [&](const Json& json) {
      std::ofstream(file) << json.dump();
      return vectors::read_file(file.string(), {});
    };
    Json graph = file_with(kOne, Json::object());
    CHECK(read(graph).size() == 1);
    graph["format"] = "spoor-graph-2";
    CHECK_THROWS_AS(read(graph), BadVector);
    CHECK_THROWS_AS(read(Json::array()), BadVector);
    fs::remove(file);
    CHECK_THROWS_AS(vectors::read_file(file.string(), {}), BadVector);
  }

  TEST_CASE("a rationale vector that is not in the format is refused, one that fails says so") {
    const Json vector = {{"name", "v"},
                         {"kind", "validate"},
                         {"family", "f"},
                         {"origin", "basic"},
                         {"input", {{"value", {{"why", "w"}}}}},
                         {"expect", {{"strict", "ok"}, {"lenient", {{"why", "w"}}}}}};
    const auto read = [](const Json& json, bool rename = false) {
      const Json file = {
          {"format", "spoor-rationale-1"}, {"area", "validate"}, {"vectors", Json::array({json})}};
      return vectors::kRationaleFormat.read(file, "test", {rename}).at(0);
    };
    const auto changed = [&](const char* pointer, const Json& value) {
      Json json = vector;
      json[Json::json_pointer(pointer)] = value;
      return json;
    };
    CHECK(read(vector).play(nullptr).empty());
    CHECK_THROWS_AS(read(vector, true), BadVector);
    CHECK_THROWS_AS(read(changed("/kind", "telepathy")), BadVector);
    CHECK_THROWS_AS(read(changed("/colour", 1)), BadVector);
    CHECK_THROWS_AS(read(changed("/tags", {"new"})), BadVector);
    CHECK_THROWS_AS(read(changed("/input/text", "")), BadVector);
    CHECK_THROWS_AS(read(changed("/expect/blocks", Json::object())), BadVector);
    CHECK(read(changed("/expect/strict", "error")).play(nullptr).size() == 1);
    CHECK(read(changed("/expect/lenient", Json())).play(nullptr).size() == 2);
    CHECK(read(changed("/input/value", 1)).play(nullptr).size() == 2);
  }

  TEST_CASE("an expectation that does not hold is told with both values") {
    const auto problems = play(kOne, {{"head", "nobody"}});
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].find("nobody") != std::string::npos);
  }

  TEST_CASE("an error that was not expected, another one, or none, fails the vector") {
    const Json unknown = {{"op", "resolve"}, {"rev", "nosuch"}};
    CHECK(play(Json::array({unknown}), Json::object()).size() == 1);
    Json other = unknown;
    other["expect_error"] = "conflict";
    CHECK(play(Json::array({other}), Json::object()).size() == 1);
    other["expect_error"] = "not_found";
    CHECK(play(Json::array({other}), Json::object()).empty());
    Json fine = kUser;
    fine["expect_error"] = "invalid";
    CHECK(play(Json::array({fine}), Json::object()).size() == 1);
  }

  TEST_CASE("each suffix compares as it says") {
    const Json ops = Json::array({kUser, {{"op", "compile"}, {"id", "c"}}});
    const auto holds = [&](const Json& expect) { return play(ops, expect).empty(); };
    CHECK(holds({{"c.contents", {"a"}}, {"c.contents.has", "a"}, {"c.contents.len", 1}}));
    CHECK(holds({{"c.count", 1.0}, {"c.count.max", 1}, {"c.count.not", true}}));
    CHECK(holds({{"c.contents.lacks", "b"}, {"c.contents.prefix", Json::array()}}));
    CHECK(holds({{"c.hashes", {"$x"}}, {"exists.$x", true}, {"x.contains", "$x"}}));
    CHECK_FALSE(holds({{"c.contents.has", "b"}}));
    CHECK_FALSE(holds({{"c.contents.len", 2}}));
    CHECK_FALSE(holds({{"c.count.max", 0}}));
    CHECK_FALSE(holds({{"c.contents.lacks", "a"}}));
    CHECK_FALSE(holds({{"c.contents.prefix", {"b"}}}));
    CHECK_FALSE(holds({{"c.openai[0].content.json", {"a"}}}));
    CHECK_FALSE(holds({{"c.contents[7]", "a"}}));
  }

  TEST_CASE("a vector whose bindings are renamed uses none of the old names") {
    const Json edit = {{"op", "edit"}, {"target", "$x"}, {"text", "$x costs $5"}};
    const auto vector =
        vectors::renamed(vector_of(Json::array({kUser, edit}), {{"head.not", "$x"}}));
    CHECK(vector.ops[1]["target"] == "$other_x");
    CHECK(vector.ops[1]["text"] == "$x costs $5");
    CHECK(vector.expect == Json({{"head.not", "$other_x"}}));
    CHECK(vectors::play(*testing::memory_backend(), vector).empty());
  }

  TEST_CASE("no vector's name or text occurs in the library") {
    namespace fs = std::filesystem;
    const fs::path root = SPOOR_SOURCE_DIR;
    std::set<std::string> texts;
    for (const auto& file : fs::recursive_directory_iterator(root / "tests/vectors")) {
      if (file.path().extension() != ".json") continue;
      collect_texts(Json::parse(bytes_of(file.path())), texts);
    }
    CHECK(texts.size() > 100);
    for (const auto& file : fs::recursive_directory_iterator(root / "src")) {
      if (!file.is_regular_file()) continue;
      const std::string source = bytes_of(file.path());
      for (const std::string& text : texts) {
        INFO(file.path().string(), ": ", text);
        CHECK(source.find(text) == std::string::npos);
      }
    }
  }
}
