#include "agent/debrief/html.h"

#include <fmt/format.h>

#include "agent/debrief/excerpt.h"
#include "agent/debrief/phrases.h"
#include "llm/base64.h"
#include "store/sha256.h"
#include "store/utf8.h"

namespace spoor::agent::debrief {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --line: #8884; --soft: #888; --bad: #c0392b; --good: #2e8b57; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin-bottom: .2rem; }
h2 { font-size: 1.05rem; margin-top: 1.8rem; border-bottom: 1px solid var(--line); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; }
dt, .soft { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
ol, ul { padding-left: 1.2rem; }
li { margin: .35rem 0; overflow-wrap: anywhere; }
code { font-size: .85em; }
q { quotes: "\201c" "\201d"; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid var(--line);
      padding-left: .8rem; }
.bad { color: var(--bad); }
.good { color: var(--good); }
.verdict { font-weight: 600; }
)";

constexpr bool is_space(char32_t code) { return code == '\n' || code == '\t'; }

constexpr bool turns_direction(char32_t code) {
  return code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

void append_escaped(std::string& out, std::string_view raw) {
  while (!raw.empty()) {
    const store::CodePoint next = store::decode_utf8(raw);
    const std::string_view bytes = raw.substr(0, next.length);
    raw.remove_prefix(next.length);
    if (!next.valid) {
      out += "\xef\xbf\xbd";
    } else if (next.code == '&') {
      out += "&amp;";
    } else if (next.code == '<') {
      out += "&lt;";
    } else if (next.code == '>') {
      out += "&gt;";
    } else if (next.code == '"') {
      out += "&quot;";
    } else if (next.code == '\'') {
      out += "&#39;";
    } else if (!is_space(next.code) &&
               (store::is_control(next.code) || turns_direction(next.code))) {
      out += fmt::format("[U+{:04X}]", static_cast<unsigned>(next.code));
    } else {
      out += bytes;
    }
  }
}

std::string text(std::string_view raw) {
  std::string out;
  append_escaped(out, raw);
  return out;
}

std::string line(std::string_view raw) { return text(one_line(raw)); }

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
    out_ += "</main>\n</body>\n</html>\n";
    return std::move(out_);
  }

 private:
  void write_head() {
    const std::string policy = fmt::format(
        "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        llm::encode_base64(store::sha256(kStyle).view()));
    out_ = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    out_ += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy);
    out_ += "<meta name=\"viewport\" content=\"width=device-width\">\n";
    out_ += "<meta name=\"referrer\" content=\"no-referrer\">\n";
    out_ += "<title>Debrief: run " + line(debrief_.run_id) + "</title>\n";
    out_.append("<style>").append(kStyle).append("</style>\n</head>\n<body>\n<main>\n");
    out_ += "<h1>Debrief: run " + line(debrief_.run_id) + "</h1>\n";
    const bool is_good = debrief_.verdict && debrief_.verdict->status == "success" &&
                         debrief_.contradictions.empty();
    out_ += fmt::format("<p class=\"verdict {}\">{}</p>\n", is_good ? "good" : "bad",
                        line(verdict_of(debrief_)));
  }

  void fact(const char* name, const std::string& value) {
    if (!value.empty()) out_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, line(value));
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
  void section(const char* title, const Kept<T>& list, const Show& show) {
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
      for (const std::string& told : debrief_.contradictions) item(tag("span", "bad", line(told)));
      out_ += "</ul>\n";
    }
    section("Unknown refs", debrief_.unknown_refs, [&](const UnknownRef& unknown) {
      item(fmt::format("step {} cites <code>{}</code>", unknown.place.step, line(unknown.ref)));
    });
  }

  static std::string reason(const std::optional<Rationale>& rationale) {
    if (!rationale) return tag("span", "soft", "no reason given");
    std::string html = "<q>" + line(rationale->why) + "</q>";
    if (rationale->confidence) {
      html += tag("span", "soft", fmt::format(" confidence {:.2f}", *rationale->confidence));
    }
    if (!rationale->refs.empty()) {
      std::string refs;
      for (const std::string& ref : rationale->refs) {
        refs += " <code>" + line(ref) + "</code>";
      }
      html += tag("span", "soft", " refs" + refs);
    }
    return html + rejected(rationale->alternatives);
  }

  static std::string rejected(const std::vector<Alternative>& alternatives) {
    if (alternatives.empty()) return {};
    std::string html = "<ul>";
    for (const Alternative& other : alternatives) {
      html += "<li>not " + line(other.option) + ": " + line(other.rejected_because) + "</li>";
    }
    return html + "</ul>";
  }

  void write_path() {
    section("Why this path", debrief_.path, [&](const PathEntry& entry) {
      std::string html = fmt::format("step {} <b>{}</b>: ", entry.place.step,
                                     line(entry.is_switch ? entry.action : entry.tool));
      html += reason(entry.rationale);
      if (!entry.is_switch) {
        const bool is_bad =
            !entry.outcome || entry.outcome->is_error || entry.outcome->exit_code.value_or(0) != 0;
        html += " → " + tag("span", is_bad ? "bad" : "good", line(phrase_of(entry.outcome)));
      }
      std::string where = phrase_of(entry.cost);
      if (entry.place.commit) {
        where += (where.empty() ? "" : ", ") + entry.place.commit->hex(12);
      }
      if (!where.empty()) html += " " + tag("code", "soft", line(where));
      item(html);
    });
  }

  void write_rest() {
    section("Assumptions", debrief_.assumptions, [&](const Assumption& assumed) {
      item("<q>" + line(assumed.assumption) + "</q>" +
           (assumed.rationale ? ": " + reason(assumed.rationale) : ""));
    });
    section("Curator", debrief_.curator, [&](const CuratorAction& curated) {
      item(fmt::format("step {} {} {}", curated.place.step, line(curated.action),
                       line(curated.target)) +
           (curated.rationale ? ": " + reason(curated.rationale) : ""));
    });
    section("Alternatives considered", debrief_.alternatives, [&](const Weighing& weighed) {
      item(fmt::format("step {} chose <b>{}</b>", weighed.place.step, line(weighed.chosen)) +
           rejected(weighed.rejected));
    });
    section("Reactions", debrief_.reactions, [&](const Reaction& reacted) {
      item(fmt::format("step {} {} {}", reacted.place.step, line(reacted.action),
                       line(reacted.what)) +
           (reacted.rationale ? ": " + reason(reacted.rationale) : ""));
    });
    section("Events", debrief_.notes, [&](const Note& note) {
      item(fmt::format("step {} {} {}", note.place.step, line(note.word), line(note.text)));
    });
  }

  void write_end() {
    heading("End");
    const Termination& end = debrief_.termination;
    std::string html = line(end.by);
    if (const std::string limit = threshold_of(end); !limit.empty()) html += ": " + line(limit);
    if (end.rationale) html += ": " + reason(end.rationale);
    out_ += "<p>" + html + "</p>\n";
    if (!debrief_.verdict) {
      if (!debrief_.last_words.empty()) out_ += "<pre>" + text(debrief_.last_words) + "</pre>\n";
      return;
    }
    if (!debrief_.verdict->error.empty()) {
      out_ += "<pre class=\"bad\">" + text(debrief_.verdict->error) + "</pre>\n";
    }
    if (!debrief_.verdict->answer.empty()) {
      out_ += "<pre>" + text(debrief_.verdict->answer) + "</pre>\n";
    }
  }

  const Debrief& debrief_;
  std::string out_;
};

}  // namespace

std::string to_html(const Debrief& debrief) { return Page(debrief).write(); }

}  // namespace spoor::agent::debrief
