// report: a record of a run, for the person responsible for it.
#include <array>
#include <limits>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/debrief_source.h"
#include "cli/session.h"
#include "cli/settings/prices.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "report/phrases.h"
#include "report/report.h"
#include "trace/event_json.h"

namespace spoor::cli {
namespace {

using report::Report;
using trace::CheckStatus;
using trace::Severity;

constexpr std::array kOptions = {
    Option{"run", "RUN", "a run, or a revision of any history (default: latest)", 0, Takes::run,
           Count::optional},
    Option{"--markdown", "", "a Markdown document"},
    Option{"--html", "", "one HTML file, without scripts"},
    Option{"--all", "", "every entry of every list, not their beginnings and ends"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor report",
            "the newest run: what it touched, ran and spent, and which rules it broke"},
    Example{"spoor report --html > run.html", "a page to share"},
    Example{"spoor report main --markdown", "any history, such as an imported session"},
};

constexpr std::size_t kKept = 1'000;  // Entries of a list in a document.
constexpr std::size_t kShown = 30;    // Entries of a list at a terminal.

class Page {
 public:
  Page(Output& out, const Workspace& workspace, bool all)
      : out_(out), workspace_(workspace), shown_(all ? kAll : kShown) {}

  void print(const Report& report) {
    out_.print(Style::strong, "Run " + visible_line(report.run_id)).newline();
    if (report.events == 0) {
      out_.print("  no actions: no model answered and no tool was called up to here\n");
      const std::string unsettled = trace::unsettled_phrase(report.totals);
      if (!unsettled.empty()) out_.print(Style::warning, "  " + unsettled).newline();
      return;
    }
    for (const auto& [name, value] : facts_of(report)) {
      out_.print(Style::muted, fmt::format("  {:<13}", name)).print(line_of(value, 15)).newline();
    }
    for (const std::string& told : report.debrief.contradictions) {
      out_.print(Style::error, "  contradicted  ").print(line_of(told, 16)).newline();
    }
    print_violations(report);
    print_files(report);
    print_commands(report);
    print_timeline(report);
  }

 private:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  std::string line_of(const std::string& text, int used) const {
    const std::string line = visible_line(text);
    return out_.is_tty() ? truncated(line, std::max(out_.width() - used, 20)) : line;
  }
  void heading(const char* title) { out_.newline().print(Style::strong, title).newline(); }
  void more(std::uint64_t count) {
    out_.print(Style::muted, fmt::format("  … {} more (all with --all, or --json)\n", count));
  }

  void print_violations(const Report& report) {
    if (report.violations.empty()) return;
    heading("Violations");
    std::size_t count = 0;
    for (const auto& violation : report.violations) {
      if (count++ == shown_) break;
      const bool is_bad = violation.severity >= Severity::high;
      out_.print(is_bad ? Style::error : Style::plain,
                 fmt::format("  {:<9}", name_of(violation.severity)));
      out_.print(fmt::format("{} ×{}  ", visible_line(violation.id), violation.count));
      print_id(violation.commit);
      out_.print("  " + line_of(violation.message, 40)).newline();
    }
    if (report.violations.size() > shown_) more(report.violations.size() - shown_);
  }

  void print_files(const Report& report) {
    if (report.files.empty()) return;
    heading("Files touched");
    std::size_t count = 0;
    for (const auto& [path, file] : report.files) {
      if (count++ == shown_) break;
      out_.print("  ");
      print_id(file.last);
      out_.print("  " + line_of(path, 30) + "  ");
      print_size(file);
    }
    if (report.files.size() > shown_) more(report.files.size() - shown_);
  }

  void print_size(const report::FileTouched& file) {
    if (file.lines_added == 0 && file.lines_removed == 0) {
      out_.print(Style::muted, diff_stat(file)).newline();
      return;
    }
    out_.print(Style::added, fmt::format("+{} ", file.lines_added));
    out_.print(Style::removed, fmt::format("−{}", file.lines_removed));
    if (!file.is_counted) out_.print(Style::muted, " and more");
    out_.newline();
  }

