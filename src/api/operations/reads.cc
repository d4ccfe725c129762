// The operations that read, and those that move HEAD.
#include <array>

#include <fmt/format.h>

#include "api/operations/garbage.h"
#include "api/operations/operation_json.h"
#include "api/operations/operations.h"
#include "api/turns/decorations.h"
#include "api/turns/found_turns.h"
#include "api/turns/history.h"
#include "api/turns/prompt_body.h"
#include "api/turns/thoughts.h"
#include "api/turns/turn_json.h"
#include "base/base64.h"
#include "base/when.h"
#include "graph/diff.h"
#include "store/ancestry.h"
#include "store/fsck.h"
#include "store/operation_walk.h"
#include "trace/coverage.h"

namespace spoor::api::operations {

namespace {

constexpr std::array kRev = {Member{"rev", Holds::revision}};

constexpr std::array kLogMembers = {
    Member{"rev", Holds::revision},        Member{"not", Holds::revisions},
    Member{"limit", Holds::integer},       Member{"types", Holds::texts},
    Member{"all", Holds::boolean},         Member{"all_commits", Holds::boolean},
    Member{"author", Holds::text},         Member{"grep", Holds::text},
    Member{"ignore_case", Holds::boolean}, Member{"since", Holds::text},
    Member{"until", Holds::text},
};

constexpr std::array kCompileMembers = {
    Member{"rev", Holds::revision},
    Member{"at", Holds::revision},
    Member{"window", Holds::integer},
    Member{"budget", Holds::integer},
    Member{"clear_results_after", Holds::integer},
    Member{"strict", Holds::boolean},
    Member{"include_reasoning", Holds::boolean},
    Member{"to", Holds::text},
    Member{"last", Holds::integer},
    Member{"coverage", Holds::boolean},
};

constexpr std::array kDiffMembers = {
    Member{"from", Holds::revision},
    Member{"to", Holds::revision},
    Member{"include_reasoning", Holds::boolean},
};

constexpr std::array kReasoningMembers = {
    Member{"rev", Holds::revision},
    Member{"all", Holds::boolean},
    Member{"search", Holds::text},
    Member{"limit", Holds::integer},
};
constexpr std::array kSearchMembers = {
    Member{"text", Holds::text, true}, Member{"query", Holds::boolean},
    Member{"rev", Holds::revision},    Member{"not", Holds::revisions},
    Member{"types", Holds::texts},     Member{"author", Holds::text},
    Member{"since", Holds::text},      Member{"until", Holds::text},
    Member{"limit", Holds::integer},
};
constexpr std::array kContentMembers = {Member{"hash", Holds::text, true}};
constexpr std::array kRefsMembers = {Member{"prefix", Holds::text}};
constexpr std::array kAncestorMembers = {
    Member{"ancestor", Holds::revision, true},
    Member{"of", Holds::revision},
};
constexpr std::array kOperationsMembers = {
    Member{"after", Holds::integer},
    Member{"limit", Holds::integer},
};
constexpr std::array kRefAtMembers = {
    Member{"ref", Holds::text, true},
    Member{"time", Holds::text, true},
};
constexpr std::array kSwitchMembers = {
    Member{"branch", Holds::text},
    Member{"detach", Holds::revision},
};
constexpr std::array kGcMembers = {Member{"retention", Holds::text}};
constexpr std::array kLimitMembers = {Member{"tokens", Holds::integer}};

Result<void> resolve(Context& context, const Request& request, JsonWriter& json) {
  const Oid oid = TRY(context.resolve(request.text("rev", "HEAD")));
  if (request.has("as")) context.names[request.text("as")] = oid;
  json.object().member("hash", oid).end();
  return {};
}

Result<void> show(Context& context, const Request& request, JsonWriter& json) {
  const Workspace& workspace = context.workspace;
  const Oid oid = TRY(context.resolve(request.text("rev", "HEAD")));
  const TurnView view = TRY(read_view(workspace.reader(), oid));
  const Marks marks = TRY(marks_at(workspace, TRY(workspace.head_commit()), view));
  const Decorations decorations = TRY(Decorations::read(workspace));
  const TokenCount tokens = view.reported_tokens(context.repository().counter());
  write_commit(json, view, marks, tokens, decorations.at(oid));
  return {};
}

Result<HistoryQuery> log_query(Context& context, const Request& request) {
  HistoryQuery query;
  if (request.flag("all")) {
    TRY(add_all(context.workspace, query));
  } else if (const auto tip = TRY(context.resolve_or_empty(request.text("rev", "HEAD")))) {
    query.tips.push_back(*tip);
  }
  for (const std::string& text : request.texts("not")) {
    query.without.push_back(TRY(context.resolve(text)));
  }
  query.types = request.texts("types");
  for (const std::string& type : query.types) {
    if (!is_kind(type)) return invalid(fmt::format("there is no type '{}'", type), kinds_hint());
  }
  query.author = request.text("author");
  query.grep = request.text("grep");
  query.ignore_case = request.flag("ignore_case");
  query.with_bookkeeping = request.flag("all_commits");
  const Timestamp now = context.repository().clock().now();
  if (request.has("since")) query.since = TRY(parse_when(request.text("since"), now));
  if (request.has("until")) query.until = TRY(parse_when(request.text("until"), now));
  if (const auto limit = request.integer("limit")) {
    if (*limit < 0) return invalid("'limit' must not be negative", "leave it out");
    query.limit = static_cast<std::uint64_t>(*limit);
  }
  return query;
}

Result<void> log(Context& context, const Request& request, JsonWriter& json) {
  const HistoryQuery query = TRY(log_query(context, request));
  const Decorations decorations = TRY(Decorations::read(context.workspace));
  json.object().list("commits");
  TRY(walk(context.workspace, query, [&](const HistoryStep& step) {
    write_entry(json, step.view, step.marks, step.tokens(context.repository().counter()),
                decorations.at(step.view.oid));
    return true;
  }));
  json.end().end();
  return {};
}

Result<std::optional<Oid>> commit_to_compile(Context& context, const Request& request) {
  const std::optional<Oid> commit = TRY(context.resolve_or_empty(request.text("rev", "HEAD")));
  if (!request.has("at")) return commit;
  const Oid at = TRY(context.resolve(request.text("at"), commit));
  if (!commit || !TRY(store::is_ancestor(context.workspace.reader(), at, *commit))) {
    return not_found(fmt::format("'{}' is not in the history of 'rev'", request.text("at")));
  }
  return std::optional(at);
}

compile::CompileOptions options_of(const Request& request) {
  compile::CompileOptions options;
  options.include_reasoning = request.flag("include_reasoning");
  options.strict = request.flag("strict");
  options.window = request.integer("window");
  options.budget = request.integer("budget");
  options.clear_results_after = request.integer("clear_results_after");
  return options;
}

Result<std::optional<std::uint64_t>> last_of(const Request& request) {
  const auto last = request.integer("last");
  if (!last) return std::optional<std::uint64_t>();
  if (*last < 0) return invalid("'last' must not be negative", "leave it out");
  return std::optional(static_cast<std::uint64_t>(*last));
}

Result<void> compile(Context& context, const Request& request, JsonWriter& json) {
  const compile::CompileOptions options = options_of(request);
  const std::optional<Oid> commit = TRY(commit_to_compile(context, request));
  const compile::Prompt prompt = TRY(context.repository().compile(commit, options));
  const auto last = TRY(last_of(request));
  if (!request.has("to")) {
    json.object();
    write_prompt_facts(json, prompt, last);
    if (request.flag("coverage")) {
      const auto coverage = TRY(trace::imported_coverage(context.repository(), commit));
      json.key("coverage");
      coverage ? json.json(trace::to_json(*coverage)) : json.null();
    }
    write_messages(json, prompt, last);
    json.end();
    return {};
  }
  const std::string shape = request.text("to");
  const std::string body = TRY(prompt_body(prompt, context.workspace.reader(), shape));
  json.object();
  write_prompt_facts(json, prompt, last);
  json.key("body");
  shape == "text" ? json.value(body) : json.json(harmless_json(body));
  json.end();
  return {};
}

Result<void> diff(Context& context, const Request& request, JsonWriter& json) {
  compile::CompileOptions options;
  options.include_reasoning = request.flag("include_reasoning");
  std::optional<Oid> from;
  if (request.has("from")) from = TRY(context.resolve_or_empty(request.text("from")));
  const std::optional<Oid> to = TRY(context.resolve_or_empty(request.text("to", "HEAD")));
  const compile::Prompt before = TRY(context.repository().compile(from, options));
  const compile::Prompt after = TRY(context.repository().compile(to, options));
  write_diff(json, from, to, TRY(graph::diff(before, after, context.workspace.reader())),
             before.tokens_estimated || after.tokens_estimated);
  return {};
}

Result<void> reasoning_list(Context& context, const Request& request, JsonWriter& json) {
  HistoryQuery query = TRY(log_query(context, request));
  query.text = request.text("search");
  json.object().list("reasoning");
  TRY(walk_thoughts(context.workspace, query, [&](const Thought& thought) {
    write_thought(json, thought, query.text);
    return true;
  }));
  json.end().end();
  return {};
}

Result<void> reasoning_of(Context& context, const Request& request, JsonWriter& json) {
  const Oid commit = TRY(context.resolve(request.text("rev", "HEAD")));
  json.object().list("reasoning");
  for (const Thought& thought : TRY(thoughts_behind(context.workspace, commit))) {
    write_thought(json, thought, {});
  }
  json.end().end();
  return {};
}

Result<void> search(Context& context, const Request& request, JsonWriter& json) {
  TurnSearch search;
  search.text = request.text("text");
  search.is_query = request.flag("query");
  search.where = TRY(log_query(context, request));
  if (search.text.empty()) return invalid("an empty text is everywhere", "give some text");
  if (!request.has("rev")) {
    search.where.tips.clear();
    TRY(add_all(context.workspace, search.where));
  }
  const Decorations decorations = TRY(Decorations::read(context.workspace));
  json.object().list("turns");
  TRY(find_turns(context.workspace, search, [&](const TurnView& view, const Matcher& matcher) {
    write_found(json, view, matcher, decorations.at(view.oid));
    return true;
  }));
  json.end().end();
  return {};
}

Result<void> content(Context& context, const Request& request, JsonWriter& json) {
  const auto oid = Oid::from_hex(request.text("hash"));
  if (!oid) return invalid("'hash' of 'content' must be 64 digits");
  const auto bytes = TRY(context.workspace.reader().content(*oid));
  json.object().member("hash", *oid).member("bytes", static_cast<std::uint64_t>(bytes->size()));
  json.member("base64", encode_base64(*bytes)).end();
  return {};
}

Result<void> refs(Context& context, const Request& request, JsonWriter& json) {
  json.object().list("refs");
  for (const store::Ref& ref :
       TRY(context.workspace.store().refs(request.text("prefix", "refs/")))) {
    json.object().member("name", ref.name).member("hash", ref.target).end();
  }
  json.end().end();
  return {};
}

Result<void> status(Context& context, const Request& /*request*/, JsonWriter& json) {
  const Head head = TRY(context.workspace.head());
  json.object().member_or_null("branch", head.branch).member("detached", head.is_detached());
  json.member("head", TRY(context.workspace.head_commit()));
  json.member("token_limit", TRY(context.repository().token_limit())).end();
  return {};
}

Result<void> is_ancestor(Context& context, const Request& request, JsonWriter& json) {
  const Oid ancestor = TRY(context.resolve(request.text("ancestor")));
  const Oid of = TRY(context.resolve(request.text("of", "HEAD")));
  const bool answer = TRY(store::is_ancestor(context.workspace.reader(), ancestor, of));
  json.object().member("is_ancestor", answer).end();
  return {};
}

Result<void> write_operation(JsonWriter& json, const store::LoggedOperation& logged) {
  const store::Operation operation = TRY(store::parse_operation(logged.body));
  json.object().member("number", logged.number).member("hash", logged.name);
  json.member("time", operation.time).member("actor", operation.actor);
  json.member("command", operation.command).member("undo", operation.undo);
  write_moves(json, operation.refs);
  json.end();
  return {};
}

Result<void> operations(Context& context, const Request& request, JsonWriter& json) {
  const std::int64_t after = request.integer("after").value_or(0);
  const std::int64_t limit = request.integer("limit").value_or(1000);
  if (after < 0 || limit < 0) return invalid("'after' and 'limit' must not be negative");
  json.object().list("operations");
  for (const store::LoggedOperation& logged :
       TRY(store::verified_operations(context.workspace.store(), static_cast<std::uint64_t>(after),
                                      static_cast<std::size_t>(limit)))) {
    TRY(write_operation(json, logged));
  }
  json.end().end();
  return {};
}

Result<void> ref_at(Context& context, const Request& request, JsonWriter& json) {
  const Timestamp now = context.repository().clock().now();
  const Timestamp time = TRY(parse_when(request.text("time"), now));
  const std::string name = request.text("ref");
  const auto logged = TRY(context.workspace.store().operation_at(name, time));
  std::optional<Oid> target;
  if (logged) {
    for (const store::RefMove& move : TRY(store::parse_operation(logged->body)).refs) {
      if (move.name == name) target = move.after;
    }
  }
  json.object().member("ref", name).member("hash", target).end();
  return {};
}

Result<void> fsck(Context& context, const Request& /*request*/, JsonWriter& json) {
  const store::FsckReport report = TRY(store::fsck(context.workspace.store()));
  json.object().member("sound", report.is_sound()).member("operations", report.operations);
  json.member("problem_count", report.problem_count).list("problems");
  for (const auto& problem : report.problems) {
    json.object().member("subject", problem.subject).member("rule", name_of(problem.rule));
    json.member("message", problem.message).end();
  }
  json.end().end();
  return {};
}

Result<void> gc(Context& context, const Request& request, JsonWriter& json) {
  const auto options =
      TRY(gc_options(context.workspace, context.author, request.text("retention", kRetention),
                     context.repository().clock().now()));
  const store::Garbage garbage = TRY(store::find_garbage(context.workspace.store(), options));
  json.object();
  TRY(add_garbage(context.workspace, garbage, json));
  json.end();
  return {};
}

Result<void> rebuild(Context& context, const Request& /*request*/, JsonWriter& json) {
  TRY(context.workspace.store().rebuild());
  context.repository().drop_caches();
  json.object().member("rebuilt", true).end();
  return {};
}

Result<void> switch_head(Context& context, const Request& request, JsonWriter& json) {
  Workspace& workspace = context.workspace;
  const std::string branch = request.text("branch");
  if (branch.empty() == !request.has("detach")) {
    return invalid("'switch' needs 'branch' or 'detach'");
  }
  Head head{branch, std::nullopt};
  if (branch == "-") {
    head = TRY(workspace.previous_head());
  } else if (branch.empty()) {
    head = {{}, TRY(context.resolve(request.text("detach")))};
  } else if (!TRY(workspace.store().ref(store::branch_ref(branch)))) {
    return not_found(fmt::format("no branch '{}'", branch));
  }
  TRY(workspace.set_head(head));
  return status(context, request, json);
}

Result<void> set_token_limit(Context& context, const Request& request, JsonWriter& json) {
  const auto tokens = request.integer("tokens");
  if (tokens && *tokens < 0) return invalid("'tokens' must not be negative");
  std::optional<std::uint64_t> limit;
  if (tokens) limit = static_cast<std::uint64_t>(*tokens);
  TRY(context.repository().set_token_limit(limit));
  json.object().member("token_limit", limit).end();
  return {};
}

constexpr std::array kReads = {
    Operation{"resolve", "the hash a revision names", kRev, resolve},
    Operation{"show", "everything one commit holds", kRev, show},
    Operation{"log", "a history, newest first", kLogMembers, log},
    Operation{"compile", "the prompt at a commit", kCompileMembers, compile},
    Operation{"diff", "two prompts compared", kDiffMembers, diff},
    Operation{"reasonings", "reasoning, each with its answer", kReasoningMembers, reasoning_list},
    Operation{"reasoning_of", "the thinking behind one turn", kRev, reasoning_of},
    Operation{"search", "turns by what they say", kSearchMembers, search},
    Operation{"content", "the bytes of a content", kContentMembers, content},
    Operation{"refs", "names and what they point at", kRefsMembers, refs},
    Operation{"status", "where HEAD is", {}, status},
    Operation{"is_ancestor", "is one commit before another", kAncestorMembers, is_ancestor},
    Operation{"operations", "the operation log", kOperationsMembers, operations},
    Operation{"ref_at", "where a ref pointed at a time", kRefAtMembers, ref_at},
    Operation{"fsck", "check the whole store", {}, fsck},
    Operation{"gc", "what gc would remove", kGcMembers, gc},
    Operation{"rebuild", "make everything derived again", {}, nullptr, nullptr, rebuild},
    Operation{"switch", "move HEAD", kSwitchMembers, nullptr, nullptr, switch_head},
    Operation{"set_token_limit", "limit the prompt", kLimitMembers, nullptr, nullptr,
              set_token_limit},
};

}  // namespace

std::span<const Operation> reading_operations() { return kReads; }

}  // namespace spoor::api::operations
