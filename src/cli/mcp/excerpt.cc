#include "cli/mcp/excerpt.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/numbers.h"

namespace spoor::cli::mcp {
namespace {

// The tokens of the line that says what is left out.
constexpr std::uint64_t kNotice = 60;

enum class Kind : unsigned char { letter, digit, space, sign, other };

Kind kind_of(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return Kind::letter;
  if (c >= '0' && c <= '9') return Kind::digit;
  if (c == ' ') return Kind::space;
  return static_cast<unsigned char>(c) < 0x80 ? Kind::sign : Kind::other;
}

// Counts the tokens of bytes that are added one at a time.
class Counter {
 public:
  void add(char c) {
    const Kind kind = kind_of(c);
    const bool is_capital = c >= 'A' && c <= 'Z';
    const bool is_next_word = (is_capital && capitals_ == 0) || (!is_capital && capitals_ > 1);
    after_space_ = kind_ == Kind::space;
    if (static_cast<unsigned char>(c) >= 0xc0) lead_ = static_cast<unsigned char>(c);
    run_ = kind == kind_ && !(kind == Kind::letter && is_next_word) ? run_ + 1 : 1;
    kind_ = kind;
    capitals_ = is_capital ? capitals_ + 1 : 0;
    word_ = kind == Kind::letter || kind == Kind::digit ? word_ + 1 : 0;
    tokens_ += begun_by(c);
  }

  std::uint64_t tokens() const { return tokens_; }

 private:
  // Returns the number of tokens that begin with the byte that was added.
  std::uint64_t begun_by(char c) const {
    constexpr std::uint64_t kLongWord = 16;  // Longer ones are encoded or random.
    if (word_ > kLongWord) return word_ % 4 != 0;
    switch (kind_) {
      case Kind::letter:
        if (capitals_ > 1) return capitals_ % 2;
        return run_ == 1 || (run_ > 4 && run_ % 2 == 1);
      case Kind::digit:  // A space before a number is no part of it.
        return run_ % 2 + static_cast<std::uint64_t>(run_ == 1 && after_space_);
      case Kind::space:  // One is part of the word that follows, and longer runs have their own.
        return run_ % 16 == 2;
      case Kind::sign:
        return 1;
      case Kind::other:
        if (lead_ == 0xe1)
          return 1;  // Scripts from Burmese to Mongolian, which tokenizers have not.
        return run_ % 2 + static_cast<std::uint64_t>(static_cast<unsigned char>(c) >= 0xf0);
    }
    return 1;
  }

  Kind kind_ = Kind::sign;
  std::uint64_t run_ = 0;       // Bytes of this kind, or letters of one word of a name.
  std::uint64_t word_ = 0;      // Letters and digits.
  std::uint64_t capitals_ = 0;  // The last letters.
  bool after_space_ = false;
  unsigned char lead_ = 0;  // The first byte of the last character beyond ASCII.
  std::uint64_t tokens_ = 0;
};

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }

// Returns the end of the longest beginning of `text` that has at most `most` tokens: after a line
// if it has one, else before a character.
std::size_t end_within(std::string_view text, std::uint64_t most) {
  Counter counter;
  std::size_t line = 0;
  std::size_t character = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i])) character = i;
    counter.add(text[i]);
    if (counter.tokens() > most) return line > 0 ? line : character;
    if (text[i] == '\n') line = i + 1;
  }
  return text.size();
}

}  // namespace

std::string excerpt(std::string_view text, const Range& range) {
  std::size_t begin = std::min<std::uint64_t>(range.offset, text.size());
  while (begin < text.size() && !begins_character(text[begin])) ++begin;
  if (begin == text.size() && begin > 0) return "[the answer ends before this offset]\n";
  const std::string_view rest = text.substr(begin);
  if (end_within(rest, range.max_tokens) == rest.size()) return std::string(rest);
  const std::size_t size = end_within(rest, range.max_tokens - kNotice);
  std::string part(rest.substr(0, size));
  if (!part.ends_with('\n')) part += '\n';
  return part +
         fmt::format("[{} left out: ask again with offset {}, or with a larger max_tokens]\n",
                     agent::counted(rest.size() - size, "more byte"), begin + size);
}

}  // namespace spoor::cli::mcp
