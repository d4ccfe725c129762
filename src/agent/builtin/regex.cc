#include "agent/builtin/regex.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace spoor::agent::builtin {
namespace {

using store::Error;
using store::Result;
using Bytes = Regex::Bytes;
using Instruction = Regex::Instruction;
using Kind = Instruction::Kind;

constexpr int kDeepest = 100;  // Parentheses within parentheses.
constexpr int kMostRepeats = 1'000;
constexpr int kEndless = -1;

// What was parsed: a tree whose nodes lie in one list.
struct Node {
  enum class Kind { bytes, assertion, sequence, choice, repeat };
  Kind kind = Kind::sequence;
  Bytes bytes;
  Instruction::Kind assertion = Instruction::Kind::begin;
  std::vector<std::size_t> parts;
  int least = 0;
  int most = 0;
};

void add_range(Bytes& bytes, unsigned char first, unsigned char last) {
  for (unsigned c = first; c <= last; ++c) bytes.set(c);
}

// Of `\d`, `\w` and `\s`, and what they leave out.
std::optional<Bytes> class_of(char letter) {
  Bytes bytes;
  switch (letter) {
    case 'd':
    case 'D':
      add_range(bytes, '0', '9');
      break;
    case 'w':
    case 'W':
      add_range(bytes, '0', '9');
      add_range(bytes, 'a', 'z');
      add_range(bytes, 'A', 'Z');
      bytes.set('_');
      break;
    case 's':
    case 'S':
      for (const char c : {' ', '\t', '\n', '\r', '\f', '\v'}) {
        bytes.set(static_cast<unsigned char>(c));
      }
      break;
    default:
      return std::nullopt;
  }
  return letter < 'a' ? ~bytes : bytes;
}

bool is_word(std::string_view text, std::size_t at) {
  static const Bytes kWord = *class_of('w');
  return at < text.size() && kWord.test(static_cast<unsigned char>(text[at]));
}

bool is_border(std::string_view text, std::size_t at) {
  return (at > 0 && is_word(text, at - 1)) != is_word(text, at);
}

class Parser {
 public:
  Parser(std::string_view pattern, bool ignore_case) : rest_(pattern), ignore_case_(ignore_case) {}

  Result<std::size_t> parse() {
    const std::size_t root = TRY(choice(0));
    if (!rest_.empty()) return wrong("a ')' closes nothing");
    return root;
  }

  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  static Error wrong(std::string_view why) {
    return store::invalid(fmt::format("the expression is wrong: {}", why),
                          "without 'regex' the pattern is plain text");
  }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::size_t add(Node node) {
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }

  std::size_t add_bytes(Bytes bytes) {
    Node node;
    node.kind = Node::Kind::bytes;
    node.bytes = bytes;
    return add(std::move(node));
  }

  std::size_t add_assertion(Kind kind) {
    Node node;
    node.kind = Node::Kind::assertion;
    node.assertion = kind;
    return add(std::move(node));
  }

  Result<std::size_t> choice(int depth) {
    if (depth > kDeepest) return wrong("too many parentheses within each other");
    Node node;
    node.kind = Node::Kind::choice;
    do {
      node.parts.push_back(TRY(sequence(depth)));
    } while (take('|'));
    return add(std::move(node));
  }

  Result<std::size_t> sequence(int depth) {
    Node node;
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      const std::size_t part = TRY(atom(depth));
      node.parts.push_back(TRY(repeated(part)));
    }
    return add(std::move(node));
  }

  Result<std::size_t> atom(int depth) {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    switch (c) {
      case '(': {
        if (take('?') && !take(':')) return wrong("'(?' is not known but in '(?:'");
        const std::size_t inside = TRY(choice(depth + 1));
        if (!take(')')) return wrong("a '(' is not closed");
        return inside;
      }
      case '.':
        return add_bytes(~Bytes().set('\n'));
      case '^':
        return add_assertion(Kind::begin);
      case '$':
        return add_assertion(Kind::end);
      case '[':
        return byte_set();
      case '\\':
        return escape();
      case '*':
      case '+':
      case '?':
        return wrong(fmt::format("there is nothing before '{}' to repeat", c));
      default:
        return add_bytes(with_cases(Bytes().set(static_cast<unsigned char>(c))));
    }
  }

  Result<std::size_t> escape() {
    if (!rest_.empty() && (rest_.front() == 'b' || rest_.front() == 'B')) {
      const bool is_border = rest_.front() == 'b';
      rest_.remove_prefix(1);
      return add_assertion(is_border ? Kind::border : Kind::no_border);
    }
    return add_bytes(TRY(escaped()));
  }

