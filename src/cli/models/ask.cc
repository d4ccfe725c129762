#include "cli/models/ask.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "api/turns/turn_json.h"
#include "base/text.h"
#include "cli/branch_writes.h"
#include "cli/models/refused_file.h"
#include "cli/models/reply_printer.h"
#include "cli/models/stop_on_interrupt.h"
#include "cli/models/treatments.h"
#include "cli/settings/prices.h"
#include "cli/views/times.h"
#include "llm/generate_value.h"

namespace spoor::cli {

using api::harmless_json;

namespace {

using llm::Generated;

std::string money(const llm::Cost& cost) {
  return fmt::format("{}${}", cost.is_lower_bound ? "at least " : "", dollars(cost.amount));
}

// `anthropic/claude-x, 46 tokens in (40 cached), 61 out (20 reasoning), $0.0012`
std::string took(const OpenModel& model, const Generated& made) {
  const llm::Usage& usage = made.reply.usage;
  std::string line = model.name();
  std::optional<std::uint64_t> in = usage.input;
  if (in) *in += usage.cached.value_or(0) + usage.cache_written.value_or(0);
  if (in) line += fmt::format(", {} in", grouped(*in));
  if (usage.cached.value_or(0) > 0) line += fmt::format(" ({} cached)", grouped(*usage.cached));
  if (usage.output) line += fmt::format(", {} out", grouped(*usage.output));
  const std::uint64_t thought = usage.reasoning.value_or(0);
  if (thought > 0 && made.reply.reasoning()) {
    line += fmt::format(" ({} reasoning)", grouped(thought));
  }
  if (thought > 0 && !made.reply.reasoning()) {
    line += fmt::format(", reasoning not returned ({} tokens)", grouped(thought));
  }
  if (made.reply.from_cache) line += ", from the cache";
  if (made.cost && !made.reply.from_cache) line += ", " + money(*made.cost);
  return line;
}

void write_count(JsonWriter& json, std::string_view key, const std::optional<std::uint64_t>& n) {
  json.member(key, n);
}

std::string json_of(const OpenModel& model, const Generated& made, const std::string& branch,
                    const std::optional<Oid>& before) {
  JsonWriter json;
  json.object().member("branch", branch).member("before", before).member("hash", made.commit);
  json.member("reasoning_hash", made.reasoning_commit).member("prompt", made.prompt);
  json.member("asked", model.name()).member_or_null("model", made.reply.model);
  json.member("text", made.reply.text()).member("reasoning", made.reply.reasoning());
  json.member_or_null("format", made.reply.reasoning() ? made.reply.format : "");
  json.list("tool_calls");
  for (const compile::ToolCall& call : made.reply.calls()) {
    json.object().member("id", call.id).member("name", call.name);
    json.member("arguments", call.arguments).end();
  }
  json.end().member_or_null("finish_reason", made.reply.finish_reason);
  json.key("usage").object();
  write_count(json, "input", made.reply.usage.input);
  write_count(json, "cached", made.reply.usage.cached);
  write_count(json, "cache_written", made.reply.usage.cache_written);
  write_count(json, "output", made.reply.usage.output);
  write_count(json, "reasoning", made.reply.usage.reasoning);
  json.end();
  if (made.cost) {
    json.key("cost_usd").json(dollars(made.cost->amount));
  } else {
    json.key("cost_usd").null();
  }
  json.member_or_null("interrupted", made.reply.failure
                                         ? std::string(name_of(made.reply.failure->kind))
                                         : std::string());
  json.list("treatments");
  for (const auto& treatment : made.treatments) write_treatment(json, treatment);
  return json.end().end().take();
}

void say_treatments(Session& session, const Workspace& workspace, const Generated& made) {
  using Kind = llm::render::Treatment::Kind;
  for (const auto& treatment : made.treatments) {
    const bool is_usual = treatment.kind == Kind::replayed || treatment.kind == Kind::stripped ||
                          treatment.kind == Kind::reordered || treatment.kind == Kind::unsaid;
    if (is_usual) continue;
    print_treatment(session, workspace, treatment);
  }
}

bool says_nothing(const llm::Reply& reply) {
  const bool has_call = std::ranges::any_of(
      reply.pieces, [](const auto& piece) { return piece.kind == llm::Piece::Kind::call; });
  return !reply.failure && !has_call && trimmed(reply.text()).empty();
}

// Prints the branch's move and the costs to standard error, because only the answer is the result.
void say_made(Session& session, const Workspace& workspace, const Made& made,
              const std::string& took, const std::string& undo) {
  Output& err = session.err();
  err.print(Style::branch, made.branch).print(": ");
  if (made.before) err.print(workspace.short_id(*made.before)).print(" -> ");
  err.print(workspace.short_id(made.after));
  if (!took.empty()) err.print(", ").print(Style::muted, took);
  err.print(" (undo: ").print(undo).print(")").newline().flush();
}

// A turn and its answer are an operation each, and so is every attempt to match a schema.
std::string undo_of(const Session& session, const Workspace& workspace,
                    const std::optional<Oid>& before, bool has_text, bool has_schema) {
  if (!has_text && !has_schema) return session.typed("undo");
  if (before) return session.typed("reset " + workspace.short_id(*before));
  return has_schema ? "see " + session.typed("oplog") : session.typed("undo") + ", twice";
}

}  // namespace

Result<void> keep_unasked(Session& session, std::string_view text) {
  Workspace& workspace = *TRY(session.workspace());
  const std::string name = TRY(workspace.branch_for_writing());
  TRY(check_view(workspace, name));
  graph::Branch branch = workspace.repository().branch(name);
  const std::optional<Oid> before = TRY(branch.tip());
  say_made(session, workspace, {name, before, TRY(branch.user(text))}, {}, session.typed("undo"));
  return {};
}

Result<void> ask(Session& session, std::span<OpenModel* const> models,
                 const std::optional<std::string>& text, Asking asking) {
  Workspace& workspace = *TRY(text ? session.workspace_or_new() : session.workspace());
  const std::string name = TRY(workspace.branch_for_writing());
  TRY(check_view(workspace, name));
  graph::Branch branch = workspace.repository().branch(name);
  const std::optional<Oid> before = TRY(branch.tip());

  const llm::PriceList prices(TRY(read_prices(session.environment())));
  const llm::Candidate candidate = models.front()->candidate();
  for (OpenModel* next : models.subspan(1)) {
    asking.options.fallbacks.push_back(next->candidate());
  }
  ReplyPrinter printer(session);
  const StopOnInterrupt interrupt;
  asking.options.stop = interrupt.token();
  asking.options.prices = &prices;
  RefusedFile refused(session.environment(), session.clock());
  asking.options.learned = &refused;
  if (!asking.as_json && !asking.schema) asking.options.on_event = printer.handler();

  if (text) TRY(branch.user(*text));
  std::optional<llm::StructuredAnswer> value;
  const auto answered = [&]() -> Result<Generated> {
    if (!asking.schema) return llm::generate(branch, candidate, asking.options);
    auto got = TRY(llm::generate_value(branch, candidate, *asking.schema, asking.options));
    value = std::move(got.answer);
    return std::move(got.last);
  };
  const auto made = answered();
  printer.finish();
  if (!made) {
    const auto now = TRY(branch.tip());
    Error error = made.error();
    if (text && now && now != before) {
      say_made(session, workspace, {name, before, *now}, {}, session.typed("undo"));
      if (!error.hint.empty()) error.hint += "; ";
      error.hint += "your turn is kept; ask again with 'spoor generate'";
    }
    return error;
  }
  const OpenModel& model = *models[made->candidate];
  if (asking.as_json) {
    session.out().verbatim(json_of(model, *made, name, before));
  } else {
    if (value && !value->json.empty()) {
      session.out().verbatim(harmless_json(value->json)).newline().flush();
    }
    say_treatments(session, workspace, *made);
    if (says_nothing(made->reply)) {
      session.err().print(Style::warning, "warning:").print(" the answer is empty\n");
    }
    say_made(session, workspace, {name, before, made->commit}, took(model, *made),
             undo_of(session, workspace, before, text.has_value(), asking.schema.has_value()));
  }
  const auto& failure = made->reply.failure;
  if (!failure && value && !value->fits()) {
    return invalid(value->json.empty()
                       ? "the answer is not JSON"
                       : "the answer does not match the schema: " + value->problems.front().text(),
                   "the answers are on the branch; remove the last with 'spoor undo'");
  }
  if (!failure) return {};
  if (failure->kind == llm::Failure::Kind::interrupted) {
    return interrupted("interrupted: the partial answer is kept and marked");
  }
  Error error = to_error(*failure);
  error.message = "the answer was cut off: " + error.message;
  error.hint = "the partial answer is kept and marked; remove it with 'spoor undo'";
  return error;
}

}  // namespace spoor::cli
