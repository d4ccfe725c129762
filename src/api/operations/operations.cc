#include "api/operations/operations.h"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "api/operations/commands.h"
#include "base/near_miss.h"
#include "graph/refs.h"

namespace spoor::api::operations {
namespace {

using json::Value;

Error no_such_operation(const Context& context, std::string_view name) {
  if (context.host != nullptr) {
    if (const auto refusal = context.host->refusal(name)) return *refusal;
  }
  std::vector<std::string_view> known = command_names(context);
  known.emplace_back("transaction");
  for (const auto table : {reading_operations(), writing_operations(), rewriting_operations()}) {
    for (const Operation& operation : table) known.emplace_back(operation.name);
  }
  const std::string near = near_miss(name, known);
  return invalid(fmt::format("unknown operation '{}'", name),
                 near.empty() ? "see docs/batch.md" : fmt::format("did you mean '{}'?", near));
}

// Returns the request's mode, combined with that of its transaction.
Result<compile::Capture> capture_of(const Value& value, compile::Capture outer) {
  if (!value.find("capture").is_string()) return outer;
  return std::max(outer, TRY(read_capture(value.find("capture").text())));
}

Result<void> write_one(Context& context, graph::Draft& draft, const Value& value,
                       compile::Capture outer, JsonWriter& json) {
  const std::string name = value.find("op").text();
  const Operation* operation = find_operation(name);
  if (operation == nullptr && !is_command(context, name)) return no_such_operation(context, name);
  if (operation == nullptr || operation->write == nullptr) {
    return invalid(fmt::format("'{}' cannot be part of a transaction", name));
  }
  TRY(check_members(name, value, operation->members));
  TRY(draft.capture_at_least(TRY(capture_of(value, outer))));
  return operation->write(context, draft, Request(value), json);
}

constexpr std::array kTransactionMembers = {Member{"ops", Holds::list, true}};

const Operation* find_in(std::span<const Operation> table, std::string_view name) {
  const auto found =
      std::ranges::find_if(table, [name](const Operation& each) { return name == each.name; });
  return found == table.end() ? nullptr : &*found;
}

// Returns true if a write depends on the branch's tip. Such a write is not repeated on top of
// another writer's commits.
bool depends_on_tip(const Value& value) {
  const std::string name = value.find("op").text();
  if (name == "compress" || name == "merge") return true;
  if (find_in(rewriting_operations(), name) != nullptr) return true;
  for (const Value& one : value.find("ops").elements()) {
    if (depends_on_tip(one)) return true;
  }
  return false;
}

graph::OnConflict policy_for(const Value& value) {
  return depends_on_tip(value) ? graph::OnConflict::fail : graph::OnConflict::reparent;
}

// Writes what `write` adds to a draft. Calls it again after another writer was first.
Result<void> run_write(Context& context, const Value& value, JsonWriter& json,
                       const std::function<Result<void>(graph::Draft&, JsonWriter&)>& write) {
  const auto names = context.names;
  JsonWriter made(true);
  const auto body = [&](graph::Draft& draft) -> Result<void> {
    context.names = names;
    context.head_branch.reset();
    made = JsonWriter(true);
    return write(draft, made);
  };
  const auto receipt = context.repository().transact(context.command, policy_for(value), body);
  if (!receipt) {
    context.names = names;  // Results that were not written have no names.
    return receipt.error();
  }
  json.json(made.take_value());
  return {};
}

// Runs several writes, all or none.
Result<void> run_transaction(Context& context, const Value& value, JsonWriter& json) {
  TRY(check_members("transaction", value, kTransactionMembers));
  const auto outer = TRY(capture_of(value, compile::Capture::full));
  return run_write(context, value, json,
                   [&](graph::Draft& draft, JsonWriter& made) -> Result<void> {
                     made.object().list("results");
                     for (const Value& one : value.find("ops").elements()) {
                       TRY(write_one(context, draft, one, outer, made));
                     }
                     made.end().end();
                     return {};
                   });
}

}  // namespace

Result<Oid> Context::resolve(const std::string& text, const std::optional<Oid>& head) const {
  if (!text.starts_with('$')) return repository().resolve(text, head);
  // A name, then steps from it.
  const std::size_t end = std::min(text.find_first_of("~^"), text.size());
  const auto found = names.find(text.substr(1, end - 1));
  if (found == names.end()) {
    return not_found(fmt::format("no result is named '{}'", text.substr(1, end - 1)),
                     "name one with \"as\"");
  }
  if (end == text.size()) return found->second;
  return repository().resolve(found->second.hex() + text.substr(end), head);
}

Result<Oid> Context::resolve(const std::string& text) const {
  if (!text.starts_with('$')) return workspace.resolve(text);
  return resolve(text, TRY(workspace.head_commit()));
}

Result<std::optional<Oid>> Context::resolve_or_empty(const std::string& text) const {
  if (text == "HEAD") return workspace.head_commit();
  return std::optional<Oid>(TRY(resolve(text)));
}

Result<std::string> Context::branch_of(const Request& request) {
  std::string branch = request.text("branch");
  if (branch.empty()) {
    if (!head_branch) head_branch = TRY(workspace.branch_for_writing());
    return *head_branch;
  }
  if (const std::string problem = graph::short_name_problem(branch); !problem.empty()) {
    return invalid(fmt::format("'{}' is not a branch name: {}", branch, problem));
  }
  return branch;
}

const Operation* find_operation(std::string_view name) {
  if (name == "revert") name = "abandon";  // The old name, for one release.
  for (const auto table : {reading_operations(), writing_operations(), rewriting_operations()}) {
    if (const Operation* found = find_in(table, name)) return found;
  }
  return nullptr;
}

bool is_short_write(const Value& request) {
  return find_in(writing_operations(), request.find("op").text()) != nullptr;
}

Result<void> run_operation(Context& context, const Value& value, JsonWriter& json) {
  if (!value.is_object() || !value.find("op").is_string()) {
    return invalid("a request must be a JSON object with an 'op'", R"({"op": "log"})");
  }
  const std::string name = value.find("op").text();
  if (name == "transaction") return run_transaction(context, value, json);
  const Operation* operation = find_operation(name);
  const bool is_write = operation != nullptr && operation->write != nullptr;
  if (!is_write) TRY(context.repository().forget_erased());
  if (operation == nullptr && is_command(context, name)) {
    return run_command(context, name, value, json);
  }
  if (operation == nullptr) return no_such_operation(context, name);
  if (is_write) {
    return run_write(context, value, json, [&](graph::Draft& draft, JsonWriter& made) {
      return write_one(context, draft, value, compile::Capture::full, made);
    });
  }
  TRY(check_members(name, value, operation->members));
  if (value.find("capture").is_string()) {
    return invalid(fmt::format("'{}' does not write texts", name), "leave out 'capture'");
  }
  const auto run = operation->read != nullptr ? operation->read : operation->other;
  return run(context, Request(value), json);
}

}  // namespace spoor::api::operations
