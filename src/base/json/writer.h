#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/reader.h"
#include "base/result.h"

namespace spoor::json {

// The only writer of `fields`, `extra` and `meta`: keys sorted by code point, no white space,
// number tokens unchanged, strings with the fewest escapes. Equal values have equal bytes, and
// therefore equal names.

/// The largest integer that every JSON reader represents exactly: 2^53 - 1.
constexpr std::int64_t kMaxExactInteger = 9'007'199'254'740'991;

/// Builds a canonical object. Keys may be added in any order; the last of equal keys wins. Keys and
/// texts may be any bytes: UTF-8 is kept, a lone surrogate in WTF-8 is written as `\udxxx`,
/// anything else as U+FFFD.
class Object {
 public:
  void add_string(std::string_view key, std::string_view text);

  /// `value` must be between -kMaxExactInteger and kMaxExactInteger; other values throw
  /// std::logic_error (use add_raw_token).
  void add_integer(std::string_view key, std::int64_t value);

  void add_boolean(std::string_view key, bool value);

  /// Adds a number token unchanged and unquoted: `20.50`, `12345678901234567890`. Throws
  /// std::logic_error if it is not a JSON number.
  void add_raw_token(std::string_view key, std::string_view token);

  /// Adds canonical JSON from canonical(), Object::write() or write_array(). Not checked.
  void add_json(std::string_view key, std::string json);

  /// Adds any value of a Document in canonical form.
  void add_value(std::string_view key, const Value& value);

  bool empty() const { return members_.empty(); }

  /// Returns the object's bytes; `{}` if empty.
  std::string write() const;

 private:
  std::vector<std::pair<std::string, std::string>> members_;  // Key (repaired), canonical value.
};

/// Returns `{"key":json}`; `json` must be canonical JSON.
std::string write_object(std::string_view key, std::string json);

/// Returns `[a,b,…]`; the elements must be canonical JSON.
std::string write_array(const std::vector<std::string>& elements);

/// Returns `["a","b",…]`.
std::string write_strings(const std::vector<std::string>& texts);

/// Appends `text` as a canonical JSON string, with its quotes.
void append_string(std::string& out, std::string_view text);

/// Returns `text` as a canonical JSON string, with its quotes.
std::string write_string(std::string_view text);

/// Appends a value of a Document in canonical form. The last of duplicate keys wins, as in `find`.
void append_canonical(std::string& out, const Value& value);

/// Like append_canonical(), but keeps the order of members (of duplicate keys the last). For values
/// that a model reads in order, such as the properties of a schema.
void append_compact(std::string& out, const Value& value);

/// Returns JSON text in canonical form. Code::invalid if it is not exactly one value.
Result<std::string> canonical(std::string_view json_text);

/// Returns true if `text` is an object in exactly the form that this file writes.
bool is_canonical_object(std::string_view text);

/// Appends `text` with JSON's escapes and without quotes, for large texts. Bytes from 0x80 on are
/// copied unchanged: `text` should be UTF-8 (is_utf8), else use append_escaped_repaired.
/// Processes sixteen bytes at a time if the processor can. Returns true if all of it was ASCII,
/// which saves most callers a check.
bool append_escaped(std::string& out, std::string_view text);

/// Like append_escaped(), for any bytes: a surrogate in WTF-8 becomes `\udxxx` (a pair becomes its
/// character), every other byte that is not UTF-8 becomes U+FFFD.
void append_escaped_repaired(std::string& out, std::string_view text);

}  // namespace spoor::json
