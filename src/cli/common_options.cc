#include "cli/common_options.h"

namespace spoor::cli {

compile::CompileOptions compile_options(const Arguments& arguments) {
  compile::CompileOptions options;
  options.include_reasoning = arguments.has(kIncludeReasoning.name);
  options.strict = arguments.has(kStrict.name);
  if (arguments.has(kWindow.name)) options.window = arguments.number(kWindow.name, 0);
  if (arguments.has(kBudget.name)) options.budget = arguments.number(kBudget.name, 0);
  if (arguments.has(kClearResultsAfter.name)) {
    options.clear_results_after = arguments.number(kClearResultsAfter.name, 0);
  }
  if (arguments.has(kFoldVersion.name)) {
    options.version = static_cast<std::uint32_t>(arguments.number(kFoldVersion.name, 0));
  }
  return options;
}

compile::Extra extra_of(const Arguments& arguments) {
  return {arguments.text(kMessage.name), arguments.text(kMetadata.name), arguments.all(kTag.name)};
}

graph::Signed signed_by(const Arguments& arguments) {
  graph::Signed by;
  by.author = arguments.text(kAuthor.name);
  by.extra = extra_of(arguments);
  return by;
}

}  // namespace spoor::cli
