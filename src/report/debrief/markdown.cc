#include "report/debrief/views.h"

#include <fmt/format.h>

#include "report/debrief/excerpt.h"
#include "report/debrief/markup.h"
#include "report/debrief/phrases.h"

namespace spoor::report::debrief {
namespace {

constexpr std::size_t kShort = 200;

std::string in_quotes(std::string_view raw) { return "“" + markdown_line(raw) + "”"; }

class Page {
 public:
  explicit Page(const Debrief& debrief) : debrief_(debrief) {}

  std::string write() {
    out_ = "# Debrief: run " + markdown_line(debrief_.run_id) + "\n\n";
    fact("Goal", markdown_line(debrief_.goal));
    fact("Planner", markdown_line(debrief_.planner));
    fact("Model", markdown_line(debrief_.model));
    fact("Session", markdown_line(debrief_.session));
    if (debrief_.origin) fact("Forked", "before " + markdown_line(origin_of(debrief_)));
    fact("Path", markdown_line(path_of(debrief_, 400)));
    fact("Verdict", markdown_line(verdict_of(debrief_)));
    if (debrief_.head) fact("Commit", "`" + debrief_.head->hex() + "`");
    write_doubts();
    write_reasons();
    write_calls();
    write_rest();
    write_end();
    return std::move(out_);
  }

 private:
  void fact(const char* name, const std::string& what) {
    if (!what.empty()) out_ += fmt::format("- **{}:** {}\n", name, what);
  }
  void heading(const char* title) { out_ += fmt::format("\n## {}\n\n", title); }
  void item(const std::string& what) { out_ += "- " + what + "\n"; }

  template <class T, class Show>
  void section(const char* title, const BoundedList<T>& list, const Show& show) {
    if (list.empty()) return;
    heading(title);
    list.visit(show, [&](std::uint64_t count) { item(fmt::format("… {} more", count)); });
  }

  void write_doubts() {
    if (debrief_.contradictions.empty()) return;
    heading("Contradicted by its record");
    for (const std::string& contradiction : debrief_.contradictions)
      item(markdown_line(contradiction));
  }

  void write_reasons() {
    heading("Decision Rationale");
    const auto reasons = reasons_of(debrief_);
    if (reasons.empty()) out_ += "No reasons are recorded.\n";
    for (const DecisionReason& reason : reasons) {
      std::string line = fmt::format("step {}, {}", reason.step, markdown_line(reason.decision));
      if (!reason.tool.empty()) line += " **" + markdown_line(reason.tool) + "**";
      line += ": " + in_quotes(reason.rationale.why);
      if (reason.source != "rationale") line += " (" + reason.source + ")";
      if (reason.rationale.confidence) {
        line += fmt::format(" (confidence {:.2f})", *reason.rationale.confidence);
      }
      if (!reason.rationale.refs.empty()) {
        std::string refs;
        for (const std::string& ref : reason.rationale.refs) {
          refs += (refs.empty() ? "" : ", ") + markdown_line(ref);
        }
        line += " (refs: " + refs + ")";
      }
      item(line);
      for (const Alternative& other : reason.rationale.alternatives) {
        out_ += fmt::format("  - not {}: {}\n", markdown_line(other.option),
                            markdown_line(other.rejected_because));
      }
    }
  }

  void write_calls() {
    section("Calls", debrief_.path, [&](const PathEntry& entry) {
      if (entry.is_switch) return;
      std::string line =
          fmt::format("step {}, **{}**", entry.place.step, markdown_line(entry.tool));
      if (!entry.rationale) line += ", no reason given";
      line += " → " + markdown_line(cut(phrase_of(entry.outcome), kShort));
      const std::string cost = phrase_of(entry.cost);
      if (!cost.empty()) line += " (" + markdown_line(cost) + ")";
      if (entry.place.commit) line += " `" + entry.place.commit->hex(12) + "`";
      item(line);
    });
  }

  void write_rest() {
    section("Agents called", debrief_.agents, [&](const CalledAgent& called) {
      item(fmt::format("step {} {}", called.step, markdown_line(phrase_of(called))));
    });
    section("Assumptions", debrief_.assumptions, [&](const Assumption& assumed) {
      std::string line = in_quotes(assumed.assumption);
      if (assumed.rationale) line += ": " + markdown_line(assumed.rationale->why);
      item(line);
    });
    section("Curator", debrief_.curator, [&](const CuratorAction& curated) {
      item(fmt::format("step {}, {} {}", curated.place.step, markdown_line(curated.action),
                       markdown_line(curated.target)));
    });
    section("Alternatives considered", debrief_.alternatives, [&](const Weighing& weighed) {
      item(fmt::format("step {} chose {}", weighed.place.step, markdown_line(weighed.chosen)));
      for (const Alternative& other : weighed.rejected) {
        out_ += fmt::format("  - not {}: {}\n", markdown_line(other.option),
                            markdown_line(other.rejected_because));
      }
    });
    section("Reactions", debrief_.reactions, [&](const Reaction& reacted) {
      item(fmt::format("step {}, {} {}", reacted.place.step, markdown_line(reacted.action),
                       markdown_line(reacted.what)));
    });
    section("Events", debrief_.notes, [&](const Note& note) {
      item(fmt::format("step {}, {} {}", note.place.step, markdown_line(note.word),
                       markdown_line(note.text)));
    });
    section("Unknown refs", debrief_.unknown_refs, [&](const UnknownRef& unknown) {
      item(fmt::format("step {} cites {}", unknown.place.step, markdown_line(unknown.ref)));
    });
  }

  void write_end() {
    heading("End");
    const Termination& end = debrief_.termination;
    std::string by = markdown_line(end.by);
    if (const std::string threshold = threshold_of(end); !threshold.empty()) {
      by += ", " + markdown_line(threshold);
    }
    if (end.rationale) by += ": " + in_quotes(end.rationale->why);
    fact("Termination", by);
    if (!debrief_.verdict)
      return fact("Last words", markdown_line(cut(debrief_.last_words, 2'000)));
    fact("Error", markdown_line(debrief_.verdict->error));
    fact("Answer", markdown_line(cut(debrief_.verdict->answer, 2'000)));
  }

  const Debrief& debrief_;
  std::string out_;
};

}  // namespace

std::string to_markdown(const Debrief& debrief) { return Page(debrief).write(); }

}  // namespace spoor::report::debrief
