#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "api/json_writer.h"
#include "base/json/reader.h"
#include "base/timestamp.h"
#include "llm/money.h"
#include "store/oid.h"

// Results of commands are structs that list their members once:
//
//     struct Model {
//       std::string name;
//       std::uint64_t answers = 0;
//
//       template <class Visit>
//       static void members(Visit&& visit) {
//         visit("name", &Model::name, "the model's name");
//         visit("answers", &Model::answers, "how many answers it gave");
//       }
//     };
//
// Their JSON, its schema and its reader follow from that.
namespace spoor::api {

/// A struct that lists its members.
template <class T>
concept Described = requires {
  T::members([](const char*, auto, const char*) {});
};

/// An enum whose values have names: `name_of(value)`, found by its namespace.
template <class T>
concept Named = std::is_enum_v<T> && requires(T value) {
  { name_of(value) } -> std::convertible_to<std::string_view>;
};

template <class T>
void serialize(JsonWriter& json, const T& value);

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

}  // namespace detail

/// Writes a value as the next one. Money is a number of dollars, times are RFC 3339, an absent
/// value is null. Empty members are written too.
template <class T>
void serialize(JsonWriter& json, const T& value) {
  if constexpr (Described<T>) {
    json.object();
    T::members([&](const char* name, auto member, const char*) {
      json.key(name);
      serialize(json, value.*member);
    });
    json.end();
  } else if constexpr (detail::is_optional<T>) {
    if (value) {
      serialize(json, *value);
    } else {
      json.null();
    }
  } else if constexpr (detail::is_vector<T>) {
    json.array();
    for (const auto& each : value) serialize(json, each);
    json.end();
  } else if constexpr (detail::is_map<T>) {
    json.object();
    for (const auto& [name, each] : value) {
      json.key(name);
      serialize(json, each);
    }
    json.end();
  } else if constexpr (Named<T>) {
    json.value(std::string_view(name_of(value)));
  } else if constexpr (std::is_same_v<T, llm::Money>) {
    json.json(llm::dollars(value));
  } else if constexpr (std::is_same_v<T, double>) {
    json.json(std::to_string(value));
  } else {
    json.value(value);
  }
}

/// Writes the JSON Schema (draft 2020-12) of what serialize() writes for a `T`.
template <class T>
void write_schema(JsonWriter& json, const char* description = nullptr) {
  const auto describe = [&] {
    if (description != nullptr) json.member("description", description);
  };
  const auto simple = [&](const char* type, const char* format = nullptr) {
    json.object().member("type", type);
    if (format != nullptr) json.member("format", format);
    describe();
    json.end();
  };
  if constexpr (Described<T>) {
    json.object().member("type", "object");
    describe();
    json.key("properties").object();
    T::members([&](const char* name, auto member, const char* help) {
      using Member = std::remove_cvref_t<decltype(std::declval<T>().*member)>;
      json.key(name);
      write_schema<Member>(json, help);
    });
    json.end().list("required");
    T::members([&](const char* name, auto, const char*) { json.value(name); });
    json.end().end();
  } else if constexpr (detail::is_optional<T>) {
    json.object();
    describe();
    json.list("anyOf");
    write_schema<typename T::value_type>(json);
    json.object().member("type", "null").end().end().end();
  } else if constexpr (detail::is_vector<T>) {
    json.object().member("type", "array");
    describe();
    json.key("items");
    write_schema<typename T::value_type>(json);
    json.end();
  } else if constexpr (detail::is_map<T>) {
    json.object().member("type", "object");
    describe();
    json.key("additionalProperties");
    write_schema<typename T::mapped_type>(json);
    json.end();
  } else if constexpr (std::is_same_v<T, bool>) {
    simple("boolean");
  } else if constexpr (std::is_integral_v<T>) {
    simple("integer");
  } else if constexpr (std::is_same_v<T, llm::Money> || std::is_same_v<T, double>) {
    simple("number");
  } else if constexpr (std::is_same_v<T, Timestamp>) {
    simple("string", "date-time");
  } else {
    simple("string");
  }
}

/// Reads the output of serialize(); false if `json` is anything else. For texts, numbers, times,
/// money, and structs, lists and optional values of these.
template <class T>
bool deserialize(const json::Value& json, T& value) {
  if constexpr (Described<T>) {
    bool is_whole = json.is_object();
    T::members([&](const char* name, auto member, const char*) {
      is_whole = is_whole && deserialize(json.find(name), value.*member);
    });
    return is_whole;
  } else if constexpr (detail::is_optional<T>) {
    value.reset();
    if (json.is(json::Type::null)) return static_cast<bool>(json);
    return deserialize(json, value.emplace());
  } else if constexpr (detail::is_vector<T>) {
    value.clear();
    if (!json.is_array()) return false;
    for (const json::Value each : json.elements()) {
      if (!deserialize(each, value.emplace_back())) return false;
    }
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    value = json.is_true();
    return json.is(json::Type::boolean);
  } else if constexpr (std::is_integral_v<T>) {
    const auto number = json.integer();
    if (!number) return false;
    value = static_cast<T>(*number);
    return true;
  } else if constexpr (std::is_same_v<T, llm::Money>) {
    const auto money = json.is_number() ? llm::parse_dollars(json.raw()) : std::nullopt;
    if (money) value = *money;
    return money.has_value();
  } else if constexpr (std::is_same_v<T, Timestamp>) {
    const auto time = parse_stored_time(json.text());
    if (time) value = time.value();
    return static_cast<bool>(time);
  } else if constexpr (std::is_same_v<T, store::Oid>) {
    const auto oid = store::Oid::from_hex(json.text());
    if (oid) value = *oid;
    return oid.has_value();
  } else {
    value = json.text();
    return json.is_string();
  }
}

}  // namespace spoor::api
