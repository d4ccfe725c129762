#include "cli/help/help.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/settings/config.h"
#include "cli/terminal/output.h"
#include "cli/terminal/width.h"
#include "cli/version.h"

namespace spoor::cli {
namespace {

struct Heading {
  Group group;
  const char* title;
};

/// The commands that people use most, as `spoor help` lists them.
struct Section {
  const char* title;
  std::array<const char*, 8> names;
};

constexpr std::array kSections = {
    Section{"Sessions of agents",
            {"with", "import", "sessions", "log", "file", "calls", "cost", "search"}},
    Section{"One session", {"show", "reasoning", "debrief", "why", "diff", "prompt", "compile"}},
    Section{"Alternatives", {"fork", "edit", "undo", "branch", "switch"}},
    Section{"Your own models and agents", {"chat", "run"}},
    Section{"The program", {"store", "config", "help"}},
};

constexpr std::array kHeadings = {
    Heading{Group::start, "Begin"},
    Heading{Group::read, "Inspect the history"},
    Heading{Group::write, "Add turns and steer the prompt"},
    Heading{Group::history, "Branches and tags"},
    Heading{Group::care, "Maintain the store"},
    Heading{Group::session, "In the interactive session ('spoor' alone)"},
    Heading{Group::program, "The program"},
};

constexpr std::string_view kWhat =
    "spoor stores the sessions of coding agents as a history of hashed turns, and\n"
    "compiles any of them to the exact prompt of a model.\n";

constexpr std::string_view kRevisions =
    "A revision (REV) names a commit:\n"
    "\n"
    "HEAD (or @), a branch, a tag, or 4 or more digits of an id, in that order.\n"
    "tag:NAME is the tag even if a branch has the same name, else the newest turn with\n"
    "that word (--tag). type:TYPE is the newest turn of a type, :/TEXT the newest that\n"
    "contains the text; both search HEAD's history first, then every branch and tag.\n"
    "\n"
    "main@{5} is where main was 5 moves ago, main@{TIME} where it was at that time: RFC\n"
    "3339, a date, main@{2026-11-21T20:00} (UTC), main@{yesterday}, main@{2 hours ago}.\n"
    "@{5} is that of the branch HEAD is on. For a session, and for a time of day, the\n"
    "turns' own times count: 12@{11:40} is session 12 at 11:40.\n"
    "\n"
    "Any of these may be followed by suffixes: ~N is the N-th ancestor, ^N the N-th\n"
    "parent; ~ and ^ are ~1 and ^1. ^{reasoning} is the last reasoning before an\n"
    "answer, ^{answer} the answer of a reasoning or a result, ^{/TEXT} the newest turn\n"
    "up to there that contains the text.\n"
    "\n"
    "A range is A..B, what is in B but not in A, or A...B, what is in only one of them;\n"
    "an omitted side is HEAD. If one commit is expected, A...B is the common\n"
    "ancestor.\n";

constexpr std::string_view kSession =
    "'spoor' alone, at a terminal, opens a session: every command, with the store kept\n"
    "open. If standard input is not a terminal, spoor runs it as a script, without\n"
    "prompt, colour or pager; errors name their line.\n"
    "\n"
    "A line is a command, split into words as in a shell; /log is the same as log. If a\n"
    "command takes a text, the text is the rest of the line, unless it begins with a\n"
    "quote or '-'. With the setting 'model', a line without / is a user turn.\n"
    "\n"
    "@1, @2 and so on are the ids that the last listing printed. Tab completes commands\n"
    "and ids. Ctrl-C drops the line or ends the command, Ctrl-D leaves. A line that\n"
    "begins with a space is not recorded.\n";

// Pages are as wide as the narrowest usual terminal, wherever they are read.
constexpr int kPageWidth = 80;

// Prints paragraphs separated by empty lines. Single line ends are only for the source.
void print_paragraphs(Output& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t gap = std::min(text.find("\n\n"), text.size());
    std::string paragraph(text.substr(0, gap));
    text.remove_prefix(std::min(gap + 2, text.size()));
    if (paragraph.ends_with('\n')) paragraph.pop_back();
    std::replace(paragraph.begin(), paragraph.end(), '\n', ' ');
    for (const std::string_view line : wrapped(paragraph, kPageWidth)) out.print(line).newline();
    if (!text.empty()) out.newline();
  }
}

// Prints the right column of a table: the first line at the current position of `out`, the next
// ones `column` from the left.
void print_column(Output& out, int column, std::string_view text) {
  const std::string indent(static_cast<std::size_t>(column), ' ');
  bool is_first = true;
  for (const std::string_view line : wrapped(text, kPageWidth - column)) {
    if (!std::exchange(is_first, false)) out.print(indent);
    out.print(line).newline();
  }
}

// Returns "REV", "[REV]", "PATH...", "[REV...]".
std::string positional_usage(const Option& option) {
  switch (option.count) {
    case Count::optional:
      return fmt::format("[{}]", option.value);
    case Count::one:
      return option.value;
    case Count::many:
      return fmt::format("[{}...]", option.value);
    case Count::some:
      return fmt::format("{}...", option.value);
  }
  return {};
}

// Returns "-n, --limit N", or "    --raw".
std::string option_usage(const Option& option) {
  std::string text = option.letter != 0 ? fmt::format("-{}, ", option.letter) : "    ";
  text += option.name;
  if (!option.is_flag()) text.append(" ").append(option.value);
  return text;
}

void print_rows(Output& out, std::string_view title, std::span<const Option> options,
                bool positionals) {
  int width = 0;
  for (const Option& option : options) {
    if (option.is_positional() != positionals) continue;
    width = std::max(width, display_width(positionals ? option.value : option_usage(option)));
  }
  if (width == 0) return;
  out.newline().print(Style::strong, title).newline();
  for (const Option& option : options) {
    if (option.is_positional() != positionals) continue;
    const std::string left = positionals ? option.value : option_usage(option);
    out.print("  " + padded(left, width) + "  ");
    print_column(out, width + 4, option.help);
  }
}

// Escapes text for roff. A backslash, and a dot or quote at the start of a line, have a meaning
// there; a plain '-' would become a typographic hyphen. Characters beyond ASCII become escapes, so
// that the page does not depend on an encoding.
std::string roff(std::string_view text) {
  std::string out;
  bool at_start = true;
  while (!text.empty()) {
    const CodePoint next = decode_utf8(text);
    if (at_start && (next.code == '.' || next.code == '\'')) out += "\\&";
    if (next.code == '\\') {
      out += "\\e";
    } else if (next.code == '-') {
      out += "\\-";
    } else if (next.code < 0x80) {
      out += text.front();
    } else {
      out += fmt::format("\\[u{:04X}]", static_cast<unsigned>(next.code));
    }
    at_start = next.code == '\n';
    text.remove_prefix(next.length);
  }
  return out;
}

// Returns paragraphs separated by empty lines.
std::string roff_paragraphs(std::string_view text) {
  std::string out;
  std::string escaped = roff(text);
  std::string_view rest = escaped;
  while (!rest.empty()) {
    const std::size_t gap = std::min(rest.find("\n\n"), rest.size());
    out.append(".PP\n").append(rest.substr(0, gap)).append("\n");
    rest.remove_prefix(std::min(gap + 2, rest.size()));
  }
  return out;
}

std::string man_header(std::string_view page, std::string_view summary) {
  return fmt::format(
      ".TH \"{}\" 1 \"\" \"spoor {}\" \"spoor manual\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n", page,
      kVersion, roff(page), roff(summary));
}

std::string man_options(std::string_view title, std::span<const Option> options) {
  std::string out = fmt::format(".SH {}\n", title);
  for (const Option& option : options) {
    out += ".TP\n";
    if (option.is_positional()) {
      out += fmt::format("\\fI{}\\fR\n", roff(option.value));
    } else {
      if (option.letter != 0) out += fmt::format("\\fB\\-{}\\fR, ", option.letter);
      out += fmt::format("\\fB{}\\fR", roff(option.name));
      if (!option.is_flag()) out += fmt::format(" \\fI{}\\fR", roff(option.value));
      out += "\n";
    }
    out.append(roff(option.help)).append(".\n");
  }
  return out;
}

// The session's own commands share one page.
std::string man_session() {
  std::string page = ".SH INTERACTIVE SESSION\n" + roff_paragraphs(kSession);
  for (const Command* command : all_commands()) {
    if (!is_for_session_only(*command)) continue;
    page +=
        fmt::format(".TP\n\\fB{}\\fR\n{}.\n", roff(usage_line(*command)), roff(command->summary));
    if (command->details[0] != '\0') page += roff(command->details) + "\n";
  }
  return page;
}

}  // namespace

