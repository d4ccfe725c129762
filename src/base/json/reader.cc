#include "base/json/reader.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

#include "base/json/python.h"
#include "base/json/scan.h"
#include "base/utf8.h"

namespace spoor::json {

using Status = Reading::Status;

const char* name_of(Type type) {
  switch (type) {
    case Type::null:
      return "null";
    case Type::boolean:
      return "boolean";
    case Type::number:
      return "number";
    case Type::string:
      return "string";
    case Type::array:
      return "array";
    case Type::object:
      return "object";
  }
  return "value";
}

/// Reads one value without recursion: the open containers are on a small stack.
class Parser {
 public:
  Parser(std::string_view text, Document& document, bool has_python_words)
      : text_(text), nodes_(document.nodes_), has_python_words_(has_python_words) {
    document.text_ = text.data();
    nodes_.clear();
  }

  Reading run() {
    if (text_.size() > kMaxText) return fail(0, "longer than 4 GiB");
    skip_space();
    if (at_end()) return {Status::nothing, at_, ""};
    if (!whole_value()) {
      nodes_.clear();
      return reading_;
    }
    return {Status::value, at_, ""};
  }

 private:
  bool at_end() const { return at_ == text_.size(); }

  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
      ++at_;
    }
  }

  // Both set the result of run(); their callers return `false` or the Reading upwards.
  Reading fail(std::size_t at, const char* problem) {
    return reading_ = {Status::malformed, at, problem};
  }
  bool malformed(const char* problem) {
    fail(at_, problem);
    return false;
  }
  bool torn(const char* problem) {
    reading_ = {Status::torn, text_.size(), problem};
    return false;
  }

  std::uint32_t open_node(Type type) {
    nodes_.push_back({static_cast<std::uint32_t>(at_), 0, 0, type, false});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  void close_node(std::uint32_t index) {
    nodes_[index].end = static_cast<std::uint32_t>(at_);
    nodes_[index].next = static_cast<std::uint32_t>(nodes_.size());
  }

  bool whole_value() {
    do {
      if (!value_begins()) return false;
      // After a complete value: close the containers that end here, until another value is due.
      while (depth_ > 0 && !value_due_) {
        if (!after_value()) return false;
      }
    } while (depth_ > 0);
    return true;
  }

  /// Reads a complete scalar, or the opening of a container (and its end if it is empty).
  bool value_begins() {
    value_due_ = false;
    skip_space();
    if (at_end()) return torn("a value is missing at the end");
    switch (text_[at_]) {
      case '{':
        return container_begins(Type::object, '}');
      case '[':
        return container_begins(Type::array, ']');
      case '"':
        return string();
      case 't':
        return literal("true", Type::boolean);
      case 'f':
        return literal("false", Type::boolean);
      case 'n':
        return literal("null", Type::null);
      default:
        return has_python_words_ ? python_word() : number();
    }
  }

  bool python_word() {
    const std::string_view here = text_.substr(at_);
    if (here.starts_with('N')) return literal("NaN", Type::null);
    if (here.starts_with('I')) return literal("Infinity", Type::null);
    if (here.starts_with("-I")) return literal("-Infinity", Type::null);
    return number();
  }

  bool container_begins(Type type, char closer) {
    if (depth_ == kMaxDepth) return malformed("nested deeper than 1000");
    const std::uint32_t node = open_node(type);
    ++at_;
    skip_space();
    if (at_end()) return torn("the text ends inside an object or array");
    if (text_[at_] == closer) {
      ++at_;
      close_node(node);
      return true;
    }
    open_[depth_++] = node;
    value_due_ = true;
    return type == Type::array || key();
  }

  /// Reads the comma or the end after a value inside a container.
  bool after_value() {
    const std::uint32_t container = open_[depth_ - 1];
    const bool object = nodes_[container].type == Type::object;
    skip_space();
    if (at_end()) return torn("the text ends inside an object or array");
    const char c = text_[at_];
    if (c == (object ? '}' : ']')) {
      ++at_;
      --depth_;
      close_node(container);
      return true;
    }
    if (c != ',') {
      return malformed(object ? "expected ',' or '}' in an object"
                              : "expected ',' or ']' in an array");
    }
    ++at_;
    value_due_ = true;
    if (!object) return true;
    skip_space();
    return key();
  }

  bool key() {
    if (at_end()) return torn("the text ends inside an object or array");
    if (text_[at_] != '"') return malformed("expected a key in quotes");
    if (!string()) return false;
    skip_space();
    if (at_end()) return torn("the text ends after a key");
    if (text_[at_] != ':') return malformed("expected ':' after a key");
    ++at_;
    return true;
  }

  bool string() {
    const std::uint32_t node = open_node(Type::string);
    std::size_t at = at_ + 1;
    for (;;) {
      at = find_quote_or_escape(text_, at);
      if (at == text_.size()) return torn("the text ends inside a string");
      if (text_[at] == '"') break;
      nodes_[node].escaped = true;
      if (!escape(at)) return false;
    }
    at_ = at + 1;
    close_node(node);
    return true;
  }

  /// Skips the escape whose backslash is at `at`.
  bool escape(std::size_t& at) {
    if (at + 1 == text_.size()) return torn("the text ends inside a string");
    switch (text_[at + 1]) {
      case '"':
      case '\\':
      case '/':
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't':
        at += 2;
        return true;
      case 'u':
        break;
      default:
        at_ = at;
        return malformed("no such escape in a string");
    }
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      if (i == text_.size()) return torn("the text ends inside a string");
      if (!is_hex(text_[i])) {
        at_ = at;
        return malformed("\\u needs four hexadecimal digits");
      }
    }
    at += 6;
    return true;
  }

  static bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }

  bool literal(std::string_view word, Type type) {
    const std::string_view found = text_.substr(at_, word.size());
    if (found != word) {
      if (at_ + found.size() == text_.size() && word.substr(0, found.size()) == found) {
        return torn("the text ends inside a word");
      }
      return malformed("expected a value");
    }
    const std::uint32_t node = open_node(type);
    at_ += word.size();
    close_node(node);
    return true;
  }

  bool digits(std::size_t& at) const {
    const std::size_t first = at;
    while (at < text_.size() && text_[at] >= '0' && text_[at] <= '9') ++at;
    return at != first;
  }

  bool number() {
    std::size_t at = at_;
    if (text_[at] == '-') ++at;
    const bool zero = at < text_.size() && text_[at] == '0';
    if (!digits(at)) return bad_number(at);
    if (zero && at - at_ > (text_[at_] == '-' ? 2U : 1U)) {
      return malformed("a number begins with 0");
    }
    if (at < text_.size() && text_[at] == '.') {
      if (!digits(++at)) return bad_number(at);
    }
    if (at < text_.size() && (text_[at] == 'e' || text_[at] == 'E')) {
      ++at;
      if (at < text_.size() && (text_[at] == '+' || text_[at] == '-')) ++at;
      if (!digits(at)) return bad_number(at);
    }
    const std::uint32_t node = open_node(Type::number);
    at_ = at;
    close_node(node);
    return true;
  }

  bool bad_number(std::size_t at) {
    if (at == text_.size()) return torn("the text ends inside a number");
    const bool anything = at != at_;
    at_ = at;
    return malformed(anything ? "a number without digits" : "expected a value");
  }

  std::string_view text_;
  std::vector<Node>& nodes_;
  const bool has_python_words_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool value_due_ = false;                     // A container is open and wants its next value.
  std::array<std::uint32_t, kMaxDepth> open_;  // The first depth_ are set: clearing 4 kB is slow.
  Reading reading_;
};

