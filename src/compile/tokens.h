#pragma once

#include <cstdint>
#include <string_view>

#include "compile/turn.h"

namespace spoor::compile {

/// Counts the tokens of a message. Deterministic and versioned: its name is part
/// of every cache key. Safe to call from any thread.
class TokenCounter {
 public:
  virtual ~TokenCounter() = default;

  /// For example `bytes4/1`. A changed count is a new name.
  virtual std::string_view name() const = 0;

  /// True when the count is a guess, and is shown with `≈`.
  virtual bool is_estimate() const = 0;

  /// Tokens of a text, and of the calls that stand beside it (null: none).
  virtual std::uint64_t count(std::string_view text, const std::vector<ToolCall>* calls) const = 0;
};

/// An estimate for every model: a token for each four bytes, rounded up, and
/// four for each call beside its name and arguments.
class ByteCounter final : public TokenCounter {
 public:
  std::string_view name() const override { return "bytes4/1"; }
  bool is_estimate() const override { return true; }
  std::uint64_t count(std::string_view text, const std::vector<ToolCall>* calls) const override;
};

}  // namespace spoor::compile
