#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/rationales.h"
#include "api/turns/history.h"
#include "api/turns/turn_json.h"
#include "base/hidden_text.h"
#include "base/json/reader.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/views/calls_text.h"
#include "cli/views/diff_lines.h"
#include "cli/views/name_labels.h"
#include "cli/views/times.h"
#include "cli/views/turn_card.h"
#include "cli/views/turn_text.h"
#include "graph/asking.h"
#include "llm/item_shape.h"
#include "trace/edit_lines.h"
#include "trace/edits.h"
#include "trace/tool_call.h"

namespace spoor::cli {

using api::harmless_json;
using api::JsonWriter;
using api::Marks;
using api::read_view;
using api::usage_of;

namespace {

constexpr std::array kOptions = {
    Option{"revision", "REV", "the commit (default: HEAD)", 0, Takes::revision, Count::many},
    Option{"--text", "", "print its text and nothing else"},
    Option{"--brief", "", "one line about it, then what it says"},
    Option{"--items", "", "print the provider's raw items and nothing else"},
    Option{"--expand", "", "for a summary, show the turns it replaces"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor show", "the newest commit"},
    Example{"spoor show main~3", "three commits before the end of main"},
    Example{"spoor show --text 3f2a91c4 > answer.md", "its text into a file"},
};

// Returns the tokens of an answer: "12 in, 4,096 from cache, 397 out".
std::string usage_line(const llm::Usage& usage) {
  std::string text;
  const auto add = [&text](const std::optional<std::uint64_t>& count, const char* what) {
    if (!count) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(*count), what);
  };
  add(usage.input, "in");
  add(usage.cache_written, "into cache");
  add(usage.cached, "from cache");
  add(usage.output, "out");
  return text;
}

// Counts the invisible characters in the displayed parts of a turn.
std::uint64_t hidden_in(const TurnView& view) {
  const auto in = [](std::string_view text) { return count_hidden(text).characters; };
  std::uint64_t count = in(view.text_or_empty()) + in(view.commit->author) + in(view.fields.name) +
                        in(view.fields.rationale) + in(view.extra.message) +
                        in(view.extra.metadata);
  for (const std::string& tag : view.extra.tags) count += in(tag);
  for (const compile::ToolCall& call : view.calls()) count += in(call.name) + in(call.arguments);
  return count;
}

class Shower {
 public:
  Shower(Session& session, const Workspace& workspace, Decorations decorations)
      : session_(session),
        out_(session.out()),
        workspace_(workspace),
        decorations_(std::move(decorations)),
        now_(session.clock().now()) {}

  Result<void> show(const TurnView& view, const Marks& marks, const Arguments& arguments) {
    const store::Commit& commit = *view.commit;
    asking_ = TRY(graph::asking_of(workspace_.reader(), view.oid));
    if (arguments.has("--brief")) {
      print_turn_head(session_, workspace_, view, decorations_);
    } else {
      out_.print(Style::commit, "commit " + view.oid.hex());
      print_names(out_, decorations_, view.oid);
      out_.newline();
      TRY(print_lines(view, marks));
    }
    out_.newline();
    print_text(out_, view.is_reasoning() ? Style::reasoning : Style::plain, view.shown_text(),
               "    ");
    if (view.is_absent) out_.print(Style::muted, "    (its text is not in this store)\n");
    if (view.fields.tool_calls) {
      for (const compile::ToolCall& call : *view.fields.tool_calls) {
        if (!print_edit(call)) print_call(out_, call, "    ", true);
      }
    }
    if (asking_) TRY(print_change(view));
    if (arguments.has("--expand") && commit.op == store::Op::compress) TRY(print_sources(commit));
    return {};
  }

