#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/prompt.h"

namespace spoor::graph {

using compile::Message;
using compile::Prompt;

/// One message on one side, or on both.
struct MessageChange {
  enum class Kind { unchanged, added, removed, changed };
  Kind kind = Kind::unchanged;
  const Message* before = nullptr;  ///< null when added; lives as long as its prompt
  const Message* after = nullptr;   ///< null when removed
};

/// Two prompts compared, message by message. Messages are the same when their
/// first commit is; they changed when text, role, calls or error mark differ.
struct PromptDiff {
  /// In the order of the second prompt, each once; a removed one before the message
  /// that followed it in the first and is still there, wherever that is now.
  std::vector<MessageChange> messages;
  std::size_t added = 0;
  std::size_t removed = 0;
  std::size_t changed = 0;
  std::size_t unchanged = 0;
  std::int64_t token_delta = 0;
  /// Settings that differ: key to (before, after), JSON text, empty for unset.
  std::map<std::string, std::pair<std::string, std::string>> config;

  bool empty() const { return added == 0 && removed == 0 && changed == 0 && config.empty(); }
};

PromptDiff diff(const Prompt& before, const Prompt& after);

/// A piece of two texts compared.
struct TextPiece {
  enum class Kind { same, removed, added };
  Kind kind = Kind::same;
  std::string text;

  bool operator==(const TextPiece&) const = default;
};

/// The pieces that turn `before` into `after`: their same and added ones give
/// `after` back, same and removed ones `before`. Myers' O(ND) algorithm (1986),
/// word by word or line by line, on what is left between a common beginning and a
/// common end. Where that takes more than 1,200 edits, or 16 comparisons for each
/// word and 4 million beside, it is one replacement: so any two texts cost time and
/// memory in proportion to their size, beside a constant.
std::vector<TextPiece> diff_words(std::string_view before, std::string_view after);
std::vector<TextPiece> diff_lines(std::string_view before, std::string_view after);

}  // namespace spoor::graph
