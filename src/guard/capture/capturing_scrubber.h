#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "compile/scrubber.h"
#include "guard/capture/field_modes.h"
#include "guard/capture/hasher.h"

namespace spoor::guard {

/// The Scrubber of all capture modes: treats each part of a write as its mode requires: unchanged,
/// redacted or hashed. Where other parts are hashed, names are only redacted: without readable
/// names, a reader could not see who did what.
///
/// Safe to use from any thread. The redactor and the hasher must outlive it and the scrubbers of
/// at_least().
class CapturingScrubber final : public compile::Scrubber {
 public:
  CapturingScrubber(const FieldModes& modes, const compile::Scrubber& redactor,
                    const Hasher& hasher)
      : modes_(modes.at_least(modes.all)), redactor_(redactor), hasher_(hasher) {}

  compile::Capture capture() const override { return modes_.all; }
  std::string differences() const override { return modes_.differences(); }
  Result<std::string> scrub(compile::Slot slot, std::string bytes) const override;
  Result<std::shared_ptr<const compile::Scrubber>> at_least(compile::Capture least) const override;
  Result<std::optional<store::Oid>> digest_of(std::string_view body) const override;
  Result<std::optional<store::Oid>> keyed_digest_of(std::string_view body) const override;
  std::shared_ptr<const std::string> original_of(std::string_view stored) const override {
    return hasher_.original_of(stored);
  }

 private:
  using Capture = compile::Capture;

  Result<std::string> text(Capture mode, compile::Slot slot, std::string bytes) const;
  Result<std::string> object(Capture mode, std::string json) const;
  Result<std::string> fields(std::string json) const;
  Result<std::string> labels(std::string json) const;

  const FieldModes modes_;
  const compile::Scrubber& redactor_;
  const Hasher& hasher_;
};

}  // namespace spoor::guard
