#include "cli/export/kept_files.h"

#include "compile/turn.h"

namespace spoor::cli {
namespace {

std::string ref_of(const std::string& branch) { return "refs/sources/files/" + branch; }

}  // namespace

Result<std::optional<std::string>> kept_file(const graph::Repository& repository,
                                             const std::string& branch) {
  const auto tip = TRY(repository.store().ref(ref_of(branch)));
  if (!tip) return std::optional<std::string>();
  const store::Reader& reader = repository.reader();
  const auto text = TRY(compile::text_of(reader, *TRY(reader.commit(*tip))));
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

Result<void> keep_file(graph::Repository& repository, const std::string& branch,
                       std::string_view bytes) {
  if (TRY(kept_file(repository, branch)) == bytes) return {};
  compile::Turn note;
  note.type = store::Type::note;
  note.text = bytes;
  note.media_type = "application/octet-stream";
  graph::Branch chain = graph::Branch::on_ref(repository, ref_of(branch));
  TRY(chain.write("import", [&](graph::Draft& draft, const std::string& ref) -> Result<store::Oid> {
    return draft.append(ref, note);
  }));
  return {};
}

}  // namespace spoor::cli