std::string usage_line(const Command& command) {
  std::string line = is_for_session_only(command) ? "" : "spoor ";
  line += command.name;
  const bool has_options = std::any_of(command.options.begin(), command.options.end(),
                                       [](const Option& o) { return !o.is_positional(); });
  if (has_options) line += " [OPTION]...";
  for (const Option& option : command.options) {
    if (option.is_positional()) line += " " + positional_usage(option);
  }
  return line;
}

namespace {

void print_usage(Output& out) {
  print_paragraphs(out, kWhat);
  out.newline();
  out.print(Style::strong, "usage:").print(" spoor [OPTION]... COMMAND [ARGUMENT]...\n");
  out.print("       spoor [OPTION]...    (an interactive session; a script from a pipe)\n");
}

void print_command(Output& out, const Command& command, int width) {
  out.print("  ").print(Style::commit, padded(command.name, width)).print("  ");
  print_column(out, width + 4, command.summary);
}

}  // namespace

void print_overview(Output& out) {
  constexpr int kWidth = 10;
  print_usage(out);
  for (const Section& section : kSections) {
    out.newline().print(Style::strong, section.title).newline();
    for (const char* name : section.names) {
      if (name != nullptr) print_command(out, *find_command(name), kWidth);
    }
  }
  print_rows(out, "Options of every command", global_options(), false);
  out.newline();
  print_paragraphs(
      out,
      "'spoor help COMMAND' explains one, 'spoor help --all' lists all commands, 'spoor "
      "help revisions' explains how commits are named, 'spoor help session' the "
      "interactive session.");
}

