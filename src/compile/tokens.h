#pragma once

#include <cstdint>
#include <string_view>

#include "compile/turn.h"

namespace spoor::compile {

/// Counts the tokens of a message. Deterministic and versioned: its name is part of every cache
/// key. Safe to call from any thread.
class TokenCounter {
 public:
  virtual ~TokenCounter() = default;

  /// Returns its name, for example `bytes4/1`. A changed count requires a new name.
  virtual std::string_view name() const = 0;

  /// Returns true if the count is an estimate, to be shown with `≈`.
  virtual bool is_estimate() const = 0;

  /// Returns the tokens of a text and of its calls (null: none).
  virtual std::uint64_t count(std::string_view text, const std::vector<ToolCall>* calls) const = 0;
};

/// An estimate for every model: one token per four bytes, rounded up, plus four per call in
/// addition to its name and arguments.
class ByteCounter final : public TokenCounter {
 public:
  std::string_view name() const override { return "bytes4/1"; }
  bool is_estimate() const override { return true; }
  std::uint64_t count(std::string_view text, const std::vector<ToolCall>* calls) const override;
};

}  // namespace spoor::compile