  // Prints the beginning and the end of a list.
  template <class T, class Show>
  void print_list(const report::BoundedList<T>& list, const Show& show) {
    list.visit(shown_, show, [&](std::uint64_t count) { more(count); });
  }

  void print_commands(const Report& report) {
    if (report.commands.empty()) return;
    heading("Commands and tests");
    print_list(report.commands, [&](const report::CommandRun& command) {
      out_.print("  ");
      print_id(command.commit);
      out_.print(command.is_bad ? Style::error : Style::added,
                 command.is_bad ? "  failed  " : "  ok      ");
      out_.print(line_of(command.summary, 24));
      if (command.exit_code.value_or(0) != 0) {
        out_.print(Style::muted, fmt::format("  exit {}", *command.exit_code));
      }
      out_.newline();
    });
  }

  void print_timeline(const Report& report) {
    heading("Timeline");
    print_list(report.timeline, [&](const report::TimelineEntry& entry) {
      out_.print("  ");
      print_id(entry.commit);
      out_.print(Style::muted, "  " + visible_line(report::time_of_day(entry.timestamp)) + "  ");
      out_.print(entry.is_bad ? Style::error : Style::plain,
                 fmt::format("{:<10}", report::label_of(entry)));
      const bool is_judged = entry.evaluation != CheckStatus::unknown;
      const bool has_failed = entry.is_bad && entry.type != trace::AgentAction::Type::blocked;
      std::string tail = has_failed ? "failed" : "";
      if (const std::string spent = report::spent_of(entry); !spent.empty()) {
        tail += (tail.empty() ? "" : ", ") + spent;
      }
      if (is_judged)
        tail += fmt::format("{}checks: {}", tail.empty() ? "" : ", ", name_of(entry.evaluation));
      out_.print(line_of(entry.summary, 36 + static_cast<int>(tail.size())));
      if (!tail.empty()) out_.print(Style::muted, "  " + tail);
      out_.newline();
    });
  }

  void print_id(const Oid& oid) { out_.print(Style::commit, workspace_.short_id(oid)); }

  Output& out_;
  const Workspace& workspace_;
  const std::size_t shown_;
};

Result<void> run(Session& session, const Arguments& arguments) {
  const int forms = (arguments.has("--json") ? 1 : 0) + (arguments.has("--markdown") ? 1 : 0) +
                    (arguments.has("--html") ? 1 : 0);
  if (forms > 1) return session.usage_error("choose one of --json, --markdown, --html");
  const std::size_t most = arguments.has("--all") ? std::numeric_limits<std::size_t>::max() : kKept;
  Workspace& workspace = *TRY(session.workspace());
  const auto subject = TRY(find_subject(workspace, arguments.text("run", "latest")));
  const llm::PriceList prices(TRY(read_prices(session.environment())));
  Report report =
      TRY(report::report_of(workspace.repository(), subject.run, subject.head, most, prices));
  Output& out = session.out();
  if (arguments.has("--json")) {
    JsonWriter json;
    write_value(json, to_json(report));
    out.verbatim(json.take());
  } else if (arguments.has("--markdown")) {
    out.print(to_markdown(report));
  } else if (arguments.has("--html")) {
    out.print(to_html(report));
  } else {
    Page(out, workspace, arguments.has("--all")).print(report);
  }
  return {};
}

}  // namespace

extern const Command kReport{
    .name = "report",
    .summary = "Summarize a run: actions, files, commands, violations, cost",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "Summarises the events of a run (see 'spoor events'): the files it touched, the\n"
        "commands and tests it ran and how they ended, the calls that were refused, the\n"
        "rules it broke as far as checks were recorded ('spoor check'), tokens and cost\n"
        "with each answer counted once, and all actions in order. 'spoor debrief' explains\n"
        "the reasons.",
    .examples = kExamples,
};

}  // namespace spoor::cli
