#include "report/debrief/views.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/debrief/excerpt.h"
#include "report/debrief/phrases.h"

namespace spoor::report::debrief {

namespace {

constexpr std::size_t kGoal = 200;
constexpr std::size_t kPath = 160;
constexpr std::size_t kText = 280;  // The maximum length of a reason.
constexpr std::size_t kShort = 100;

std::string line_of(std::string_view text, std::size_t most) { return cut(one_line(text), most); }

std::string confidence_of(const std::optional<Rationale>& rationale) {
  if (!rationale || !rationale->confidence) return {};
  return fmt::format(" (conf {:.2f})", *rationale->confidence);
}

class Tree {
 public:
  Tree(const Debrief& debrief, const TreeOptions& options) : debrief_(debrief), options_(options) {}

  std::string write() {
    write_title();
    write_facts();
    write_path();
    write_agents();
    write_assumptions();
    write_curator();
    write_alternatives();
    write_reactions();
    write_notes();
    write_doubts();
    write_end();
    return std::move(out_);
  }

 private:
  std::string id_of(const store::Oid& commit) const {
    return options_.short_id ? options_.short_id(commit) : commit.hex(8);
  }
  void branch(const std::string& title, const std::string& text) {
    out_ += fmt::format("├─ {}: {}\n", title, text);
  }
  void entry(const std::string& text) { out_ += "│  • " + text + "\n"; }
  void below(const std::string& text) { out_ += "│    " + text + "\n"; }

  // Writes a section of a list's kept entries, shortened further for a person.
  template <class T, class Show>
  void section(const std::string& title, const BoundedList<T>& list, const Show& show) {
    if (list.empty()) return;
    out_ += "├─ " + title + "\n";
    list.visit(options_.most, show, [&](std::uint64_t count) {
      below(fmt::format("… {} more (all with --all, or --json) …", count));
    });
  }

  void write_title() {
    out_ += "Debrief: run " + line_of(debrief_.run_id, kShort);
    std::string where = line_of(debrief_.session, kShort);
    if (debrief_.commits > 0) {
      if (!where.empty()) where += ", ";
      where += fmt::format("{} {}", debrief_.commits, debrief_.commits == 1 ? "commit" : "commits");
    }
    if (!where.empty()) out_ += "  (" + where + ")";
    out_ += '\n';
  }

  void write_facts() {
    if (!debrief_.goal.empty()) branch("Goal", line_of(debrief_.goal, kGoal));
    std::string by = line_of(debrief_.planner, kShort);
    for (const auto& [word, name] :
         {std::pair{"model ", debrief_.model}, std::pair{"for ", debrief_.principal}}) {
      if (name.empty()) continue;
      if (!by.empty()) by += ", ";
      by += word + line_of(name, kShort);
    }
    if (!by.empty()) branch("By", by);
    if (debrief_.origin) branch("Forked", "before " + origin_of(debrief_));
    if (!debrief_.path.empty()) branch("Path", path_of(debrief_, kPath));
  }

  // Returns its commit and its cost.
  std::string link_of(const PathEntry& step) const {
    std::string link = step.place.commit ? id_of(*step.place.commit) : "";
    const std::string cost = phrase_of(step.cost);
    if (!link.empty() && !cost.empty()) link += ", ";
    link += cost;
    return link.empty() ? "" : "  [" + link + "]";
  }

  static std::string refs_of(const PathEntry& step) {
    std::string refs;
    for (const std::string& ref : step.rationale->refs) {
      if (!refs.empty()) refs += ", ";
      refs += line_of(ref, kShort);
      const auto& unknown = step.unknown_refs;
      if (std::find(unknown.begin(), unknown.end(), ref) != unknown.end()) refs += " (unknown)";
    }
    return refs.empty() ? "" : fmt::format(" (refs: {})", cut(refs, kText));
  }

  // Not every decision to work otherwise names both ways.
  static std::string switched(const PathEntry& step) {
    std::string text = step.from.empty() && step.to.empty() ? "switched strategy" : "switched";
    if (!step.from.empty()) text += " from " + line_of(step.from, kShort);
    if (!step.to.empty()) text += " to " + line_of(step.to, kShort);
    return text;
  }

  void write_path() {
    const char* title = debrief_.explained == 0 && debrief_.calls > 0 ? "Calls" : "Why this path";
    section(title, debrief_.path, [&](const PathEntry& step) {
      const std::string name =
          step.is_switch ? switched(step) : "chose " + line_of(step.tool, kShort);
      std::string line = fmt::format("step {} {}", step.place.step, name);
      if (step.rationale) {
        line += fmt::format(": \"{}\"", line_of(step.rationale->why, kText)) + source_of(step) +
                confidence_of(step.rationale) + refs_of(step);
      } else if (debrief_.explained > 0) {
        line += ", no reason given";
      }
      if (!step.is_switch) line += "  → " + line_of(phrase_of(step.outcome), kShort);
      entry(line + link_of(step));
      if (step.rationale) rejected(step.rationale->alternatives);
    });
  }

