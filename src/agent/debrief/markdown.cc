#include "agent/debrief/markdown.h"

#include <fmt/format.h>

#include "agent/debrief/excerpt.h"
#include "agent/debrief/phrases.h"

namespace spoor::agent::debrief {
namespace {

constexpr std::size_t kShort = 200;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// On one line, with a backslash before all that Markdown, HTML or a finder of links might heed.
std::string text(std::string_view raw) {
  const std::string line = one_line(raw);
  bool is_number = true;  // Nothing but digits so far: a list might begin.
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const auto is_one_of = [c](std::string_view marks) { return marks.find(c) != marks.npos; };
    const bool heeds = is_one_of("\\`*_[]<>|~&$@") ||              //
                       (i == 0 && is_one_of("#+-=")) ||            // What begins a block,
                       (i > 0 && is_number && is_one_of(".)")) ||  // and an item of a list.
                       (c == ':' && line.compare(i, 3, "://") == 0) ||
                       (c == '.' && i >= 3 && line.compare(i - 3, 3, "www") == 0);
    if (heeds) out += '\\';
    out += c;
    is_number = is_number && is_digit(c);
  }
  return out;
}

std::string quoted(std::string_view raw) { return "“" + text(raw) + "”"; }

class Page {
 public:
  explicit Page(const Debrief& debrief) : debrief_(debrief) {}

  std::string write() {
    out_ = "# Debrief: run " + text(debrief_.run_id) + "\n\n";
    fact("Goal", text(debrief_.goal));
    fact("Planner", text(debrief_.planner));
    fact("Model", text(debrief_.model));
    fact("Session", text(debrief_.session));
    if (debrief_.origin) fact("Forked", "before " + text(origin_of(debrief_)));
    fact("Path", text(path_of(debrief_, 400)));
    fact("Verdict", text(verdict_of(debrief_)));
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
  void section(const char* title, const Kept<T>& list, const Show& show) {
    if (list.empty()) return;
    heading(title);
    list.visit(show, [&](std::uint64_t count) { item(fmt::format("… {} more", count)); });
  }

  void write_doubts() {
    if (debrief_.contradictions.empty()) return;
    heading("Contradicted by its record");
    for (const std::string& contradiction : debrief_.contradictions) item(text(contradiction));
  }

  void write_reasons() {
    heading("Decision Rationale");
    const auto reasons = reasons_of(debrief_);
    if (reasons.empty()) out_ += "No reasons are recorded.\n";
    for (const DecisionReason& reason : reasons) {
      std::string line = fmt::format("step {}, {}", reason.step, text(reason.decision));
      if (!reason.tool.empty()) line += " **" + text(reason.tool) + "**";
      line += ": " + quoted(reason.rationale.why);
      if (reason.rationale.confidence) {
        line += fmt::format(" (confidence {:.2f})", *reason.rationale.confidence);
      }
      if (!reason.rationale.refs.empty()) {
        std::string refs;
        for (const std::string& ref : reason.rationale.refs) {
          refs += (refs.empty() ? "" : ", ") + text(ref);
        }
        line += " (refs: " + refs + ")";
      }
      item(line);
      for (const Alternative& other : reason.rationale.alternatives) {
        out_ += fmt::format("  - not {}: {}\n", text(other.option), text(other.rejected_because));
      }
    }
  }

  void write_calls() {
    section("Calls", debrief_.path, [&](const PathEntry& entry) {
      if (entry.is_switch) return;
      std::string line = fmt::format("step {}, **{}**", entry.place.step, text(entry.tool));
      if (!entry.rationale) line += ", no reason given";
      line += " → " + text(cut(phrase_of(entry.outcome), kShort));
      const std::string cost = phrase_of(entry.cost);
      if (!cost.empty()) line += " (" + text(cost) + ")";
      if (entry.place.commit) line += " `" + entry.place.commit->hex(12) + "`";
      item(line);
    });
  }

  void write_rest() {
    section("Assumptions", debrief_.assumptions, [&](const Assumption& assumed) {
      std::string line = quoted(assumed.assumption);
      if (assumed.rationale) line += ": " + text(assumed.rationale->why);
      item(line);
    });
    section("Curator", debrief_.curator, [&](const CuratorAction& curated) {
      item(fmt::format("step {}, {} {}", curated.place.step, text(curated.action),
                       text(curated.target)));
    });
    section("Alternatives considered", debrief_.alternatives, [&](const Weighing& weighed) {
      item(fmt::format("step {} chose {}", weighed.place.step, text(weighed.chosen)));
      for (const Alternative& other : weighed.rejected) {
        out_ += fmt::format("  - not {}: {}\n", text(other.option), text(other.rejected_because));
      }
    });
    section("Reactions", debrief_.reactions, [&](const Reaction& reacted) {
      item(fmt::format("step {}, {} {}", reacted.place.step, text(reacted.action),
                       text(reacted.what)));
    });
    section("Events", debrief_.notes, [&](const Note& note) {
      item(fmt::format("step {}, {} {}", note.place.step, text(note.word), text(note.text)));
    });
    section("Unknown refs", debrief_.unknown_refs, [&](const UnknownRef& unknown) {
      item(fmt::format("step {} cites {}", unknown.place.step, text(unknown.ref)));
    });
  }

  void write_end() {
    heading("End");
    const Termination& end = debrief_.termination;
    std::string by = text(end.by);
    if (const std::string threshold = threshold_of(end); !threshold.empty()) {
      by += ", " + text(threshold);
    }
    if (end.rationale) by += ": " + quoted(end.rationale->why);
    fact("Termination", by);
    if (!debrief_.verdict) return fact("Last words", text(cut(debrief_.last_words, 2'000)));
    fact("Error", text(debrief_.verdict->error));
    fact("Answer", text(cut(debrief_.verdict->answer, 2'000)));
  }

  const Debrief& debrief_;
  std::string out_;
};

}  // namespace

std::string to_markdown(const Debrief& debrief) { return Page(debrief).write(); }

}  // namespace spoor::agent::debrief
