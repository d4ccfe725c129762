#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "cli/terminal/terminal.h"

namespace spoor::cli::tui {

/// The terminal of the commands whose output a pane shows: as wide as the pane, with colours,
/// without input and pager. Keeps the beginning of a long output.
class PaneTerminal final : public Terminal {
 public:
  /// `is_obsolete` is asked now and then while a command prints: if true, the command ends.
  explicit PaneTerminal(std::function<bool()> is_obsolete) : is_obsolete_(std::move(is_obsolete)) {}

  /// The most bytes that are kept.
  static constexpr std::size_t kMost = std::size_t{8} << 20U;

  /// Begins the output of another command.
  void begin(int columns) {
    columns_ = columns;
    printed_.clear();
    is_cut_ = is_ended_ = false;
  }

  /// What was printed to both streams, in order.
  const std::string& printed() const { return printed_; }
  bool is_cut() const { return is_cut_; }      ///< there was more than kMost
  bool is_ended() const { return is_ended_; }  ///< the command was ended early

  bool write(Stream /*stream*/, std::string_view bytes) override {
    const std::size_t room = kMost - printed_.size();
    printed_ += bytes.substr(0, room);
    is_cut_ |= bytes.size() > room;
    is_ended_ |= is_obsolete_();
    return !is_cut_ && !is_ended_;
  }

  Result<std::size_t> read(std::span<char> /*buffer*/) override { return std::size_t{0}; }
  bool is_tty(Stream /*stream*/) const override { return true; }
  bool input_is_tty() const override { return false; }
  int width() const override { return columns_; }
  int height() const override { return kRows; }
  void start_pager(const std::string& /*command*/) override {}
  Result<void> finish() override { return {}; }

 private:
  static constexpr int kRows = 24;

  std::function<bool()> is_obsolete_;
  std::string printed_;
  int columns_ = 80;
  bool is_cut_ = false;
  bool is_ended_ = false;
};

}  // namespace spoor::cli::tui
