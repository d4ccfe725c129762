#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "store/result.h"

namespace spoor::import {

using store::Result;

/// Bytes that are read once, from front to back: a session file, or a text in a
/// test. For one thread.
class Source {
 public:
  virtual ~Source() = default;

  /// What messages call it; never stored.
  virtual const std::string& name() const = 0;

  /// Bytes in all, where that is known: for progress.
  virtual std::optional<std::uint64_t> size() const = 0;

  /// Fills up to `room` bytes at `to` and says how many; 0 at the end. Code::io.
  virtual Result<std::size_t> read(char* to, std::size_t room) = 0;
};

/// Opens a regular file. Code::not_found, or Code::io when it cannot be read.
Result<std::unique_ptr<Source>> open_file(const std::string& path);

/// The first `size` bytes, or all there are.
Result<std::string> read_head(Source& source, std::size_t size);

/// A source of which `head` was read already, from the front. Both are borrowed.
class ResumedSource final : public Source {
 public:
  ResumedSource(Source& rest, std::string_view head) : rest_(rest), head_(head) {}

  const std::string& name() const override { return rest_.name(); }
  std::optional<std::uint64_t> size() const override { return rest_.size(); }
  Result<std::size_t> read(char* to, std::size_t room) override;

 private:
  Source& rest_;
  std::string_view head_;
};

/// A text that is already here. `text` is borrowed.
class TextSource final : public Source {
 public:
  TextSource(std::string name, std::string_view text) : name_(std::move(name)), text_(text) {}

  /// A string that is about to go cannot be read.
  template <std::same_as<std::string> Text>
  TextSource(std::string name, Text&& text) = delete;

  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return text_.size(); }
  Result<std::size_t> read(char* to, std::size_t room) override;

 private:
  std::string name_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace spoor::import
