#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/oid.h"

namespace spoor::compile {

/// The record of a text in capture mode `hashed`: its length and its HMAC-SHA-256 with a key
/// outside the store. The key and the text together prove that the text was recorded.
struct Commitment {
  std::uint64_t bytes = 0;
  store::Oid mac;

  bool operator==(const Commitment&) const = default;
};

/// Returns `{"bytes":123,"hash":"hmac-sha256:…","mode":"hashed"}`, which is stored in place of the
/// text and is valid where JSON is required.
std::string write_commitment(const Commitment& commitment);

/// Parses a commitment; nullopt unless write_commitment() returns the same text for it.
std::optional<Commitment> read_commitment(std::string_view text);

/// Returns the text shown to people in place of a hashed text: `[hashed, 50 B]`.
std::string hashed_words(std::uint64_t bytes);

/// Returns hashed_words() if `text` is a commitment, else `text`.
std::string shown_text(std::string_view text);

inline bool is_commitment(std::string_view text) { return read_commitment(text).has_value(); }

}  // namespace spoor::compile
