#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/reader.h"
#include "base/result.h"

namespace spoor::json {

// The one way `fields`, `extra` and `meta` are written: keys sorted by code
// point, no white space, number tokens as they came, strings with the fewest
// escapes. Equal values have equal bytes, so equal names.

/// Integers beyond this are not exact everywhere: 2^53 - 1.
constexpr std::int64_t kMaxExactInteger = 9'007'199'254'740'991;

/// Builds a canonical object. Keys may come in any order; of two equal keys the
/// one added last stays. Keys and texts are any bytes: UTF-8, a lone surrogate
/// in WTF-8 (written `\udxxx`), anything else is written as U+FFFD.
class Object {
 public:
  void add_string(std::string_view key, std::string_view text);

  /// Between -kMaxExactInteger and kMaxExactInteger; beyond is a bug of the
  /// caller and throws std::logic_error (use add_raw_token).
  void add_integer(std::string_view key, std::int64_t value);

  void add_boolean(std::string_view key, bool value);

  /// A number token as it came, unquoted: `20.50`, `12345678901234567890`.
  /// Anything that is no JSON number throws std::logic_error.
  void add_raw_token(std::string_view key, std::string_view token);

  /// A value that is canonical JSON already: from canonical(), Object::write()
  /// or write_array(). Not checked.
  void add_json(std::string_view key, std::string json);

  /// A value of a Document, whatever it is, put into canonical form.
  void add_value(std::string_view key, const Value& value);

  bool empty() const { return members_.empty(); }

  /// The object's bytes; `{}` when empty.
  std::string write() const;

 private:
  std::vector<std::pair<std::string, std::string>> members_;  // Key (repaired), canonical value.
};

/// `[a,b,…]` of canonical values.
std::string write_array(const std::vector<std::string>& elements);

/// `["a","b",…]` of texts.
std::string write_strings(const std::vector<std::string>& texts);

/// Appends `text` as a canonical JSON string, with its quotes.
void append_string(std::string& out, std::string_view text);

/// `text` as a canonical JSON string, with its quotes.
std::string write_string(std::string_view text);

/// Appends a value of a Document in canonical form. Of duplicate keys the last
/// stays, as `find` has it.
void append_canonical(std::string& out, const Value& value);

/// The same with every member where it stands (of duplicate keys the last one), for what a model
/// reads in order, such as the properties of a schema.
void append_compact(std::string& out, const Value& value);

/// Any JSON text in canonical form. Code::invalid when it is not one value.
Result<std::string> canonical(std::string_view json_text);

/// Is `text` an object in exactly the form that this file writes?
bool is_canonical_object(std::string_view text);

/// Appends `text` with JSON's escapes and no quotes, for large texts. Bytes
/// from 0x80 on are copied as they are: `text` should be UTF-8 (is_utf8),
/// else use append_escaped_repaired. Sixteen bytes at a time where the processor
/// can. Returns whether all of it was ASCII, which saves most callers a check.
bool append_escaped(std::string& out, std::string_view text);

/// The same for any bytes: a surrogate in WTF-8 becomes `\udxxx` (two that make
/// a pair become their character), every other byte that is not UTF-8 U+FFFD.
void append_escaped_repaired(std::string& out, std::string_view text);

}  // namespace spoor::json
