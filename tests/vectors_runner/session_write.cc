#include "graph/directives.h"
#include "graph/refs.h"
#include "graph/restore.h"
#include "store/ancestry.h"
#include "tests/vectors_runner/session.h"
#include "tests/vectors_runner/shapes.h"

namespace spoor::vectors {
namespace {

using compile::Turn;
using graph::Draft;

std::string text_or(const Json& op, const char* field, const std::string& otherwise = {}) {
  return op.contains(field) ? op[field].get<std::string>() : otherwise;
}

bool flag(const Json& op, const char* field, bool otherwise) {
  return op.contains(field) ? op[field].get<bool>() : otherwise;
}

compile::Extra extra_of(const Json& op) {
  compile::Extra extra;
  extra.message = text_or(op, "message");
  if (op.contains("metadata")) extra.metadata = op["metadata"].dump();
  if (op.contains("tags")) extra.tags = op["tags"].get<std::vector<std::string>>();
  return extra;
}

graph::Signed signed_by(const Json& op) {
  return {.author = {}, .time = {}, .extra = extra_of(op)};
}

// `arguments` is any JSON here, and the provider's own text in the library: its
// compact form stands for what a provider would have sent.
std::vector<compile::ToolCall> calls_of(const Json& list) {
  std::vector<compile::ToolCall> calls;
  for (const Json& call : list) {
    calls.push_back({call.at("id"), call.at("name"), call.at("arguments").dump()});
  }
  return calls;
}

Turn turn_of(const Json& op) {
  Turn turn{.type = *store::type_from(op["op"].get<std::string>()), .text = text_or(op, "text")};
  turn.fields.name = text_or(op, "name");
  turn.fields.call_id = text_or(op, "call_id");
  turn.fields.is_error = flag(op, "is_error", false);
  if (op.contains("tool_calls")) turn.fields.tool_calls = calls_of(op["tool_calls"]);
  if (turn.type == store::Type::reasoning) turn.fields.format = text_or(op, "format", "parsed");
  if (op.contains("rationale")) turn.fields.rationale = op["rationale"].dump();
  if (op.contains("set")) turn.fields.set = op["set"].dump();
  turn.extra = extra_of(op);
  return turn;
}

Json hash_of(const Oid& oid) { return oid.hex(); }

}  // namespace

Result<Json> Session::write(std::string_view command, const Body& body) {
  if (!head_.branch) return invalid("HEAD is detached", "check out a branch first");
  const std::string ref = store::branch_ref(*head_.branch);
  if (batch_ != nullptr) return body(*batch_, ref);
  Json made;
  TRY(repository_->transact(command, graph::OnConflict::fail, [&](Draft& draft) -> Result<void> {
    made = TRY(body(draft, ref));
    return {};
  }));
  return made;
}

Result<Json> Session::write_refs(std::string_view command,
                                 const std::function<Result<void>(Draft&)>& body) {
  if (batch_ != nullptr) {
    TRY(body(*batch_));
  } else {
    TRY(repository_->transact(command, graph::OnConflict::fail, body));
  }
  return Json();
}

Result<Json> Session::append(const Json& op) {
  const Turn turn = turn_of(op);
  if (turn.type == store::Type::reasoning) {  // Written by a person, as every op here.
    TRY(compile::check_known_reasoning_format(turn.fields.format));
  }
  if (head_.branch && batch_ == nullptr) {
    return hash_of(TRY(repository_->branch(*head_.branch).commit(turn)));
  }
  return write(store::name_of(turn.type), [&](Draft& draft, const auto& ref) -> Result<Json> {
    const auto now = clock_->now();
    return hash_of(TRY(draft.append(ref, graph::stamped(turn, repository_->author(), now))));
  });
}

Result<Json> Session::edit(const Json& op) {
  return write("edit", [&](Draft& draft, const auto& ref) -> Result<Json> {
    graph::Edit edit;
    if (op.contains("text")) edit.text = op["text"].get<std::string>();
    if (op.contains("tool_calls")) edit.tool_calls = calls_of(op["tool_calls"]);
    const Oid target = TRY(resolve(op["target"]));
    return hash_of(TRY(draft.edit(ref, target, edit, signed_by(op))));
  });
}

Result<Json> Session::restore(const Json& op) {
  return write("restore", [&](Draft& draft, const auto& ref) -> Result<Json> {
    const Oid target = TRY(resolve(op["target"]));
    return hash_of(TRY(graph::restore(draft, reader(), repository_->folder(), ref, target,
                                      op["version"].get<std::size_t>(), signed_by(op))));
  });
}

Result<Json> Session::annotate(const Json& op) {
  return write("annotate", [&](Draft& draft, const auto& ref) -> Result<Json> {
    const auto priority = store::priority_from(op["priority"].get<std::string>());
    if (!priority) return invalid("no such priority");
    const Oid target = TRY(resolve(op["target"]));
    return hash_of(
        TRY(draft.annotate(ref, target, *priority, text_or(op, "reason"), signed_by(op))));
  });
}

Result<Json> Session::compress(const Json& op) {
  return write("compress", [&](Draft& draft, const auto& ref) -> Result<Json> {
    graph::CompressRange range;
    if (op.contains("from")) range.from = TRY(resolve(op["from"]));
    if (op.contains("to")) range.to = TRY(resolve(op["to"]));
    const Turn summary{.type = store::Type::summary, .text = op["text"]};
    const auto done = TRY(draft.compress(ref, range, summary, signed_by(op)));
    return Json{{"commit", done.commit.hex()}, {"sources", done.sources}, {"kept", done.kept}};
  });
}

Result<Json> Session::merge(const Json& op) {
  return write("merge", [&](Draft& draft, const auto& ref) -> Result<Json> {
    const auto mode = store::mode_from(text_or(op, "mode", "append"));
    if (!mode) return invalid("no such mode");
    graph::MergeRequest request{.mode = *mode,
                                .no_fast_forward = flag(op, "no_ff", false),
                                .targets = {},
                                .digest = {},
                                .by = signed_by(op)};
    if (op.contains("text")) {
      request.digest = Turn{.type = store::Type::summary, .text = op["text"]};
    }
    const Oid source = TRY(resolve(op["source"]));
    if (op.contains("targets")) {
      for (const Json& target : op["targets"]) request.targets.push_back(TRY(resolve(target)));
    }
    const auto merged =
        TRY(graph::merge(draft, reader(), repository_->folder(), ref, source, request));
    Json result = {{"type", merged.is_fast_forward ? "fast_forward" : "merge"},
                   {"commit", nullptr},
                   {"parents", Json::array()},
                   {"conflicts", Json::array()}};
    for (const auto& conflict : merged.conflicts) result["conflicts"].push_back(json_of(conflict));
    if (merged.is_fast_forward) return result;
    result["commit"] = merged.tip.hex();
    for (const Oid& parent : TRY(reader().commit(merged.tip))->parents) {
      result["parents"].push_back(parent.hex());
    }
    return result;
  });
}

Result<Json> Session::reset(const Json& op) {
  return write("reset", [&](Draft& draft, const auto& ref) -> Result<Json> {
    TRY(draft.move(ref, TRY(resolve(op["target"]))));
    return Json();
  });
}

Result<Json> Session::branch(const Json& op) {
  const std::string name = op["name"];
  const Oid from = TRY(resolve_field(op, "from", "HEAD"));
  const Json made = TRY(
      write_refs("branch", [&](Draft& draft) { return graph::create_branch(draft, name, from); }));
  if (flag(op, "checkout", true)) move_head({name, {}});
  return made;
}

Result<Json> Session::delete_branch(const Json& op) {
  const std::string name = op["name"];
  if (head_.branch == name) return conflict("the current branch cannot be deleted");
  const auto kept = TRY(head());
  return write_refs("branch", [&](Draft& draft) {
    return graph::delete_branch(draft, reader(), name, kept, flag(op, "force", false));
  });
}

Result<Json> Session::checkout(const Json& op) {
  const std::string target = op["target"];
  if (target == "-") {
    if (!previous_) return not_found("there is no previous position");
    move_head(Position(*previous_));
  } else if (TRY(tip(store::branch_ref(target)))) {
    move_head({target, {}});
  } else {
    move_head({std::nullopt, TRY(resolve(target))});
  }
  return Json();
}

Result<Json> Session::tag(const Json& op) {
  const Oid target = TRY(resolve_field(op, "target", "HEAD"));
  return write_refs("tag", [&](Draft& draft) {
    return graph::create_tag(draft, op["name"].get<std::string>(), target);
  });
}

Result<Json> Session::delete_tag(const Json& op) {
  return write_refs(
      "tag", [&](Draft& draft) { return graph::delete_tag(draft, op["name"].get<std::string>()); });
}

}  // namespace spoor::vectors
