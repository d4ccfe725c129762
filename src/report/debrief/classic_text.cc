#include "report/debrief/views.h"

#include <fmt/format.h>

#include "report/debrief/excerpt.h"

namespace spoor::report::debrief {
namespace {

constexpr std::size_t kClassicGoal = 100;
constexpr std::size_t kReason = 120;  // For the path, a call, the termination.
constexpr std::size_t kOther = 80;

// Removes line ends, with which a text could draw its own branches.
std::string short_line(std::string_view text, std::size_t most) {
  std::string line = debrief::cut(text, most);
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return line;
}

std::string confidence_of(const Rationale& rationale) {
  return rationale.confidence ? fmt::format(" (conf: {:.2f})", *rationale.confidence) : "";
}

std::string refs_of(const Rationale& rationale) {
  if (rationale.refs.empty()) return {};
  std::string refs;
  for (const std::string& ref : rationale.refs) refs += (refs.empty() ? "" : ", ") + ref;
  return fmt::format(" (refs: {})", short_line(refs, kOther));
}

std::string rejected(const Alternative& alternative) {
  return fmt::format("│     ✗ {} — {}\n", short_line(alternative.option, kOther),
                     short_line(alternative.rejected_because, kOther));
}

class ClassicTree {
 public:
  explicit ClassicTree(const Debrief& debrief) : debrief_(debrief) {}

  std::string write() {
    out_ = "Debrief: run " + short_line(debrief_.run_id, kOther) + "\n";
    if (!debrief_.goal.empty())
      out_ += "├─ Goal: " + short_line(debrief_.goal, kClassicGoal) + "\n";
    write_path();
    write_reasons();
    write_assumptions();
    write_curator();
    write_alternatives();
    write_end();
    return std::move(out_);
  }

 private:
  template <class T>
  void section(const char* title, const BoundedList<T>& entries) {
    if (!entries.empty()) out_ += fmt::format("├─ {}\n", title);
  }
  void gap(std::uint64_t count) { out_ += fmt::format("│   … {} more\n", count); }

  void write_path() {
    if (debrief_.path.empty()) return;
    std::string path;
    const auto join = [&path](std::string_view step) {
      if (!path.empty()) path += " → ";
      path += step;
    };
    debrief_.path.visit(
        [&](const PathEntry& entry) { join(entry.is_switch ? entry.action : entry.tool); },
        [&](std::uint64_t) { join("…"); });
    out_ += "├─ Path: " + short_line(path, kReason) + "\n";
  }

  void write_reasons() {
    bool has_any = false;
    debrief_.path.visit([&](const PathEntry& entry) {
      if (!entry.rationale) return;
      if (!has_any) out_ += "├─ Why this path\n";
      has_any = true;
      const Rationale& why = *entry.rationale;
      out_ += fmt::format("│   • iter {} chose {}: \"{}\"{}{}\n", entry.place.step,
                          short_line(entry.action, kOther), short_line(why.why, kReason),
                          confidence_of(why), refs_of(why));
      for (const Alternative& alternative : why.alternatives) out_ += rejected(alternative);
    });
  }

  void write_assumptions() {
    section("Assumptions", debrief_.assumptions);
    debrief_.assumptions.visit(
        [&](const Assumption& entry) {
          out_ += fmt::format("│   • \"{}\"", short_line(entry.assumption, kOther));
          if (entry.rationale) {
            out_ +=
                confidence_of(*entry.rationale) + " — " + short_line(entry.rationale->why, kOther);
          }
          out_ += '\n';
        },
        [&](std::uint64_t count) { gap(count); });
  }

  void write_curator() {
    section("Curator", debrief_.curator);
    debrief_.curator.visit(
        [&](const CuratorAction& entry) {
          out_ += fmt::format("│   • iter {} {} {}", entry.place.step,
                              short_line(entry.action, kOther), short_line(entry.target, kOther));
          if (entry.rationale)
            out_ += fmt::format(" — \"{}\"", short_line(entry.rationale->why, kOther));
          out_ += '\n';
        },
        [&](std::uint64_t count) { gap(count); });
  }

  void write_alternatives() {
    section("Alternatives considered", debrief_.alternatives);
    debrief_.alternatives.visit(
        [&](const Weighing& entry) {
          out_ += fmt::format("│   • iter {} chose {}\n", entry.place.step,
                              short_line(entry.chosen, kOther));
          for (const Alternative& alternative : entry.rejected) out_ += rejected(alternative);
        },
        [&](std::uint64_t count) { gap(count); });
  }

  void write_end() {
    const Termination& end = debrief_.termination;
    out_ += "├─ Termination: " + short_line(end.by, kOther);
    if (end.rationale) out_ += fmt::format(" — \"{}\"", short_line(end.rationale->why, kReason));
    out_ += "\n└─ Verdict: ";
    if (!debrief_.verdict) {
      out_ += "(no run-completed event found)";
      return;
    }
    out_ += fmt::format("{} | {} tok | {}ms", short_line(debrief_.verdict->status, kOther),
                        debrief_.verdict->tokens, debrief_.verdict->elapsed_ms);
  }

  const Debrief& debrief_;
  std::string out_;
};

}  // namespace

std::string classic_text(const Debrief& debrief) { return ClassicTree(debrief).write(); }

}  // namespace spoor::report::debrief