Reading parse_one(std::string_view text, Document& document) {
  return Parser(text, document, false).run();
}

Reading parse_python(std::string_view text, Document& document) {
  return Parser(text, document, true).run();
}

bool has_python_word(const Value& value) {
  if (value.is(Type::null)) return value.raw() != "null";
  for (const Value& element : value.elements()) {
    if (has_python_word(element)) return true;
  }
  for (const Member& member : value.members()) {
    if (has_python_word(member.value)) return true;
  }
  return false;
}

Result<Document> parse(std::string_view text) {
  Document document;
  const Reading reading = parse_one(text, document);
  if (reading.status == Status::nothing) {
    return invalid("no JSON: the text is empty", "an empty object is '{}'");
  }
  if (!reading) {
    return invalid(fmt::format("no JSON: {} (byte {})", reading.problem, reading.end),
                   "correct the text there; bytes are counted from 0");
  }
  const std::size_t rest = text.find_first_not_of(" \n\t\r", reading.end);
  if (rest != std::string_view::npos) {
    return invalid(fmt::format("no JSON: something follows the value (byte {})", rest),
                   "give a single value");
  }
  return document;
}

Value Document::root() const {
  if (nodes_.empty()) return {};
  return {text_, nodes_.data(), 0};
}

std::string_view Value::raw() const {
  if (nodes_ == nullptr) return {};
  return {text_ + node().begin, node().end - node().begin};
}

