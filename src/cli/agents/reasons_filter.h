#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spoor::cli {

/// Takes the reasons that a model writes for its calls (`<rationale>…</rationale>`,
/// docs/rationale.md) out of a text that arrives in pieces, so that a person can read the rest. For
/// one answer. Only for display: the record is read by agent/reading.
class ReasonsFilter {
 public:
  /// Returns what can be shown now: the text outside of blocks, without blank lines at its front.
  std::string take(std::string_view piece);

  /// Returns the rest at the end of the answer. A block without an end is shown: it is no reason.
  std::string finish();

  /// Returns the reasons of the blocks that ended since the last call, each one line.
  std::vector<std::string> take_reasons();

 private:
  std::string shown(std::string text);

  std::string held_;
  std::vector<std::string> reasons_;
  bool is_inside_ = false;
  bool has_shown_ = false;
};

}  // namespace spoor::cli
