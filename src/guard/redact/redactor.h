#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "guard/redact/numbering.h"
#include "guard/redact/rule_set.h"

namespace spoor::guard {

using trace::placeholder;

/// What was taken out of a text, without the secret.
struct Redaction {
  std::string rule;
  std::size_t at = 0;      ///< bytes before it; in JSON those before the string or number it is in
  std::size_t length = 0;  ///< of the secret, in bytes, its escapes undone
  std::string placeholder;

  bool operator==(const Redaction&) const = default;
};

/// Puts placeholders where secrets are.
///
/// A text that is JSON, or several JSON values one behind the other, stays that: its strings are
/// looked at with their escapes undone, together with the key that they are under, strings that are
/// JSON themselves likewise, and everything that is no secret keeps its bytes. All else is looked
/// at as it stands. Doing it again changes nothing.
///
/// Safe to use from any thread; rules and numbers must outlive it.
class Redactor {
 public:
  Redactor(const RuleSet& rules, Numbering& numbers) : rules_(rules), numbers_(numbers) {}

  /// `text` without its secrets. `path`: of the file it was read from, if it was. What was taken
  /// out is added to `redactions`, where it is not null. Code::denied when a rule cannot be run,
  /// and what the numbering says: the text must not be written then.
  Result<std::string> redact(std::string text, std::string_view path = {},
                             std::vector<Redaction>* redactions = nullptr) const;

 private:
  const RuleSet& rules_;
  Numbering& numbers_;
};

}  // namespace spoor::guard
