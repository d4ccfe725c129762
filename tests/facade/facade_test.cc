// What a C++ program can do with <spoor/spoor.h> and <spoor/json.h>.
#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "spoor/json.h"

using spoor::Branch;
using spoor::Id;
using spoor::Model;
using spoor::Store;
using spoor::ToolCall;

namespace {

struct Greeting {
  std::string name;
  std::optional<int> times;
  std::vector<std::string> marks;
  static void members(auto&& member) {
    member("name", &Greeting::name, "who");
    member("times", &Greeting::times, "how often");
    member("marks", &Greeting::marks, "what follows");
  }
};

std::string asks_for(const std::string& tool, const nlohmann::json& input) {
  return nlohmann::json{{"action", tool}, {"action_input", input}}.dump();
}

}  // namespace

TEST_SUITE("facade/store") {
  TEST_CASE("a turn keeps its text, its call and its metadata") {
    const Store store = Store::in_memory();
    Branch branch = store.branch("main");
    const ToolCall call{"c1", "list", R"({"path":"."})"};
    const Id asked = branch.user("what is here?", {{"ticket", 12}}).value();
    branch.reasoning("look", {{"by", "hand"}}).value();
    const Id answer = branch.assistant("", {call}, nlohmann::json::object()).value();
    const Id result = branch.tool("nothing", call, true, {{"ms", 3}}).value();

    CHECK(store.turn(asked)->text == "what is here?");
    CHECK(nlohmann::json::parse(store.turn(asked)->metadata) == nlohmann::json{{"ticket", 12}});
    CHECK(store.turn(asked)->type == "user");
    CHECK(store.turn(answer)->calls == std::vector{call});
    CHECK(store.turn(answer)->metadata == "{}");
    const spoor::Turn tool = store.turn(result).value();
    CHECK(tool.call_id == "c1");
    CHECK(tool.tool == "list");
    CHECK(tool.is_error);
    CHECK(tool.parents == std::vector{answer});
    CHECK(tool.time.has_value());
    CHECK(branch.user("x", nlohmann::json::array()).error().code == spoor::Error::Code::invalid);
    CHECK(branch.tip().value() == result);
  }

  TEST_CASE("shorthands with and without metadata make the same prompt") {
    const auto prompt_of = [](bool with_metadata) {
      const Store store = Store::in_memory();
      Branch branch = store.branch("main");
      if (with_metadata) {
        const nlohmann::json note = {{"a", 1}};
        branch.system("s", note).value();
        branch.user("u", note).value();
        branch.assistant("a", {}, note).value();
      } else {
        branch.system("s").value();
        branch.user("u").value();
        branch.assistant("a").value();
      }
      return branch.compile()->render(spoor::Format::anthropic);
    };
    CHECK(prompt_of(true) == prompt_of(false));
  }

  TEST_CASE("a log is newest first, and ends when its visitor does") {
    const Store store = Store::in_memory();
    Branch branch = store.branch("main");
    for (const char* text : {"one", "two", "three"}) branch.user(text).value();
    std::vector<std::string> texts;
    store
        .log(branch.tip()->value(),
             [&](const spoor::Turn& turn) {
               texts.push_back(turn.text);
               return texts.size() < 2;
             })
        .value();
    CHECK(texts == std::vector<std::string>{"three", "two"});
    CHECK(store.resolve("main~2").value() ==
          store.turn(store.resolve("main~1").value())->parents.at(0));
    CHECK(store.resolve("nosuch").error().code == spoor::Error::Code::not_found);
  }

  TEST_CASE("an edit, a pin and a skip change later prompts, and a fork has its own") {
    const Store store = Store::in_memory();
    Branch branch = store.branch("main");
    const Id first = branch.user("wrong").value();
    const Id second = branch.user("needless").value();
    const Id before = branch.tip()->value();
    Branch other = branch.fork("other").value();
    branch.edit(first, "right").value();
    branch.skip(second, "not needed").value();
    const auto prompt = branch.compile().value();
    REQUIRE(prompt.messages().size() == 1);
    CHECK(prompt.messages()[0].text == "right");
    CHECK(store.compile(before)->messages().size() == 2);
    CHECK(other.compile()->hash() == store.compile(before)->hash());
    branch.pin(first).value();
    branch.user("newest").value();
    const auto window = branch.compile({.window = 1}).value();
    CHECK(window.messages().size() == 2);
    CHECK(branch.fork("other").error().code == spoor::Error::Code::conflict);
    CHECK(store.branches().value() == std::vector<std::string>{"main", "other"});
  }

  TEST_CASE("a store is a file that another handle reads, and a second one is not made over it") {
    const std::string folder =
        std::filesystem::temp_directory_path() / ("facade-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string path = folder + "/a.spoor";
    CHECK(Store::open(path).error().code == spoor::Error::Code::not_found);
    const Id id = Store::create(path, {.author = "ada"})->branch("main").user("kept").value();
    CHECK(Store::open(path)->turn(id)->author == "ada");
    CHECK(Store::create(path).error().code == spoor::Error::Code::conflict);
    CHECK_FALSE(Store::open(path, {.read_only = true})->branch("main").user("no"));
    std::filesystem::remove_all(folder);
  }

  TEST_CASE("a command answers with its document") {
    const Store store = Store::in_memory();
    CHECK(nlohmann::json::parse(store.call("sessions").value()).at("sessions").empty());
    CHECK(store.call("cost", R"({"by": "model"})").has_value());
    CHECK(store.call("nosuch").error().code == spoor::Error::Code::not_found);
    CHECK(store.call("cost", "[]").error().code == spoor::Error::Code::invalid);
    CHECK(store.call("cost", R"({"nosuch": 1})").error().code == spoor::Error::Code::invalid);
  }
}

TEST_SUITE("facade/model") {
  TEST_CASE("an answer is committed, with the request that led to it") {
    const Store store = Store::in_memory();
    const Model model = Model::scripted({"Because of Rayleigh."});
    std::string streamed;
    spoor::AskOptions options;
    options.on_text = [&](std::string_view piece) { streamed += piece; };
    Branch branch = store.branch("main");
    const auto answer = branch.chat("Why is the sky blue?", model, options).value();
    CHECK(answer.text == "Because of Rayleigh.");
    CHECK(streamed == answer.text);
    CHECK(branch.tip().value() == answer.commit);
    CHECK(store.sent_request(answer.commit)->find("Why is the sky blue?") != std::string::npos);
    CHECK(store.sent_request(store.resolve("main~1").value()).error().code ==
          spoor::Error::Code::invalid);
    CHECK_FALSE(branch.chat("And now?", model));  // The script is over; the question is kept.
    CHECK(store.turn(branch.tip()->value())->text == "And now?");
  }

  TEST_CASE("a model is opened by its name, with a key") {
    CHECK(Model::open("nosuch/x").error().code == spoor::Error::Code::not_found);
    CHECK(Model::open("anthropic").error().code == spoor::Error::Code::invalid);
    CHECK(Model::open("anthropic/x", {.key = "sk-test-0123456789"}).has_value());
    CHECK(Model::open("anthropic/x", {.key = ""}).error().code == spoor::Error::Code::denied);
  }
}

TEST_SUITE("facade/run") {
  TEST_CASE("a typed tool has the schema of its struct, and gets its values") {
    Greeting seen;
    const auto tool = spoor::typed_tool<Greeting>("greet", "Greets.", [&](const Greeting& given) {
      seen = given;
      return spoor::ToolResult{"hello " + given.name};
    });
    const auto schema = nlohmann::json::parse(tool.parameters);
    CHECK(schema["required"] == nlohmann::json{"name", "marks"});
    CHECK(schema["properties"]["times"]["type"] == "integer");
    CHECK(schema["properties"]["marks"]["items"]["type"] == "string");

    const Store store = Store::in_memory();
    spoor::RunOptions options;
    options.tools = {tool};
    options.native_calls = false;
    std::string events;
    options.on_event = [&](std::string_view event, std::string_view) {
      events.append(event) += ' ';
    };
    const auto model =
        Model::scripted({asks_for("greet", {{"name", "ada"}, {"times", 2}, {"marks", {"!", "?"}}}),
                         R"({"action": "finish", "final_answer": "done"})"});
    const auto result = store.branch("main").run("greet ada", model, options).value();
    CHECK(result.stopped == "goal_achieved");
    CHECK(result.answer == "done");
    REQUIRE(result.steps.size() == 2);
    CHECK(result.steps[0].action == "greet");
    CHECK(result.steps[0].observation == "\"hello ada\"");
    CHECK(seen.times == 2);
    CHECK(seen.marks == std::vector<std::string>{"!", "?"});
    CHECK(events.find("call result") != std::string::npos);
    CHECK(store.debrief(result.run)->find("greet") != std::string::npos);
  }

  TEST_CASE("an exception of a tool is an error that the model sees") {
    const Store store = Store::in_memory();
    spoor::Tool tool;
    tool.id = "fails";
    tool.description = "Fails.";
    tool.run = [](const nlohmann::json&) -> spoor::ToolResult { throw std::runtime_error("no"); };
    spoor::RunOptions options;
    options.tools = {tool};
    options.native_calls = false;
    const auto model = Model::scripted({asks_for("fails", nlohmann::json::object()),
                                        R"({"action": "finish", "final_answer": "so be it"})"});
    const auto result = store.branch("main").run("try", model, options).value();
    REQUIRE_FALSE(result.steps.empty());
    CHECK(result.steps[0].is_error);
    CHECK(result.answer == "so be it");
  }

  TEST_CASE("a planner of one's own asks, calls and stops for its own reason") {
    struct Greeter final : spoor::Planner {
      std::string heard;
      bool is_done = false;
      std::string name() const override { return "greeter"; }
      std::string system_prompt(std::string_view) const override { return "Name somebody."; }
      void begin(std::string_view) override { heard.clear(), is_done = false; }
      spoor::Result<Move> step() override {
        if (is_done) return Move(Stop{.reason = "greeted", .answer = heard});
        if (heard.empty()) return Move(Ask{"Whom?"});
        return Move(Act{.tool = "greet", .arguments = R"({"name":")" + heard + "\"}"});
      }
      void observe(const Seen& seen) override {
        is_done = !heard.empty();
        heard = seen.text;
      }
    };
    const Store store = Store::in_memory();
    spoor::RunOptions options;
    spoor::Tool tool;
    tool.id = "greet";
    tool.description = "Greets.";
    tool.run = [](const nlohmann::json& given) {
      return spoor::ToolResult{"hello " + given["name"].get<std::string>()};
    };
    options.tools = {tool};
    Greeter greeter;
    options.planner = &greeter;
    const auto result =
        store.branch("main").run("greet", Model::scripted({"ada"}), options).value();
    CHECK(result.stopped == "goal_achieved");
    CHECK(result.by == "greeted");
    CHECK(result.answer == "hello ada");
    CHECK(store.debrief(result.run)->find("greeter") != std::string::npos);
  }

  TEST_CASE("a tool without a function is refused before any call") {
    spoor::RunOptions options;
    options.tools = {spoor::Tool{.id = "x", .description = "", .parameters = "", .run = {}}};
    const auto result = Store::in_memory().branch("main").run("g", Model::scripted({}), options);
    CHECK(result.error().code == spoor::Error::Code::invalid);
  }
}
