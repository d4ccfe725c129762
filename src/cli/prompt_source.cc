#include "cli/prompt_source.h"

#include <fmt/format.h>

#include "cli/common_options.h"
#include "store/ancestry.h"

namespace spoor::cli {

Result<std::optional<Oid>> prompt_commit(const Workspace& workspace, const Arguments& arguments) {
  return prompt_commit(workspace, arguments, arguments.text("revision", workspace.here()));
}

Result<std::optional<Oid>> prompt_commit(const Workspace& workspace, const Arguments& arguments,
                                         const std::string& revision) {
  std::optional<Oid> commit = TRY(workspace.resolve_or_empty(revision));
  if (!arguments.has(kAt.name)) return commit;
  const std::string at = arguments.text(kAt.name);
  const Oid earlier = TRY(workspace.resolve(at));
  if (!commit || !TRY(store::is_ancestor(workspace.reader(), earlier, *commit))) {
    return not_found(fmt::format("'{}' is not in the history of '{}'", at, revision),
                     fmt::format("compile it by itself: spoor compile {}", at));
  }
  return std::optional(earlier);
}

Result<compile::Prompt> compile_named(const Workspace& workspace, const Arguments& arguments,
                                      bool lists_left_out) {
  const std::optional<Oid> commit = TRY(prompt_commit(workspace, arguments));
  compile::CompileOptions options = compile_options(arguments);
  options.lists_left_out = lists_left_out;
  return workspace.repository().compile(commit, options);
}

}  // namespace spoor::cli
