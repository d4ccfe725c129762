#include "cli/begin_head.h"

namespace spoor::cli {

Result<std::string> begin_head(api::Workspace& workspace, const std::string& ref) {
  constexpr std::string_view kHeads = "refs/heads/";
  if (TRY(workspace.head_commit()) || !ref.starts_with(kHeads)) return std::string();
  const std::string branch = ref.substr(kHeads.size());
  const api::Head to{branch, std::nullopt};
  const auto made = TRY(workspace.store().operation_at(ref, {kLastMicro}));
  TRY(made ? workspace.set_head(to, made->name) : workspace.set_head(to));
  return branch;
}

}  // namespace spoor::cli
