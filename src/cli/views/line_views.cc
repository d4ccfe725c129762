#include "cli/views/line_views.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/rationales.h"
#include "api/each_call.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/diff_lines.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "guard/check/action_type.h"
#include "trace/bytes.h"
#include "trace/deriver.h"
#include "trace/tool_call.h"

namespace spoor::cli {

using api::FileEditFound;
using api::JsonWriter;

namespace {

constexpr std::size_t kLinesOfText = 12;  // A longer text is cut.
constexpr std::size_t kLinesOfDiff = 30;

const Oid* turn_of(const FileEditFound& edit) {
  if (edit.answer) return &*edit.answer;
  return edit.result ? &*edit.result : nullptr;
}

std::string_view word_for(const BlamedLine& line) {
  if (!line.is_known()) return "unknown";
  return line.is_by_edit() ? "turn" : "other";
}

// The tests that ran first after an edit.
struct TestRun {
  std::string command;
  trace::Outcome outcome = trace::Outcome::ok;
  std::optional<std::int64_t> exit_code;
  std::optional<Oid> result;
};

Result<std::optional<TestRun>> tests_after(const api::Context& context, const FileEditFound& edit) {
  std::optional<TestRun> found;
  bool is_after = false;
  const api::Session session = TRY(api::find_session(context, edit.branch));
  TRY(api::each_call(context, session, [&](const trace::Call& call, const auto&) -> Result<void> {
    if (is_after && !found && call.result) {
      const guard::check::CallSeen seen{call.tool, call.asked.arguments, call.artifact};
      if (guard::check::type_of(seen) == trace::AgentAction::Type::run_tests) {
        found = TestRun{trace::target_of(call.tool, call.asked.arguments), call.outcome,
                        call.exit_code, call.result->oid};
      }
    }
    is_after = is_after || (call.result && edit.result && call.result->oid == *edit.result);
    return {};
  }));
  return found;
}

// The texts behind an edit.
struct Reasons {
  std::string request, why;
  std::vector<agent::Alternative> alternatives;
  std::optional<double> confidence;
  std::optional<TestRun> tests;
};

Result<std::string> text_of_turn(const store::Reader& reader, const store::NamedCommit& turn) {
  if (!turn.commit->content) return std::string();
  const auto bytes = TRY(trace::bytes_of(reader, {turn.commit->content->oid}))[0];
  return bytes ? *bytes : std::string();
}

Result<Reasons> reasons_of(Session& session, const FileEditFound& edit) {
  const api::Context context = TRY(session.context());
  const store::Reader& reader = context.workspace.reader();
  Reasons reasons{.why = TRY(trace::read_reason(reader, edit.reason))};
  if (edit.request) reasons.request = TRY(text_of_turn(reader, *edit.request));
  if (edit.reason.source == trace::Reason::Source::rationale && edit.reason.where) {
    const auto bytes = TRY(trace::bytes_of(reader, {*edit.reason.where}))[0];
    if (bytes) {
      const compile::Fields fields = TRY(compile::read_fields(*bytes));
      const auto stated = agent::read_rationales(fields.rationale);
      const auto own = stated.find(static_cast<std::size_t>(edit.reason.call));
      if (own != stated.end()) reasons.alternatives = own->second.alternatives;
    }
    reasons.confidence = edit.reason.confidence;
  }
  reasons.tests = TRY(tests_after(context, edit));
  return reasons;
}

// Prints the beginning of a text; `hint` is the command that prints all of it.
void print_beginning(Output& out, Style style, std::string_view text, const std::string& hint) {
  std::size_t shown = 0;
  const int width = out.is_tty() ? out.width() - 4 : 96;
  for (const std::string_view line : wrapped(text, width)) {
    if (shown++ == kLinesOfText) {
      out.print(Style::muted, "    … all of it: " + hint).newline();
      return;
    }
    out.print("    ").print(style, visible_line(line, 1'000)).newline();
  }
}

void print_heading(Output& out, std::string_view heading) {
  out.print("  ").print(Style::muted, heading).newline();
}

void write_edit(JsonWriter& json, const FileEditFound& edit) {
  json.object().member("session", edit.session).member("branch", edit.branch);
  json.member("agent", edit.agent).member("tool", edit.tool).member("time", edit.time);
  json.member("turn", edit.answer).member("result", edit.result).end();
}

// Writes `line`, `text`, `writer` and the edits.
void write_line(JsonWriter& json, const FileBlame& blame, const BlamedLine& line) {
  json.member("line", line.number).member("text", line.text).member("writer", word_for(line));
  json.key("edit");
  if (line.is_by_edit()) {
    write_edit(json, blame.edits[line.writers.front()]);
  } else {
    json.null();
  }
  json.list("candidates");
  for (const trace::Writer writer : line.writers) {
    if (!line.is_known() && writer != trace::kNoEdit) write_edit(json, blame.edits[writer]);
  }
  json.end();
}

}  // namespace

void print_blame(Session& session, const FileBlame& blame) {
  Output& out = session.out();
  constexpr std::size_t kDigits = 8;
  constexpr std::size_t kDate = 10;
  std::vector<std::string> who(blame.edits.size());
  int widest = 0;
  for (const BlamedLine& line : blame.lines) {
    if (!line.is_by_edit()) continue;
    const FileEditFound& edit = blame.edits[line.writers.front()];
    std::string& text = who[line.writers.front()];
    text = fmt::format("{} {}", edit.session, visible_line(edit.agent));
    widest = std::max(widest, display_width(text));
  }
  const std::uint64_t last = blame.lines.empty() ? 0 : blame.lines.back().number;
  const auto digits = static_cast<int>(std::to_string(last).size());
  for (const BlamedLine& line : blame.lines) {
    if (out.is_closed()) return;
    if (line.is_by_edit()) {
      const FileEditFound& edit = blame.edits[line.writers.front()];
      const Oid* turn = turn_of(edit);
      out.print(Style::commit, turn != nullptr ? turn->hex(kDigits) : std::string(kDigits, '?'));
      out.print("  " + padded(who[line.writers.front()], widest) + "  ");
      out.print(edit.time ? edit.time->text().substr(0, kDate) : std::string(kDate, ' '));
    } else {
      out.print(Style::muted, padded(word_for(line), static_cast<int>(kDigits)));
      out.print("  " + std::string(static_cast<std::size_t>(widest) + 2 + kDate, ' '));
    }
    out.print(Style::muted, fmt::format("  {:>{}}", line.number, digits));
    out.print("  " + line.text).newline();
  }
  if (!blame.recorded) return;
  Output& err = session.err();
  err.print(fmt::format("{} as recorded edits left it", visible_line(blame.name)));
  if (blame.recorded->time) err.print(", " + blame.recorded->time->text());
  err.print("; the file was not read\n");
  if (const std::uint64_t missing = blame.recorded->missing; missing > 0) {
    err.print(fmt::format("{} may have changed it\n", counted(missing, "later edit or command")));
  }
}

void write_file_blame(JsonWriter& json, const FileBlame& blame) {
  json.object().member("file", blame.name).key("recorded");
  if (blame.recorded) {
    json.object().member("time", blame.recorded->time).member("missing", blame.recorded->missing);
    json.end();
  } else {
    json.null();
  }
  json.list("lines");
  for (const BlamedLine& line : blame.lines) {
    json.object();
    write_line(json, blame, line);
    json.end();
  }
  json.end().end();
}

Result<void> print_line_reason(Session& session, const FileBlame& blame, const BlamedLine& line) {
  Output& out = session.out();
  const Workspace& workspace = *TRY(session.workspace());
  out.print(Style::strong, fmt::format("{}:{}", visible_line(blame.name), line.number));
  out.print("  " + line.text).newline();
  if (line.is_known() && !line.is_by_edit()) {
    out.print("other: no edit of a session in the store wrote it\n");
    return {};
  }
  if (!line.is_known()) {
    out.print("unknown: it may be from any of these\n");
    for (const trace::Writer writer : line.writers) {
      if (writer == trace::kNoEdit) {
        out.print("  other\n");
        continue;
      }
      const FileEditFound& edit = blame.edits[writer];
      const Oid* turn = turn_of(edit);
      out.print("  ").print(Style::commit, turn != nullptr ? workspace.short_id(*turn) : "?");
      if (edit.time) out.print("  " + shown_time(out, *edit.time, session.clock().now()));
      out.print(fmt::format("  session {}  {}", edit.session, visible_line(edit.tool))).newline();
    }
    return {};
  }
  const FileEditFound& edit = blame.edits[line.writers.front()];
  const Oid* turn = turn_of(edit);
  const std::string id = turn != nullptr ? workspace.short_id(*turn) : "?";
  out.print(Style::commit, id);
  if (edit.time) out.print("  " + shown_time(out, *edit.time, session.clock().now()));
  out.print(fmt::format("  session {}  {}  {}", edit.session, visible_line(edit.agent),
                        visible_line(edit.tool)))
      .newline();
  const Reasons reasons = TRY(reasons_of(session, edit));
  if (edit.request && !reasons.request.empty()) {
    const std::string request = workspace.short_id(edit.request->oid);
    print_heading(out, "request " + request);
    print_beginning(out, Style::user, reasons.request, "spoor show --text " + request);
  }
  if (!reasons.why.empty()) {
    print_heading(out, name_of(edit.reason.source));
    print_beginning(out, Style::reasoning, reasons.why, "spoor reasoning " + id);
  }
  for (const agent::Alternative& other : reasons.alternatives) {
    print_heading(out, "rejected");
    out.print("    " + visible_line(other.option + ": " + other.rejected_because)).newline();
  }
  std::vector<graph::UnifiedLine> diff = edit.change.diff;
  if (!diff.empty()) {
    print_heading(out, "change");
    const bool is_long = diff.size() > kLinesOfDiff;
    if (is_long) diff.resize(kLinesOfDiff);
    print_diff_lines(out, diff, "    ");
    if (is_long) out.print(Style::muted, "    … all of it: spoor show " + id).newline();
  }
  if (reasons.tests) {
    print_heading(out, "tests after it");
    out.print("    " + visible_line(reasons.tests->command, 200) + "  ");
    out.print(reasons.tests->outcome == trace::Outcome::ok ? Style::plain : Style::error,
              name_of(reasons.tests->outcome));
    out.print("  ").print(Style::commit, workspace.short_id(*reasons.tests->result)).newline();
  }
  return {};
}

Result<void> write_line_reason(JsonWriter& json, Session& session, const FileBlame& blame,
                               const BlamedLine& line) {
  json.object().member("file", blame.name);
  write_line(json, blame, line);
  json.key("reason");
  if (!line.is_by_edit()) {
    json.null().end();
    return {};
  }
  const FileEditFound& edit = blame.edits[line.writers.front()];
  const Reasons reasons = TRY(reasons_of(session, edit));
  json.object().key("request");
  if (edit.request) {
    json.object().member("hash", edit.request->oid).member("text", reasons.request).end();
  } else {
    json.null();
  }
  json.member("source", name_of(edit.reason.source)).member("text", reasons.why);
  json.list("alternatives");
  for (const agent::Alternative& other : reasons.alternatives) {
    json.object().member("option", other.option);
    json.member("rejected_because", other.rejected_because).end();
  }
  json.end().list("diff");
  for (const graph::UnifiedLine& each : edit.change.diff) {
    json.value((each.kind == '@' ? std::string() : std::string(1, each.kind)) + each.text);
  }
  json.end().key("tests");
  if (reasons.tests) {
    json.object().member("command", reasons.tests->command);
    json.member("outcome", name_of(reasons.tests->outcome));
    json.member("exit_code", reasons.tests->exit_code).member("result", reasons.tests->result);
    json.end();
  } else {
    json.null();
  }
  json.end().end();
  return {};
}

}  // namespace spoor::cli
