#pragma once

/// Metadata of turns and arguments of tools as JSON values, for programs that include
/// <spoor/spoor.h>.

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "spoor/spoor.h"

namespace spoor {

namespace detail {

template <class T>
nlohmann::json schema_of(const T*) {
  if constexpr (std::is_same_v<T, bool>)
    return {{"type", "boolean"}};
  else if constexpr (std::is_integral_v<T>)
    return {{"type", "integer"}};
  else if constexpr (std::is_floating_point_v<T>)
    return {{"type", "number"}};
  else
    return {{"type", "string"}};
}
template <class T>
nlohmann::json schema_of(const std::vector<T>*) {
  return {{"type", "array"}, {"items", schema_of(static_cast<const T*>(nullptr))}};
}
template <class T>
nlohmann::json schema_of(const std::optional<T>*) {
  return schema_of(static_cast<const T*>(nullptr));
}

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

}  // namespace detail

/// Makes a tool whose schema and arguments come from a struct. The struct lists its members:
///
///     struct Price {
///       std::string thing;
///       std::optional<int> pieces;
///       static void members(auto&& member) {
///         member("thing", &Price::thing, "what to look up");
///         member("pieces", &Price::pieces, "how many (default: one)");
///       }
///     };
///     spoor::typed_tool<Price>("price_of", "What a thing costs, in cents.",
///                              [](const Price& price) { return price.thing + ": 435"; });
///
/// The function returns a text or a ToolResult. Members are strings, numbers, booleans, and vectors
/// and optionals of these.
template <class Arguments, class Run>
Tool typed_tool(std::string id, std::string description, Run run) {
  nlohmann::json properties = nlohmann::json::object();
  nlohmann::json required = nlohmann::json::array();
  Arguments::members([&]<class T>(const char* name, T Arguments::*, const char* about) {
    nlohmann::json schema = detail::schema_of(static_cast<const T*>(nullptr));
    schema["description"] = about;
    properties[name] = std::move(schema);
    if (!detail::is_optional<T>) required.push_back(name);
  });
  Tool tool;
  tool.id = std::move(id);
  tool.description = std::move(description);
  tool.parameters = nlohmann::json{
      {"type", "object"},
      {"properties", std::move(properties)},
      {"required", std::move(required)},
      {"additionalProperties",
       false}}.dump();
  tool.run = [run = std::move(run)](const nlohmann::json& given) -> ToolResult {
    Arguments arguments{};
    Arguments::members([&]<class T>(const char* name, T Arguments::*member, const char*) {
      const auto found = given.find(name);
      if (found == given.end() || found->is_null()) return;
      if constexpr (detail::is_optional<T>) {
        arguments.*member = found->template get<typename T::value_type>();
      } else {
        arguments.*member = found->template get<T>();
      }
    });
    if constexpr (std::is_convertible_v<std::invoke_result_t<const Run&, Arguments&>, std::string>)
      return ToolResult{run(arguments)};
    else
      return run(arguments);
  };
  return tool;
}

}  // namespace spoor
