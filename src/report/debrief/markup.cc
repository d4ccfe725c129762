#include "report/debrief/markup.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/hidden_text.h"
#include "base/utf8.h"
#include "report/debrief/excerpt.h"
#include "store/sha256.h"

namespace spoor::report::debrief {
namespace {

constexpr std::string_view kPageStyle = R"(
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
.bad { color: var(--bad); }
.good { color: var(--good); }
)";

constexpr bool is_space(char32_t code) { return code == '\n' || code == '\t'; }

void append_escaped(std::string& out, std::string_view raw) {
  HiddenText hidden;
  while (!raw.empty()) {
    const CodePoint next = decode_utf8(raw);
    const std::string_view bytes = raw.substr(0, next.length);
    raw.remove_prefix(next.length);
    const bool is_hidden = hidden.take(next.valid ? next.code : 0xfffd, raw);
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
    } else if (!is_space(next.code) && (is_control(next.code) || is_hidden)) {
      out += fmt::format("[U+{:04X}]", static_cast<unsigned>(next.code));
    } else {
      out += bytes;
    }
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string html_text(std::string_view raw) {
  std::string out;
  append_escaped(out, raw);
  return out;
}

std::string html_line(std::string_view raw) { return html_text(one_line(raw)); }

std::string html_head(std::string_view title, std::string_view style) {
  const std::string whole = std::string(kPageStyle).append(style);
  const std::string policy =
      fmt::format("default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
                  encode_base64(store::sha256(whole).view()));
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy);
  out += "<meta name=\"viewport\" content=\"width=device-width\">\n";
  out += "<meta name=\"referrer\" content=\"no-referrer\">\n";
  out += "<title>" + html_line(title) + "</title>\n";
  return out + "<style>" + whole + "</style>\n</head>\n<body>\n";
}

std::string html_end() { return "</body>\n</html>\n"; }

std::string markdown_line(std::string_view raw) {
  const std::string line = one_line(raw);
  bool is_number = true;  // Only digits so far: a list might begin.
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const auto is_one_of = [c](std::string_view marks) { return marks.find(c) != marks.npos; };
    const bool heeds = is_one_of("\\`*_[]<>|~&$@") ||              //
                       (i == 0 && is_one_of("#+-=")) ||            // The start of a block,
                       (i > 0 && is_number && is_one_of(".)")) ||  // and an item of a list.
                       (c == ':' && line.compare(i, 3, "://") == 0) ||
                       (c == '.' && i >= 3 && line.compare(i - 3, 3, "www") == 0);
    if (heeds) out += '\\';
    out += c;
    is_number = is_number && is_digit(c);
  }
  return out;
}

}  // namespace spoor::report::debrief
