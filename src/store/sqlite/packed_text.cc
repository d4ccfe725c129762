#include "store/sqlite/packed_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "store/oid.h"

namespace spoor::store::sqlite {
namespace {

constexpr char kName = 1;  // The 32 bytes of a name follow.
constexpr std::size_t kNameSize = 32;
constexpr std::size_t kHexSize = 2 * kNameSize;

constexpr unsigned char kFirstPhrase = 14;  // After ASCII white space.

// The phrases of code kFirstPhrase and the codes after it. docs/format.md has the same list, which
// is part of the format.
constexpr std::array<std::string_view, 14> kPhrases = {
    "op append\ntype ", "\nparent ",           "\ndepth ", "\ngen ",   "\nskip ", "\ncontent ",
    " text/plain\n",    " application/json\n", "fields ",  "meta {\"", "author ", "time 20",
    "ref refs/heads/",  "_input_tokens\":",
};

constexpr bool is_phrase(unsigned char c) {
  return c >= kFirstPhrase && c - kFirstPhrase < static_cast<int>(kPhrases.size());
}

constexpr auto kStartsPhrase = [] {
  std::array<bool, 256> starts{};
  for (const std::string_view phrase : kPhrases)
    starts[static_cast<unsigned char>(phrase[0])] = true;
  return starts;
}();

constexpr auto kIsCode = [] {
  std::array<bool, 256> codes{};
  codes[kName] = true;
  for (std::size_t i = 0; i < kPhrases.size(); ++i) codes[kFirstPhrase + i] = true;
  return codes;
}();

// Bytes that may begin a phrase, or are codes.
constexpr auto kIsSpecial = [] {
  auto special = kStartsPhrase;
  for (std::size_t i = 0; i < special.size(); ++i) special[i] = special[i] || kIsCode[i];
  return special;
}();

// Returns the code of the phrase that `text` begins with, or 0.
char code_at(std::string_view text) {
  if (!kStartsPhrase[static_cast<unsigned char>(text[0])]) return 0;
  for (std::size_t i = 0; i < kPhrases.size(); ++i) {
    if (text.starts_with(kPhrases[i])) return static_cast<char>(kFirstPhrase + i);
  }
  return 0;
}

}  // namespace

std::optional<std::string> pack_text(std::string_view text) {
  std::string packed;
  packed.reserve(text.size());
  bool may_be_name = false;  // A name follows a blank or a phrase.
  while (!text.empty()) {
    if (may_be_name && text.size() >= kHexSize) {
      if (const auto oid = Oid::from_hex(text.substr(0, kHexSize))) {
        packed.append(1, kName).append(oid->view());
        text.remove_prefix(kHexSize);
        may_be_name = false;
        continue;
      }
    }
    if (const char code = code_at(text)) {
      packed.push_back(code);
      text.remove_prefix(kPhrases[static_cast<std::size_t>(code - kFirstPhrase)].size());
      may_be_name = true;
      continue;
    }
    const char c = text.front();
    if (c == kName || is_phrase(static_cast<unsigned char>(c))) return std::nullopt;
    std::size_t plain = 1;  // The number of bytes up to the next special one.
    while (plain < text.size() && text[plain - 1] != ' ' &&
           !kIsSpecial[static_cast<unsigned char>(text[plain])]) {
      ++plain;
    }
    packed.append(text.substr(0, plain));
    may_be_name = text[plain - 1] == ' ';
    text.remove_prefix(plain);
  }
  return packed;
}

std::optional<std::string> unpack_text(std::string_view packed, std::size_t size) {
  // Limits the size to the most that so many bytes can encode: `size` may be damaged.
  constexpr std::size_t kLongest = 64;
  if (size > packed.size() * kLongest) return std::nullopt;
  std::string text;
  text.reserve(size);
  while (!packed.empty()) {
    const char code = packed.front();
    packed.remove_prefix(1);
    if (code == kName) {
      const auto oid = Oid::from_bytes(packed.substr(0, kNameSize));
      if (!oid) return std::nullopt;
      append_hex(text, *oid);
      packed.remove_prefix(kNameSize);
    } else if (is_phrase(static_cast<unsigned char>(code))) {
      text += kPhrases[static_cast<std::size_t>(code - kFirstPhrase)];
    } else {
      std::size_t plain = 0;  // The number of further literal bytes.
      while (plain < packed.size() && !kIsCode[static_cast<unsigned char>(packed[plain])]) ++plain;
      text.push_back(code);
      text.append(packed.substr(0, plain));
      packed.remove_prefix(plain);
    }
  }
  if (text.size() != size) return std::nullopt;
  return text;
}

}  // namespace spoor::store::sqlite
