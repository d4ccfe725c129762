#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/timestamp.h"
#include "store/oid.h"

namespace spoor::api {

/// Writes the `--json` documents: members in the order they are added, indented
/// by two, or on one line for JSON Lines. Text that is no UTF-8 gets U+FFFD;
/// what a terminal might obey is written as `\u…`, so a document may be looked at.
///
///     json.object().member("hash", oid).list("tags").value("x").end().end();
class JsonWriter {
 public:
  explicit JsonWriter(bool one_line = false) : one_line_(one_line) {}

  JsonWriter& object();                    ///< begins an object as the next value
  JsonWriter& array();                     ///< begins an array as the next value
  JsonWriter& end();                       ///< ends the innermost of the two
  JsonWriter& key(std::string_view name);  ///< of the next value
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const store::Oid& oid);  ///< all 64 digits
  JsonWriter& value(const Timestamp& time) { return value(time.text()); }
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(bool truth);
  JsonWriter& null();

  /// JSON text as it is: a value this program has read or written itself.
  JsonWriter& json(std::string_view text);

  template <class T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }

  /// key() and value() in one.
  template <class T>
  JsonWriter& member(std::string_view name, const T& what) {
    return key(name).value(what);
  }
  JsonWriter& list(std::string_view name) { return key(name).array(); }

  /// An empty text is null.
  JsonWriter& member_or_null(std::string_view name, std::string_view text) {
    return text.empty() ? key(name).null() : key(name).value(text);
  }

  /// Hands out what was written since the last call, within a document.
  std::string take_part() { return std::exchange(text_, {}); }

  /// The document and a line end; the writer is empty then.
  std::string take();

  /// The same without the line end: a value for another writer's json().
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

/// `text` as a JSON string with its quotes, as JsonWriter writes it.
std::string json_string(std::string_view text);

/// JSON text whose strings may hold DEL, C1 or hidden characters (store/hidden_text.h) as they
/// are, with these written as `\u…`: the same value, harmless to look at.
std::string harmless_json(std::string_view json);

}  // namespace spoor::api
