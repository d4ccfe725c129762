#include "receive/events.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json/writer.h"
#include "import/known_agents.h"

namespace spoor::receive {
namespace {

// The agent whose event has this name; nullptr: none.
const import::KnownAgent* agent_of(std::string_view event) {
  for (const import::KnownAgent& agent : import::known_agents()) {
    const std::string_view prefix = agent.events.prefix;
    if (!prefix.empty() && event.starts_with(prefix)) return &agent;
  }
  return nullptr;
}

// Attributes about the person, which are not kept.
constexpr std::array<std::string_view, 4> kPersons = {"user.", "organization.", "enduser.",
                                                      "installation."};

// Attributes with texts that a turn in the store has, too.
constexpr std::array<std::string_view, 8> kTexts = {
    "prompt", "response", "tool_input", "tool_result", "arguments", "output", "body", "event.name"};

// Returns the value in OTLP's AnyValue.
json::Value inner(const json::Value& value) {
  for (const json::Member& member : value.members()) return member.value;
  return {};
}

std::optional<std::int64_t> integer(const std::string& digits) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_read = error == std::errc() && end == digits.data() + digits.size();
  return is_read ? std::optional(number) : std::nullopt;
}

// The name of an event, with the agent's prefix. Claude Code has it in the body, Codex in an
// attribute; newer exporters have a member for it.
std::string name_of(const json::Value& record) {
  std::string name = record.find("eventName").text();
  if (name.empty()) name = inner(record.find("body")).text();
  if (agent_of(name) != nullptr) return name;
  for (const json::Value& attribute : record.find("attributes").elements()) {
    if (!attribute.find("key").equals("event.name")) continue;
    name = inner(attribute.find("value")).text();
    return agent_of(name) != nullptr ? name : std::string();
  }
  return {};
}

// A value as plain JSON: text, a number, true, or what OTLP has for lists.
std::string plain(const json::Value& value) {
  for (const json::Member& member : value.members()) {
    // Numbers of 64 bits are strings in OTLP/JSON.
    const std::string digits = member.key.equals("intValue") ? member.value.text() : "";
    return integer(digits) ? std::to_string(*integer(digits)) : std::string(member.value.raw());
  }
  return "null";
}

}  // namespace

std::optional<std::int64_t> nanoseconds_of(const json::Value& time) {
  const auto number = integer(time.is_string() ? time.text() : std::string(time.raw()));
  return number && *number > 0 ? number : std::nullopt;
}

std::optional<Timestamp> moment_of(const json::Value& time) {
  const auto number = nanoseconds_of(time);
  return number ? std::optional(Timestamp{*number / 1000}) : std::nullopt;
}

std::optional<Event> read_event(const json::Value& record) {
  Event event;
  event.name = name_of(record);
  const import::KnownAgent* agent = agent_of(event.name);
  if (agent == nullptr) return std::nullopt;
  event.agent = agent->name;
  event.time = moment_of(record.find("timeUnixNano"));
  if (!event.time) event.time = moment_of(record.find("observedTimeUnixNano"));

  std::string begin = "{\"event\":" + json::write_string(event.name);
  if (event.time) begin += ",\"time\":" + json::write_string(event.time->text());
  event.text = begin;
  event.facts = begin;
  for (const json::Value& attribute : record.find("attributes").elements()) {
    const std::string key = attribute.find("key").text();
    const json::Value value = attribute.find("value");
    const bool is_person =
        std::any_of(kPersons.begin(), kPersons.end(),
                    [&](std::string_view each) { return key.starts_with(each); });
    if (is_person || key.empty()) continue;
    if (key == agent->events.session) event.session = inner(value).text();
    if (key == "request_id") event.request = inner(value).text();
    if (key == "message.uuid") event.message = inner(value).text();
    if (key == agent->events.call) event.call = inner(value).text();
    if (key == "prompt.id") event.prompt = inner(value).text();
    const std::string member = "," + json::write_string(key) + ":" + plain(value);
    event.text += member;
    if (std::find(kTexts.begin(), kTexts.end(), key) == kTexts.end()) event.facts += member;
  }
  event.text += "}";
  event.facts += "}";
  return event;
}

}  // namespace spoor::receive
