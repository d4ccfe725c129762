#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spoor::json {

// A reader that keeps the source. Every value has the exact bytes it was read from; members keep
// their order and their duplicates; numbers keep their digits. It accepts some errors of real files
// if the meaning is clear: raw control characters (including NUL), bytes that are not UTF-8 and
// lone surrogates inside strings. Everything else follows RFC 8259. docs/adr/0005 explains why
// there is a single reader and no strict, faster one.

enum class Type : std::uint8_t { null, boolean, number, string, array, object };

/// Returns "null", "boolean", … for messages.
const char* name_of(Type type);

/// The maximum depth of nesting.
constexpr std::size_t kMaxDepth = 1000;

/// The maximum length of a text: positions are 32 bits.
constexpr std::size_t kMaxText = 0xffff'fff0;

/// One parsed value. Nodes are in source order, a container before its children; a member is its
/// key, then its value.
struct Node {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t next = 0;  ///< the index of the first node after this one and its children
  Type type = Type::null;
  bool escaped = false;  ///< a string that contains a backslash
};

struct Member;

/// A value, or a missing value (false in a condition), which `find` and the accessors of a missing
/// value return. Cheap to copy. Borrows the text and the Document (which may be moved, but not
/// destroyed or refilled). Accessors of another type return an empty result, never an error.
class Value {
 public:
  Value() = default;
  Value(const char* text, const Node* nodes, std::uint32_t index)
      : text_(text), nodes_(nodes), index_(index) {}

  explicit operator bool() const { return nodes_ != nullptr; }
  bool is(Type type) const { return nodes_ != nullptr && node().type == type; }
  bool is_object() const { return is(Type::object); }
  bool is_array() const { return is(Type::array); }
  bool is_string() const { return is(Type::string); }
  bool is_number() const { return is(Type::number); }

  /// Null also for a missing value.
  Type type() const { return nodes_ != nullptr ? node().type : Type::null; }

  /// Returns the exact bytes of the value in the source, without surrounding space. Strings include
  /// their quotes, numbers their original digits.
  std::string_view raw() const;

  /// Returns the offset of raw() in the text.
  std::size_t offset() const { return nodes_ != nullptr ? node().begin : 0; }

  /// Decodes a string: bytes unchanged, `\u` escapes as UTF-8, a lone surrogate as three bytes of
  /// WTF-8. Returns empty for other types.
  std::string text() const;

  /// Returns the string without a copy if it contains no escapes.
  std::optional<std::string_view> plain_text() const;

  /// Returns true if this is a string equal to `text`.
  bool equals(std::string_view text) const;

  bool is_true() const { return is(Type::boolean) && raw() == "true"; }
  bool is_false() const { return is(Type::boolean) && raw() == "false"; }

  /// Returns a number written as an integer if it fits; else nullopt.
  std::optional<std::int64_t> integer() const;

  /// Returns the number of elements or members. Linear time.
  std::size_t size() const;

  /// Returns the member `key`; the last one if there are several, as in JavaScript.
  Value find(std::string_view key) const;

  /// Elements of an array in order: `for (Value v : value.elements())`.
  class Elements;
  Elements elements() const;

  /// Members of an object in order, including duplicates: `for (Member m : value.members())`.
  class Members;
  Members members() const;

 private:
  const Node& node() const { return nodes_[index_]; }
  Value at(std::uint32_t index) const { return {text_, nodes_, index}; }

  const char* text_ = nullptr;
  const Node* nodes_ = nullptr;
  std::uint32_t index_ = 0;
};

/// One member of an object.
struct Member {
  Value key;  ///< always a string
  Value value;
};

class Value::Elements {
 public:
  struct Iterator {
    Value at;
    Value operator*() const { return at; }
    Iterator& operator++() {
      at.index_ = at.node().next;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at.index_ != other.at.index_; }
  };
  Elements(Value first, Value last) : first_(first), last_(last) {}
  Iterator begin() const { return {first_}; }
  Iterator end() const { return {last_}; }

 private:
  Value first_, last_;
};

class Value::Members {
 public:
  struct Iterator {
    Value key;
    Member operator*() const { return {key, key.at(key.index_ + 1)}; }
    Iterator& operator++() {
      key.index_ = key.nodes_[key.index_ + 1].next;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return key.index_ != other.key.index_; }
  };
  Members(Value first, Value last) : first_(first), last_(last) {}
  Iterator begin() const { return {first_}; }
  Iterator end() const { return {last_}; }

 private:
  Value first_, last_;
};

/// The tree of one value: 16 bytes per value in one allocation. Borrows the text, which must not
/// move.
class Document {
 public:
  /// Returns the value that was read; missing before the first reading.
  Value root() const;

 private:
  friend class Parser;
  const char* text_ = nullptr;
  std::vector<Node> nodes_;
};

/// The result of one reading.
struct Reading {
  enum class Status {
    value,      ///< a complete value, which ends at `end`
    nothing,    ///< only white space up to the end of the text
    torn,       ///< the text ends inside a value without an error so far
    malformed,  ///< not JSON from the byte at `end` on
  };
  Status status = Status::nothing;
  std::size_t end = 0;       ///< a byte offset in the text; see Status
  const char* problem = "";  ///< for torn and malformed: the error, for people

  explicit operator bool() const { return status == Status::value; }
};

/// Reads the first value of `text` and returns where it ends. Ignores the rest, so that
/// concatenated values can be read by repeated calls. Linear in the bytes read. Refills `document`,
/// which keeps its memory: reuse it.
Reading parse_one(std::string_view text, Document& document);

/// Reads a text of exactly one value, with optional white space around it. Otherwise Code::invalid
/// with the byte offset.
Result<Document> parse(std::string_view text);

/// Deleted: a document borrows its text, so a temporary string cannot be parsed.
template <std::same_as<std::string> Text>
Result<Document> parse(Text&& text) = delete;

/// Decodes the part of a string between its quotes; see Value::text.
std::string unescape(std::string_view inside);

}  // namespace spoor::json