 private:
  // Prints a call that edits files as the change it requests. Returns false for another call.
  bool print_edit(const compile::ToolCall& call) {
    const trace::ToolCallRead read = trace::read_tool_call(call.name, call.arguments);
    if (read.kind != trace::ToolKind::editor) return false;
    const auto arguments = json::parse(call.arguments);
    bool any = false;
    for (const std::string& path : read.changed) {
      const auto diff = arguments ? trace::diff_in_arguments(arguments->root(), path)
                                  : trace::diff_in_patch(call.arguments, path);
      if (diff.empty()) continue;
      if (!std::exchange(any, true)) {
        out_.print("    ").print(Style::tool, "→ " + visible_line(call.name + " " + call.id));
        out_.newline();
      }
      out_.print("      ").print(Style::strong, visible_line(path)).newline();
      print_diff_lines(out_, diff, "      ");
    }
    return any;
  }

  // Prints the changes made by the call of a result.
  Result<void> print_change(const TurnView& view) {
    if (view.fields.is_error) return {};
    const trace::ToolCallRead read =
        trace::read_tool_call(asking_->call.name, asking_->call.arguments);
    if (read.kind != trace::ToolKind::editor) return {};
    trace::Call call{.tool = asking_->call.name,
                     .result = store::NamedCommit{view.oid, view.commit}};
    call.asked.arguments = asking_->call.arguments;
    for (const std::string& path : read.changed) {
      const auto diff = TRY(trace::diff_of(workspace_.reader(), call, path));
      if (diff.empty()) continue;
      out_.newline().print("    ").print(Style::strong, visible_line(path)).newline();
      print_diff_lines(out_, diff, "    ");
    }
    return {};
  }

  void line(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out_.print(Style::muted, fmt::format("{:<10}", name)).print(value).newline();
  }

  // Prints reasons of calls, by number; the reason of a decision; or any other object unchanged.
  void print_rationale(const std::string& json) {
    if (json.empty()) return;
    const agent::Rationales all = agent::read_rationales(json);
    for (const auto& [number, rationale] : all) {
      line("why", visible_line(fmt::format("{}: {}", number, describe(rationale))));
    }
    if (!all.empty()) return;
    const auto document = json::parse(json);
    const auto one = document ? agent::clean_rationale(document->root()).rationale : std::nullopt;
    line(one ? "why" : "rationale", visible_line(one ? describe(*one) : json));
  }

  // Returns only the id if the object is absent; a damaged object is an error.
  Result<std::string> named(const Oid& oid) {
    const auto view = read_view(workspace_.reader(), oid);
    if (!view && view.error().code == Error::Code::corrupt) return view.error();
    std::string id = workspace_.short_id(oid);
    if (!view) return id;
    return fmt::format("{} {}: {}", id, view.value().kind(), view.value().summary(50));
  }

  Result<void> print_lines(const TurnView& view, const Marks& marks) {
    const store::Commit& commit = *view.commit;
    line("type", std::string(view.kind()) + (view.is_reasoning() ? " [reasoning]" : ""));
    if (commit.mode) line("mode", name_of(*commit.mode));
    line("author", commit.author);
    if (commit.time) {
      line("time", out_.is_tty() ? fmt::format("{} ({})", plain_time(*commit.time),
                                               relative_time(*commit.time, now_))
                                 : commit.time->text());
    }
    line("model", view.model());
    for (const Oid& parent : commit.parents) line("parent", TRY(named(parent)));
    for (const Oid& target : TRY(compile::targets_of(workspace_.reader(), commit))) {
      line("target", TRY(named(target)));
    }
    for (const Oid& about : commit.about) line("about", TRY(named(about)));
    if (commit.priority) line("sets", name_of(*commit.priority));
    line("name", view.fields.name);
    line("call", view.fields.call_id);
    if (asking_) line("asked by", TRY(named(asking_->answer)));
    if (view.fields.is_error) line("result", "failed");
    line("format", view.fields.format);
    print_rationale(view.fields.rationale);
    line("settings", view.fields.set);
    for (const std::string_view mark : marks.words(commit.type.value_or(store::Type::summary))) {
      line("prompt", mark);
    }
    if (commit.prompt) TRY(print_sent(*commit.prompt));
    line("message", view.extra.message);
    for (const std::string& tag : view.extra.tags) line("tag", tag);
    line("metadata", view.extra.metadata);
    print_sizes(view);
    return {};
  }

