#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/json_writer.h"
#include "api/workspace.h"
#include "cli/batch/request.h"
#include "cli/command.h"

namespace spoor::cli::batch {

using api::JsonWriter;
using api::Workspace;
using graph::Repository;
using store::Oid;

/// The state shared by the operations of one stream: the store, and the names that `as` gave to
/// results. For one thread.
struct Context {
  Workspace& workspace;
  std::string author;
  std::map<std::string, Oid> names;
  /// Runs a command of the shell (verbs.h) and returns its document; empty: none can be run.
  std::function<Result<std::string>(const Context&, const Command&, const json::Value&)> call = {};

  /// HEAD's branch, as the current write has read it; nullopt if it has not.
  std::optional<std::string> head_branch = {};

  Repository& repository() const { return workspace.repository(); }

  /// Returns the commit that a request's text names: `$name`, or a revision, with `head` as HEAD.
  /// Returns Code::not_found for an unknown name.
  Result<Oid> resolve(const std::string& text, const std::optional<Oid>& head) const;
  Result<Oid> resolve(const std::string& text) const;

  /// Like resolve(), but returns nullopt for HEAD of a branch without commits.
  Result<std::optional<Oid>> resolve_or_empty(const std::string& text) const;

  /// Returns the branch that a request names, else HEAD's branch (Code::invalid if HEAD is
  /// detached).
  Result<std::string> branch_of(const Request& request);
};

/// An operation of `spoor batch`: its name, its members, and one function that runs it.
struct Operation {
  const char* name;
  const char* summary;
  std::span<const Member> members;

  /// Reads: appends its result as the next value.
  Result<void> (*read)(Context&, const Request&, JsonWriter&) = nullptr;

  /// Writes: adds to a draft, which is written as one transaction. Runs again if another writer was
  /// first, so the result is made anew each time.
  Result<void> (*write)(Context&, graph::Draft&, const Request&, JsonWriter&) = nullptr;

  /// Neither: moves HEAD, or sets the store's own options.
  Result<void> (*other)(Context&, const Request&, JsonWriter&) = nullptr;
};

/// Returns all operations. A test compares docs/batch.md with this table.
std::span<const Operation> reading_operations();
std::span<const Operation> writing_operations();
std::span<const Operation> rewriting_operations();

/// Returns the operation of this name, or null.
const Operation* find_operation(std::string_view name);

/// Returns true if the request is one of writing_operations(). Those take a moment; a transaction
/// or a rewriting operation may take long.
bool is_short_write(const json::Value& request);

/// Runs one request, a JSON object, and appends the result as the next value.
Result<void> run_operation(Context& context, const json::Value& request, JsonWriter& json);

}  // namespace spoor::cli::batch
