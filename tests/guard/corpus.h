#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Made-up secrets, and what looks like them. Shapes are written here once more, apart from the
// rules that are to find them.
namespace spoor::guard {

/// A text with a secret in it.
struct Told {
  std::string kind;
  std::string secret;
  std::string text;
};

/// A sequence of numbers that is the same everywhere (SplitMix64).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }
  std::string some(std::string_view alphabet, std::size_t count);

 private:
  std::uint64_t state_;
};

/// A secret of a shape: text as it is, and `<a36>` for 36 characters of an alphabet: d digits, h
/// hex digits, l small letters, n those and digits, A capitals and digits, B base32, b base64, u
/// its form for addresses, a letters and digits. The secret is what stands between `{` and `}`, or
/// all of it. `#card` and `#iban` are numbers that pass their check.
Told made_up(std::string_view kind, std::string_view shape, Dice& dice);

/// A text inside another: a sentence, a setting, a line of a log, of code; six ways.
std::string wrapped(const std::string& text, std::size_t way);

/// `count` secrets of every kind in turn, each in a sentence, a setting, a line of code or a log.
std::vector<Told> made_up_secrets(std::size_t count, std::uint64_t seed);

/// `count` paths, UUIDs, hashes, addresses, pictures, ids, dates and lines of code.
std::vector<std::string> look_alikes(std::size_t count, std::uint64_t seed);

/// RFC 4648.
std::string base64_of(std::string_view bytes);

}  // namespace spoor::guard
