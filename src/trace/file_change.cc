#include "trace/file_change.h"

#include "base/json/reader.h"
#include "trace/bytes.h"
#include "trace/edits.h"

namespace spoor::trace {
namespace {

// Reads `toolUseResult` of Claude Code: the file before an edit, and whether it was created.
void read_recorded(const json::Value& result, FileChange& change) {
  for (const char* key : {"originalFile", "originalFileContents"}) {
    if (const json::Value text = result.find(key); text.is_string()) change.before = text.text();
  }
  if (result.find("type").equals("create")) change.before = "";
  change.was_altered = result.find("userModified").is_true();
  if (change.was_altered) change.replacements.clear();
}

}  // namespace

Result<FileChange> change_of(const store::Reader& reader, const Call& call,
                             const std::string& path) {
  FileChange change{.diff = TRY(diff_of(reader, call, path))};
  const std::string& arguments = call.asked.arguments;
  if (const auto document = json::parse(arguments); document && document->root().is_object()) {
    change.replacements = replacements_in_arguments(document->root());
    if (change.replacements.empty()) change.after = whole_text_in_arguments(document->root());
  }
  change.is_patch = arguments.find("*** Begin Patch") != std::string::npos;
  if (change.is_patch) {
    change.after.reset();
    const std::string patch = patch_in_command(call);
    change.is_deletion = is_deleted_in_patch(patch.empty() ? arguments : patch, path);
  }
  if (!call.result) return change;
  for (const store::Content& each : call.result->commit->attach) {
    if (each.media_type != "application/json") continue;
    const auto bytes = TRY(bytes_of(reader, {each.oid}))[0];
    if (!bytes) continue;
    if (const auto document = json::parse(*bytes)) {
      read_recorded(document->root().find("toolUseResult"), change);
    }
  }
  return change;
}

}  // namespace spoor::trace