void print_all_commands(Output& out) {
  print_usage(out);
  int width = 0;
  for (const Command* command : all_commands()) {
    width = std::max(width, display_width(command->name));
  }
  for (const Heading& heading : kHeadings) {
    const auto in_group = [&heading](const Command* c) { return c->group == heading.group; };
    if (std::none_of(all_commands().begin(), all_commands().end(), in_group)) continue;
    out.newline().print(Style::strong, heading.title).newline();
    for (const Command* command : all_commands()) {
      if (command->group == heading.group) print_command(out, *command, width);
    }
  }
}

void print_group(Output& out, const Command& group) {
  constexpr int kWidth = 14;
  out.print(Style::strong, "usage:").print(fmt::format(" spoor {} COMMAND\n\n", group.name));
  print_paragraphs(out, std::string(group.summary) + ".");
  out.newline();
  for (const Command* command : all_commands()) {
    if (is_in(*command, group)) print_command(out, *command, kWidth);
  }
  out.newline();
  print_paragraphs(out, fmt::format("'spoor help {} COMMAND' explains one.", group.name));
}

void print_revisions(Output& out) { print_paragraphs(out, kRevisions); }

void print_session(Output& out) {
  constexpr int kUsageWidth = 22;
  print_paragraphs(out, kSession);
  out.newline();
  for (const Command* command : all_commands()) {
    if (!is_for_session_only(*command)) continue;
    out.print("  ").print(Style::commit, padded(usage_line(*command), kUsageWidth)).print("  ");
    print_column(out, kUsageWidth + 4, command->summary);
  }
}

