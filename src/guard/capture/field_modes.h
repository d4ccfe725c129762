#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "compile/scrubber.h"

namespace spoor::guard {

/// The capture mode of each part of a turn. A part is never kept more fully than the whole.
struct FieldModes {
  using Capture = compile::Capture;

  Capture all = Capture::full;  ///< the default, also for facts and names
  Capture text = Capture::full;
  Capture arguments = Capture::full;  ///< of calls
  Capture rationale = Capture::full;
  Capture labels = Capture::full;  ///< messages, tags and metadata of commits
  Capture raw = Capture::full;     ///< providers' items, requests that are kept in full
  Capture attachments = Capture::full;

  bool operator==(const FieldModes&) const = default;

  /// Sets each part to the stricter of both modes.
  void restrict_to(const FieldModes& other);

  /// Returns a copy with `all` and every part raised to at least `least`. A provider's item repeats
  /// all other parts, so it is kept no more fully than any of them.
  FieldModes at_least(Capture least) const;

  /// Returns the parts that are kept less fully than the whole, in the form that read_field_modes()
  /// reads: `arguments=redacted,raw=hashed`. Empty if there are none.
  std::string differences() const;

  bool is_full() const { return *this == FieldModes{}; }
};

/// Parses `raw=hashed,arguments=redacted`. Ignores white space around the words; an empty text sets
/// nothing. Returns Code::invalid for an unknown part or mode.
Result<FieldModes> read_field_modes(std::string_view text);

}  // namespace spoor::guard
