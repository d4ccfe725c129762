#include "trace/file_change.h"

#include "base/json/reader.h"
#include "trace/bytes.h"
#include "trace/edits.h"
#include "trace/tool_call.h"

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

// Returns true if a patch deletes a file, which it may name from a folder below.
bool deletes(std::string_view patch, std::string_view path) {
  constexpr std::string_view kDelete = "\n*** Delete File: ";
  for (std::size_t at = patch.find(kDelete); at != patch.npos; at = patch.find(kDelete, at + 1)) {
    std::string_view name = patch.substr(at + kDelete.size());
    name = name.substr(0, name.find_first_of("\r\n"));
    if (path == name || (path.ends_with(name) && path[path.size() - name.size() - 1] == '/')) {
      return true;
    }
  }
  return false;
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
    const ToolCallRead read = read_tool_call(call.tool, arguments);
    change.is_deletion = deletes(read.patch.empty() ? arguments : read.patch, path);
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
