#include "store/sqlite/log_cut.h"

#include <fmt/format.h>

#include "store/operation.h"
#include "store/sqlite/at_rest.h"
#include "store/sqlite/files.h"
#include "store/sqlite/mark.h"
#include "store/sqlite/numbers.h"
#include "store/sqlite/ref_cache.h"
#include "store/sqlite/wal.h"

namespace spoor::store::sqlite {
namespace {

// Returns whether the mark's operation is in the log or folded into a checkpoint. The log has an
// operation of that number or a later one.
Result<bool> has_operation(Connection& connection, const Mark& mark) {
  if (mark.number == 0) return true;
  Statement row = TRY(connection.use(Query::operations_from));
  if (!TRY(connection.next_readable(row.bind(1, static_cast<std::int64_t>(mark.number))))) {
    return true;  // Unreadable; the audit reports it.
  }
  if (row.bytes(1) == mark.name.view()) return true;
  const LoggedOperation logged = TRY(logged_operation(connection, row));
  const auto operation = parse_operation(logged.body);
  return operation && operation->folded &&
         (logged.number > mark.number || *operation->folded == mark.name);
}

// Returns the number of the mark's frames that the log lacks; 0 if it has them all, or has
// restarted, before which all of it was copied into the file.
Result<std::uint32_t> missing_frames(Connection& connection, const Mark& mark,
                                     const std::string& path) {
  const auto end = log_end(connection);
  if (mark.log.frames == 0 || !end) return 0U;
  if (end->frames > 0) {
    const bool is_another = end->salts != mark.log.salts;
    return is_another || end->frames >= mark.log.frames ? 0U : mark.log.frames - end->frames;
  }
  // A log without a header may have been emptied by another program.
  const LogScan header = TRY(read_log_header(path));
  const bool is_another = header.size == 0 || (header.salts && *header.salts != mark.log.salts);
  return is_another ? 0U : mark.log.frames;
}

Result<std::optional<LogCut>> hold_against(const Mark& mark, Connection& connection,
                                           const std::string& path) {
  const ReadTransaction reading = TRY(ReadTransaction::begin(connection));
  const auto newest = static_cast<std::uint64_t>(TRY(newest_number(connection)));
  LogCut cut{"", !mark.is_synced};
  if (newest < mark.number) {
    const std::uint64_t count = mark.number - newest;
    cut.problem = fmt::format("was cut: {} {} missing", count,
                              count == 1 ? "operation is" : "operations are");
  } else if (!TRY(has_operation(connection, mark))) {
    cut = {fmt::format("is not the one that the mark names: operation {} is another", mark.number)};
  } else if (const std::uint32_t frames = TRY(missing_frames(connection, mark, path)); frames > 0) {
    cut.problem = fmt::format("was cut: {} of its {} frames are missing", frames, mark.log.frames);
  }
  if (cut.problem.empty()) return std::optional<LogCut>();
  return std::optional(std::move(cut));
}

// Returns a finding for log data that SQLite silently ignores.
std::optional<Store::Finding> finding_of(const LogScan& scan, const std::optional<Mark>& mark) {
  if (scan.size == 0) return std::nullopt;
  Store::Finding finding{"log", ""};
  const std::uint32_t marked = mark ? mark->log.frames : 0;
  if (!scan.salts) {
    if (marked == 0 && scan.commits_after == 0) return std::nullopt;
    finding.problem = "its header is damaged, so none of its frames is read";
    return finding;
  }
  const std::uint32_t confirmed = mark && mark->log.salts == *scan.salts ? marked : 0;
  if (scan.frames < confirmed) {
    finding.problem =
        scan.invalid == 0
            ? fmt::format("it ends after {} of {} frames", scan.frames, confirmed)
            : fmt::format(
                  "its frame {} is damaged, so the {} frames that follow frame {} are not "
                  "read",
                  scan.invalid, confirmed - scan.frames, scan.frames);
    finding.is_remark = !mark->is_synced;
    return finding;
  }
  if (scan.commits_after == 0) return std::nullopt;
  finding.problem =
      fmt::format("its frame {} is damaged, so {} that follow it are not read", scan.invalid,
                  scan.commits_after == 1 ? "a transaction"
                                          : fmt::format("{} transactions", scan.commits_after));
  finding.is_remark = true;  // As far as known, these were never acknowledged.
  return finding;
}

Result<std::optional<Store::Finding>> check_frames(const std::string& path,
                                                   const std::optional<Mark>& mark) {
  constexpr int kTries = 10;
  for (int i = 0;; ++i) {
    const LogScan scan = TRY(scan_log(path));
    const auto finding = finding_of(scan, mark);
    // A writer may have restarted it meanwhile.
    const LogScan now = TRY(read_log_header(path));
    if (!finding || i == kTries || (now.salts == scan.salts && now.size >= scan.size)) {
      return finding;
    }
  }
}

// The mark must be read before the state of the file that it is compared with, which is then as old
// as the mark or newer.
Result<std::optional<LogCut>> find_cut(const Result<std::optional<Mark>>& mark,
                                       Connection& connection, const std::string& path) {
  if (mark && *mark) return hold_against(**mark, connection, path);
  if (!TRY(needs_log(connection)) || !TRY(is_log_empty(path))) return std::optional<LogCut>();
  return std::optional(LogCut{"was cut from the store: commits were in it that the file lacks"});
}

}  // namespace

Result<std::optional<LogCut>> find_log_cut(Connection& connection, const std::string& path) {
  return find_cut(read_mark(path), connection, path);
}

Result<std::vector<Store::Finding>> check_log(Connection& connection, const std::string& path) {
  std::vector<Store::Finding> findings;
  const auto mark = read_mark(path);
  if (const auto cut = TRY(find_cut(mark, connection, path))) {
    std::string problem = cut->problem;
    if (cut->is_permitted) problem += ", which durability 'normal' permits when the power fails";
    findings.push_back({"log", std::move(problem), false, cut->is_permitted});
  }
  const std::optional<Mark> known = mark ? *mark : std::nullopt;
  if (auto found = TRY(check_frames(path, known))) findings.push_back(std::move(*found));
  if (!mark) {
    findings.push_back({"mark", mark.error().message});
  } else if (!*mark && TRY(newest_number(connection)) > 0) {
    findings.push_back({"mark",
                        "the '-mark' file is missing, so a cut log would not be noticed; the next "
                        "commit makes one",
                        false, true});
  }
  return findings;
}

}  // namespace spoor::store::sqlite