void print_help(Output& out, const Command& command) {
  out.print(Style::strong, "usage:").print(" " + usage_line(command) + "\n\n");
  print_paragraphs(out, std::string(command.summary) + ".");
  if (command.details[0] != '\0') {
    out.newline();
    print_paragraphs(out, command.details);
  }
  print_rows(out, "Arguments", command.options, true);
  print_rows(out, "Options", command.options, false);
  if (!command.examples.empty()) {
    out.newline().print(Style::strong, "Examples").newline();
    for (const Example& example : command.examples) {
      out.print("  ").print(Style::commit, example.command).newline();
      out.print("      ");
      print_column(out, 6, example.says);
    }
  }
  out.newline().print("Options of every command: see 'spoor help'.\n");
}

std::string page_name(const Command& command) {
  std::string name = fmt::format("spoor-{}", command.name);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string man_page(const Command& command) {
  std::string page = man_header(page_name(command), command.summary);
  page += ".SH SYNOPSIS\n" + roff(usage_line(command)) + "\n";
  page += ".SH DESCRIPTION\n" + roff(command.summary) + ".\n" + roff_paragraphs(command.details);
  if (!command.options.empty()) page += man_options("OPTIONS", command.options);
  if (!command.examples.empty()) {
    page += ".SH EXAMPLES\n";
    for (const Example& example : command.examples) {
      page += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", roff(example.command), roff(example.says));
    }
  }
  return page + ".SH SEE ALSO\n.BR spoor (1)\n";
}

std::string main_man_page() {
  std::string page = man_header("spoor", "version control for what an agent was thinking");
  page +=
      ".SH SYNOPSIS\nspoor [OPTION]... COMMAND [ARGUMENT]...\n.br\nspoor [OPTION]...\n"
      ".SH DESCRIPTION\n";
  page += roff(kWhat);
  page += ".SH COMMANDS\n";
  for (const Command* command : all_commands()) {
    if (is_for_session_only(*command)) continue;
    page +=
        fmt::format(".TP\n\\fB{}\\fR(1)\n{}.\n", roff(page_name(*command)), roff(command->summary));
  }
  page += man_session();
  page += man_options("OPTIONS OF EVERY COMMAND", global_options());
  page += ".SH REVISIONS\n" + roff_paragraphs(kRevisions);
  page +=
      ".SH EXIT STATUS\n.TP\n0\nsuccess.\n.TP\n1\nfailure; or differences, with "
      "\\-\\-exit\\-code.\n.TP\n2\nthe command line is wrong.\n.TP\n70\na bug in spoor.\n"
      ".TP\n130\ninterrupted.\n";
  page += ".SH ENVIRONMENT\n";
  for (const ConfigKey& key : config_keys()) {
    if (key.variable[0] == '\0') continue;
    page += fmt::format(".TP\n\\fB{}\\fR\nOverrides the setting {}: {}.\n", key.variable,
                        roff(key.name), roff(key.help));
  }
  page +=
      ".TP\n\\fBSPOOR_STORE\\fR\nThe store to work on, as with \\-\\-store.\n"
      ".TP\n\\fBPAGER\\fR\nThe pager, if neither SPOOR_PAGER nor the setting names one.\n"
      ".TP\n\\fBNO_COLOR\\fR\nNo colour, if it is not empty.\n"
      ".TP\n\\fBSPOOR_NOW\\fR\nThe present time (RFC 3339), instead of the clock; for tests.\n";
  page +=
      ".SH FILES\n.TP\n\\fI.spoor\\fR\nThe store of a project, found in the working directory or "
      "above "
      "it.\n"
      ".TP\n\\fI$XDG_DATA_HOME/spoor/.spoor\\fR\nYour own store, if a project has none.\n"
      ".TP\n\\fI$XDG_DATA_HOME/spoor/trusted\\fR\nThe list of trusted stores; see "
      "spoor\\-store\\-trust(1).\n";
  page +=
      ".TP\n\\fI$XDG_CONFIG_HOME/spoor/config.toml\\fR\nYour settings; see spoor\\-config(1).\n";
  page += ".TP\n\\fI$XDG_STATE_HOME/spoor/history\\fR\nThe lines typed in interactive sessions.\n";
  return page;
}

}  // namespace spoor::cli
