#pragma once

#include <string>
#include <vector>

#include "api/json_writer.h"
#include "cli/session.h"
#include "store/archive_reader.h"

namespace spoor::cli {

using api::JsonWriter;

/// What one archive brought, and where its refs went.
struct ArchiveImport {
  std::string path;
  store::Received received;
  std::vector<store::PlacedRef> refs;
};

/// Does the file begin as an archive does? False for what cannot be read.
bool is_archive(const std::string& path);

/// Reads an archive whole, verifies it, and then makes its refs, as one step that undo takes back.
Result<ArchiveImport> import_archive(Workspace& workspace, const std::string& path);

void print_archive_import(Session& session, const ArchiveImport& made);

/// One of the `archives` of `import --json`, as the next value.
void write_archive_import(JsonWriter& json, const ArchiveImport& made);

}  // namespace spoor::cli
