#include "graph/counterfactual.h"

#include "compile/prompt.h"

namespace spoor::graph {

using compile::prompt_key;
using compile::read_version;
using store::Oid;
using store::Type;

namespace {

// Returns the version of the fold with which a bundle's request was compiled; nullopt if unknown.
Result<std::optional<std::uint32_t>> version_of(const store::Reader& reader,
                                                const store::Bundle& bundle) {
  if (!bundle.options) return std::optional(1U);
  const auto is_absence = [](const Error& error) {
    return error.code == Error::Code::not_found || error.code == Error::Code::unavailable;
  };
  const auto options = reader.content(*bundle.options);
  if (!options && is_absence(options.error())) return std::optional<std::uint32_t>();
  const auto version = read_version(*TRY(options));
  if (!version && is_absence(version.error())) return std::optional<std::uint32_t>();
  return std::optional(TRY(version));
}

}  // namespace

Result<std::optional<bool>> is_counterfactual(const store::Reader& reader, const Folder& folder,
                                              const Commit& commit) {
  if (!commit.prompt) return std::optional<bool>();
  const store::Bundle bundle = TRY(reader.bundle(*commit.prompt));
  const Oid sent = bundle.commit;
  // Reasoning of the same reply was committed after the request was sent.
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
  const auto version = TRY(version_of(reader, bundle));
  if (!version) return std::optional<bool>();
  return std::optional(prompt_key(*TRY(folder.at(*before)), *version) !=
                       prompt_key(*TRY(folder.at(sent)), *version));
}

}  // namespace spoor::graph
