#include "trace/edits.h"

#include <algorithm>

#include "compile/facts_view.h"
#include "trace/bytes.h"
#include "trace/tool_call.h"

namespace spoor::trace {
namespace {

using compile::FactsView;

const store::Content* attached(const store::Commit& commit, std::string_view media_type) {
  for (const store::Content& each : commit.attach) {
    if (each.media_type == media_type) return &each;
  }
  return nullptr;
}

// Keeps the values that are already known.
void fill(const FileEdit& from, Edit& edit) {
  if (edit.path.empty()) edit.path = from.path;
  if (!edit.added) edit.added = from.added;
  if (!edit.removed) edit.removed = from.removed;
}

// Reads what the source recorded of an edit along with the result.
Result<void> read_record(const store::Reader& reader, const store::Commit& result, Edit& edit) {
  if (const auto* diff = attached(result, "text/x-diff")) {
    edit.record = *diff;
    return {};
  }
  const auto* record = attached(result, "application/json");
  if (record == nullptr) return {};
  const auto bytes = TRY(bytes_of(reader, {record->oid}));
  if (!bytes[0]) return {};
  edit.record = *record;
  if (const auto stated = edit_in_result(*bytes[0])) fill(*stated, edit);
  return {};
}

std::vector<std::string> paths_of(const ToolCallRead& call) {
  std::vector<std::string> paths = call.changed;
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace

Result<std::vector<Edit>> edits_of(const store::Reader& reader, const Call& call) {
  std::vector<Edit> edits;
  if (!call.result || call.outcome == Outcome::refused) return edits;
  const store::Commit& result = *call.result->commit;
  FactsView facts;
  TRY(facts.read(result.meta));
  const bool is_ours = facts.json(fact::run).is_string();
  if (is_ours ? call.artifact.empty() : call.outcome != Outcome::ok) return edits;

  const ToolCallRead read = read_tool_call(call.tool, call.asked.arguments);
  const bool is_edit =
      call.artifact == "file_edit" || (call.artifact.empty() && read.kind == ToolKind::editor);
  if (!is_edit && !call.artifact.empty()) return edits;  // A command of spoor's own.
  const std::vector<std::string> paths = is_ours ? std::vector<std::string>() : paths_of(read);
  if (!is_edit || paths.size() > 1) {
    for (const std::string& path : paths) {
      Edit edit{.path = path};
      for (const FileEdit& asked : read.edits) {
        if (asked.path == path) fill(asked, edit);
      }
      edits.push_back(std::move(edit));
    }
    return edits;
  }
  Edit edit{.path = facts.get(fact::path)};
  if (edit.path.empty() && paths.size() == 1) edit.path = paths.front();
  edit.added = facts.get(fact::lines_added);
  edit.removed = facts.get(fact::lines_removed);
  TRY(read_record(reader, result, edit));
  if (!is_ours && read.edits.size() == 1) fill(read.edits.front(), edit);
  edits.push_back(std::move(edit));
  return edits;
}

std::string patch_in_command(const Call& call) {
  const std::string& arguments = call.asked.arguments;
  if (arguments.find("*** Begin Patch") == std::string::npos) return {};
  return read_tool_call(call.tool, arguments).patch;
}

Result<std::vector<graph::UnifiedLine>> diff_of(const store::Reader& reader, const Call& call,
                                                const std::string& path) {
  std::vector<graph::UnifiedLine> diff;
  if (call.result) {
    const store::Commit& result = *call.result->commit;
    const auto* patch = attached(result, "text/x-diff");
    const auto* record = attached(result, "application/json");
    const auto* known = patch != nullptr ? patch : record;
    const auto bytes = known != nullptr ? TRY(bytes_of(reader, {known->oid}))[0] : nullptr;
    if (bytes) diff = patch != nullptr ? diff_in_patch(*bytes, "") : diff_in_result(*bytes);
  }
  if (!diff.empty()) return diff;
  if (const std::string patch = patch_in_command(call); !patch.empty()) {
    return diff_in_patch(patch, path);
  }
  const auto arguments = json::parse(call.asked.arguments);
  if (arguments) return diff_in_arguments(arguments->root(), path);
  return diff_in_patch(call.asked.arguments, path);  // The arguments of Codex are the patch itself.
}

}  // namespace spoor::trace
