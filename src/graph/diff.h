#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/prompt.h"
#include "store/reader.h"

namespace spoor::graph {

using compile::Message;
using compile::Prompt;

/// A message that is in one prompt or in both.
struct MessageChange {
  enum class Kind { unchanged, added, removed, changed };
  Kind kind = Kind::unchanged;
  const Message* before = nullptr;  ///< null when added; lives as long as its prompt
  const Message* after = nullptr;   ///< null when removed
};

/// A comparison of two prompts, message by message. Messages match if their first commit is the
/// same. A matching message is changed if its text, role, calls or error mark differ.
struct PromptDiff {
  /// In the order of the second prompt, each once. A removed message comes before the one that
  /// followed it in the first prompt and still exists, wherever that is now.
  std::vector<MessageChange> messages;
  std::size_t added = 0;
  std::size_t removed = 0;
  std::size_t changed = 0;
  std::size_t unchanged = 0;
  std::int64_t token_delta = 0;
  /// Settings that differ: key to (before, after), as JSON text; empty if unset.
  std::map<std::string, std::pair<std::string, std::string>> config;

  bool empty() const { return added == 0 && removed == 0 && changed == 0 && config.empty(); }
};

PromptDiff diff(const Prompt& before, const Prompt& after);

/// As above, but a message also matches the copy that a rewrite made of its commit: both have one
/// change id (store/commit.h). A matching copy with the same contents is unchanged.
Result<PromptDiff> diff(const Prompt& before, const Prompt& after, const store::Reader& reader);

/// A piece of a comparison of two texts.
struct TextPiece {
  enum class Kind { same, removed, added };
  Kind kind = Kind::same;
  std::string text;

  bool operator==(const TextPiece&) const = default;
};

/// Returns the pieces that turn `before` into `after`: the same and added pieces make up `after`,
/// the same and removed ones `before`. Compares word by word or line by line.
///
/// Uses Myers' O(ND) algorithm (1986) between the common beginning and the common end. If that
/// takes more than 1,200 edits, or more than 4 million comparisons plus 16 for each word, the
/// result is one replacement. So time and memory are proportional to the texts' size, plus a
/// constant.
std::vector<TextPiece> diff_words(std::string_view before, std::string_view after);
std::vector<TextPiece> diff_lines(std::string_view before, std::string_view after);

}  // namespace spoor::graph
