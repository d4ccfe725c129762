#pragma once

#include <string>
#include <vector>

#include "api/json_writer.h"
#include "cli/session.h"
#include "store/archive_reader.h"

namespace spoor::cli {

using api::JsonWriter;

/// The contents of one imported archive, and the names its refs got.
struct ArchiveImport {
  std::string path;
  store::Received received;
  std::vector<store::PlacedRef> refs;
};

/// Returns true if the file begins like an archive, false also if it cannot be read.
bool is_archive(const std::string& path);

/// Reads and verifies a whole archive, then creates its refs in one step that undo can revert.
Result<ArchiveImport> import_archive(Workspace& workspace, const std::string& path);

void print_archive_import(Session& session, const ArchiveImport& made);

/// Appends one element of `archives` of `import --json` as the next value.
void write_archive_import(JsonWriter& json, const ArchiveImport& made);

}  // namespace spoor::cli
