// Agents of a C++ program: a person, hooks, memory and other agents.
#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "spoor/json.h"

using spoor::Approval;
using spoor::Model;
using spoor::RunOptions;
using spoor::Store;

namespace {

std::string asks_for(const std::string& tool, const nlohmann::json& input) {
  return nlohmann::json{{"action", tool}, {"action_input", input}}.dump();
}
const std::string kEnd = R"({"action": "finish", "final_answer": "done"})";

struct Order {
  std::string thing;
  static void members(auto&& member) { member("thing", &Order::thing, "what to buy"); }
};

/// A run that may buy, and what was bought.
struct Shop {
  std::vector<std::string> bought;
  RunOptions options;

  Shop() {
    options.native_calls = false;
    options.tools = {spoor::typed_tool<Order>("buy", "Buys.", [this](const Order& order) {
      bought.push_back(order.thing);
      return "bought " + order.thing;
    })};
  }
};

/// A folder that is removed, with scripts of replies that cost $2 a million tokens of input.
struct Folder {
  std::string path =
      std::filesystem::temp_directory_path() / ("agents-" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }

  Model script(const std::string& name, const std::vector<nlohmann::json>& contents) const {
    const nlohmann::json usage = {{"input_tokens", 500'000},
                                  {"cache_read_input_tokens", 0},
                                  {"cache_creation_input_tokens", 0},
                                  {"output_tokens", 0}};
    std::ofstream file(path + "/" + name);
    for (const nlohmann::json& content : contents) {
      const nlohmann::json reply = {{"type", "message"},          {"role", "assistant"},
                                    {"model", "claude-sonnet-5"}, {"content", content},
                                    {"stop_reason", "end_turn"},  {"usage", usage}};
      file << reply.dump() << '\n';
    }
    file.close();
    return Model::open("scripted/" + path + "/" + name).value();
  }
};

nlohmann::json says(const std::string& text) {
  return nlohmann::json::array({{{"type", "text"}, {"text", text}}});
}
nlohmann::json calls(const std::string& tool, const nlohmann::json& input, const std::string& why) {
  const std::string reason = "<rationale call=\"1\" tool=\"" + tool + "\">" +
                             nlohmann::json{{"why", why}, {"refs", {"goal"}}}.dump() +
                             "</rationale>";
  return nlohmann::json::array(
      {{{"type", "text"}, {"text", reason}},
       {{"type", "tool_use"}, {"id", "toolu_1"}, {"name", tool}, {"input", input}}});
}

}  // namespace

TEST_SUITE("facade/agents") {
  TEST_CASE("a call that needs approval waits, and another process goes on with the answer") {
    const Folder folder;
    const std::string path = folder.path + "/wait.spoor";
    std::string run;
    {
      Shop shop;
      shop.options.tools[0].needs_approval = true;
      const auto waiting =
          Store::create(path)
              ->branch("main")
              .run("buy tea", Model::scripted({asks_for("buy", {{"thing", "tea"}})}), shop.options)
              .value();
      CHECK(waiting.stopped == "interrupted");
      CHECK(waiting.waits_for == "buy");
      CHECK(nlohmann::json::parse(waiting.waits_with) == nlohmann::json{{"thing", "tea"}});
      CHECK(shop.bought.empty());
      run = waiting.run;
    }
    Shop shop;
    shop.options.tools[0].needs_approval = true;
    const Store store = Store::open(path).value();
    const auto model = Model::scripted({kEnd});
    const auto ended =
        store.branch("main").resume(run, model, shop.options, Approval{true, "cheap"}).value();
    CHECK(ended.answer == "done");
    CHECK(ended.waits_for.empty());
    CHECK(shop.bought == std::vector<std::string>{"tea"});
    CHECK(store.branch("main").resume(run, model, shop.options).error().code ==
          spoor::Error::Code::conflict);
  }

  TEST_CASE("a person who is there answers at once, and a refusal reaches the model") {
    Shop shop;
    shop.options.tools[0].needs_approval = true;
    std::string asked;
    shop.options.person = [&](std::string_view tool, std::string_view arguments) {
      asked = std::string(tool) + " " + std::string(arguments);
      return std::optional(Approval{arguments.find("tea") != std::string_view::npos, "no gold"});
    };
    const auto model = Model::scripted(
        {asks_for("buy", {{"thing", "tea"}}), asks_for("buy", {{"thing", "gold"}}), kEnd});
    const auto result = Store::in_memory().branch("main").run("buy", model, shop.options).value();
    REQUIRE(result.steps.size() == 3);
    CHECK_FALSE(result.steps[0].is_error);
    CHECK(result.steps[1].is_error);
    CHECK(result.steps[1].observation.find("no gold") != std::string::npos);
    CHECK(asked.starts_with("buy {"));
    CHECK(shop.bought == std::vector<std::string>{"tea"});
  }

  TEST_CASE("hooks see each call before and after it, and may refuse it") {
    Shop shop;
    std::vector<std::string> results;
    shop.options.before_call = [](std::string_view, std::string_view arguments) {
      const bool is_gold = arguments.find("gold") != std::string_view::npos;
      return is_gold ? std::optional<std::string>("too dear") : std::nullopt;
    };
    shop.options.after_call = [&](std::string_view tool, std::string_view,
                                  const spoor::ToolResult& result) {
      results.push_back(std::string(tool) + ": " + result.text);
    };
    const auto model = Model::scripted(
        {asks_for("buy", {{"thing", "gold"}}), asks_for("buy", {{"thing", "tea"}}), kEnd});
    const auto result = Store::in_memory().branch("main").run("buy", model, shop.options).value();
    REQUIRE(result.steps.size() == 3);
    CHECK(result.steps[0].observation.find("too dear") != std::string::npos);
    CHECK(results == std::vector<std::string>{"buy: bought tea"});
    CHECK(shop.bought == std::vector<std::string>{"tea"});
  }

  TEST_CASE("what an agent learns, a later run of another branch recalls") {
    const Store store = Store::in_memory();
    RunOptions options;
    options.native_calls = false;
    options.memory_of = "ada";
    const nlohmann::json tea = {{"content", "tea is on shelf 3"}, {"private", true}};
    store.branch("a")
        .run("learn", Model::scripted({asks_for("memory.learn", tea), kEnd}), options)
        .value();
    const auto recalled = [&](std::string agent) {
      options.memory_of = std::move(agent);
      const auto model =
          Model::scripted({asks_for("memory.recall", {{"context", "shelf tea"}}), kEnd});
      return store.branch("b").run("recall", model, options)->steps.at(0).observation;
    };
    CHECK(recalled("ada").find("shelf 3") != std::string::npos);
    CHECK(recalled("eve").find("shelf 3") == std::string::npos);
  }

  TEST_CASE("an agent that calls another has the cost of both, and what each model was sent") {
    const Folder folder;
    RunOptions options;
    options.agents = {{.id = "helper",
                       .description = "",
                       .model = folder.script("helper.jsonl", {says("42")}),
                       .options = {}}};
    const Model model = folder.script(
        "main.jsonl", {calls("helper", {{"goal", "add it up"}}, "it can add"), says("it is 42")});
    const Store store = Store::in_memory();
    const auto result = store.branch("main").run("how much?", model, options).value();
    CHECK(result.answer == "it is 42");
    CHECK(result.dollars == doctest::Approx(3.0));  // Three requests of half a million tokens.
    CHECK(result.tokens == 1'500'000);
    CHECK(result.is_cost_known);

    REQUIRE(result.steps.size() == 2);
    const spoor::Step& step = result.steps[0];
    CHECK(step.why == "it can add");
    CHECK(step.dollars == doctest::Approx(1.0));
    CHECK(store.sent_request(step.answer)->find("how much?") != std::string::npos);
    CHECK(store.debrief(step.started)->find("add it up") != std::string::npos);
    const spoor::Id there = store.resolve("main-helper-1~1").value();
    const std::string sent = store.sent_request(there).value();
    CHECK(sent.find("add it up") != std::string::npos);
    CHECK(sent.find("how much?") == std::string::npos);
  }

  TEST_CASE("the budget of a run holds for the agents that it calls") {
    const Folder folder;
    Shop shop;
    shop.options.native_calls = true;
    const Model helper =
        folder.script("spends.jsonl", {calls("buy", {{"thing", "tea"}}, "a"),
                                       calls("buy", {{"thing", "tea"}}, "b"), says("enough")});
    RunOptions options;
    options.max_dollars = 2.5;
    options.agents = {
        {.id = "helper", .description = "", .model = helper, .options = shop.options}};
    const Model model =
        folder.script("asks.jsonl", {calls("helper", {{"goal", "buy"}}, "c"), says("done")});
    const auto result = Store::in_memory().branch("main").run("g", model, options).value();
    CHECK(result.stopped == "max_cost");
    CHECK(result.dollars == doctest::Approx(3.0));
    CHECK(result.steps.at(0).observation.find("max_cost") != std::string::npos);
  }

  TEST_CASE("a price of one's own counts for a model that has none") {
    const Folder folder;
    folder.script("own.jsonl", {says("hello")});
    const Model model =
        Model::open("scripted/" + folder.path + "/own.jsonl",
                    {.key = {}, .base_url = "", .params = "", .rates = "input=8 output=8"})
            .value();
    CHECK(Store::in_memory().branch("main").chat("hi", model)->dollars == doctest::Approx(4.0));
    CHECK(Model::open("scripted/" + folder.path + "/nosuch").error().code ==
          spoor::Error::Code::not_found);
    std::ofstream(folder.path + "/bad.jsonl") << "{}\n";
    CHECK(Model::open("scripted/" + folder.path + "/bad.jsonl").error().code ==
          spoor::Error::Code::invalid);
  }
}