std::optional<std::string_view> Value::plain_text() const {
  if (!is_string() || node().escaped) return std::nullopt;
  const std::string_view quoted = raw();
  return quoted.substr(1, quoted.size() - 2);
}

std::string Value::text() const {
  if (!is_string()) return {};
  const std::string_view quoted = raw();
  const std::string_view inside = quoted.substr(1, quoted.size() - 2);
  return node().escaped ? unescape(inside) : std::string(inside);
}

bool Value::equals(std::string_view wanted) const {
  if (const auto plain = plain_text()) return *plain == wanted;
  return is_string() && text() == wanted;
}

std::optional<std::int64_t> Value::integer() const {
  if (!is_number()) return std::nullopt;
  const std::string_view token = raw();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return value;
}

Value::Elements Value::elements() const {
  if (!is_array()) return {Value(), Value()};
  return {at(index_ + 1), at(node().next)};
}

Value::Members Value::members() const {
  if (!is_object()) return {Value(), Value()};
  return {at(index_ + 1), at(node().next)};
}

std::size_t Value::size() const {
  std::size_t count = 0;
  for ([[maybe_unused]] const Value& element : elements()) ++count;
  for ([[maybe_unused]] const Member& member : members()) ++count;
  return count;
}

Value Value::find(std::string_view key) const {
  Value found;
  for (const Member& member : members()) {
    if (member.key.equals(key)) found = member.value;
  }
  return found;
}

namespace {

/// Returns the four digits at the front of `text`, which were checked when it was read.
char32_t hex4(std::string_view text) {
  char32_t code = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const char c = text[i];
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    code = (code << 4) | static_cast<char32_t>(digit);
  }
  return code;
}

constexpr bool is_high_surrogate(char32_t code) { return code >= 0xd800 && code < 0xdc00; }
constexpr bool is_low_surrogate(char32_t code) { return code >= 0xdc00 && code < 0xe000; }

/// Appends the character of the `\u` escape at the front; returns the escape's length.
std::size_t append_unicode_escape(std::string& out, std::string_view text) {
  const char32_t first = hex4(text.substr(2));
  if (is_high_surrogate(first) && text.size() >= 12 && text[6] == '\\' && text[7] == 'u') {
    const char32_t second = hex4(text.substr(8));
    if (is_low_surrogate(second)) {
      append_utf8(out, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
      return 12;
    }
  }
  append_utf8(out, first);
  return 6;
}

char simple_escape(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return letter;
  }
}

}  // namespace

std::string unescape(std::string_view inside) {
  std::string out;
  out.reserve(inside.size());
  while (!inside.empty()) {
    const std::size_t clean = std::min(inside.find('\\'), inside.size());
    out.append(inside.substr(0, clean));
    inside.remove_prefix(clean);
    if (inside.size() < 2) break;
    if (inside[1] == 'u' && inside.size() >= 6) {
      inside.remove_prefix(append_unicode_escape(out, inside));
    } else {
      out.push_back(simple_escape(inside[1]));
      inside.remove_prefix(2);
    }
  }
  return out;
}

}  // namespace spoor::json
