#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/oid.h"

namespace spoor::store {

constexpr std::size_t kMaxModel = 512;

/// What one model call was sent, in a few lines: the prompt is `commit` compiled
/// with `options`, and the request is that prompt written by `renderer`. The
/// messages are the commit's own; nothing is said twice.
struct Bundle {
  /// A digest of the request's body. The plain one in a default store, the keyed
  /// one in a private store, so that it confirms no guess after an erasure.
  enum class Digest : std::uint8_t { sha256, hmac };

  Oid commit;
  std::string renderer;        ///< `name/number`, for example `anthropic/3`
  std::string model;           ///< as the request named it; empty when it named none
  std::optional<Oid> options;  ///< contents, all of them; absent when empty
  std::optional<Oid> tools;
  std::optional<Oid> params;
  std::optional<Oid> hook;  ///< only for a change that compile cannot derive
  Digest digest = Digest::sha256;
  Oid sent;                   ///< the digest
  std::uint64_t bytes = 0;    ///< length of the body
  std::optional<Oid> stored;  ///< the body itself, where it cannot be rebuilt

  bool operator==(const Bundle&) const = default;
};

/// The one text of a bundle. Code::invalid when it breaks a rule of docs/format.md.
Result<std::string> serialize(const Bundle& bundle);

/// Code::corrupt unless serialize() gives the same bytes back.
Result<Bundle> parse_bundle(std::string_view body);

/// `name/number`: lower-case letters, digits, `-`, `_` and `.`, a letter first;
/// the number counts from 1.
bool is_renderer(std::string_view text);

}  // namespace spoor::store
