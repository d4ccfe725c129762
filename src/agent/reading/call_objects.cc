#include "agent/reading/call_objects.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json/writer.h"
#include "base/text.h"

namespace spoor::agent::reading {
namespace {

using json::Member;
using json::Object;
using json::Value;

// Returns the key of the member that names the tool; empty if the value is not a call object.
std::string_view naming_member(const Value& value) {
  if (!value.is_object()) return {};
  for (const std::string_view key : {"tool", "tool_name", "name"}) {
    const Value name = value.find(key);
    if (name.is_string() && !trimmed(name.text()).empty()) return key;
  }
  return {};
}

std::string canonical_of(const Value& value) {
  std::string out;
  json::append_canonical(out, value);
  return out;
}

std::string arguments_of(const Value& object, std::string_view naming) {
  constexpr std::array<std::string_view, 3> kArguments = {"arguments", "parameters", "args"};
  for (const std::string_view key : kArguments) {
    const Value arguments = object.find(key);
    if (arguments.is_object()) return canonical_of(arguments);
    if (!arguments.is_string()) continue;
    const std::string text = arguments.text();
    const auto inside = json::parse(text);
    if (inside && inside->root().is_object()) return canonical_of(inside->root());
  }
  Object others;
  for (const Member& member : object.members()) {
    const std::string key = member.key.text();
    const bool is_no_argument = key == naming || key == kRationaleKey ||
                                (member.value.type() == json::Type::null &&
                                 std::ranges::find(kArguments, key) != kArguments.end());
    if (!is_no_argument) others.add_value(key, member.value);
  }
  return others.write();
}

}  // namespace

void set_rationale(TextCall& call, CleanRationale clean) {
  call.rationale = std::move(clean.rationale);
  call.dropped = std::move(clean.dropped);
}

void set_rationale(TextCall& call, const Value& written) {
  set_rationale(call,
                written.is_string() ? clean_rationale(written.text()) : clean_rationale(written));
}

bool is_call(const Value& value) { return !naming_member(value).empty(); }

TextCall call_of(const Value& object, int tier) {
  const std::string_view naming = naming_member(object);
  TextCall call;
  call.name = trimmed(object.find(naming).text());
  call.arguments = arguments_of(object, naming);
  call.tier = tier;
  if (const Value rationale = object.find(kRationaleKey)) set_rationale(call, rationale);
  return call;
}

}  // namespace spoor::agent::reading
