#include "api/turns/turn_view.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "agent/numbers.h"
#include "agent/reading/rationale_blocks.h"
#include "agent/spent_facts.h"
#include "base/json/reader.h"
#include "compile/commitment.h"
#include "compile/pictures.h"
#include "store/erased.h"

namespace spoor::api {
namespace {

using store::Op;
using Text = std::shared_ptr<const std::string>;

// Returns "Read /etc/hosts, Bash ls": each call with its main argument.
std::string calls_line(const std::vector<compile::ToolCall>& calls) {
  std::string line;
  for (const compile::ToolCall& call : calls) {
    if (!line.empty()) line += ", ";
    line += call.name;
    if (const std::string about = main_argument(call); !about.empty()) line += " " + about;
  }
  return line;
}

// Returns the first line that is not blank of arguments that are not JSON, such as a patch.
std::string_view first_said_line(std::string_view arguments) {
  if (compile::is_commitment(arguments)) return {};
  arguments.remove_prefix(std::min(arguments.find_first_not_of(" \t\r\n"), arguments.size()));
  return arguments.substr(0, arguments.find('\n'));
}

// Returns the line for a turn without a text: its pictures, or its error.
std::string line_without_text(const TurnView& view) {
  std::string line;
  for (const store::Content& picture : compile::pictures_in(&view.commit->attach)) {
    line += fmt::format("{}[{}]", line.empty() ? "" : " ", picture.media_type);
  }
  const bool is_answer = view.commit->type == store::Type::assistant && view.calls().empty();
  const std::string error = line.empty() && is_answer ? view.facts.get(fact::error) : std::string();
  return error.empty() ? line : "error: " + compile::preview(error);
}

std::string named_targets(const store::Commit& commit) {
  if (commit.targets || commit.target.size() > 1) return "several turns";
  return commit.target.empty() ? "nothing" : commit.target.front().hex(8);
}

// Returns the line for a commit without a text of its own to show.
std::string directive_line(const TurnView& view) {
  const store::Commit& commit = *view.commit;
  const std::string reason = compile::preview(compile::shown_text(view.text_or_empty()));
  switch (commit.op) {
    case Op::annotate: {
      const std::string line =
          fmt::format("{} {}", name_of(*commit.priority), named_targets(commit));
      return reason.empty() ? line : line + ": " + reason;
    }
    case Op::edit:
      return fmt::format("edit {}: {}", named_targets(commit), reason);
    case Op::merge:
      return fmt::format("merge {} ({})", commit.parents[1].hex(8), name_of(*commit.mode));
    case Op::append:
    case Op::compress:
      break;
  }
  return {};
}

// Adds the names of all objects with a part of the commit's contents.
void add_names(const store::Commit& commit, std::vector<Oid>& names) {
  if (commit.content) names.push_back(commit.content->oid);
  if (commit.fields) names.push_back(*commit.fields);
  if (commit.extra) names.push_back(*commit.extra);
}

// Fills in a view from the texts of the names from add_names(), in its order.
Result<void> fill(TurnView& view, std::span<const Text> texts) {
  std::size_t next = 0;
  const store::Commit& commit = *view.commit;
  if (commit.content) {
    view.text = texts[next++];
    view.is_absent = view.text == nullptr;
  }
  if (commit.fields && texts[next++] != nullptr) {
    view.fields = TRY(compile::read_fields(*texts[next - 1]));
  }
  if (commit.extra && texts[next++] != nullptr) {
    view.extra = TRY(compile::read_extra(*texts[next - 1]));
  }
  if (!commit.meta.empty()) view.facts = TRY(compile::read_facts(commit.meta));
  return {};
}

}  // namespace

std::string main_argument(const compile::ToolCall& call, std::size_t columns) {
  const auto document = json::parse(call.arguments);
  if (!document) return compile::preview(first_said_line(call.arguments), columns);
  for (const json::Member member : document.value().root().members()) {
    if (member.value.is_string()) return compile::preview(member.value.text(), columns);
  }
  return {};
}

std::string TokenCount::text() const {
  return fmt::format("{}{} tok", is_estimate ? "≈" : "", agent::grouped(count));
}

std::string TurnView::shown_text() const {
  const std::string_view whole = text_or_empty();
  if (compile::is_commitment(whole)) return compile::shown_text(whole);
  if (fields.rationale.empty() || commit->type != store::Type::assistant) return std::string(whole);
  return agent::reading::read_rationale_blocks(whole).stripped;
}

std::string TurnView::summary(std::size_t columns) const {
  if (!extra.message.empty()) {
    return compile::preview(compile::shown_text(extra.message), columns);
  }
  if (commit->op == Op::annotate || commit->op == Op::edit ||
      (commit->op == Op::merge && !commit->content)) {
    return directive_line(*this);
  }
  if (is_absent) return "(its text is not in this store)";
  if (commit->type == store::Type::config) return compile::preview(fields.set, columns);

  std::string line = compile::preview(shown_text(), columns);
  if (line.empty()) line = line_without_text(*this);
  if (commit->type == store::Type::decision) {
    if (const std::string word = facts.get(fact::decision); !word.empty()) {
      line = word + (line.empty() ? "" : ": " + line);
    }
  }
  if (fields.tool_calls && !fields.tool_calls->empty()) {
    line += (line.empty() ? "→ " : " → ") + calls_line(*fields.tool_calls);
  }
  if (commit->type == store::Type::tool && !fields.name.empty()) {
    line = fmt::format("{}{}: {}", fields.name, fields.is_error ? " failed" : "", line);
  }
  if (line.empty() && is_reasoning() && !commit->raw.empty()) line = "(signed, without text)";
  return line.empty() ? "(empty)" : line;
}

TokenCount TurnView::tokens(const compile::TokenCounter& counter) const {
  const auto* calls = fields.tool_calls ? &*fields.tool_calls : nullptr;
  return {counter.count(text_or_empty(), calls), counter.is_estimate()};
}

TokenCount TurnView::reported_tokens(const compile::TokenCounter& counter) const {
  if (const auto output = usage_of(*commit).output) return {*output, false};
  return tokens(counter);
}

llm::Usage usage_of(const store::Commit& commit) {
  compile::FactsView facts;
  if (commit.meta.empty() || !facts.read(commit.meta)) return {};
  return agent::read_usage(facts);
}

Result<std::vector<TurnView>> read_views(const store::Reader& reader,
                                         std::span<const NamedCommit> commits) {
  std::vector<TurnView> views(commits.size());
  std::vector<Oid> names;
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < commits.size(); ++i) {
    views[i].oid = commits[i].oid;
    views[i].commit = commits[i].commit;
    add_names(*commits[i].commit, names);
    ends.push_back(names.size());
  }
  const auto texts = TRY(reader.stored_contents(names));
  std::size_t begin = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    TRY(fill(views[i], std::span(texts).subspan(begin, ends[i] - begin)));
    if (store::is_erasure_text(views[i].text_or_empty())) {  // A turn may also quote this text.
      const Oid& content = views[i].commit->content->oid;
      views[i].is_erased = !TRY(reader.store().has(std::array{content}))[0];
    }
    begin = ends[i];
  }
  return views;
}

Result<TurnView> read_view(const store::Reader& reader, const Oid& oid) {
  const NamedCommit commit{oid, TRY(reader.commit(oid))};
  return std::move(TRY(read_views(reader, std::span(&commit, 1))).front());
}

}  // namespace spoor::api
