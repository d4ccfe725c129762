#pragma once

#include <atomic>

#include "base/timestamp.h"
#include "compile/tokens.h"

namespace spoor::testing {

/// A clock that stands still until it is moved. Safe from any thread.
class ManualClock final : public Clock {
 public:
  Timestamp now() const override { return {micros_.load()}; }
  void set(Timestamp time) { micros_ = time.micros; }
  void advance(std::int64_t seconds) { micros_ += seconds * 1'000'000; }

 private:
  std::atomic<std::int64_t> micros_ = 1'893'456'000'000'000;  // 2030-01-01T00:00:00Z
};

/// White-space-separated words of the text, and one for each call.
class WordCounter final : public compile::TokenCounter {
 public:
  std::string_view name() const override { return "words/1"; }
  bool is_estimate() const override { return false; }
  std::uint64_t count(std::string_view text,
                      const std::vector<compile::ToolCall>* calls) const override {
    std::uint64_t words = calls == nullptr ? 0 : calls->size();
    bool in_word = false;
    for (const char c : text) {
      const bool is_space = std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos;
      if (!is_space && !in_word) ++words;
      in_word = !is_space;
    }
    return words;
  }
};

}  // namespace spoor::testing