  // What stands after a backslash, within brackets too.
  Result<Bytes> escaped() {
    if (rest_.empty()) return wrong("it ends with a backslash");
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (const std::optional<Bytes> known = class_of(c)) return *known;
    constexpr std::string_view kLetters = "tnrfv";
    constexpr std::string_view kMeant = "\t\n\r\f\v";
    const std::size_t letter = kLetters.find(c);
    if (letter != std::string_view::npos) {
      return Bytes().set(static_cast<unsigned char>(kMeant[letter]));
    }
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      return wrong(fmt::format("'\\{}' is not known", c));
    }
    return Bytes().set(static_cast<unsigned char>(c));
  }

  Result<std::size_t> byte_set() {
    const bool is_not = take('^');
    Bytes bytes;
    for (bool is_first = true; is_first || !take(']'); is_first = false) {
      if (rest_.empty()) return wrong("a '[' is not closed");
      if (rest_.starts_with("[:")) return wrong("'[:' is not known: write \\d, \\w or \\s");
      const Bytes one = TRY(member());
      const bool is_range = rest_.size() > 1 && rest_.front() == '-' && rest_[1] != ']';
      if (!is_range) {
        bytes |= one;
        continue;
      }
      rest_.remove_prefix(1);
      const Bytes other = TRY(member());
      const std::optional<unsigned char> first = only_of(one);
      const std::optional<unsigned char> last = only_of(other);
      if (!first || !last || *first > *last) return wrong("a range in '[' is none");
      add_range(bytes, *first, *last);
    }
    bytes = with_cases(bytes);
    return add_bytes(is_not ? ~bytes : bytes);
  }

  Bytes with_cases(Bytes bytes) const {
    for (unsigned c = 'a'; ignore_case_ && c <= 'z'; ++c) {
      const unsigned upper = c - 'a' + 'A';
      if (bytes.test(c) || bytes.test(upper)) bytes.set(c).set(upper);
    }
    return bytes;
  }

  Result<Bytes> member() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '\\') return escaped();
    return Bytes().set(static_cast<unsigned char>(c));
  }

  static std::optional<unsigned char> only_of(const Bytes& bytes) {
    if (bytes.count() != 1) return std::nullopt;
    for (unsigned c = 0; c < 256; ++c) {
      if (bytes.test(c)) return static_cast<unsigned char>(c);
    }
    return std::nullopt;
  }

  Result<std::size_t> repeated(std::size_t part) {
    while (true) {
      int least = 0;
      int most = kEndless;
      if (take('+')) {
        least = 1;
      } else if (take('?')) {
        most = 1;
      } else if (const std::string_view before = rest_; take('{')) {
        if (!take_bounds(least, most)) {  // A brace that is no repetition is one.
          rest_ = before;
          return part;
        }
        if (least > kMostRepeats || most > kMostRepeats || (most != kEndless && most < least)) {
          return wrong("a repetition '{' is none, or too often");
        }
      } else if (!take('*')) {
        return part;
      }
      take('?');
      Node node;
      node.kind = Node::Kind::repeat;
      node.parts = {part};
      node.least = least;
      node.most = most;
      part = add(std::move(node));
      if (++repeats_ > kDeepest) return wrong("too many repetitions");
    }
  }

  std::optional<int> take_number() {
    int number = 0;
    std::size_t digits = 0;
    while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') {
      number = std::min(number * 10 + (rest_[digits++] - '0'), kMostRepeats + 1);
    }
    rest_.remove_prefix(digits);
    if (digits == 0) return std::nullopt;
    return number;
  }

  bool take_bounds(int& least, int& most) {
    const std::optional<int> first = take_number();
    if (!first) return false;
    least = most = *first;
    if (take(',')) most = take_number().value_or(kEndless);
    return take('}');
  }

  std::string_view rest_;
  const bool ignore_case_;
  std::vector<Node> nodes_;
  int repeats_ = 0;
};

// Writes the tree out as instructions.
class Writer {
 public:
  Writer(const std::vector<Node>& nodes, std::vector<Instruction>& program,
         std::vector<Bytes>& sets)
      : nodes_(nodes), program_(program), sets_(sets) {}

  // False when it becomes too large.
  bool write(std::size_t index) {
    const Node& node = nodes_[index];
    if (program_.size() > Regex::kMostInstructions) return false;
    switch (node.kind) {
      case Node::Kind::bytes:
        sets_.push_back(node.bytes);
        program_.push_back({Kind::bytes, static_cast<std::uint32_t>(sets_.size() - 1)});
        return true;
      case Node::Kind::assertion:
        program_.push_back({node.assertion});
        return true;
      case Node::Kind::sequence:
        return std::all_of(node.parts.begin(), node.parts.end(),
                           [this](std::size_t part) { return write(part); });
      case Node::Kind::choice:
        return write_choice(node);
      case Node::Kind::repeat:
        return write_repeat(node);
    }
    return false;
  }

 private:
  std::uint32_t here() const { return static_cast<std::uint32_t>(program_.size()); }

