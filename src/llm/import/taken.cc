#include "llm/import/taken.h"

#include "llm/import/words.h"

namespace spoor::llm::import {

bool says_nothing(const json::Value& value) {
  return value.is(json::Type::null) || value.is_false() || value.raw() == R"("")" ||
         (value.is_array() && value.size() == 0) || (value.is_object() && value.size() == 0);
}

json::Value Taken::operator()(const json::Value& value) {
  if (value) offsets_.insert(value.offset());
  return value;
}

json::Value Taken::operator()(const json::Value& object, std::string_view key) {
  return (*this)(object.find(key));
}

/// Is something within `value` taken? Only a container can hold any.
bool Taken::holds_taken(const json::Value& value) const {
  const auto next = offsets_.upper_bound(value.offset());
  return next != offsets_.end() && *next < value.offset() + value.raw().size();
}

std::string Taken::rest(const json::Value& root, LossReport::Counts& counts) const {
  return rest_of_object(root, &counts);
}

/// What is left of a value; empty when nothing is.
std::string Taken::rest_of(const json::Value& value) const {
  if (has(value) || says_nothing(value)) return {};
  if (!(value.is_object() || value.is_array()) || !holds_taken(value)) {
    return std::string(value.raw());
  }
  return value.is_object() ? rest_of_object(value, nullptr) : rest_of_array(value);
}

std::string Taken::rest_of_object(const json::Value& object, LossReport::Counts* counts) const {
  std::string out;
  for (const json::Member& member : object.members()) {
    const std::string left = rest_of(member.value);
    if (left.empty()) continue;
    out += out.empty() ? '{' : ',';
    out += member.key.raw();
    out += ':';
    out += left;
    if (counts != nullptr) (*counts)[plain_word(member.key.text())] += 1;
  }
  return out.empty() ? out : out + '}';
}

std::string Taken::rest_of_array(const json::Value& array) const {
  std::string out;
  bool any = false;
  for (const json::Value& element : array.elements()) {
    const std::string left = rest_of(element);
    any = any || !left.empty();
    out += out.empty() ? '[' : ',';
    out += left.empty() ? "null" : left;
  }
  return any ? out + ']' : std::string();
}

}  // namespace spoor::llm::import
