#include "cli/views/prompt_blocks.h"

#include <unordered_map>

#include <fmt/format.h>

#include "api/turns/turn_json.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/calls_text.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "compile/pictures.h"

namespace spoor::cli {

using api::main_argument;

namespace {

void take_fields(Block& block, const compile::Fields* fields) {
  if (fields == nullptr) return;
  block.call_id = fields->call_id;
  block.name = fields->name;
  block.is_error = fields->is_error;
}

Block block_of(const compile::Message& message, bool tokens_estimated) {
  const compile::Part& first = message.parts.front();
  Block block;
  block.commit = message.hash();
  block.commits = message.parts.size();
  block.role = message.role;
  block.type = message.type();
  block.text = message.text();
  block.calls = message.tool_calls();
  take_fields(block, first.fields.get());
  for (const compile::Part& part : message.parts) {
    block.is_edited = block.is_edited || part.is_edited;
  }
  block.pictures = message.pictures();
  block.priority = first.priority;
  block.is_explicit = first.is_explicit;
  block.tokens = message.tokens();
  block.tokens_estimated = tokens_estimated;
  return block;
}

// Returns the reason of an entry's last annotation; empty without one.
Result<std::string> reason_of(const Workspace& workspace, const compile::Entry& entry) {
  if (!entry.directives || entry.directives->annotations.empty()) return std::string();
  const auto commit = TRY(workspace.reader().commit(entry.directives->annotations.back()));
  if (!commit->content) return std::string();
  return *TRY(workspace.reader().content(commit->content->oid));
}

Result<Block> block_of(const Workspace& workspace, const compile::Entry& entry, compile::Why why) {
  Block block;
  block.commit = entry.commit;
  block.role = compile::role_of(entry.type);
  block.type = entry.type;
  block.text = *TRY(workspace.reader().content(entry.content));
  if (entry.calls() != nullptr) block.calls = *entry.calls();
  block.pictures = compile::pictures_in(entry.attach.get());
  take_fields(block, entry.fields.get());
  block.is_edited = entry.is_edited;
  block.priority = entry.priority;
  block.is_explicit = entry.is_explicit;
  const compile::TokenCounter& counter = workspace.repository().counter();
  block.tokens = counter.count(block.text, entry.calls());
  block.tokens_estimated = counter.is_estimate();
  block.why = why;
  if (why == compile::Why::skip) block.reason = TRY(reason_of(workspace, entry));
  return block;
}

// Sources often name a tool only in the call; a result takes the name from its call.
void name_results(std::vector<Block>& blocks) {
  std::unordered_map<std::string, std::string> names;
  for (Block& block : blocks) {
    for (const compile::ToolCall& call : block.calls) names[call.id] = call.name;
    const auto found = names.find(block.call_id);
    block.tool = block.name.empty() && found != names.end() ? found->second : block.name;
  }
}

Style block_style(const Block& block) {
  if (block.why) return Style::muted;
  return style_of(block.role, block.type);
}

std::string tokens_of(const Block& block) {
  return fmt::format("{}{} tok", block.tokens_estimated ? "≈" : "", grouped(block.tokens));
}

// Returns the marks of a block: "pinned", "edited", …
std::vector<std::string> marks_of(const Block& block) {
  std::vector<std::string> marks;
  if (block.is_explicit && block.priority == store::Priority::pinned) marks.emplace_back("pinned");
  if (block.is_edited) marks.emplace_back("edited");
  if (block.is_error) marks.emplace_back("failed");
  if (block.why) {
    const bool by_type = *block.why == compile::Why::skip && !block.is_explicit;
    std::string mark =
        fmt::format("left out: {}", by_type ? "skip by default" : name_of(*block.why));
    if (!block.reason.empty()) mark += fmt::format(" ({})", visible_line(block.reason));
    marks.push_back(std::move(mark));
  }
  return marks;
}

std::string kind_of(const Block& block) {
  if (block.is_reasoning()) return "[reasoning]";
  const bool is_role = name_of(block.type) == block.role;
  return is_role ? block.role : fmt::format("{} ({})", block.role, name_of(block.type));
}

// Returns a message on one line.
std::string line_of(const Block& block) {
  std::string line = visible_line(block.text);
  if (line.empty() && block.is_reasoning()) line = "(signed, without text)";
  for (const store::Content& picture : block.pictures) {
    line += fmt::format("{}[{}]", line.empty() ? "" : " ", visible_line(picture.media_type));
  }
  if (!block.tool.empty()) line = visible_line(block.tool) + ": " + line;
  for (const compile::ToolCall& call : block.calls) {
    line += fmt::format("{}→ {}", line.empty() ? "" : " ", visible_line(call.name));
    if (const std::string about = main_argument(call); !about.empty())
      line += " " + visible_line(about);
  }
  return line;
}

}  // namespace

Result<std::vector<Block>> blocks_of(const Workspace& workspace, const compile::Prompt& prompt,
                                     bool all) {
  std::vector<Block> blocks;
  if (!all || !prompt.commit) {
    for (const compile::Message& message : prompt.messages) {
      blocks.push_back(block_of(message, prompt.tokens_estimated));
    }
    name_results(blocks);
    return blocks;
  }
  std::unordered_map<Oid, const compile::Message*> shown;
  std::unordered_map<Oid, compile::Why> left_out;
  for (const compile::Message& message : prompt.messages) shown[message.hash()] = &message;
  for (const compile::LeftOut& one : prompt.left_out) left_out[one.commit] = one.why;

  const auto state = TRY(workspace.repository().folder().at(*prompt.commit));
  std::optional<Error> failure;
  state->each([&](const compile::Entry& entry) {
    if (failure) return;
    if (const auto in = shown.find(entry.commit); in != shown.end()) {
      blocks.push_back(block_of(*in->second, prompt.tokens_estimated));
    } else if (const auto out = left_out.find(entry.commit); out != left_out.end()) {
      auto block = block_of(workspace, entry, out->second);
      if (!block) {
        failure = block.error();
        return;
      }
      blocks.push_back(std::move(block).value());
    }
  });
  if (failure) return *failure;
  name_results(blocks);
  return blocks;
}

void print_chat(Output& out, const Workspace& workspace, const Block& block, bool in_full) {
  const ListedId id = listed_id(out, workspace, block.commit);
  const std::string more = block.commits > 1 ? fmt::format("+{}", block.commits - 1) : "";
  const std::string kind = kind_of(block);
  const std::string name = visible_line(block.tool);
  const std::string tokens = tokens_of(block);
  int used =
      3 + display_width(kind) + 2 + id.width() + display_width(more) + 2 + display_width(tokens);

  out.print(Style::muted, "── ").print(block_style(block), kind).print("  ");
  if (!name.empty()) {
    out.print(block_style(block), name).print("  ");
    used += display_width(name) + 2;
  }
  print_id(out, workspace, id);
  out.print(Style::muted, more).print("  ").print(Style::muted, tokens);
  for (const std::string& mark : marks_of(block)) {
    out.print("  ").print(block.why ? Style::muted : Style::pinned, mark);
    used += display_width(mark) + 2;
  }
  if (out.is_tty() && used + 2 < out.width()) {
    std::string rule = " ";
    for (int i = used + 1; i < out.width(); ++i) rule += "─";
    out.print(Style::muted, rule);
  }
  out.newline();

  const Style style = block.why              ? Style::muted
                      : block.is_reasoning() ? Style::reasoning
                                             : Style::plain;
  const bool is_signed_only = block.is_reasoning() && block.text.empty();
  print_text(out, style, is_signed_only ? "(signed, without text)" : block.text, "");
  for (const store::Content& picture : block.pictures) {
    out.print(Style::muted, visible_line(compile::picture_mark(picture))).newline();
  }
  for (const compile::ToolCall& call : block.calls) print_call(out, call, "", in_full);
  out.newline();
}

void print_compact(Output& out, const Workspace& workspace, const Block& block) {
  const ListedId id = listed_id(out, workspace, block.commit);
  const std::string kind = padded(kind_of(block), 11);
  int used = id.width() + 2 + display_width(kind);
  print_id(out, workspace, id);
  out.print(" ").print(block_style(block), kind).print(" ");
  for (const std::string& mark : marks_of(block)) {
    out.print(block.why ? Style::muted : Style::pinned, "[" + mark + "]").print(" ");
    used += display_width(mark) + 3;
  }
  std::string line = line_of(block);
  if (out.is_tty()) line = truncated(line, std::max(out.width() - used, 8));
  out.print(block.why              ? Style::muted
            : block.is_reasoning() ? Style::reasoning
                                   : Style::plain,
            line);
  out.newline();
}

void print_table(Output& out, const Workspace& workspace, const std::vector<Block>& blocks) {
  int kinds = 4;
  for (const Block& block : blocks) kinds = std::max(kinds, display_width(kind_of(block)));
  int ids = 8;
  for (const Block& block : blocks) {
    ids = std::max(ids, listed_id(out, workspace, block.commit).width());
  }
  const std::string head = fmt::format("{:>4}  {}  {}  {:>10}  {:<8}  ", "#", padded("id", ids),
                                       padded("kind", kinds), "tokens", "priority");
  out.print(Style::strong, head + "text").newline();
  std::size_t number = 0;
  for (const Block& block : blocks) {
    const ListedId id = listed_id(out, workspace, block.commit);
    const std::string place = block.why ? "-" : std::to_string(++number);
    const std::string tokens = (block.tokens_estimated ? "≈" : "") + grouped(block.tokens);
    const std::string_view priority = block.why ? name_of(*block.why) : name_of(block.priority);
    out.print(fmt::format("{:>4}  ", place));
    print_id(out, workspace, id);
    out.print(padded("", ids - id.width() + 2));
    out.print(block_style(block), padded(kind_of(block), kinds));
    out.print(fmt::format(
        "  {}{}  ",
        std::string(static_cast<std::size_t>(std::max(10 - display_width(tokens), 0)), ' '),
        tokens));
    out.print(block.is_explicit ? Style::pinned : Style::muted, padded(priority, 9)).print(" ");
    std::string line = line_of(block);
    if (out.is_tty()) line = truncated(line, std::max(out.width() - display_width(head), 8));
    out.print(block.why ? Style::muted : Style::plain, line).newline();
  }
}

void write_block(JsonWriter& json, const Block& block) {
  json.object().member("hash", block.commit).member("role", block.role);
  json.member("type", name_of(block.type)).member("text", block.text);
  json.key("tool_calls");
  if (block.calls.empty()) {
    json.null();
  } else {
    write_calls(json, block.calls);
  }
  write_contents(json, "pictures", block.pictures);
  json.member_or_null("call_id", block.call_id).member_or_null("name", block.name);
  json.member("is_error", block.is_error).member("edited", block.is_edited);
  json.member("priority", name_of(block.priority)).member("explicit", block.is_explicit);
  json.member("tokens", block.tokens).member("tokens_estimated", block.tokens_estimated);
  json.key("left_out");
  block.why ? json.value(name_of(*block.why)) : json.null();
  json.member_or_null("reason", block.reason).end();
}

}  // namespace spoor::cli
