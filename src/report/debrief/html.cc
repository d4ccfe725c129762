#include "report/debrief/views.h"

#include <fmt/format.h>

#include "report/debrief/markup.h"
#include "report/debrief/phrases.h"

namespace spoor::report::debrief {
namespace {

// Added to the style of every page.
constexpr std::string_view kStyle = R"(
q { quotes: "\201c" "\201d"; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid var(--line);
      padding-left: .8rem; }
.verdict { font-weight: 600; }
)";

std::string tag(const char* name, const char* kind, const std::string& inside) {
  return fmt::format("<{0} class=\"{1}\">{2}</{0}>", name, kind, inside);
}

class Page {
 public:
  explicit Page(const Debrief& debrief) : debrief_(debrief) {}

  std::string write() {
    write_head();
    write_facts();
    write_doubts();
    write_path();
    write_rest();
    write_end();
    out_ += "</main>\n" + html_end();
    return std::move(out_);
  }

 private:
  void write_head() {
    out_ = html_head("Debrief: run " + debrief_.run_id, kStyle) + "<main>\n";
    out_ += "<h1>Debrief: run " + html_line(debrief_.run_id) + "</h1>\n";
    const bool is_good = debrief_.verdict && debrief_.verdict->status == "success" &&
                         debrief_.contradictions.empty();
    out_ += fmt::format("<p class=\"verdict {}\">{}</p>\n", is_good ? "good" : "bad",
                        html_line(verdict_of(debrief_)));
  }

  void fact(const char* name, const std::string& value) {
    if (!value.empty()) out_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html_line(value));
  }

  void write_facts() {
    out_ += "<dl>\n";
    fact("Goal", debrief_.goal);
    fact("Planner", debrief_.planner);
    fact("Model", debrief_.model);
    fact("For", debrief_.principal);
    fact("Branch", debrief_.session);
    if (debrief_.origin) fact("Forked", "before " + origin_of(debrief_));
    fact("Path", path_of(debrief_, 400));
    if (debrief_.began) fact("Began", debrief_.began->text());
    if (debrief_.head) fact("Commit", debrief_.head->hex());
    out_ += "</dl>\n";
  }

  void heading(const char* title) { out_ += fmt::format("<h2>{}</h2>\n", title); }
  void item(const std::string& html) { out_ += "<li>" + html + "</li>\n"; }

  template <class T, class Show>
  void section(const char* title, const BoundedList<T>& list, const Show& show) {
    if (list.empty()) return;
    heading(title);
    out_ += "<ul>\n";
    list.visit(show, [&](std::uint64_t count) {
      item(tag("span", "soft", fmt::format("… {} more", count)));
    });
    out_ += "</ul>\n";
  }

  void write_doubts() {
    if (!debrief_.contradictions.empty()) {
      heading("Contradicted by its record");
      out_ += "<ul>\n";
      for (const std::string& told : debrief_.contradictions)
        item(tag("span", "bad", html_line(told)));
      out_ += "</ul>\n";
    }
    section("Unknown refs", debrief_.unknown_refs, [&](const UnknownRef& unknown) {
      item(
          fmt::format("step {} cites <code>{}</code>", unknown.place.step, html_line(unknown.ref)));
    });
  }

  static std::string reason(const std::optional<Rationale>& rationale) {
    if (!rationale) return tag("span", "soft", "no reason given");
    std::string html = "<q>" + html_line(rationale->why) + "</q>";
    if (rationale->confidence) {
      html += tag("span", "soft", fmt::format(" confidence {:.2f}", *rationale->confidence));
    }
    if (!rationale->refs.empty()) {
      std::string refs;
      for (const std::string& ref : rationale->refs) {
        refs += " <code>" + html_line(ref) + "</code>";
      }
      html += tag("span", "soft", " refs" + refs);
    }
    return html + rejected(rationale->alternatives);
  }

  static std::string rejected(const std::vector<Alternative>& alternatives) {
    if (alternatives.empty()) return {};
    std::string html = "<ul>";
    for (const Alternative& other : alternatives) {
      html +=
          "<li>not " + html_line(other.option) + ": " + html_line(other.rejected_because) + "</li>";
    }
    return html + "</ul>";
  }

  void write_path() {
    section("Why this path", debrief_.path, [&](const PathEntry& entry) {
      std::string html = fmt::format("step {} <b>{}</b>: ", entry.place.step,
                                     html_line(entry.is_switch ? entry.action : entry.tool));
      html += reason(entry.rationale);
      html += tag("span", "soft", source_of(entry));
      if (!entry.is_switch) {
        const bool is_bad =
            !entry.outcome || entry.outcome->is_error || entry.outcome->exit_code.value_or(0) != 0;
        html += " → " + tag("span", is_bad ? "bad" : "good", html_line(phrase_of(entry.outcome)));
      }
      std::string where = phrase_of(entry.cost);
      if (entry.place.commit) {
        where += (where.empty() ? "" : ", ") + entry.place.commit->hex(12);
      }
      if (!where.empty()) html += " " + tag("code", "soft", html_line(where));
      item(html);
    });
  }

  void write_rest() {
    section("Agents called", debrief_.agents, [&](const CalledAgent& called) {
      item(fmt::format("step {} {}", called.step, html_line(phrase_of(called))));
    });
    section("Assumptions", debrief_.assumptions, [&](const Assumption& assumed) {
      item("<q>" + html_line(assumed.assumption) + "</q>" +
           (assumed.rationale ? ": " + reason(assumed.rationale) : ""));
    });
    section("Curator", debrief_.curator, [&](const CuratorAction& curated) {
      item(fmt::format("step {} {} {}", curated.place.step, html_line(curated.action),
                       html_line(curated.target)) +
           (curated.rationale ? ": " + reason(curated.rationale) : ""));
    });
    section("Alternatives considered", debrief_.alternatives, [&](const Weighing& weighed) {
      item(fmt::format("step {} chose <b>{}</b>", weighed.place.step, html_line(weighed.chosen)) +
           rejected(weighed.rejected));
    });
    section("Reactions", debrief_.reactions, [&](const Reaction& reacted) {
      item(fmt::format("step {} {} {}", reacted.place.step, html_line(reacted.action),
                       html_line(reacted.what)) +
           (reacted.rationale ? ": " + reason(reacted.rationale) : ""));
    });
    section("Events", debrief_.notes, [&](const Note& note) {
      item(fmt::format("step {} {} {}", note.place.step, html_line(note.word),
                       html_line(note.text)));
    });
  }

  void write_end() {
    heading("End");
    const Termination& end = debrief_.termination;
    std::string html = html_line(end.by);
    if (const std::string limit = threshold_of(end); !limit.empty())
      html += ": " + html_line(limit);
    if (end.rationale) html += ": " + reason(end.rationale);
    out_ += "<p>" + html + "</p>\n";
    if (!debrief_.verdict) {
      if (!debrief_.last_words.empty())
        out_ += "<pre>" + html_text(debrief_.last_words) + "</pre>\n";
      return;
    }
    if (!debrief_.verdict->error.empty()) {
      out_ += "<pre class=\"bad\">" + html_text(debrief_.verdict->error) + "</pre>\n";
    }
    if (!debrief_.verdict->answer.empty()) {
      out_ += "<pre>" + html_text(debrief_.verdict->answer) + "</pre>\n";
    }
  }

  const Debrief& debrief_;
  std::string out_;
};

}  // namespace

std::string to_html(const Debrief& debrief) { return Page(debrief).write(); }

}  // namespace spoor::report::debrief
