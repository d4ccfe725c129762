#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/oid.h"

namespace spoor::compile {

/// What is kept of a text in capture mode `hashed`: how long it was, and its HMAC-SHA-256 under a
/// key that lies outside the store. Whoever has key and text can show that it was said.
struct Commitment {
  std::uint64_t bytes = 0;
  store::Oid mac;

  bool operator==(const Commitment&) const = default;
};

/// `{"bytes":123,"hash":"hmac-sha256:…","mode":"hashed"}`: stands where the text would, and is JSON
/// where JSON has to stand.
std::string write_commitment(const Commitment& commitment);

/// Nothing unless write_commitment() gives the same text back.
std::optional<Commitment> read_commitment(std::string_view text);

/// What people see where a text is hashed: `[hashed, 50 B]`.
std::string hashed_words(std::uint64_t bytes);

/// Those words where `text` is a commitment, else `text`.
std::string shown_text(std::string_view text);

inline bool is_commitment(std::string_view text) { return read_commitment(text).has_value(); }

}  // namespace spoor::compile
