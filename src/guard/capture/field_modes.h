#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "compile/scrubber.h"

namespace spoor::guard {

/// How much is kept of each part of what is said. A part is never kept more fully than the whole.
struct FieldModes {
  using Capture = compile::Capture;

  Capture all = Capture::full;  ///< what nothing below says more of; facts and names, too
  Capture text = Capture::full;
  Capture arguments = Capture::full;  ///< of calls
  Capture rationale = Capture::full;
  Capture labels = Capture::full;  ///< messages, tags and metadata of commits
  Capture raw = Capture::full;     ///< providers' items, requests that are kept whole
  Capture attachments = Capture::full;

  bool operator==(const FieldModes&) const = default;

  /// Of each part the more restrictive of both.
  void restrict_to(const FieldModes& other);

  /// The same with `all` raised to `least`, and every part with it. An item of a provider says all
  /// that the other parts say, and so is kept no more fully than any of them.
  FieldModes at_least(Capture least) const;

  /// The parts that are kept less fully than the whole, as read_field_modes() takes them:
  /// `arguments=redacted,raw=hashed`. Empty: none.
  std::string differences() const;

  bool is_full() const { return *this == FieldModes{}; }
};

/// `raw=hashed,arguments=redacted`; white space around the words is passed over, an empty text says
/// nothing. Code::invalid for a part or a mode that there is not.
Result<FieldModes> read_field_modes(std::string_view text);

}  // namespace spoor::guard