  bool write_choice(const Node& node) {
    std::vector<std::uint32_t> ends;
    for (std::size_t i = 0; i < node.parts.size(); ++i) {
      const bool is_last = i + 1 == node.parts.size();
      const std::uint32_t split = here();
      if (!is_last) program_.push_back({Kind::split, split + 1});
      if (!write(node.parts[i])) return false;
      if (is_last) break;
      ends.push_back(here());
      program_.push_back({Kind::jump});
      program_[split].also = here();
    }
    for (const std::uint32_t end : ends) program_[end].to = here();
    return true;
  }

  bool write_repeat(const Node& node) {
    for (int i = 0; i < node.least; ++i) {
      if (!write(node.parts[0])) return false;
    }
    if (node.most == kEndless) {
      const std::uint32_t split = here();
      program_.push_back({Kind::split, split + 1});
      if (!write(node.parts[0])) return false;
      program_.push_back({Kind::jump, split});
      program_[split].also = here();
      return true;
    }
    std::vector<std::uint32_t> splits;
    for (int i = node.least; i < node.most; ++i) {
      splits.push_back(here());
      program_.push_back({Kind::split, here() + 1});
      if (!write(node.parts[0])) return false;
    }
    for (const std::uint32_t split : splits) program_[split].also = here();
    return true;
  }

  const std::vector<Node>& nodes_;
  std::vector<Instruction>& program_;
  std::vector<Bytes>& sets_;
};

}  // namespace

Result<Regex> Regex::parse(std::string_view pattern, bool ignore_case) {
  Parser parser(pattern, ignore_case);
  const std::size_t root = TRY(parser.parse());
  Regex regex;
  Writer writer(parser.nodes(), regex.program_, regex.sets_);
  if (!writer.write(root) || regex.program_.size() > kMostInstructions) {
    return store::invalid("the expression is too large", "repeat less");
  }
  regex.program_.push_back({Kind::match});
  regex.find_first_bytes();
  return regex;
}

// Follows what takes no byte. Every instruction is met once a step at most.
void Regex::add(std::uint32_t first, std::string_view text, std::size_t at,
                std::vector<std::uint32_t>& list, Room& room, bool& is_match) const {
  room.waiting.push_back(first);
  while (!room.waiting.empty()) {
    const std::uint32_t place = room.waiting.back();
    room.waiting.pop_back();
    if (room.seen[place] == room.step) continue;
    room.seen[place] = room.step;
    const Instruction& instruction = program_[place];
    bool goes_on = false;
    switch (instruction.kind) {
      case Kind::bytes:
        list.push_back(place);
        break;
      case Kind::split:
        room.waiting.push_back(instruction.also);
        room.waiting.push_back(instruction.to);
        break;
      case Kind::jump:
        room.waiting.push_back(instruction.to);
        break;
      case Kind::begin:
        goes_on = at == 0;
        break;
      case Kind::end:
        goes_on = at == text.size();
        break;
      case Kind::border:
        goes_on = is_border(text, at);
        break;
      case Kind::no_border:
        goes_on = !is_border(text, at);
        break;
      case Kind::match:
        is_match = true;
        break;
    }
    if (goes_on) room.waiting.push_back(place + 1);
  }
}

void Regex::find_first_bytes() {
  std::vector<bool> seen(program_.size(), false);
  std::vector<std::uint32_t> waiting = {0};
  has_first_ = true;
  while (!waiting.empty()) {
    const std::uint32_t place = waiting.back();
    waiting.pop_back();
    if (seen[place]) continue;
    seen[place] = true;
    const Instruction& instruction = program_[place];
    if (instruction.kind == Kind::bytes) {
      first_ |= sets_[instruction.to];
    } else if (instruction.kind == Kind::split || instruction.kind == Kind::jump) {
      waiting.push_back(instruction.to);
      if (instruction.kind == Kind::split) waiting.push_back(instruction.also);
    } else {
      has_first_ = false;
    }
  }
}

std::size_t Regex::find_end(std::string_view text, Room& room) const {
  if (room.seen.size() != program_.size()) room.seen.assign(program_.size(), room.step);
  room.now.clear();
  bool is_match = false;
  ++room.step;
  for (std::size_t at = 0;; ++at) {
    if (has_first_ && room.now.empty()) {  // Nothing is under way: to where something can begin.
      while (at < text.size() && !first_.test(static_cast<unsigned char>(text[at]))) ++at;
    }
    add(0, text, at, room.now, room, is_match);  // In the step in which `now` was filled.
    if (is_match) return at;
    if (at >= text.size()) return npos;
    ++room.step;
    room.next.clear();
    const auto byte = static_cast<unsigned char>(text[at]);
    for (const std::uint32_t place : room.now) {
      if (sets_[program_[place].to].test(byte)) {
        add(place + 1, text, at + 1, room.next, room, is_match);
      }
    }
    std::swap(room.now, room.next);
    if (is_match) return at + 1;
  }
}

}  // namespace spoor::agent::builtin
