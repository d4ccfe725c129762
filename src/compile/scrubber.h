#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/result.h"

namespace spoor::compile {

/// How much of what was said is kept. Recorded in `meta` (`capture`) of every
/// commit whose mode is not `full`.
enum class Capture { full, redacted, hashed };

/// "full", "redacted" or "hashed".
std::string_view name_of(Capture capture);

/// The mode of this name; nothing when there is none.
std::optional<Capture> capture_from(std::string_view name);

/// What a text is, for rules that depend on it.
/// `name` is that of an author or a tag.
enum class Slot { text, fields, extra, facts, raw, attachment, name };

/// Sees every text, field and raw item before any write; there is no other write
/// path. Safe to call from any thread.
class Scrubber {
 public:
  virtual ~Scrubber() = default;

  /// The mode that commits are marked with.
  virtual Capture capture() const = 0;

  /// `bytes` as they may be stored. A failure refuses the whole write.
  virtual store::Result<std::string> scrub(Slot slot, std::string bytes) const = 0;
};

/// Lets everything through: the scrubber of a store without redaction rules.
class NoScrubber final : public Scrubber {
 public:
  Capture capture() const override { return Capture::full; }
  store::Result<std::string> scrub(Slot, std::string bytes) const override { return bytes; }
};

}  // namespace spoor::compile
