#include "report/debrief/compare.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/json/writer.h"
#include "graph/diff.h"
#include "report/debrief/excerpt.h"
#include "report/debrief/phrases.h"
#include "report/debrief/views.h"

namespace spoor::report::debrief {
namespace {

using graph::TextPiece;

constexpr std::size_t kText = 160;
constexpr std::size_t kShort = 80;
constexpr std::size_t kTarget = 40;
constexpr std::size_t kAlike = 4;  // This many equal steps in a row become one line.

std::vector<const PathEntry*> entries_of(const Debrief& debrief) {
  std::vector<const PathEntry*> entries;
  debrief.path.visit([&](const PathEntry& entry) { entries.push_back(&entry); });
  return entries;
}

// Writes one line per action with its target, so that lines can be compared.
std::string lines_of(const std::vector<const PathEntry*>& entries) {
  std::string lines;
  for (const PathEntry* entry : entries) {
    lines += one_line(entry->action) + ' ' + one_line(entry->target) + '\n';
  }
  return lines;
}

std::vector<const Assumption*> only_in(const Debrief& debrief, const Debrief& other) {
  std::set<std::string_view> known;
  other.assumptions.visit([&](const Assumption& entry) { known.insert(entry.assumption); });
  std::vector<const Assumption*> found;
  debrief.assumptions.visit([&](const Assumption& entry) {
    if (!known.contains(entry.assumption)) found.push_back(&entry);
  });
  return found;
}

class Text {
 public:
  Text(const Comparison& comparison, const std::function<std::string(const store::Oid&)>& short_id)
      : comparison_(comparison), short_id_(short_id) {}

  std::string write() {
    const Debrief& before = *comparison_.before;
    const Debrief& after = *comparison_.after;
    out_ = fmt::format("Compare: run {} (<) with run {} (>)\n", line(before.run_id),
                       line(after.run_id));
    if (before.goal == after.goal) {
      if (!before.goal.empty()) branch("Goal", cut(one_line(before.goal), kText));
    } else {
      branch("Goal <", cut(one_line(before.goal), kText));
      branch("Goal >", cut(one_line(after.goal), kText));
    }
    branch("Decisions", fmt::format("{} in both ({} with another outcome), {} only <, {} only >",
                                    comparison_.same, comparison_.other_outcomes,
                                    comparison_.only_before, comparison_.only_after));
    write_first();
    write_steps();
    write_assumptions("Assumed only by <", comparison_.assumed_before);
    write_assumptions("Assumed only by >", comparison_.assumed_after);
    branch("Termination <", line(before.termination.by));
    branch("Termination >", line(after.termination.by));
    branch("Verdict <", verdict_of(before));
    out_ += "└─ Verdict >: " + verdict_of(after) + "\n";
    return std::move(out_);
  }

 private:
  static std::string line(std::string_view text) { return cut(one_line(text), kShort); }
  void branch(const char* title, const std::string& text) {
    out_ += fmt::format("├─ {}: {}\n", title, text);
  }
  static std::string named(const PathEntry& entry) {
    std::string name = line(entry.is_switch ? entry.action : entry.tool);
    if (!entry.target.empty()) name += ' ' + cut(one_line(entry.target), kTarget);
    return fmt::format("step {} {}", entry.place.step, name);
  }

  void write_first() {
    const AlignedStep* first = comparison_.first_difference();
    if (first == nullptr) return branch("First difference", "none");
    std::string text;
    if (first->before != nullptr) text = "< " + named(*first->before);
    // The other run's step instead of it follows immediately, if there is one.
    const PathEntry* other = first->after;
    const AlignedStep* end = comparison_.steps.data() + comparison_.steps.size();
    for (const AlignedStep* next = first + 1; other == nullptr && next != end; ++next) {
      if (next->is_in_both()) break;
      other = next->after;
    }
    if (other != nullptr) text += (text.empty() ? "> " : ", > ") + named(*other);
    branch("First difference", text);
  }

  void write_steps() {
    if (comparison_.steps.empty()) return;
    out_ += "├─ Step by step\n";
    const auto& steps = comparison_.steps;
    for (std::size_t i = 0; i < steps.size();) {
      const std::size_t end = end_of_alike(i);
      if (end - i > kAlike) {
        out_ += fmt::format("│  = {} decisions alike, {} to {}\n", end - i, named(*steps[i].before),
                            named(*steps[end - 1].before));
        i = end;
        continue;
      }
      write_step(steps[i++]);
    }
  }

  std::size_t end_of_alike(std::size_t from) const {
    const auto& steps = comparison_.steps;
    std::size_t end = from;
    while (end < steps.size() && steps[end].is_in_both() && !steps[end].has_other_outcome()) ++end;
    return end;
  }

