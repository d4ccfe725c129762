#include <set>

#include "graph/bisect.h"
#include "graph/directives.h"
#include "graph/reasoning.h"
#include "graph/search.h"
#include "store/ancestry.h"
#include "tests/vectors_runner/session.h"
#include "tests/vectors_runner/shapes.h"
#include "tests/vectors_runner/verify.h"

namespace spoor::vectors {
namespace {

constexpr std::size_t kLogLimit = 20;
constexpr std::size_t kRecent = 3;

using Named = std::vector<store::NamedCommit>;

Json hashes_of(const std::vector<Oid>& oids) {
  Json list = Json::array();
  for (const Oid& oid : oids) list.push_back(oid.hex());
  return list;
}

Json priority_of(const compile::State* state, const Oid& commit) {
  const compile::Entry* entry = state == nullptr ? nullptr : state->find(commit);
  return entry == nullptr ? Json() : Json(store::name_of(entry->priority));
}

Json first_parent(const store::Commit& commit) {
  return commit.parents.empty() ? Json() : Json(commit.parents[0].hex());
}

std::set<std::string> types_of(const Json& op) {
  if (!op.contains("type")) return {};
  if (op["type"].is_string()) return {op["type"].get<std::string>()};
  return op["type"].get<std::set<std::string>>();
}

}  // namespace

Result<Json> Session::show(const Json& op) {
  const Oid oid = TRY(resolve(op["target"]));
  const auto commit = TRY(reader().commit(oid));
  const bool is_summary = commit->op == store::Op::compress ||
                          (commit->op == store::Op::merge && commit->content.has_value());
  const auto type = is_summary ? store::Type::summary : commit->type;
  const std::string role(type ? compile::role_of(*type) : std::string_view());
  const compile::Extra extra = TRY(compile::extra_of(reader(), *commit));
  const auto head = TRY(this->head());
  const auto state = head ? TRY(repository_->folder().at(*head)) : nullptr;
  // Not within the list: what an early return leaves behind there g++ 12 never frees.
  const std::string message = TRY(message_of(reader(), *commit));
  const Json content = TRY(content_of(reader(), *commit));
  return Json{{"hash", oid.hex()},
              {"type", compile::kind_of(*commit)},
              {"role", role.empty() ? Json() : Json(role)},
              {"parent", first_parent(*commit)},
              {"parents", hashes_of(commit->parents)},
              {"message", message},
              {"metadata", extra.metadata.empty() ? Json::object() : parsed(extra.metadata)},
              {"tags", extra.tags},
              {"change", store::change_of(*commit, oid)},
              {"content", content},
              {"content_hash", compile::content_hash(*commit).hex()},
              {"priority", priority_of(state.get(), oid)}};
}

Result<Json> Session::log(const Json& op) {
  if (!op.contains("rev") && !TRY(head())) {  // A branch without commits has an empty history.
    return Json{{"entries", Json::array()},
                {"hashes", Json::array()},
                {"types", Json::array()},
                {"priorities", Json::array()},
                {"count", 0}};
  }
  const Oid tip = TRY(resolve_field(op, "rev", "HEAD"));
  const auto types = types_of(op);
  const bool all = op.value("all", false);
  const std::size_t limit = op.value("limit", kLogLimit);
  const auto state = TRY(repository_->folder().at(tip));

  Named shown;
  TRY(store::walk_chain(reader(), tip, [&](const store::NamedCommit& named) {
    const bool is_hidden = !all && compile::is_bookkeeping(*named.commit);
    const std::string type(compile::kind_of(*named.commit));
    if (!is_hidden && (types.empty() || types.contains(type)) && shown.size() < limit) {
      shown.push_back(named);
    }
    return shown.size() < limit;
  }));

  Json json = {{"entries", Json::array()},
               {"hashes", Json::array()},
               {"types", Json::array()},
               {"priorities", Json::array()},
               {"count", shown.size()}};
  for (const auto& [oid, commit] : shown) {
    const std::string message = TRY(message_of(reader(), *commit));
    const Json entry = {{"hash", oid.hex()},
                        {"parent", first_parent(*commit)},
                        {"type", compile::kind_of(*commit)},
                        {"priority", priority_of(state.get(), oid)},
                        {"message", message}};
    json["hashes"].push_back(entry["hash"]);
    json["types"].push_back(entry["type"]);
    json["priorities"].push_back(entry["priority"]);
    json["entries"].push_back(entry);
  }
  return json;
}

Result<Json> Session::status(const Json&) {
  std::size_t commits = 0;
  std::vector<Oid> recent;
  if (const auto head = TRY(this->head())) {
    TRY(store::walk_chain(reader(), *head, [&](const store::NamedCommit& named) {
      if (compile::is_bookkeeping(*named.commit)) return true;
      if (++commits <= kRecent) recent.push_back(named.oid);
      return true;
    }));
  }
  Json json = {{"commits", commits}, {"recent", hashes_of(recent)}};
  for (const char* name : {"head", "branch", "detached"}) json[name] = TRY(state(name));
  return json;
}

Result<Json> Session::compile(const Json& op) {
  compile::CompileOptions options;
  options.include_reasoning = op.value("include_reasoning", false);
  options.strict = op.value("strict", false);
  if (op.contains("window")) options.window = op["window"].get<std::int64_t>();
  if (op.contains("budget")) options.budget = op["budget"].get<std::int64_t>();

  std::optional<Oid> commit = TRY(head());
  if (op.contains("rev")) commit = TRY(resolve(op["rev"]));
  if (op.contains("at")) {
    const Oid at = TRY(resolve(op["at"]));
    if (!commit || !TRY(store::is_ancestor(reader(), at, *commit))) {
      return not_found("'at' is not on this history");
    }
    commit = at;
  }
  return json_of(TRY(repository_->compile(commit, options)));
}

Result<Json> Session::annotations(const Json& op) {
  const Oid tip = TRY(head_commit());
  const auto state = TRY(repository_->folder().at(tip));
  const Oid target = TRY(resolve(op["target"]));
  Json json = {{"priorities", Json::array()}, {"reasons", Json::array()}};
  for (const auto& one : TRY(graph::annotations_of(reader(), *state, tip, target))) {
    json["priorities"].push_back(store::name_of(one.priority));
    json["reasons"].push_back(one.reason.empty() ? Json() : Json(one.reason));
  }
  return json;
}

Result<Json> Session::versions(const Json& op) {
  const Oid tip = TRY(head_commit());
  const auto state = TRY(repository_->folder().at(tip));
  const Oid target = TRY(resolve(op["target"]));
  Json json = {{"hashes", Json::array()}, {"texts", Json::array()}};
  for (const auto& version : TRY(graph::versions_of(reader(), *state, tip, target))) {
    json["hashes"].push_back(version.commit.hex());
    json["texts"].push_back(*TRY(reader().content(version.content)));
  }
  return json;
}

Result<Json> Session::diff(const Json& op) {
  std::optional<Oid> before;
  if (op.contains("a") && !op["a"].is_null()) before = TRY(resolve(op["a"]));
  const auto a = TRY(repository_->compile(before));
  const auto b = TRY(repository_->compile(TRY(resolve_field(op, "b", "HEAD"))));
  return json_of(graph::diff(a, b));
}

Result<Json> Session::search(const Json& op) {
  std::vector<Oid> tips;
  if (op.value("all", false)) {
    for (const store::Ref& ref : TRY(repository_->store().refs(""))) tips.push_back(ref.target);
  } else if (const auto head = TRY(this->head())) {
    tips.push_back(*head);
  }
  const std::string needle = op["text"];
  const auto found = TRY(graph::search(reader(), tips, needle, graph::LookIn::texts));
  return Json{{"hashes", hashes_of(found)}};
}

Result<Json> Session::bisect(const Json& op) {
  const Oid good = TRY(resolve(op["good"]));
  const Oid bad = TRY(resolve(op["bad"]));
  const Json& test = op["test"];
  const bool wants = test.contains("contains");
  if (test.size() != 1 || (!wants && !test.contains("lacks"))) throw BadVector("an unknown test");
  const std::string needle = test[wants ? "contains" : "lacks"];
  const auto judge = [&](const Oid&, const compile::Prompt& prompt) -> Result<graph::Verdict> {
    bool holds = false;
    for (const auto& message : prompt.messages) {
      holds = holds || message.text().find(needle) != std::string::npos;
    }
    return holds == wants ? graph::Verdict::bad : graph::Verdict::good;
  };
  const auto found = TRY(graph::bisect(*repository_, good, bad, judge));
  return Json{{"first", found.first.hex()}, {"tests", found.tests}};
}

Result<Json> Session::reasoning_of(const Json& op) {
  const Oid target = TRY(resolve(op["target"]));
  Json json = {{"hashes", Json::array()}, {"texts", Json::array()}};
  for (const Oid& oid : TRY(graph::reasoning_of(reader(), target))) {
    json["hashes"].push_back(oid.hex());
    json["texts"].push_back(*TRY(compile::text_of(reader(), *TRY(reader().commit(oid)))));
  }
  return json;
}

Result<Json> Session::tags(const Json& op) {
  const Oid target = TRY(resolve(op["target"]));
  Json names = Json::array();
  const std::string prefix = store::tag_ref("");
  for (const store::Ref& ref : TRY(repository_->store().refs(prefix))) {
    if (ref.target == target) names.push_back(ref.name.substr(prefix.size()));
  }
  return Json{{"names", names}};
}

Result<Json> Session::verify(const Json&) { return verify_store(repository_->store()); }

}  // namespace spoor::vectors
