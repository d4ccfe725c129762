#include <fmt/format.h>

#include "report/debrief/markup.h"
#include "report/event/event.h"
#include "report/phrases.h"
#include "report/report.h"

namespace spoor::report {
namespace {

using debrief::html_line;

constexpr std::size_t kId = 12;

// Added to the style of every page. The timeline is a list with a rail: it is readable without
// style.
constexpr std::string_view kStyle = R"(
main { max-width: 72rem; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: .2rem .6rem .2rem 0; vertical-align: top; overflow-wrap: anywhere; }
td.number { text-align: right; white-space: nowrap; }
tr + tr td { border-top: 1px solid var(--line); }
svg { width: 100%; height: auto; border: 1px solid var(--line); border-radius: 4px; }
svg path { fill: none; stroke-width: 1.6; }
svg text { font: 11px system-ui, sans-serif; }
path.tokens { stroke: #4078c0; } text.tokens { fill: #4078c0; }
path.cost { stroke: #b8860b; stroke-dasharray: 4 2; } text.cost { fill: #b8860b; }
path.axis { stroke: var(--line); } text.axis { fill: var(--soft); }
path.failed { stroke: var(--bad); }
ol.timeline { list-style: none; border-left: 2px solid var(--line); padding-left: 1rem; }
ol.timeline li::before { content: ""; display: inline-block; width: .6rem; height: .6rem;
  border-radius: 50%; background: var(--soft); margin: 0 .6rem 0 -1.4rem; }
ol.timeline li.bad::before { background: var(--bad); }
ol.timeline li.bad { color: inherit; }
.kind { display: inline-block; min-width: 5.5rem; font-weight: 600; }
.low, .info { color: var(--soft); } .high, .critical { color: var(--bad); font-weight: 600; }
)";

std::string soft(const std::string& html) { return "<span class=\"soft\">" + html + "</span>"; }
std::string id_of(const Oid& oid) { return "<code class=\"soft\">" + oid.hex(kId) + "</code>"; }
class Page {
 public:
  explicit Page(const Report& report) : report_(report) {}

  std::string write() {
    out_ = debrief::html_head("Run " + report_.run_id, kStyle) + "<main>\n";
    out_ += "<h1>Run " + html_line(report_.run_id) + "</h1>\n";
    write_facts();
    write_doubts();
    write_violations();
    write_spending();
    write_files();
    write_commands();
    write_timeline();
    return std::move(out_ += "</main>\n" + debrief::html_end());
  }

 private:
  void heading(const char* title) { out_ += fmt::format("<h2>{}</h2>\n", title); }

  // Cells are HTML already.
  void row(std::initializer_list<std::string> cells) {
    out_ += "<tr>";
    for (const std::string& cell : cells) out_ += "<td>" + cell + "</td>";
    out_ += "</tr>\n";
  }
  void columns(std::initializer_list<const char*> names) {
    out_ += "<table>\n<thead><tr>";
    for (const char* name : names) out_ += fmt::format("<th scope=\"col\">{}</th>", name);
    out_ += "</tr></thead>\n<tbody>\n";
  }
  void end_table() { out_ += "</tbody>\n</table>\n"; }

  void write_facts() {
    out_ += "<dl>\n";
    for (const auto& [name, value] : facts_of(report_)) {
      out_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html_line(value));
    }
    out_ += "</dl>\n";
  }

  void write_doubts() {
    if (report_.debrief.contradictions.empty()) return;
    heading("Contradicted by its record");
    out_ += "<ul>\n";
    for (const std::string& told : report_.debrief.contradictions) {
      out_ += "<li class=\"bad\">" + html_line(told) + "</li>\n";
    }
    out_ += "</ul>\n";
  }

  void write_violations() {
    heading("Violations");
    if (report_.violations.empty()) {
      out_ += "<p>None that was recorded.</p>\n";
      return;
    }
    columns({"Severity", "Rule", "Times", "Says", "First"});
    for (const ViolationCount& violation : report_.violations) {
      const std::string severity(name_of(violation.severity));
      std::string says = html_line(violation.message);
      if (!violation.evidence.empty()) {
        says.append("<br><code>").append(html_line(violation.evidence)).append("</code>");
      }
      row({fmt::format("<span class=\"{0}\">{0}</span>", severity), html_line(violation.id),
           std::to_string(violation.count), says, id_of(violation.commit)});
    }
    end_table();
  }

  void write_spending() {
    heading("Tokens and cost");
    out_ += spending_plot(report_.spending, report_.totals.cost.money.has_value());
    columns({"Model", "Calls", "Failed", "Tokens in", "Tokens out", "Cost"});
    for (const auto& [name, use] : report_.totals.models) {
      row({html_line(name), std::to_string(use.answers), std::to_string(use.failed),
           tokens_of(use.tokens.sent()), tokens_of(use.tokens.output),
           money_of(use.cost.money, is_estimated(use.cost))});
    }
    end_table();
  }

  void write_files() {
    if (report_.files.empty()) return;
    heading("Files touched");
    columns({"File", "Edits", "Lines", "Last"});
    for (const auto& [path, file] : report_.files) {
      row({"<code>" + html_line(path) + "</code>", std::to_string(file.edits), diff_stat(file),
           id_of(file.last)});
    }
    end_table();
  }

  void write_commands() {
    if (report_.commands.empty()) return;
    heading("Commands and tests");
    columns({"Time", "What", "Outcome", "Commit"});
    report_.commands.visit(
        [&](const CommandRun& command) {
          std::string outcome = command.is_bad ? "failed" : "ok";
          if (command.exit_code) outcome += fmt::format(", exit {}", *command.exit_code);
          row({soft(html_line(time_of_day(command.timestamp))),
               "<code>" + html_line(command.summary) + "</code>" +
                   (command.is_test ? " " + soft("test") : ""),
               fmt::format("<span class=\"{}\">{}</span>", command.is_bad ? "bad" : "good",
                           outcome),
               id_of(command.commit)});
        },
        [&](std::uint64_t count) {
          row({"", soft(fmt::format("… {} more", count)), "", ""});
        });
    end_table();
  }

  void write_timeline() {
    heading("Timeline");
    out_ += "<ol class=\"timeline\">\n";
    report_.timeline.visit([&](const TimelineEntry& entry) { write_entry(entry); },
                           [&](std::uint64_t count) {
                             out_ += "<li>" + soft(fmt::format("… {} more", count)) + "</li>\n";
                           });
    out_ += "</ol>\n";
  }

  void write_entry(const TimelineEntry& entry) {
    out_ += entry.is_bad ? "<li class=\"bad\">" : "<li>";
    if (!entry.timestamp.empty()) {
      out_ += fmt::format("<time datetime=\"{}\" class=\"soft\">{}</time> ",
                          html_line(entry.timestamp), html_line(time_of_day(entry.timestamp)));
    }
    out_ +=
        fmt::format("<span class=\"kind\">{}</span> {}", label_of(entry), html_line(entry.summary));
    if (entry.is_bad) {
      const bool is_refused = entry.type == AgentAction::Type::blocked;
      out_ += fmt::format(" <span class=\"bad\">{}</span>", is_refused ? "refused" : "failed");
    }
    if (entry.evaluation != CheckStatus::unknown) {
      const bool is_bad = entry.evaluation == CheckStatus::fail;
      out_ += fmt::format(" <span class=\"{}\">checks: {}</span>", is_bad ? "bad" : "good",
                          name_of(entry.evaluation));
    }
    if (const std::string spent = spent_of(entry); !spent.empty()) out_ += " " + soft(spent);
    out_ += " " + id_of(entry.commit) + "</li>\n";
  }

  const Report& report_;
  std::string out_;
};

}  // namespace

std::string to_html(const Report& report) { return Page(report).write(); }

}  // namespace spoor::report
