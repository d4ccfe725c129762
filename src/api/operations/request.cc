#include "api/operations/request.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/near_miss.h"

namespace spoor::api::operations {
namespace {

using json::Type;
using json::Value;

constexpr std::array kEverywhere = {
    Member{"op", Holds::text, true},
    Member{"id", Holds::anything},
    Member{"as", Holds::text},
    Member{"capture", Holds::text},
};

bool all_strings(const Value& list) {
  for (const Value& element : list.elements()) {
    if (!element.is_string()) return false;
  }
  return true;
}

bool is_held(Holds holds, const Value& value) {
  switch (holds) {
    case Holds::text:
    case Holds::revision:
      return value.is_string();
    case Holds::integer:
      return value.integer().has_value();
    case Holds::boolean:
      return value.is(Type::boolean);
    case Holds::revisions:
    case Holds::texts:
      return value.is_array() && all_strings(value);
    case Holds::object:
      return value.is_object();
    case Holds::list:
      return value.is_array();
    case Holds::anything:
      return true;
  }
  return false;
}

const char* spoken(Holds holds) {
  switch (holds) {
    case Holds::text:
      return "a string";
    case Holds::revision:
      return "a string that names a commit";
    case Holds::integer:
      return "an integer";
    case Holds::boolean:
      return "true or false";
    case Holds::revisions:
      return "a list of strings that name commits";
    case Holds::texts:
      return "a list of strings";
    case Holds::object:
      return "an object";
    case Holds::list:
      return "a list";
    case Holds::anything:
      break;
  }
  return "a value";
}

const Member* find_member(std::span<const Member> members, std::string_view name) {
  for (const std::span<const Member> table : {members, std::span<const Member>(kEverywhere)}) {
    for (const Member& member : table) {
      if (name == member.name) return &member;
    }
  }
  return nullptr;
}

Error unknown_member(std::string_view operation, std::string_view name,
                     std::span<const Member> members) {
  std::vector<std::string_view> known;
  for (const Member& member : members) known.emplace_back(member.name);
  const std::string near = near_miss(name, known);
  return invalid(fmt::format("'{}' has no member '{}'", operation, name),
                 near.empty() ? std::string() : fmt::format("did you mean '{}'?", near));
}

}  // namespace

std::string Request::text(std::string_view name, std::string_view fallback) const {
  const Value value = value_.find(name);
  return value.is_string() ? value.text() : std::string(fallback);
}

std::vector<std::string> Request::texts(std::string_view name) const {
  std::vector<std::string> texts;
  const Value list = value_.find(name);
  if (!list.is_array()) return texts;
  for (const Value& element : list.elements()) texts.push_back(element.text());
  return texts;
}

Result<void> check_members(std::string_view operation, const Value& object,
                           std::span<const Member> members) {
  for (const json::Member& given : object.members()) {
    const std::string name = given.key.text();
    const Member* member = find_member(members, name);
    if (member == nullptr) return unknown_member(operation, name, members);
    if (given.value.is(Type::null) && !member->is_required) continue;
    if (!is_held(member->holds, given.value)) {
      return invalid(
          fmt::format("'{}' of '{}' must be {}", name, operation, spoken(member->holds)));
    }
  }
  for (const Member& member : members) {
    if (member.is_required && !object.find(member.name)) {
      return invalid(
          fmt::format("'{}' needs '{}': {}", operation, member.name, spoken(member.holds)));
    }
  }
  return {};
}

Result<std::vector<compile::ToolCall>> read_calls(const Value& list) {
  std::vector<compile::ToolCall> calls;
  for (const Value& call : list.elements()) {
    const Value arguments = call.find("arguments");
    if (!call.find("name").is_string()) {
      return invalid("each of 'tool_calls' must be an object with a name",
                     R"({"id": "…", "name": "…", "arguments": …})");
    }
    calls.push_back({call.find("id").text(), call.find("name").text(),
                     arguments.is_string() ? arguments.text() : std::string(arguments.raw())});
  }
  return calls;
}

}  // namespace spoor::api::operations
