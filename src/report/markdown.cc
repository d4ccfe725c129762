#include <fmt/format.h>

#include "report/debrief/markup.h"
#include "report/event/event.h"
#include "report/phrases.h"
#include "report/report.h"

namespace spoor::report {
namespace {

using debrief::markdown_line;

constexpr std::size_t kId = 12;

class Page {
 public:
  explicit Page(const Report& report) : report_(report) {}

  std::string write() {
    out_ = "# Run " + markdown_line(report_.run_id) + "\n\n";
    for (const auto& [name, value] : facts_of(report_)) {
      out_ += fmt::format("- **{}:** {}\n", name, markdown_line(value));
    }
    write_doubts();
    write_violations();
    write_files();
    write_commands();
    write_models();
    write_timeline();
    return std::move(out_);
  }

 private:
  void heading(const char* title) { out_ += fmt::format("\n## {}\n\n", title); }
  void table(const char* columns, const char* rule) {
    out_ += fmt::format("| {} |\n| {} |\n", columns, rule);
  }

  void write_doubts() {
    if (report_.debrief.contradictions.empty()) return;
    heading("Contradicted by its record");
    for (const std::string& told : report_.debrief.contradictions) {
      out_ += "- " + markdown_line(told) + "\n";
    }
  }

  void write_violations() {
    heading("Violations");
    if (report_.violations.empty()) {
      out_ += "None that was recorded.\n";
      return;
    }
    table("severity | rule | times | first | says", "--- | --- | ---: | --- | ---");
    for (const ViolationCount& violation : report_.violations) {
      out_ += fmt::format("| {} | {} | {} | `{}` | {} |\n", name_of(violation.severity),
                          markdown_line(violation.id), violation.count, violation.commit.hex(kId),
                          markdown_line(violation.message));
    }
  }

  void write_files() {
    if (report_.files.empty()) return;
    heading("Files touched");
    table("file | edits | lines", "--- | ---: | ---");
    for (const auto& [path, file] : report_.files) {
      out_ += fmt::format("| {} | {} | {} |\n", markdown_line(path), file.edits, diff_stat(file));
    }
  }

  void write_commands() {
    if (report_.commands.empty()) return;
    heading("Commands and tests");
    table("what | outcome | commit", "--- | --- | ---");
    report_.commands.visit(
        [&](const CommandRun& command) {
          std::string outcome = command.is_bad ? "failed" : "ok";
          if (command.exit_code) outcome += fmt::format(", exit {}", *command.exit_code);
          out_ += fmt::format("| {} | {} | `{}` |\n", markdown_line(command.summary), outcome,
                              command.commit.hex(kId));
        },
        [&](std::uint64_t count) { out_ += fmt::format("| … {} more | | |\n", count); });
  }

  void write_models() {
    if (report_.totals.models.empty()) return;
    heading("Models");
    table("model | calls | failed | tokens in | out | cost",
          "--- | ---: | ---: | ---: | ---: | ---:");
    for (const auto& [name, use] : report_.totals.models) {
      out_ += fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_line(name), use.answers,
                          use.failed, tokens_of(use.tokens.sent()), tokens_of(use.tokens.output),
                          money_of(use.cost.money, is_estimated(use.cost)));
    }
  }

  static const char* mark_of(const TimelineEntry& entry) {
    const bool is_failed = entry.is_bad && entry.type != AgentAction::Type::blocked;
    return is_failed ? " (failed)" : "";
  }

  void write_timeline() {
    heading("Timeline");
    table("time | action | what | spent | checks | commit", "--- | --- | --- | --- | --- | ---");
    report_.timeline.visit(
        [&](const TimelineEntry& entry) {
          out_ += fmt::format(
              "| {} | {}{} | {} | {} | {} | `{}` |\n", markdown_line(time_of_day(entry.timestamp)),
              label_of(entry), mark_of(entry), markdown_line(entry.summary),
              markdown_line(spent_of(entry)),
              entry.evaluation == CheckStatus::unknown ? "" : name_of(entry.evaluation),
              entry.commit.hex(kId));
        },
        [&](std::uint64_t count) { out_ += fmt::format("| | … {} more | | | | |\n", count); });
  }

  const Report& report_;
  std::string out_;
};

}  // namespace

std::string to_markdown(const Report& report) { return Page(report).write(); }

}  // namespace spoor::report