  void write_step(const AlignedStep& step) {
    if (!step.is_in_both()) {
      const PathEntry& entry = step.before != nullptr ? *step.before : *step.after;
      out_ += fmt::format("│  {} {}\n", step.before != nullptr ? '<' : '>', told(entry));
    } else if (step.has_other_outcome() || step.has_other_reason()) {
      out_ += fmt::format("│  ≠ {}\n", named(*step.before));
      out_ += fmt::format("│    < {}\n│    > {}\n", told(*step.before), told(*step.after));
    } else {
      out_ += fmt::format("│  = {}\n", told(*step.before));
    }
  }

  std::string told(const PathEntry& entry) const {
    std::string text = named(entry);
    if (entry.rationale)
      text += fmt::format(": \"{}\"", cut(one_line(entry.rationale->why), kText));
    if (!entry.is_switch) text += "  → " + cut(phrase_of(entry.outcome), kShort);
    if (!entry.place.commit) return text;
    return text + "  [" +
           (short_id_ ? short_id_(*entry.place.commit) : entry.place.commit->hex(8)) + "]";
  }

  void write_assumptions(const char* title, const std::vector<const Assumption*>& entries) {
    if (entries.empty()) return;
    out_ += fmt::format("├─ {}\n", title);
    for (const Assumption* entry : entries) {
      out_ += fmt::format("│  • \"{}\"\n", cut(one_line(entry->assumption), kText));
    }
  }

  const Comparison& comparison_;
  const std::function<std::string(const store::Oid&)>& short_id_;
  std::string out_;
};

std::string strings_of(const std::vector<const Assumption*>& entries) {
  std::vector<std::string> values;
  values.reserve(entries.size());
  for (const Assumption* entry : entries) {
    values.push_back(json::write_string(entry->assumption));
  }
  return json::write_array(values);
}

}  // namespace

bool AlignedStep::has_other_outcome() const {
  if (!is_in_both() || before->is_switch) return false;
  if (!before->outcome || !after->outcome) {
    return before->outcome.has_value() != after->outcome.has_value();
  }
  return before->outcome->is_error != after->outcome->is_error ||
         before->outcome->exit_code != after->outcome->exit_code;
}

bool AlignedStep::has_other_reason() const {
  return is_in_both() && before->rationale != after->rationale;
}

const AlignedStep* Comparison::first_difference() const {
  for (const AlignedStep& step : steps) {
    if (!step.is_in_both()) return &step;
  }
  return nullptr;
}

Comparison compare(const Debrief& before, const Debrief& after) {
  Comparison comparison{.before = &before, .after = &after};
  const auto olds = entries_of(before);
  const auto news = entries_of(after);
  std::size_t old = 0;
  std::size_t fresh = 0;
  for (const TextPiece& piece : graph::diff_lines(lines_of(olds), lines_of(news))) {
    const auto count = std::count(piece.text.begin(), piece.text.end(), '\n');
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      AlignedStep step;
      if (piece.kind != TextPiece::Kind::added) step.before = olds[old++];
      if (piece.kind != TextPiece::Kind::removed) step.after = news[fresh++];
      comparison.same += step.is_in_both() ? 1 : 0;
      comparison.only_before += step.after == nullptr ? 1 : 0;
      comparison.only_after += step.before == nullptr ? 1 : 0;
      comparison.other_outcomes += step.has_other_outcome() ? 1 : 0;
      comparison.steps.push_back(step);
    }
  }
  comparison.assumed_before = only_in(before, after);
  comparison.assumed_after = only_in(after, before);
  return comparison;
}

std::string to_text(const Comparison& comparison,
                    const std::function<std::string(const store::Oid&)>& short_id) {
  return Text(comparison, short_id).write();
}

std::string to_json(const Comparison& comparison) {
  using json::Object;
  std::vector<std::string> steps;
  for (const AlignedStep& step : comparison.steps) {
    Object object;
    object.add_string("change", step.is_in_both()        ? "same"
                                : step.before != nullptr ? "removed"
                                                         : "added");
    object.add_boolean("other_outcome", step.has_other_outcome());
    object.add_boolean("other_reason", step.has_other_reason());
    object.add_json("before", step.before != nullptr ? to_json(*step.before) : "null");
    object.add_json("after", step.after != nullptr ? to_json(*step.after) : "null");
    steps.push_back(object.write());
  }
  Object object;
  object.add_json("before", to_json_summary(*comparison.before));
  object.add_json("after", to_json_summary(*comparison.after));
  object.add_integer("same", static_cast<std::int64_t>(comparison.same));
  object.add_integer("removed", static_cast<std::int64_t>(comparison.only_before));
  object.add_integer("added", static_cast<std::int64_t>(comparison.only_after));
  object.add_integer("other_outcomes", static_cast<std::int64_t>(comparison.other_outcomes));
  object.add_json("steps", json::write_array(steps));
  object.add_json("assumptions_removed", strings_of(comparison.assumed_before));
  object.add_json("assumptions_added", strings_of(comparison.assumed_after));
  return object.write();
}

}  // namespace spoor::report::debrief
