#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/oid.h"

namespace spoor::store {

constexpr std::size_t kMaxModel = 512;

/// The request of one model call, in a few lines: the prompt is `commit` compiled with `options`,
/// and the request is that prompt written by `renderer`. The messages are those of the commit and
/// are not repeated here.
struct Bundle {
  /// The kind of digest of the request's body: plain in a default store, keyed in a private store,
  /// so that it confirms no guess after an erasure.
  enum class Digest : std::uint8_t { sha256, hmac };

  Oid commit;
  std::string renderer;        ///< `name/number`, for example `anthropic/3`
  std::string model;           ///< as in the request; empty if it named none
  std::optional<Oid> options;  ///< options, tools, params and hook: contents, absent if empty
  std::optional<Oid> tools;
  std::optional<Oid> params;
  std::optional<Oid> hook;  ///< only for a change that compile cannot derive
  Digest digest = Digest::sha256;
  Oid sent;                   ///< the digest
  std::uint64_t bytes = 0;    ///< length of the body
  std::optional<Oid> stored;  ///< the body itself, if it cannot be rebuilt

  bool operator==(const Bundle&) const = default;
};

/// Returns the only valid text of a bundle. Code::invalid if it breaks a rule of docs/format.md.
Result<std::string> serialize(const Bundle& bundle);

/// Parses the text of a bundle. Code::corrupt unless serialize() returns the same bytes.
Result<Bundle> parse_bundle(std::string_view body);

/// Returns whether `text` is `name/number`. A name has lower-case letters, digits, `-`, `_` and
/// `.`, and starts with a letter; the number counts from 1.
bool is_renderer(std::string_view text);

}  // namespace spoor::store