  Result<void> print_sent(const Oid& name) {
    const store::Bundle sent = TRY(workspace_.reader().bundle(name));
    line("sent", fmt::format("{} bytes by {}, of {} (spoor prompt)", grouped(sent.bytes),
                             sent.renderer, TRY(named(sent.commit))));
    return {};
  }

  void print_sizes(const TurnView& view) {
    const store::Commit& commit = *view.commit;
    if (commit.content) line("tokens", view.tokens(workspace_.repository().counter()).text());
    if (const std::uint64_t count = hidden_in(view); count > 0) {
      line("hidden", counted(count, "invisible character") + ", shown as <U+…>");
    }
    line("usage", usage_line(usage_of(*view.commit)));
    if (!commit.raw.empty()) line("raw", counted(commit.raw.size(), "item") + " of the provider");
    for (const store::Content& attached : commit.attach) {
      line("attached", fmt::format("{} {}", attached.oid.hex(8), attached.media_type));
    }
    for (const auto& [key, value] : view.facts.values()) {
      if (key != "usage" && key != "model") line("meta", fmt::format("{} {}", key, value));
    }
  }

  Result<void> print_sources(const store::Commit& commit) {
    for (const Oid& source : TRY(compile::targets_of(workspace_.reader(), commit))) {
      const TurnView view = TRY(read_view(workspace_.reader(), source));
      out_.newline().print("  ").print(Style::commit, workspace_.short_id(source));
      out_.print(" ").print(style_of(view), view.kind()).newline();
      print_text(out_, Style::muted, view.text_or_empty(), "      ");
    }
    return {};
  }

  Session& session_;
  Output& out_;
  const Workspace& workspace_;
  Decorations decorations_;
  Timestamp now_;
  std::optional<graph::Asking> asking_;  // For the turn being shown.
};

void print_item(Session& session, std::string_view bytes, bool is_json) {
  // JSON escapes can contain characters that a terminal interprets.
  if (session.out().is_raw() || !is_json) {
    session.out().print(bytes);
  } else {
    session.out().verbatim(visible(harmless_json(bytes)));
  }
  session.out().newline();
}

/// Prints the stored items, or those rebuilt in the turn's format.
Result<void> print_items(Session& session, const Workspace& workspace, const TurnView& view) {
  const store::Commit& commit = *view.commit;
  for (const store::Content& item : commit.raw) {
    const auto bytes = TRY(workspace.reader().content(item.oid));
    print_item(session, *bytes, item.media_type == "application/json");
  }
  const bool is_said = commit.op == store::Op::append || commit.op == store::Op::compress;
  if (!commit.raw.empty() || !is_said || view.is_absent) return {};
  const compile::Turn turn = TRY(graph::read_turn(workspace.reader(), view.oid));
  for (const std::string& item : TRY(llm::provider_items(turn))) print_item(session, item, true);
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  std::vector<std::string> revisions = arguments.all("revision");
  if (revisions.empty()) revisions.push_back(workspace.here());
  Shower shower(session, workspace, TRY(Decorations::read(workspace)));
  const Decorations decorations = TRY(Decorations::read(workspace));
  bool is_first = true;
  for (const std::string& revision : revisions) {
    const TurnView view = TRY(read_view(workspace.reader(), TRY(workspace.resolve(revision))));
    if (arguments.has("--text")) {
      session.out().print(view.text_or_empty());
      continue;
    }
    if (arguments.has("--items")) {
      TRY(print_items(session, workspace, view));
      continue;
    }
    const Marks marks = TRY(marks_at(workspace, TRY(workspace.head_commit()), view));
    if (arguments.has("--json")) {
      JsonWriter json;
      write_commit(json, view, marks, view.reported_tokens(workspace.repository().counter()),
                   decorations.at(view.oid));
      session.out().verbatim(json.take());
      continue;
    }
    if (!is_first) session.out().newline();
    is_first = false;
    TRY(shower.show(view, marks, arguments));
  }
  return {};
}

}  // namespace

extern const Command kShow{
    .name = "show",
    .summary = "Show one commit in full",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .examples = kExamples,
};

}  // namespace spoor::cli
