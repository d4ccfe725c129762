#include "cli/views/import_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/terminal/width.h"
#include "cli/views/times.h"
#include "trace/coverage.h"

namespace spoor::cli {
namespace {

using import::ImportedRef;
using import::LossReport;
using import::Remark;
using import::total;
using import::Updated;

constexpr std::size_t kRefsShown = 8;
constexpr std::size_t kRemarksShown = 20;
constexpr std::size_t kFilesShown = 8;  // Applies to files passed over.

// "user 12, assistant 40".
std::string spelled(const LossReport::Counts& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", name, grouped(count));
  }
  return text;
}

void row(Output& out, std::string_view name, std::uint64_t count, const std::string& more) {
  if (count == 0) return;
  constexpr int kMargin = 25;
  out.print("  " + padded(name, 12)).print(fmt::format("{:>9}  ", grouped(count)));
  const int columns = out.is_tty() ? std::max(out.width() - kMargin, 20) : display_width(more) + 1;
  bool is_first = true;
  for (const std::string_view line : wrapped(more, columns)) {
    if (!is_first) out.print(std::string(kMargin, ' '));
    is_first = false;
    out.print(Style::muted, line).newline();
  }
}

// Returns the coverage of a session whose branch moved; empty if it cannot be read.
std::string coverage_of(const Workspace& workspace, const ImportedRef& ref) {
  if (!ref.moved) return {};
  const auto totals = trace::totals_of(workspace.repository(), {ref.target}, nullptr);
  if (!totals) return {};
  const auto coverage = trace::coverage_of(workspace.repository(), ref.target, &totals.value());
  return coverage && coverage->imported > 0 ? trace::describe(*coverage) : std::string();
}

void print_passed_over(Output& out, const LossReport& report) {
  std::size_t shown = 0;
  for (const std::string& file : report.passed_over_files) {
    if (++shown > kFilesShown) break;
    out.print(Style::muted, "    " + file).newline();
  }
  if (report.passed_over > kFilesShown) {
    out.print(Style::muted, fmt::format("    … and {}\n", counted(report.passed_over - kFilesShown,
                                                                  "more file", "more files")));
  }
}

void print_counts(Output& out, const LossReport& report) {
  row(out, "turns", total(report.turns), spelled(report.turns));
  row(out, "kept", total(report.kept), "verbatim, as notes: " + spelled(report.kept));
  row(out, "duplicates", total(report.duplicates),
      "already stored, dropped: " + spelled(report.duplicates));
  row(out, "unknown", total(report.unknown), "among the kept: " + spelled(report.unknown));
  row(out, "odd blocks", total(report.odd_blocks), "kept unchanged: " + spelled(report.odd_blocks));
  row(out, "met", report.met_turns, "turns that another capture of the conversation contains");
  row(out, "erased", report.erased, "contents that were erased here, left out");
  row(out, "oddities", report.oddities, "read anyway");
  row(out, "unreadable", report.unreadable,
      report.torn > 0 ? "not imported: " + counted(report.torn, "torn last line")
                      : std::string("places, not imported: see the warnings"));
  row(out, "passed over", report.passed_over, "files in folders without a session");
  print_passed_over(out, report);
}

// Prints the counts that a user should see.
void print_problems(Output& out, const LossReport& report) {
  row(out, "unknown", total(report.unknown), "kept as notes: " + spelled(report.unknown));
  row(out, "erased", report.erased, "contents that were erased here, left out");
  row(out, "unreadable", report.unreadable,
      report.unreadable == 1 ? "place, not imported" : "places, not imported");
  row(out, "passed over", report.passed_over, "files in folders without a session (--verbose)");
}

void print_refs(Output& out, const Workspace* workspace, const LossReport& report) {
  constexpr std::string_view kHeads = "refs/heads/";
  std::size_t branches = 0;
  for (const ImportedRef& ref : report.refs) {
    if (!ref.name.starts_with(kHeads)) continue;
    if (++branches > kRefsShown) continue;
    out.print("  ").print(Style::branch, ref.name.substr(kHeads.size())).print(" ");
    out.print(Style::commit, workspace->short_id(ref.target));
    out.print(Style::muted, ref.moved ? "" : "  (unchanged)").newline();
    if (const std::string known = coverage_of(*workspace, ref); !known.empty()) {
      out.print(Style::muted, "    " + known).newline();
    }
  }
  if (branches > kRefsShown) {
    out.print(Style::muted, fmt::format("  … and {}\n", counted(branches - kRefsShown,
                                                                "more branch", "more branches")));
  }
}

std::string short_name(const std::string& branch) {
  return branch.substr(std::string_view("refs/heads/").size());
}

void print_again(Session& session, const Workspace& workspace, const Updated& again) {
  Output& out = session.out();
  out.print(fmt::format("read again: {}, {} replaced, {} carried over\n",
                        counted(again.lines, "session"), counted(again.replaced, "turn"),
                        grouped(again.carried)));
  for (const auto& branch : again.branches) {
    out.print("  ").print(Style::branch, short_name(branch.name)).print(": ");
    if (branch.before) out.print(Style::commit, workspace.short_id(*branch.before));
    if (branch.before && branch.after) out.print(" -> ");
    if (branch.after) {
      out.print(Style::commit, workspace.short_id(*branch.after)).newline();
    } else {
      out.print(" removed, another branch contains it\n");
    }
  }
  for (const compile::Oid& dropped : again.dropped) {
    session.err().print(Style::warning, "warning:");
    session.err().print(fmt::format(
        " {} is not carried over: the turn it concerns is no longer read\n", dropped.hex(12)));
  }
  for (const std::string& line : again.shorter) {
    session.err().print(Style::warning, "warning:");
    session.err().print(
        fmt::format(" {} is unchanged: the file ends before what is stored\n", line));
  }
  if (!again.branches.empty()) out.print(fmt::format("undo: {}\n", session.typed("undo")));
}

void write_again(JsonWriter& json, const Updated& again) {
  json.key("again").object().member("sessions", static_cast<std::uint64_t>(again.lines));
  json.member("replaced", static_cast<std::uint64_t>(again.replaced));
  json.member("carried", static_cast<std::uint64_t>(again.carried)).list("dropped");
  for (const compile::Oid& dropped : again.dropped) json.value(dropped);
  json.end().list("shorter");
  for (const std::string& line : again.shorter) json.value(line);
  json.end().list("branches");
  for (const auto& branch : again.branches) {
    json.object().member("name", short_name(branch.name)).member("before", branch.before);
    json.member("after", branch.after).end();
  }
  json.end().end();
}

void write_counts(JsonWriter& json, std::string_view name, const LossReport::Counts& counts) {
  json.key(name).object();
  for (const auto& [key, count] : counts) json.member(key, count);
  json.end();
}

}  // namespace

