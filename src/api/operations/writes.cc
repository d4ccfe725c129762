// The operations that add commits or move refs. Each works on a draft, alone or
// as part of a transaction.
#include <array>

#include <fmt/format.h>

#include "api/operations/operations.h"
#include "api/operations/write_support.h"
#include "base/base64.h"
#include "graph/refs.h"

namespace spoor::api::operations {

namespace {

using graph::Draft;
using json::Value;

constexpr auto kTurnMembers = with_common({
    {"text", Holds::text, true},
    {"name", Holds::text},
    {"role", Holds::text},
    {"tool_calls", Holds::list},
    {"call_id", Holds::text},
    {"is_error", Holds::boolean},
    {"format", Holds::text},
    {"rationale", Holds::object},
    {"set", Holds::object},
    {"meta", Holds::object},
    {"raw", Holds::texts},
    {"attach", Holds::list},
    {"about", Holds::revisions},
    {"media_type", Holds::text},
});

constexpr auto kConfigMembers = with_common({
    {"set", Holds::object, true},
});

constexpr auto kEditMembers = with_common({
    {"target", Holds::revision, true},
    {"text", Holds::text},
    {"tool_calls", Holds::list},
});

constexpr auto kAnnotateMembers = with_common({
    {"target", Holds::revision, true},
    {"priority", Holds::text, true},
    {"reason", Holds::text},
});

constexpr auto kCompressMembers = with_common({
    {"text", Holds::text, true},
    {"from", Holds::revision},
    {"to", Holds::revision},
});

constexpr auto kMergeMembers = with_common({
    {"source", Holds::revision, true},
    {"mode", Holds::text},
    {"text", Holds::text},
    {"targets", Holds::revisions},
});

constexpr std::array kMoveMembers = {
    Member{"name", Holds::text, true},
    Member{"to", Holds::revision},
    Member{"force", Holds::boolean},
};

constexpr std::array kExpectMembers = {
    Member{"branch", Holds::text, true},
    Member{"hash", Holds::revision},
};

constexpr std::array kDeleteMembers = {Member{"name", Holds::text, true}};

Result<std::vector<compile::Item>> attachments(const Value& list) {
  std::vector<compile::Item> items;
  if (!list) return items;
  for (const Value& one : list.elements()) {
    compile::Item item;
    item.media_type = one.find("media_type").is_string() ? one.find("media_type").text()
                                                         : "application/octet-stream";
    if (one.find("text").is_string()) {
      item.bytes = one.find("text").text();
    } else {
      auto bytes = decode_base64(one.find("base64").text());
      if (!one.find("base64").is_string() || !bytes) {
        return invalid("each of 'attach' must have 'text' or 'base64'");
      }
      item.bytes = std::move(*bytes);
    }
    items.push_back(std::move(item));
  }
  return items;
}

Result<compile::Turn> turn_of(Context& context, const BranchTip& place, const Request& request,
                              store::Type type) {
  compile::Turn turn;
  turn.type = type;
  turn.text = request.text("text");
  turn.media_type = request.text("media_type", "text/plain");
  turn.fields.name = request.text("name");
  turn.fields.role = request.text("role");
  turn.fields.call_id = request.text("call_id");
  turn.fields.is_error = request.flag("is_error");
  const bool is_reasoning = type == store::Type::reasoning;
  turn.fields.format = request.text("format", is_reasoning ? "parsed" : "");
  if (is_reasoning) TRY(compile::check_known_reasoning_format(turn.fields.format));
  turn.fields.rationale = json_of(request.at("rationale"));
  turn.fields.set = json_of(request.at("set"));
  if (request.has("tool_calls")) turn.fields.tool_calls = TRY(read_calls(request.at("tool_calls")));
  turn.extra = extra_of(request);
  if (request.has("meta")) {
    for (const json::Member& member : request.at("meta").members()) {
      turn.facts.set_json(member.key.text(), std::string(member.value.raw()));
    }
  }
  for (std::string& item : request.texts("raw")) turn.raw.push_back({std::move(item)});
  turn.attach = TRY(attachments(request.at("attach")));
  for (const std::string& about : request.texts("about")) {
    turn.about.push_back(TRY(context.resolve(about, place.tip)));
  }
  turn.author = request.text("author");
  turn.time = TRY(time_of(request));
  const Repository& repository = context.repository();
  return graph::stamped(std::move(turn), context.author, repository.clock().now());
}

template <store::Type type>
Result<void> append(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  const BranchTip place = TRY(branch_tip(context, draft, request));
  const compile::Turn turn = TRY(turn_of(context, place, request, type));
  answer(context, place, request, TRY(draft.append(place.ref, turn)), json);
  return {};
}

Result<void> edit(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  const BranchTip place = TRY(branch_tip(context, draft, request));
  const Oid target = TRY(context.resolve(request.text("target"), place.tip));
  graph::Edit edit;
  if (request.has("text")) edit.text = request.text("text");
  if (request.has("tool_calls")) edit.tool_calls = TRY(read_calls(request.at("tool_calls")));
  const graph::Signed by = TRY(signed_by(request));
  answer(context, place, request, TRY(draft.edit(place.ref, target, edit, by)), json);
  return {};
}

Result<void> annotate(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  const BranchTip place = TRY(branch_tip(context, draft, request));
  const Oid target = TRY(context.resolve(request.text("target"), place.tip));
  const auto priority = store::priority_from(request.text("priority"));
  if (!priority) return invalid("'priority' must be skip, normal or pinned");
  const graph::Signed by = TRY(signed_by(request));
  const Oid made = TRY(draft.annotate(place.ref, target, *priority, request.text("reason"), by));
  answer(context, place, request, made, json);
  return {};
}

Result<void> compress(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  const BranchTip place = TRY(branch_tip(context, draft, request));
  graph::CompressRange range;
  if (request.has("from")) range.from = TRY(context.resolve(request.text("from"), place.tip));
  if (request.has("to")) range.to = TRY(context.resolve(request.text("to"), place.tip));
  compile::Turn summary;
  summary.type = store::Type::summary;
  summary.text = request.text("text");
  const graph::Signed by = TRY(signed_by(request));
  const graph::Compressed made = TRY(draft.compress(place.ref, range, summary, by));
  if (request.has("as")) context.names[request.text("as")] = made.commit;
  json.object().member("hash", made.commit).member("branch", place.branch);
  json.member("before", place.tip).member("sources", static_cast<std::uint64_t>(made.sources));
  json.member("kept", static_cast<std::uint64_t>(made.kept)).end();
  return {};
}

Result<void> merge(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  const BranchTip place = TRY(branch_tip(context, draft, request));
  const Oid source = TRY(context.resolve(request.text("source"), place.tip));
  const auto mode = store::mode_from(request.text("mode", "append"));
  if (!mode) return invalid("'mode' must be append, digest, pick or ours");
  std::vector<Oid> targets;
  for (const std::string& target : request.texts("targets")) {
    targets.push_back(TRY(context.resolve(target, place.tip)));
  }
  compile::Turn digest;
  digest.type = store::Type::summary;
  digest.text = request.text("text");
  const graph::Signed by = TRY(signed_by(request));
  const compile::Turn* given = request.has("text") ? &digest : nullptr;
  const Oid made = TRY(draft.merge(place.ref, source, *mode, targets, given, by));
  answer(context, place, request, made, json);
  return {};
}

// Creates a branch or a tag, or with `force` moves it.
Result<void> move(Context& context, Draft& draft, const Request& request, const std::string& ref,
                  JsonWriter& json) {
  const std::string name = request.text("name");
  if (const std::string problem = graph::short_name_problem(name); !problem.empty()) {
    return invalid(fmt::format("'{}' is not a valid name: {}", name, problem));
  }
  const std::optional<Oid> before = TRY(draft.tip(ref));
  if (before && !request.flag("force")) {
    return conflict(fmt::format("'{}' already exists", name));
  }
  const Oid to = TRY(context.resolve(request.text("to", "HEAD")));
  if (before != to) TRY(draft.move(ref, to));
  json.object().member("name", name).member("hash", to).member("before", before).end();
  return {};
}

Result<void> remove(Draft& draft, const Request& request, const std::string& ref,
                    JsonWriter& json) {
  const std::optional<Oid> before = TRY(draft.tip(ref));
  if (!before) return not_found(fmt::format("'{}' does not exist", request.text("name")));
  TRY(draft.move(ref, std::nullopt));
  json.object().member("name", request.text("name")).member("before", before).end();
  return {};
}

Result<void> move_branch(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  return move(context, draft, request, store::branch_ref(request.text("name")), json);
}

Result<void> move_tag(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  return move(context, draft, request, store::tag_ref(request.text("name")), json);
}

Result<void> delete_branch(Context& context, Draft& draft, const Request& request,
                           JsonWriter& json) {
  const Head head = TRY(context.workspace.head());
  if (!head.is_detached() && head.branch == request.text("name")) {
    return conflict(fmt::format("HEAD is on '{}'", head.branch));
  }
  return remove(draft, request, store::branch_ref(request.text("name")), json);
}

Result<void> delete_tag(Context& /*context*/, Draft& draft, const Request& request,
                        JsonWriter& json) {
  return remove(draft, request, store::tag_ref(request.text("name")), json);
}

// Fails unless the branch is where the writer saw it, so that what follows in a transaction is
// written only then.
Result<void> expect(Context& context, Draft& draft, const Request& request, JsonWriter& json) {
  const BranchTip place = TRY(branch_tip(context, draft, request));
  std::optional<Oid> seen;
  if (request.has("hash")) seen = TRY(context.resolve(request.text("hash"), place.tip));
  if (place.tip != seen) {
    return conflict(fmt::format("'{}' was moved by another writer", place.branch),
                    "read the branch again");
  }
  json.object().member("branch", place.branch).member("hash", place.tip).end();
  return {};
}

using store::Type;
constexpr std::array kWrites = {
    Operation{"system", "add a system prompt", kTurnMembers, nullptr, append<Type::system>},
    Operation{"user", "add a user's turn", kTurnMembers, nullptr, append<Type::user>},
    Operation{"assistant", "add an answer", kTurnMembers, nullptr, append<Type::assistant>},
    Operation{"tool", "add a tool's result", kTurnMembers, nullptr, append<Type::tool>},
    Operation{"reasoning", "add reasoning", kTurnMembers, nullptr, append<Type::reasoning>},
    Operation{"artifact", "add a document", kTurnMembers, nullptr, append<Type::artifact>},
    Operation{"summary", "add a summary", kTurnMembers, nullptr, append<Type::summary>},
    Operation{"note", "add a note", kTurnMembers, nullptr, append<Type::note>},
    Operation{"decision", "add a decision", kTurnMembers, nullptr, append<Type::decision>},
    Operation{"config", "change settings", kConfigMembers, nullptr, append<Type::config>},
    Operation{"edit", "replace a turn's text or calls", kEditMembers, nullptr, edit},
    Operation{"annotate", "set a turn's priority", kAnnotateMembers, nullptr, annotate},
    Operation{"compress", "summarise a range", kCompressMembers, nullptr, compress},
    Operation{"merge", "merge another branch", kMergeMembers, nullptr, merge},
    Operation{"branch", "create or move a branch", kMoveMembers, nullptr, move_branch},
    Operation{"tag", "create or move a tag", kMoveMembers, nullptr, move_tag},
    Operation{"delete_branch", "delete a branch", kDeleteMembers, nullptr, delete_branch},
    Operation{"delete_tag", "delete a tag", kDeleteMembers, nullptr, delete_tag},
    Operation{"expect", "require the tip of a branch", kExpectMembers, nullptr, expect},
};

}  // namespace

std::span<const Operation> writing_operations() { return kWrites; }

}  // namespace spoor::api::operations
