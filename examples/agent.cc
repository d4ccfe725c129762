// An agent with a tool of its own; ANTHROPIC_API_KEY, or a stand-in that needs none.
#include <spoor/spoor.h>

#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
  const auto store = spoor::Repository::create(count > 1 ? arguments[1] : "agent.spoor").value();
  const auto anthropic = spoor::find_profile("anthropic").value();
  spoor::http::CurlTransport network;
  const spoor::SystemClock clock;
  spoor::NoWaiting waiting;
  const char* key = std::getenv("ANTHROPIC_API_KEY");
  const auto secret = key ? spoor::make_key(key, "ANTHROPIC_API_KEY").value() : spoor::Key();
  spoor::HttpProvider claude(anthropic, secret, network, clock);
  const auto ask = R"(```json
{"action": "price_of", "action_input": {"thing": "tea tin"},
 "rationale": {"why": "three times what one costs", "refs": ["goal"]}}
```)";
  const auto end = R"({"action": "finish", "final_answer": "1305 cents"})";
  spoor::ScriptedProvider stand_in(anthropic, {{spoor::say(ask)}, {spoor::say(end)}}, waiting);
  spoor::Candidate model;
  model.provider = key ? static_cast<spoor::Provider*>(&claude) : &stand_in;
  model.model = "claude-sonnet-5";

  spoor::Tool price;
  price.id = "price_of";
  price.description = "What one of a thing costs, in cents.";
  price.parameters = R"({"type": "object", "required": ["thing"],
                         "properties": {"thing": {"type": "string"}}})";
  price.read_only = true;
  price.run = [](std::string_view, const spoor::ToolContext&) { return spoor::gave_json("435"); };
  spoor::ToolRegistry tools;
  tools.add(price).value();

  spoor::RunOptions options;
  options.registry = &tools;
  options.calling = spoor::Calling::json;
  options.budget.max_cost = spoor::parse_dollars("0.25");
  spoor::AgentSession session(*store, "main");
  const auto result = spoor::react("What are three tea tins?", model, session, options).value();
  std::printf("%s: %s\n", name_of(result.stopped).data(), result.answer.value_or("").c_str());

  const auto run = spoor::find_run(*store, result.run).value();
  const auto debrief = spoor::debrief::debrief_of(*store, run).value();
  std::printf("%s", spoor::debrief::tree_text(debrief).c_str());
}
