#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/prompt.h"
#include "graph/repository.h"

namespace spoor::cli::page {

/// Writes the prompts at commits of a session, each as its difference from the one before, as
/// page/src/saved.ts reads them. Time and output are proportional to what is different, and time to
/// the number of messages. For one thread.
class PagePrompts {
 public:
  /// Puts a JSON value where values are written once, and returns its place.
  using Put = std::function<Result<std::size_t>(std::string_view json)>;

  /// `repository` must outlive this.
  PagePrompts(const graph::Repository& repository, bool include_reasoning, Put put);

  struct Written {
    std::string rest;  ///< `compile --json` without messages, and `left_out` empty
    std::string
        messages;  ///< `[FROM, END, [PLACE, …]]`: what it keeps of the list before, and adds
    std::string left_out;  ///< in the same form
  };
  Result<Written> at(const store::Oid& commit);

 private:
  const graph::Repository& repository_;
  compile::CompileOptions options_;
  const Put put_;
  compile::Prompt before_;
  std::vector<std::size_t> messages_, left_out_;  // Places of what is in `before_`.
};

}  // namespace spoor::cli::page
