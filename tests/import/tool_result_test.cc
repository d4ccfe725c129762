#include "import/claude_code/tool_result.h"

#include <doctest/doctest.h>

#include <string>

#include "llm/item_shape.h"

using namespace spoor;
using namespace spoor::import::claude_code;
using spoor::llm::find_shape;
using spoor::llm::provider_items;
namespace json = spoor::json;
using spoor::compile::Turn;
using spoor::compile::Type;

namespace {

std::string novel(const std::string& structured, const std::string& text,
                  const std::string& arguments = "{}") {
  const auto document = json::parse(structured);
  const json::Value root = document.value().root();
  spoor::import::Taken taken;
  spoor::import::LossReport::Counts counts;
  take_known(root, text, arguments, taken);
  return taken.rest(root, counts);
}

std::optional<std::string> shape_of(const std::string& item, const Turn& turn) {
  return find_shape({json::parse(item).value().root()}, turn);
}

}  // namespace

TEST_SUITE("import/tool_result") {
  TEST_CASE("output that is the result says nothing new") {
    CHECK(novel(R"({"stdout":"a\nb","stderr":"","interrupted":false})", "a\nb").empty());
    CHECK(novel(R"("Error: no such file")", "no such file").empty());
    CHECK(novel(R"("no such file")", "no such file").empty());
  }

  TEST_CASE("output that was cut off in the result stays") {
    CHECK(novel(R"({"stdout":"a\nb\nc","stderr":"","path":"/x"})", "a\nb") ==
          R"({"stdout":"a\nb\nc","path":"/x"})");
    CHECK(novel(R"("User rejected")", "The user said no") == R"("User rejected")");
  }

  TEST_CASE("a file is compared without its line numbers") {
    const std::string text = "     3→one\n     4→\ttwo\n";
    const std::string whole =
        R"({"type":"text","file":{"filePath":"a.txt","content":"one\n\ttwo","numLines":2,"startLine":3,"totalLines":4}})";
    CHECK(novel(whole, text, R"({"file_path":"a.txt"})").empty());
    CHECK(novel(whole, text, "{}") == R"({"file":{"filePath":"a.txt"}})");
    CHECK(novel(R"({"type":"text","file":{"content":"one\n\ttwo","totalLines":90}})", text) ==
          R"({"file":{"totalLines":90}})");
  }

  TEST_CASE("what an edit was given is known, what was there before is not") {
    CHECK(novel(R"({"filePath":"a","oldString":"x","originalFile":"wxy","replaceAll":false})",
                "done", R"({"file_path":"a","old_string":"x"})") == R"({"originalFile":"wxy"})");
  }

  TEST_CASE("a short word that happens to occur in the result stays") {
    CHECK(novel(R"({"status":"ok","content":"ok"})", "all is ok here") ==
          R"({"status":"ok","content":"ok"})");
  }

  TEST_CASE("arguments that are no JSON know nothing") {
    CHECK(novel(R"({"filePath":"a"})", "done", "{torn") == R"({"filePath":"a"})");
  }
}

TEST_SUITE("import/shape") {
  TEST_CASE("each form of a result has its letter") {
    Turn turn{.type = Type::tool, .text = "12 \"a\""};
    turn.fields.call_id = "c";
    CHECK(shape_of(R"({"tool_use_id":"c","type":"tool_result","content":"12 \"a\""})", turn) ==
          "r");
    CHECK(shape_of(
              R"({"tool_use_id":"c","type":"tool_result","content":"12 \"a\"","is_error":false})",
              turn) == "f");
    CHECK(
        shape_of(
            R"({"tool_use_id":"c","type":"tool_result","content":[{"type":"text","text":"12 \"a\""}]})",
            turn) == "r[t]");
    turn.fields.is_error = true;
    CHECK(
        shape_of(R"({"tool_use_id":"c","type":"tool_result","content":"12 \"a\"","is_error":true})",
                 turn) == "g");
    CHECK(
        shape_of(R"({"type":"tool_result","content":"12 \"a\"","is_error":true,"tool_use_id":"c"})",
                 turn) == "e");
  }

  TEST_CASE("any other form has none") {
    Turn turn{.type = Type::tool, .text = "x"};
    turn.fields.call_id = "c";
    CHECK_FALSE(shape_of(R"({"tool_use_id":"c","type":"tool_result","content":"\u0078"})", turn));
    CHECK_FALSE(shape_of(R"({"tool_use_id":"c", "type":"tool_result","content":"x"})", turn));
    CHECK_FALSE(shape_of(R"({"tool_use_id":"d","type":"tool_result","content":"x"})", turn));
    CHECK_FALSE(shape_of(R"({"tool_use_id":"c","type":"tool_result","content":"x","a":1})", turn));
    CHECK_FALSE(shape_of(R"("x")", {.type = Type::user, .text = "y"}));
    CHECK_FALSE(shape_of(R"("")", {.type = Type::user, .text = "left over"}));
  }

  TEST_CASE("a shape that does not fit its turn is corrupt") {
    Turn turn{.type = Type::assistant, .text = "x"};
    turn.facts.set_text("shape", "tu");
    CHECK(provider_items(turn).error().code == spoor::Error::Code::corrupt);
    turn.facts.set_text("shape", "z");
    CHECK(provider_items(turn).error().code == spoor::Error::Code::corrupt);
    Turn tool{.type = Type::tool, .text = "x"};
    tool.facts.set_text("shape", "r[");
    CHECK_FALSE(provider_items(tool).has_value());
    tool.facts.set_text("shape", "rt");
    CHECK_FALSE(provider_items(tool).has_value());
  }

  TEST_CASE("a turn without a shape has the items of its type, if its importer left them out") {
    Turn turn{.type = Type::user, .text = "Is it \"low\"?"};
    CHECK(provider_items(turn).value().empty());
    turn.facts.set_text("source", "codex");
    CHECK(provider_items(turn).value().empty());
    turn.facts.set_text("source", "claude-code");
    CHECK(provider_items(turn).value() == std::vector<std::string>{R"("Is it \"low\"?")"});
    turn.facts.set_text("source", "anthropic-messages");
    CHECK(provider_items(turn).value().empty());
    turn.type = Type::assistant;
    CHECK(provider_items(turn).value() ==
          std::vector<std::string>{R"({"type":"text","text":"Is it \"low\"?"})"});
    turn.raw.push_back({"as it came"});
    CHECK(provider_items(turn).value() == std::vector<std::string>{"as it came"});
  }
}
