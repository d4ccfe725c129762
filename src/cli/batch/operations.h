#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/command.h"
#include "api/json_writer.h"
#include "api/workspace.h"
#include "cli/batch/request.h"

namespace spoor::cli::batch {

using api::JsonWriter;
using api::Workspace;
using graph::Repository;
using store::Oid;

/// What the operations of one stream share: the store, and the names that `as`
/// gave to results. For one thread.
struct Context {
  Workspace& workspace;
  std::string author;
  std::map<std::string, Oid> names;
  std::function<Result<api::Context>()> open_api = {};  ///< for the commands of the api

  Repository& repository() const { return workspace.repository(); }

  /// The commit that a request's text means: `$name`, or a revision, HEAD being
  /// `head`. Code::not_found for a name nobody gave.
  Result<Oid> resolve(const std::string& text, const std::optional<Oid>& head) const;
  Result<Oid> resolve(const std::string& text) const;

  /// As resolve(), but nothing for HEAD of a branch without commits.
  Result<std::optional<Oid>> resolve_or_empty(const std::string& text) const;

  /// The branch a request names, else the one HEAD is on (Code::invalid when it
  /// is detached).
  Result<std::string> branch_of(const Request& request) const;
};

/// An operation of `spoor batch`: its name, what it takes, and one of the two
/// ways to run it.
struct Operation {
  const char* name;
  const char* summary;
  std::span<const Member> members;

  /// Reads: appends its result as the next value.
  Result<void> (*read)(Context&, const Request&, JsonWriter&) = nullptr;

  /// Writes: adds to a draft, which is written as one transaction; may be run
  /// again when another writer was first, so the result is made anew each time.
  Result<void> (*write)(Context&, graph::Draft&, const Request&, JsonWriter&) = nullptr;

  /// Neither: moves HEAD, or the store's own options.
  Result<void> (*other)(Context&, const Request&, JsonWriter&) = nullptr;
};

/// All of them; the table that docs/batch.md is held to by a test.
std::span<const Operation> reading_operations();
std::span<const Operation> writing_operations();
std::span<const Operation> rewriting_operations();

/// The operation of this name, or null.
const Operation* find_operation(std::string_view name);

/// Is a request one of writing_operations()? They take a moment; a transaction and those that
/// rewrite may take long.
bool is_short_write(const json::Value& request);

/// Runs one request, a JSON object, and appends the result as the next value.
Result<void> run_operation(Context& context, const json::Value& request, JsonWriter& json);

}  // namespace spoor::cli::batch
