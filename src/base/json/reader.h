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

// A reader that keeps what was written. Every value knows the exact bytes it
// was read from; members keep their order and their duplicates; numbers keep
// their digits. It is lenient where a real file is sloppy and the meaning is
// plain: raw control characters (NUL too), bytes that are not UTF-8 and lone
// surrogates are accepted inside strings. Everything else is RFC 8259.
// One reader, not a strict fast one with a lenient one behind it: docs/adr/0005.

enum class Type : std::uint8_t { null, boolean, number, string, array, object };

/// "null", "boolean", … for messages.
const char* name_of(Type type);

/// Deeper nesting than this is refused.
constexpr std::size_t kMaxDepth = 1000;

/// Longer texts than this are refused: positions are kept in 32 bits.
constexpr std::size_t kMaxText = 0xffff'fff0;

/// One value as the reader laid it down. Values lie in the order of the source,
/// a container before its children; a member is its key, then its value.
struct Node {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t next = 0;  ///< index of the first node that is not inside this one
  Type type = Type::null;
  bool escaped = false;  ///< a string with a backslash in it
};

struct Member;

/// A value, or "no such value" (false in a condition): what `find` and the
/// readers of a missing value answer. Cheap to copy. Borrows the text and the
/// Document (which may be moved, but not destroyed or read into again).
/// Asking the wrong type gives the empty answer, never an error.
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

  /// Null for a missing value too.
  Type type() const { return nodes_ != nullptr ? node().type : Type::null; }

  /// The exact bytes of the value in the source, without space around it. A
  /// string has its quotes, a number its digits as they were typed.
  std::string_view raw() const;

  /// Where raw() begins in the text that was read.
  std::size_t offset() const { return nodes_ != nullptr ? node().begin : 0; }

  /// A string with its escapes undone: bytes as they were, `\u` escapes as
  /// UTF-8, a lone surrogate in its three-byte WTF-8 form. Empty otherwise.
  std::string text() const;

  /// The string without a copy, if nothing in it is escaped.
  std::optional<std::string_view> plain_text() const;

  /// Is this a string that reads `text`?
  bool equals(std::string_view text) const;

  bool is_true() const { return is(Type::boolean) && raw() == "true"; }
  bool is_false() const { return is(Type::boolean) && raw() == "false"; }

  /// A number written as an integer that fits, else nothing.
  std::optional<std::int64_t> integer() const;

  /// Children of an array, or members of an object. Walks them.
  std::size_t size() const;

  /// The member called `key`; of several the last, as JavaScript has it.
  Value find(std::string_view key) const;

  /// Elements of an array, in order: `for (Value v : value.elements())`.
  class Elements;
  Elements elements() const;

  /// Members of an object, in order, duplicates too:
  /// `for (Member m : value.members())`.
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

/// The tree of one value: 16 bytes a value in one allocation. Borrows the text
/// that was read, which must stay where it is.
class Document {
 public:
  /// The value that was read; missing before.
  Value root() const;

 private:
  friend class Parser;
  const char* text_ = nullptr;
  std::vector<Node> nodes_;
};

/// What one reading found.
struct Reading {
  enum class Status {
    value,      ///< a whole value, which ended at `end`
    nothing,    ///< only white space up to the end of the text
    torn,       ///< the text ends within a value that is sound so far
    malformed,  ///< no JSON, from the byte at `end` on
  };
  Status status = Status::nothing;
  std::size_t end = 0;       ///< a byte offset in the text; see Status
  const char* problem = "";  ///< torn, malformed: what was wrong, for people

  explicit operator bool() const { return status == Status::value; }
};

/// Reads the first value of `text` and says where it ended; what follows is not
/// looked at, so glued values are read one call after another. Time is linear
/// in the bytes read. `document` is refilled and keeps its memory: reuse it.
Reading parse_one(std::string_view text, Document& document);

/// Reads a text that is exactly one value, white space around it allowed.
/// Code::invalid with the byte offset otherwise.
Result<Document> parse(std::string_view text);

/// A document borrows its text, so one that is about to go cannot be read.
template <std::same_as<std::string> Text>
Result<Document> parse(Text&& text) = delete;

/// Undoes the escapes of what stands between a string's quotes; see Value::text.
std::string unescape(std::string_view inside);

}  // namespace spoor::json
