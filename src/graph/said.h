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

/// What a search looks at.
enum class LookIn {
  texts,            ///< the text of a commit itself
  texts_and_calls,  ///< also the calls in it, as call_text.h reads them
};

/// What one commit says, itself: of an edit the new words.
struct Said {
  std::shared_ptr<const std::string> text;  ///< null: it has none, or its bytes are absent
  std::vector<ToolCall> calls;  ///< none, too, where their bytes are absent or cannot be read

  bool says(std::string_view phrase) const;
};

/// May this commit say something that a search looks at? Not the reason of an annotation, not a
/// setting.
bool is_searched(const Commit& commit, LookIn where = LookIn::texts_and_calls);

/// What these commits say, in their order, read with few calls to the store. Code::corrupt,
/// Code::io and Code::interrupted as the reader says.
Result<std::vector<Said>> said_by(const store::Reader& reader,
                                  std::span<const store::NamedCommit> commits,
                                  LookIn where = LookIn::texts_and_calls);

}  // namespace spoor::graph
