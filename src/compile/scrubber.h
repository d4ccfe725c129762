#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/oid.h"

namespace spoor::compile {

/// How much of what was said is kept; what comes later keeps less. Recorded in `meta`
/// (`capture`) of every commit whose mode is not `full`.
enum class Capture { full, redacted, hashed };

/// "full", "redacted" or "hashed".
std::string_view name_of(Capture capture);

/// The mode of this name; nothing when there is none.
std::optional<Capture> capture_from(std::string_view name);

/// What a text is, for rules that depend on it. `raw`: what a provider said or was sent, whole.
/// `name`: of an author, a ref, a media type. `options`: what this program wrote of a request,
/// JSON; `request`: what else a provider is told beside the messages (tools, parameters), JSON.
enum class Slot { text, fields, extra, facts, raw, attachment, name, options, request };

/// Sees every text, field and raw item before any write; there is no other write
/// path. Keys that the process holds are gone by then (known_keys.h). Safe to call from any thread.
class Scrubber {
 public:
  virtual ~Scrubber() = default;

  /// The mode that commits are marked with.
  virtual Capture capture() const = 0;

  /// `bytes` as they may be stored. A failure refuses the whole write.
  virtual Result<std::string> scrub(Slot slot, std::string bytes) const = 0;

  /// The parts of which less is kept than capture() says, such as `arguments=redacted,raw=hashed`;
  /// commits are marked with it, too (`capture_fields`). Empty: none.
  virtual std::string differences() const { return {}; }

  /// For whoever wants no more kept than `least`: a scrubber that does so, and no less than this
  /// one; null when this one does. It lives no longer than this one. Code::denied where there is
  /// none.
  virtual Result<std::shared_ptr<const Scrubber>> at_least(Capture least) const;

  /// The keyed digest of a request, where nobody is to try guesses at its texts; nothing: the
  /// store's own kind of digest will do.
  virtual Result<std::optional<store::Oid>> digest_of(std::string_view body) const;

  /// The same under the store's key whatever the mode, for a digest that was recorded under another
  /// one; nothing: there is no such key at hand. None is made.
  virtual Result<std::optional<store::Oid>> keyed_digest_of(std::string_view body) const;

  /// The text of which `stored` is what was kept, where this process wrote it and still has it: for
  /// what is sent to a model, and for nothing that is stored or shown. Null: it is not known, or
  /// nothing was taken from it.
  virtual std::shared_ptr<const std::string> original_of(std::string_view stored) const;
};

/// Lets everything through: the scrubber of a store without redaction rules.
class NoScrubber final : public Scrubber {
 public:
  Capture capture() const override { return Capture::full; }
  Result<std::string> scrub(Slot, std::string bytes) const override { return bytes; }
};

}  // namespace spoor::compile
