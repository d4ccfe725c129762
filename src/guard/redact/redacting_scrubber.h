#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "compile/scrubber.h"
#include "guard/redact/redactor.h"

namespace spoor::guard {

/// The Scrubber of capture mode `redacted`: removes the secrets from every text of a write. Rules
/// are read at the first write, so a store that is only read has no cost for them.
///
/// Pictures and other known binary formats among attachments stay as they are (docs/audit.md).
class RedactingScrubber final : public compile::Scrubber {
 public:
  /// Called at most once, at the first write. Every write returns its error.
  using MakeRules = std::function<Result<std::unique_ptr<RuleSet>>()>;

  RedactingScrubber(MakeRules make_rules, std::unique_ptr<Numbering> numbers);

  compile::Capture capture() const override { return compile::Capture::redacted; }
  Result<std::string> scrub(compile::Slot slot, std::string bytes) const override;

 private:
  Result<const Redactor*> redactor() const;

  const MakeRules make_rules_;
  const std::unique_ptr<Numbering> numbers_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<RuleSet> rules_;
  mutable std::optional<Redactor> redactor_;
  mutable std::optional<Error> problem_;
};

}  // namespace spoor::guard
