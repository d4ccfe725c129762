#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/timestamp.h"
#include "store/oid.h"

namespace spoor::api {

/// Writes the `--json` documents: members in the order they are added, indented by two, or on one
/// line for JSON Lines. Bytes that are not UTF-8 become U+FFFD. Characters that a terminal might
/// obey are written as `\u…`, so a document is safe to display.
///
///     json.object().member("hash", oid).list("tags").value("x").end().end();
class JsonWriter {
 public:
  explicit JsonWriter(bool one_line = false) : one_line_(one_line) {}

  JsonWriter& object();                    ///< begins an object as the next value
  JsonWriter& array();                     ///< begins an array as the next value
  JsonWriter& end();                       ///< ends the innermost object or array
  JsonWriter& key(std::string_view name);  ///< of the next value
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const store::Oid& oid);  ///< all 64 digits
  JsonWriter& value(const Timestamp& time) { return value(time.text()); }
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(bool truth);
  /// Writes a std::size_t, which is not std::uint64_t everywhere.
  template <std::unsigned_integral T>
  JsonWriter& value(T number) {
    return value(std::uint64_t{number});
  }
  JsonWriter& null();

  /// Writes JSON text unchanged: a value that this program has read or written itself.
  JsonWriter& json(std::string_view text);

  template <class T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }

  template <class T>
  JsonWriter& member(std::string_view name, const T& what) {
    return key(name).value(what);
  }
  JsonWriter& list(std::string_view name) { return key(name).array(); }

  /// Writes null for an empty text.
  JsonWriter& member_or_null(std::string_view name, std::string_view text) {
    return text.empty() ? key(name).null() : key(name).value(text);
  }

  /// Returns the text written since the last call, within a document.
  std::string take_part() { return std::exchange(text_, {}); }

  /// Returns the document with a line end, and empties the writer.
  std::string take();

  /// Returns it without the line end: a value for another writer's json().
  std::string take_value();

 private:
  void begin_value();
  void new_line();

  std::string text_;
  std::string open_;  // One closing bracket for each that is open.
  bool one_line_;
  bool has_items_ = false;  // In the innermost object or array.
  bool after_key_ = false;
};

/// Returns `text` as a JSON string with its quotes, as JsonWriter writes it.
std::string json_string(std::string_view text);

/// Returns JSON text with DEL, C1 and hidden characters (base/hidden_text.h) in its strings
/// written as `\u…`: the same value, safe to display.
std::string harmless_json(std::string_view json);

}  // namespace spoor::api
