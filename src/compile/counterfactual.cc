#include "compile/counterfactual.h"

#include "compile/prompt.h"

namespace spoor::compile {

Result<std::optional<bool>> is_counterfactual(const store::Reader& reader, const Folder& folder,
                                              const Commit& commit) {
  if (!commit.prompt) return std::optional<bool>();
  const Oid sent = TRY(reader.bundle(*commit.prompt)).commit;
  // The reasoning of the same reply came after what was sent.
  std::optional<Oid> before;
  if (!commit.parents.empty()) before = commit.parents.front();
  while (before && *before != sent) {
    const auto parent = TRY(reader.commit(*before));
    if (parent->type != Type::reasoning) break;
    before.reset();
    if (!parent->parents.empty()) before = parent->parents.front();
  }
  if (before == sent) return std::optional(false);
  if (!before) return std::optional(true);
  return std::optional(prompt_key(*TRY(folder.at(*before))) != prompt_key(*TRY(folder.at(sent))));
}

}  // namespace spoor::compile
