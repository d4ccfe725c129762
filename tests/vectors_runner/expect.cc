#include "tests/vectors_runner/expect.h"

#include <algorithm>

#include "tests/vectors_runner/format.h"

namespace spoor::vectors {
namespace {

std::size_t count_code_points(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

bool contains(const Json& text, const Json& part) {
  return text.is_string() && part.is_string() &&
         text.get<std::string>().find(part.get<std::string>()) != std::string::npos;
}

bool has_length(const Json& value, const Json& length) {
  if (value.is_array()) return Json(value.size()) == length;
  return value.is_string() && Json(count_code_points(value.get<std::string>())) == length;
}

bool lacks(const Json& value, const Json& part) {
  if (value.is_string()) return !contains(value, part);
  return value.is_array() && std::all_of(value.begin(), value.end(), [&](const Json& item) {
           return item.is_string() && !contains(item, part);
         });
}

bool starts_with(const Json& list, const Json& prefix) {
  return list.is_array() && prefix.is_array() && prefix.size() <= list.size() &&
         std::equal(prefix.begin(), prefix.end(), list.begin());
}

bool holds(const std::string& suffix, const Json& value, const Json& wanted) {
  if (suffix.empty()) return value == wanted;
  if (suffix == "not") return value != wanted;
  if (suffix == "contains") return contains(value, wanted);
  if (suffix == "has") {
    return value.is_array() && std::find(value.begin(), value.end(), wanted) != value.end();
  }
  if (suffix == "lacks") return lacks(value, wanted);
  if (suffix == "prefix") return starts_with(value, wanted);
  if (suffix == "len") return has_length(value, wanted);
  if (suffix == "max") return value.is_number() && wanted.is_number() && value <= wanted;
  if (suffix == "json") {
    if (!value.is_string()) return false;
    const Json parsed = Json::parse(value.get<std::string>(), nullptr, false);
    return !parsed.is_discarded() && parsed == wanted;
  }
  throw BadVector("unknown suffix '" + suffix + "'");
}

Json value_at(const std::string& path, const Bindings& bindings, const StateOf& state_of) {
  if (path.starts_with("exists.$")) {
    return state_of("exists." + bindings.replace_all(std::string_view(path).substr(7)));
  }
  const auto steps = parse_path(path);
  const auto name = steps[0].get<std::string>();
  const Json* value = bindings.find(name);
  if (value == nullptr && steps.size() == 1) return state_of(name);
  for (std::size_t i = 1; value != nullptr && i < steps.size(); ++i) {
    value = find_step(*value, steps[i]);
  }
  if (value == nullptr) throw BadVector("there is no value '" + path + "'");
  return *value;
}

}  // namespace

std::vector<std::string> check(const Json& expectations, const Bindings& bindings,
                               const StateOf& state_of) {
  std::vector<std::string> problems;
  for (const auto& [text, expected] : expectations.items()) {
    try {
      const Key key = parse_key(text);
      const Json wanted = bindings.expected(expected);
      const Json value = value_at(key.path, bindings, state_of);
      if (holds(key.suffix, value, wanted)) continue;
      problems.push_back(text + ": expected " + shown(wanted) + ", got " + shown(value));
    } catch (const BadVector& problem) {
      problems.push_back(text + ": " + problem.what());
    }
  }
  return problems;
}

}  // namespace spoor::vectors
