#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/turn.h"
#include "store/reader.h"

namespace spoor::graph {

using compile::ToolCall;
using store::Commit;

/// Which parts of a commit are searched.
enum class LookIn {
  texts,            ///< the text of a commit itself
  texts_and_calls,  ///< also its calls, as call_text.h reads them
};

/// The texts of one commit itself; of an edit, the new text.
struct SearchedText {
  std::shared_ptr<const std::string> text;  ///< null: the commit has none, or its bytes are absent
  std::vector<ToolCall> calls;  ///< also empty if their bytes are absent or cannot be read

  bool says(std::string_view phrase) const;
};

/// Reports whether a search reads this commit. Reasons of annotations, and settings, are not
/// searched.
bool is_searched(const Commit& commit, LookIn where = LookIn::texts_and_calls);

/// Returns the texts of these commits, in their order, with few calls to the store. Returns the
/// reader's Code::corrupt, Code::io and Code::interrupted.
Result<std::vector<SearchedText>> searched_texts(const store::Reader& reader,
                                                 std::span<const store::NamedCommit> commits,
                                                 LookIn where = LookIn::texts_and_calls);

}  // namespace spoor::graph
