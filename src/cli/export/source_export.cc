#include "cli/export/source_export.h"

#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "base/json/reader.h"
#include "cli/export/exported_sessions.h"
#include "cli/export/kept_files.h"
#include "cli/views/times.h"
#include "store/sha256.h"

namespace spoor::cli {
namespace {

namespace fs = std::filesystem;

// Returns the ending that agents give to such a file.
const char* ending_of(std::string_view bytes) {
  if (bytes.starts_with("PK")) return ".eval";
  if (!bytes.starts_with('{') && !bytes.starts_with('[')) return ".txt";
  json::Document document;
  const json::Reading first = json::parse_one(bytes, document);
  const bool is_line = first && bytes.substr(0, first.end).find('\n') == std::string_view::npos &&
                       first.end < bytes.size();
  return is_line ? ".jsonl" : ".json";
}

// Returns a file name made of an id: without folders, not hidden.
std::string file_name(const std::string& id) {
  std::string name;
  for (const char each : id) {
    const bool is_plain = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
                          (each >= '0' && each <= '9') || each == '-' || each == '_' || each == '.';
    name += is_plain ? each : '_';
  }
  constexpr std::size_t kMost = 200;
  if (name.empty() || name.front() == '.') name.insert(0, 1, '_');
  return name.substr(0, kMost);
}

// Writes a file that does not exist, in one step; the same bytes may be there already.
Result<void> write_new(const std::string& path, const std::string& bytes) {
  constexpr unsigned kMode = 0644;
  auto written = create_file(path, bytes, kMode);
  if (written || written.error().code != Error::Code::conflict) return written;
  if (TRY(read_given_file(path)) == bytes) return {};
  return conflict(fmt::format("'{}' exists, with other bytes", path), "name a new or empty folder");
}

}  // namespace

Result<void> export_source(Session& session, const Arguments& arguments) {
  for (const char* option : {"--redact", "--licence", "--to", "--tree", "--coverage"}) {
    if (!arguments.has(option)) continue;
    return session.usage_error(fmt::format("--source cannot be used with {}", option),
                               "--source writes files byte for byte");
  }
  const auto sessions = TRY(ExportedSessions::make(session, arguments));
  const graph::Repository& repository = TRY(session.workspace())->repository();
  const std::string folder = arguments.text("--source");
  std::uint64_t count = 0;
  std::string missing;
  std::set<std::string> names;
  for (const ExportedLine& line : TRY(sessions->lines())) {
    if (line.branch.empty()) {
      return not_found(
          fmt::format("{} is not the end of a branch of a session", line.head.hex().substr(0, 8)),
          "name the session: '" + session.typed("sessions") + "' lists them");
    }
    const auto bytes = TRY(kept_file(repository, line.branch));
    if (!bytes) {
      missing = line.branch;
      sessions->left_out().add("sessions whose file was not kept (import --keep-source keeps it)");
      continue;
    }
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return io_error(fmt::format("cannot create the folder '{}'", folder));
    std::string name = file_name(line.id) + ending_of(*bytes);
    // Sessions of two agents may have the same id, or ids of which the same name is made.
    if (!names.insert(name).second) name = file_name(line.branch) + ending_of(*bytes);
    TRY(write_new((fs::path(folder) / name).string(), *bytes));
    session.out().print(fmt::format("{}  {}\n", store::sha256(*bytes).hex(), name));
    ++count;
  }
  session.out().flush();
  sessions->print_left_out(count, "file");
  if (count > 0) return {};
  if (missing.empty()) {
    return not_found("nothing to export", "list sessions with '" + session.typed("sessions") + "'");
  }
  return not_found(fmt::format("the file of '{}' is not in the store", missing),
                   "import it again: '" + session.typed("import --keep-source FILE") + "'");
}

}  // namespace spoor::cli
