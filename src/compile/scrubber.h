#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/oid.h"

namespace spoor::compile {

/// How much of the content is kept, from most to least. Recorded in `meta` (`capture`) of every
/// commit whose mode is not `full`.
enum class Capture { full, redacted, hashed };

/// Returns "full", "redacted" or "hashed".
std::string_view name_of(Capture capture);

/// Returns the mode with this name; nullopt if there is none.
std::optional<Capture> capture_from(std::string_view name);

/// The kind of a text, for rules that depend on it. `raw`: a whole item that a provider sent or
/// received. `name`: of an author, a ref, a media type. `options`: a request's options written by
/// this program, JSON; `request`: the rest of a request (tools, parameters), JSON.
enum class Slot { text, fields, extra, facts, raw, attachment, name, options, request };

/// Returns the name of a slot, as it is written above.
std::string_view name_of(Slot slot);

/// Processes every text, field and raw item before it is written; there is no other write path.
/// Keys of this process have already been removed (known_keys.h). Safe to call from any thread.
class Scrubber {
 public:
  virtual ~Scrubber() = default;

  /// Returns the mode that commits are marked with.
  virtual Capture capture() const = 0;

  /// Returns `bytes` as they may be stored. An error refuses the whole write.
  virtual Result<std::string> scrub(Slot slot, std::string bytes) const = 0;

  /// Returns the parts of which less is kept than capture() allows, such as
  /// `arguments=redacted,raw=hashed`; commits are also marked with it (`capture_fields`). Empty:
  /// none.
  virtual std::string differences() const { return {}; }

  /// Returns a scrubber that keeps no more than `least` and no more than this one; null if this one
  /// does already. The result must not outlive this one. Code::denied if there is none.
  virtual Result<std::shared_ptr<const Scrubber>> at_least(Capture least) const;

  /// Returns the keyed digest of a request if its texts must be protected from guessing; nullopt if
  /// the store's own kind of digest is sufficient.
  virtual Result<std::optional<store::Oid>> digest_of(std::string_view body) const;

  /// Like digest_of(), but with the store's key in every mode, for a digest recorded in another
  /// mode. Returns nullopt if no such key is available; creates none.
  virtual Result<std::optional<store::Oid>> keyed_digest_of(std::string_view body) const;

  /// Returns the original of the stored text `stored`, if this process wrote it and still has it.
  /// Use it only for requests to a model; do not store or show it. Null if it is unknown or if
  /// nothing was removed.
  virtual std::shared_ptr<const std::string> original_of(std::string_view stored) const;
};

/// Changes nothing: the scrubber of a store without redaction rules.
class NoScrubber final : public Scrubber {
 public:
  Capture capture() const override { return Capture::full; }
  Result<std::string> scrub(Slot, std::string bytes) const override { return bytes; }
};

}  // namespace spoor::compile