  void rejected(const std::vector<Alternative>& alternatives) {
    for (const Alternative& other : alternatives) {
      below(fmt::format("✗ {}: {}", line_of(other.option, kShort),
                        line_of(other.rejected_because, kText)));
    }
  }

  void write_agents() {
    section("Agents called", debrief_.agents, [&](const CalledAgent& called) {
      entry(fmt::format("step {} {}", called.step, line_of(phrase_of(called), kText)));
    });
  }

  void write_assumptions() {
    section("Assumptions", debrief_.assumptions, [&](const Assumption& assumed) {
      std::string line = fmt::format("\"{}\"", line_of(assumed.assumption, kText)) +
                         confidence_of(assumed.rationale);
      if (assumed.rationale) line += ": " + line_of(assumed.rationale->why, kText);
      entry(line);
    });
  }

  // `step 2 dropped obs:3: "it was read"`
  void decided(std::int64_t step, const std::string& action, const std::string& what,
               const std::optional<Rationale>& rationale) {
    std::string line = fmt::format("step {} {}", step, line_of(action, kShort));
    if (!what.empty()) line += " " + line_of(what, kText);
    if (rationale && rationale->why != what) {
      line += fmt::format(": \"{}\"", line_of(rationale->why, kText));
    }
    entry(line + confidence_of(rationale));
  }

  void write_curator() {
    section("Curator", debrief_.curator, [&](const CuratorAction& curated) {
      decided(curated.place.step, curated.action, curated.target, curated.rationale);
    });
  }

  void write_alternatives() {
    section("Alternatives considered", debrief_.alternatives, [&](const Weighing& weighed) {
      entry(fmt::format("step {} chose {}", weighed.place.step, line_of(weighed.chosen, kShort)));
      rejected(weighed.rejected);
    });
  }

  void write_reactions() {
    section("Reactions", debrief_.reactions, [&](const Reaction& reacted) {
      decided(reacted.place.step, reacted.action, reacted.what, reacted.rationale);
    });
  }

  void write_notes() {
    section("Events", debrief_.notes, [&](const Note& note) {
      std::string line = fmt::format("step {} {}", note.place.step, line_of(note.word, kShort));
      if (!note.text.empty()) line += ": " + line_of(note.text, kText);
      entry(line);
    });
  }

  void write_doubts() {
    section("Unknown refs", debrief_.unknown_refs, [&](const UnknownRef& unknown) {
      entry(fmt::format("step {} cites {}, which is not in the run", unknown.place.step,
                        line_of(unknown.ref, kShort)));
    });
    bool has_title = false;
    for (const Calibration& bucket : debrief_.calibration) {
      if (bucket.calls == 0) continue;
      if (!has_title) out_ += "├─ Confidence against outcome\n";
      has_title = true;
      entry(fmt::format("{:.2f} to {:.2f}: {} of {} {} went well", bucket.from, bucket.to,
                        bucket.calls - bucket.failed, bucket.calls,
                        bucket.calls == 1 ? "call" : "calls"));
    }
    if (debrief_.contradictions.empty()) return;
    out_ += "├─ Contradicted by its record\n";
    for (const std::string& contradiction : debrief_.contradictions) entry(one_line(contradiction));
  }

  void write_end() {
    if (debrief_.verdict && !debrief_.verdict->error.empty()) {
      branch("Error", line_of(debrief_.verdict->error, kText));
    }
    if (debrief_.verdict && !debrief_.verdict->answer.empty()) {
      branch("Answer", line_of(debrief_.verdict->answer, kText));
    }
    if (!debrief_.verdict && !debrief_.last_words.empty()) {
      branch("Last words", line_of(debrief_.last_words, kText));
    }
    const Termination& end = debrief_.termination;
    std::string by = line_of(end.by, kShort);
    if (const std::string threshold = threshold_of(end); !threshold.empty()) by += ": " + threshold;
    if (end.rationale) by += fmt::format(": \"{}\"", line_of(end.rationale->why, kText));
    branch("Termination", by);
    out_ += "└─ Verdict: " + verdict_of(debrief_);
    if (debrief_.skipped > 0) {
      out_ += fmt::format(" | {} {} of the trace skipped", debrief_.skipped,
                          debrief_.skipped == 1 ? "line" : "lines");
    }
    out_ += '\n';
  }

  const Debrief& debrief_;
  const TreeOptions& options_;
  std::string out_;
};

}  // namespace

std::string tree_text(const Debrief& debrief, const TreeOptions& options) {
  return Tree(debrief, options).write();
}

}  // namespace spoor::report::debrief
