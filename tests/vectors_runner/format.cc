#include "tests/vectors_runner/format.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "tests/vectors_runner/fields.h"

namespace spoor::vectors {
namespace {

struct OpRule {
  Names required;
  Names optional;
  bool may_fail = true;  // Takes `expect_error`.
  bool binds = false;    // Takes `id`.
  Names result = {};     // Its fields; none: a plain text.
};

const Names kOwn = {"message", "metadata", "tags"};
const Names kSuffixes = {"not", "contains", "has", "lacks", "prefix", "len", "max", "json"};
const Names kStates = {"head", "branch", "detached", "branches", "tags", "exists"};
const Names kErrors = {"not_found", "ambiguous", "conflict", "invalid", "denied", "corrupt", "io"};

OpRule turn(Names required, Names optional = {}) {
  optional.insert(kOwn.begin(), kOwn.end());
  return {std::move(required), std::move(optional), true, true};
}

OpRule giving(OpRule rule, Names result) {
  rule.binds = true;
  rule.result = std::move(result);
  return rule;
}

OpRule driver(Names required, Names optional, bool binds = false) {
  return {std::move(required), std::move(optional), false, binds};
}

const std::map<std::string, OpRule>& rules() {
  static const std::map<std::string, OpRule> kRules = {
      {"system", turn({"text"}, {"name"})},
      {"user", turn({"text"})},
      {"assistant", turn({"text"}, {"tool_calls"})},
      {"tool", turn({"text", "call_id", "name"}, {"is_error"})},
      {"reasoning", turn({"text"}, {"format"})},
      {"artifact", turn({"text"}, {"name"})},
      {"summary", turn({"text"})},
      {"note", turn({"text"})},
      {"decision", turn({"text"}, {"rationale"})},
      {"config", turn({"set"})},
      {"edit", turn({"target"}, {"text", "tool_calls"})},
      {"restore", turn({"target", "version"})},
      {"annotate", turn({"target", "priority"}, {"reason"})},
      {"compress", giving(turn({"text"}, {"from", "to"}), {"commit", "sources", "kept"})},
      {"ingest", giving({{"response"}, {"reasoning"}}, {"text", "reasoning", "format", "tool_calls",
                                                        "commit", "reasoning_commit"})},
      {"batch", {{"ops"}, {"fail"}}},
      {"branch", {{"name"}, {"from", "checkout"}}},
      {"delete_branch", {{"name"}, {"force"}}},
      {"checkout", {{"target"}, {}}},
      {"reset", {{"target"}, {}}},
      {"tag", {{"name"}, {"target"}}},
      {"delete_tag", {{"name"}, {}}},
      {"merge", giving(turn({"source"}, {"no_ff", "mode", "text", "targets"}),
                       {"type", "conflicts", "commit", "parents"})},
      {"rebase", giving({{"onto"}, {}}, {"replayed", "head"})},
      {"cherry_pick", giving({{"targets"}, {}}, {"commits"})},
      {"undo", {{}, {}}},
      {"gc", giving({{}, {"retention_s"}}, {"removed"})},
      {"show",
       giving({{"target"}, {}}, {"hash", "type", "role", "parent", "parents", "message", "metadata",
                                 "tags", "change", "content", "content_hash", "priority"})},
      {"resolve", {{"rev"}, {}, true, true}},
      {"log", giving({{}, {"rev", "limit", "all", "type"}},
                     {"entries", "hashes", "types", "priorities", "count"})},
      {"status", giving({{}, {}}, {"head", "branch", "detached", "commits", "recent"})},
      {"compile", giving({{}, {"rev", "at", "include_reasoning", "budget", "window", "strict"}},
                         {"contents", "roles", "types", "hashes", "messages", "count", "tokens",
                          "config", "conflicts", "left_out", "openai", "anthropic"})},
      {"annotations", giving({{"target"}, {}}, {"priorities", "reasons"})},
      {"versions", giving({{"target"}, {}}, {"hashes", "texts"})},
      {"diff", giving({{}, {"a", "b"}}, {"added", "removed", "changed", "unchanged", "config"})},
      {"search", giving({{"text"}, {"all"}}, {"hashes"})},
      {"bisect", giving({{"good", "bad", "test"}, {}}, {"first", "tests"})},
      {"reasoning_of", giving({{"target"}, {}}, {"hashes", "texts"})},
      {"extract", giving({{"response"}, {}}, {"text", "reasoning", "format", "tool_calls"})},
      {"tags", giving({{"target"}, {}}, {"names"})},
      {"verify", giving({{}, {}}, {"ok", "commits", "orphans", "bad"})},
      {"open", driver({}, {"commit_reasoning", "token_limit"})},
      {"reopen", driver({}, {})},
      {"clock", driver({}, {"set", "advance_s"})},
      {"mark_time", driver({}, {}, true)},
      {"repeat", driver({"n", "do"}, {}, true)},
      {"collide", driver({"max"}, {}, true)},
      {"tamper", driver({"what", "target"}, {"to"})},
      {"assert", driver({"that"}, {})},
  };
  return kRules;
}

bool is_binding_name(std::string_view text) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && is_lower(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_lower(c) || c == '_' || (c >= '0' && c <= '9');
  });
}

// What the names of a vector are bound to, for checking its paths.
using Bound = std::map<std::string, const OpRule*>;

