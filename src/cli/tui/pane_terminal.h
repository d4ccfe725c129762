#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "cli/terminal/terminal.h"

namespace spoor::cli::tui {

/// The terminal of the commands whose output a pane shows: as wide as the pane, with colours,
/// without input and pager. Keeps one end of a long output.
class PaneTerminal final : public Terminal {
 public:
  /// `is_obsolete` is asked now and then while a command prints: if true, the command ends.
  explicit PaneTerminal(std::function<bool()> is_obsolete) : is_obsolete_(std::move(is_obsolete)) {}

  /// The most bytes that are kept, more or less.
  static constexpr std::size_t kMost = std::size_t{8} << 20U;

  /// Begins the output of another command. `keeps_end`: of more than kMost, the end is kept.
  void begin(int columns, bool keeps_end) {
    columns_ = columns;
    keeps_end_ = keeps_end;
    printed_.clear();
    is_cut_ = is_ended_ = false;
  }

  /// The output to both streams, in order; of a cut one whole lines.
  const std::string& printed() const { return printed_; }
  bool is_cut() const { return is_cut_; }      ///< there was more than kMost
  bool is_ended() const { return is_ended_; }  ///< the command was ended for want of interest

  bool write(Stream /*stream*/, std::string_view bytes) override {
    printed_ += bytes;
    is_ended_ |= is_obsolete_();
    if (keeps_end_ && printed_.size() > 2 * kMost) {
      printed_.erase(0, printed_.find('\n', printed_.size() - kMost) + 1);
      is_cut_ = true;
    }
    if (!keeps_end_ && printed_.size() > kMost) {
      printed_.resize(printed_.rfind('\n', kMost) + 1);
      is_cut_ = true;
      return false;
    }
    return !is_ended_;
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
  bool keeps_end_ = false;
  bool is_cut_ = false;
  bool is_ended_ = false;
};

}  // namespace spoor::cli::tui