void print_import(Session& session, const Workspace* workspace, const LossReport& report,
                  const ImportSummary& summary) {
  Output& out = session.out();
  out.print(fmt::format("{} read, {}, {}\n", counted(report.sources, "file"),
                        byte_size(report.bytes), counted(report.records, "record")));
  if (summary.is_verbose) print_counts(out, report);
  if (!summary.is_verbose) print_problems(out, report);
  if (summary.again) {
    print_again(session, *workspace, *summary.again);
  } else {
    out.print(fmt::format("new: {}, {}\n", counted(report.new_turns, "turn"),
                          counted(report.new_notes, "note")));
    if (summary.is_verbose) print_refs(out, workspace, report);
  }
  if (!summary.branch.empty()) {
    const bool has_previous = workspace != nullptr && workspace->previous_head();
    out.print("HEAD: on ").print(Style::branch, summary.branch);
    if (has_previous) out.print(fmt::format(" (undo: {})", session.typed("switch -")));
    out.newline();
  }
  if (report.turn_records > 0) out.print(Style::hint, "next:").print(" spoor sessions\n");
}

void print_remarks(Output& err, const LossReport& report) {
  std::size_t shown = 0;
  for (const Remark& remark : report.remarks) {
    if (++shown > kRemarksShown) continue;
    err.print(Style::warning, "warning:").print(" " + remark.message() + "\n");
  }
  if (shown > kRemarksShown) {
    err.print(Style::warning, "warning:");
    err.print(fmt::format(" … and {} (--json lists them)\n",
                          counted(shown - kRemarksShown, "more remark")));
  }
}

void print_older_rules(Output& err, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  constexpr std::size_t kShown = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i) names += ' ' + lines[i];
  if (lines.size() > kShown) names += fmt::format(" … and {} more", lines.size() - kShown);
  err.print(fmt::format(
      "{} by older rules:{}\n",
      lines.size() == 1 ? "1 session was read" : counted(lines.size(), "session") + " were read",
      names));
  err.print(Style::hint, "hint:")
      .print(" read their files again with 'spoor import --again PATH'\n");
}

void print_import_json(Output& out, const LossReport& report,
                       const std::vector<ArchiveImport>& archives,
                       const std::vector<Error>& failures, const std::string& branch,
                       const std::vector<std::string>& older, const std::optional<Updated>& again,
                       const std::optional<proxy::RawBodies>& bodies) {
  JsonWriter json;
  json.object().member("files", report.sources).member("bytes", report.bytes);
  json.member("records", report.records).member("turn_records", report.turn_records);
  write_counts(json, "turns", report.turns);
  write_counts(json, "kept", report.kept);
  write_counts(json, "duplicates", report.duplicates);
  write_counts(json, "unknown", report.unknown);
  write_counts(json, "attached", report.attached);
  write_counts(json, "repeated_facts", report.repeated_facts);
  write_counts(json, "odd_blocks", report.odd_blocks);
  json.member("new_turns", report.new_turns).member("new_notes", report.new_notes);
  json.member("met_turns", report.met_turns).member("erased", report.erased);
  json.member("unreadable", report.unreadable).member("torn", report.torn);
  json.member("oddities", report.oddities).member("missing_parents", report.missing_parents);
  json.member("passed_over", report.passed_over).list("passed_over_files");
  for (const std::string& file : report.passed_over_files) json.value(file);
  json.end();
  json.list("remarks");
  for (const Remark& remark : report.remarks) {
    json.object().member("kind", remark.kind == Remark::Kind::unreadable ? "unreadable" : "odd");
    json.member("source", remark.source).member("line", remark.line);
    json.member("text", remark.text).end();
  }
  json.end().list("refs");
  for (const ImportedRef& ref : report.refs) {
    json.object()
        .member("name", ref.name)
        .member("hash", ref.target)
        .member("moved", ref.moved)
        .end();
  }
  json.end().list("archives");
  for (const ArchiveImport& archive : archives) write_archive_import(json, archive);
  json.end().list("errors");
  for (const Error& failure : failures) {
    json.object().member("code", name_of(failure.code)).member("message", failure.message);
    json.member("hint", failure.hint).end();
  }
  json.end().member_or_null("head_moved_to", branch).list("older_rules");
  for (const std::string& line : older) json.value(line);
  json.end();
  if (again) write_again(json, *again);
  if (bodies) {
    json.key("requests").object().member("new", std::uint64_t{bodies->requests});
    json.member("known", std::uint64_t{bodies->known}).end();
  }
  json.end();
  out.verbatim(json.take());
}

}  // namespace spoor::cli