void check_expectations(const Json& expect, const Bound& bound) {
  require(expect.is_object(), "expectations are no object");
  for (const auto& [text, value] : expect.items()) {
    const Key key = parse_key(text);
    if (key.path.starts_with("exists.$")) continue;
    const auto steps = parse_path(key.path);
    const std::string name = steps.at(0).get<std::string>();
    if (kStates.contains(name)) {
      require(name != "exists" && steps.size() == 1, "unknown expectation '" + text + "'");
      continue;
    }
    require(bound.contains(name), "'" + text + "' is about a name that no op binds");
    const OpRule& rule = *bound.at(name);
    if (steps.size() == 1) continue;
    require(!rule.result.empty(), "'" + text + "': the value has no fields");
    require(steps[1].is_string() && rule.result.contains(steps[1].get<std::string>()),
            "'" + text + "' is about an unknown field");
  }
}

void bind_name(Bound& bound, const std::string& name, const OpRule& rule) {
  require(is_binding_name(name), "'" + name + "' is no binding name");
  require(!kStates.contains(name) && !kSuffixes.contains(name), "'" + name + "' is reserved");
  require(bound.emplace(name, &rule).second, "'" + name + "' is bound twice");
}

void check_op(const Json& op, Bound& bound) {
  require(op.is_object() && op.contains("op") && op["op"].is_string(), "an op without a name");
  const std::string name = op["op"];
  require(rules().contains(name), "unknown op '" + name + "'");
  const OpRule& rule = rules().at(name);
  Names required = rule.required;
  required.insert("op");
  Names optional = rule.optional;
  if (rule.may_fail) optional.insert("expect_error");
  if (rule.binds) optional.insert("id");
  check_keys(op, required, optional, "op '" + name + "'");
  const bool fails = op.contains("expect_error");
  require(!fails || kErrors.contains(op["expect_error"]), "an unknown error code");

  if (name == "batch") {
    for (const Json& inner : op["ops"]) check_op(inner, bound);
  } else if (name == "repeat") {
    Bound inner;
    check_op(op["do"], inner);
    require(inner.empty() && !op["do"].contains("id"), "the op inside repeat has an id");
    const OpRule& repeated = rules().at(op["do"]["op"]);
    for (int i = 0; op.contains("id") && i < op["n"].get<int>(); ++i) {
      bind_name(bound, op["id"].get<std::string>() + std::to_string(i), repeated);
    }
    return;
  } else if (name == "assert") {
    check_expectations(op["that"], bound);
  } else if (name == "clock") {
    require(op.contains("set") != op.contains("advance_s"), "clock takes one of its two fields");
  }
  if (op.contains("id") && !fails) bind_name(bound, op["id"], rule);
}

Vector read_vector(const Json& json) {
  check_keys(json, {"name", "family", "origin", "ops", "expect"}, {"note"}, "a vector");
  Bound bound;
  for (const Json& op : json["ops"]) check_op(op, bound);
  check_expectations(json["expect"], bound);
  return {json["name"], json["ops"], json["expect"]};
}

}  // namespace

std::vector<Vector> parse_vectors(const Json& file, const std::string& where) {
  check_keys(file, {"format", "area", "vectors"}, {}, where);
  require(file["format"] == "spoor-graph-1", where + ": unknown format " + shown(file["format"]));
  std::vector<Vector> vectors;
  for (const Json& json : file["vectors"]) {
    try {
      vectors.push_back(read_vector(json));
    } catch (const BadVector& problem) {
      const Json name = json.is_object() ? json.value("name", Json()) : Json();
      throw BadVector(where + ": " + shown(name) + ": " + problem.what());
    }
  }
  return vectors;
}

bool takes_references(const Json& op, std::string_view field) {
  if (op["op"] == "tamper" && field == "to") {
    return op["what"] == "parent" || op["what"] == "ref";
  }
  static constexpr std::array<std::string_view, 12> kFields = {
      "target", "targets", "rev", "at", "from", "to", "a", "b", "source", "onto", "good", "bad"};
  return std::find(kFields.begin(), kFields.end(), field) != kFields.end();
}

std::vector<Json> parse_path(std::string_view path) {
  const std::string whole(path);
  std::vector<Json> steps;
  const auto take_word = [&] {
    const std::size_t end = std::min(path.find_first_of(".[]"), path.size());
    require(end > 0, "'" + whole + "' is no path");
    steps.emplace_back(std::string(path.substr(0, end)));
    path.remove_prefix(end);
  };
  take_word();
  while (!path.empty()) {
    if (path[0] == '.') {
      path.remove_prefix(1);
      take_word();
      continue;
    }
    const std::size_t close = path.find(']');
    require(path[0] == '[' && close != std::string_view::npos, "'" + whole + "' is no path");
    const std::string digits(path.substr(1, close - 1));
    require(!digits.empty() && digits.size() < 9 &&
                digits.find_first_not_of("0123456789") == std::string::npos,
            "'" + whole + "' is no path");
    steps.emplace_back(std::stoul(digits));
    path.remove_prefix(close + 1);
  }
  return steps;
}

Key parse_key(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  if (dot != std::string::npos && kSuffixes.contains(key.substr(dot + 1))) {
    return {key.substr(0, dot), key.substr(dot + 1)};
  }
  return {key, {}};
}

}  // namespace spoor::vectors
