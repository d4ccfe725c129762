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

/// A redaction in a text, without the secret.
struct Redaction {
  std::string rule;
  std::size_t at = 0;  ///< bytes before it; in JSON, before the string or number that contains it
  std::size_t length = 0;  ///< of the secret without escapes, in bytes
  std::string placeholder;

  bool operator==(const Redaction&) const = default;
};

/// Replaces secrets with placeholders.
///
/// A text that is JSON, or several JSON values in sequence, remains so: its strings are examined
/// without escapes and together with their key, also strings that are JSON themselves, and
/// everything else keeps its bytes. Other texts are examined unchanged. Redacting again changes
/// nothing.
///
/// Safe to use from any thread; rules and numbers must outlive it.
class Redactor {
 public:
  Redactor(const RuleSet& rules, Numbering& numbers) : rules_(rules), numbers_(numbers) {}

  /// Returns `text` without its secrets. `path` is the file that the text was read from, if any.
  /// Each redaction is added to `redactions` unless that is null. Returns Code::denied if a rule
  /// cannot be run, and the errors of the numbering; the text must not be written then.
  Result<std::string> redact(std::string text, std::string_view path = {},
                             std::vector<Redaction>* redactions = nullptr) const;

 private:
  const RuleSet& rules_;
  Numbering& numbers_;
};

}  // namespace spoor::guard
