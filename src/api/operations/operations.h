#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/command.h"
#include "api/json_writer.h"
#include "api/operations/request.h"
#include "api/workspace.h"
#include "graph/draft.h"

namespace spoor::api::operations {

using graph::Repository;
using store::Oid;

struct Context;

/// The program around the operations: runs the commands that are not in the tables below.
class Host {
 public:
  virtual ~Host() = default;

  /// Returns the objects that the commands of api/command.h work on.
  virtual Result<api::Context> listing_context() = 0;

  /// Returns the names of the other commands that this program can run: none by default.
  virtual std::vector<std::string_view> names() const { return {}; }

  /// Returns true if run() takes this name: one of names(), or an older name of one.
  virtual bool can_run(std::string_view /*name*/) const { return false; }

  /// Runs a command, with the members of `request` as its parameters, and returns its document.
  virtual Result<std::string> run(const Context& context, std::string_view name,
                                  const json::Value& request);

  /// Returns the error for a command that only a person can run; nullopt if there is none of this
  /// name.
  virtual std::optional<Error> refusal(std::string_view /*name*/) const { return std::nullopt; }
};

/// The state shared by the operations of one stream: the store, and the names that `as` gave to
/// results. For one thread.
struct Context {
  Workspace& workspace;
  std::string author;
  std::map<std::string, Oid> names;
  Host* host = nullptr;  ///< null: only the operations of the tables can be run

  /// What the operation log names the writes.
  std::string command = "batch";

  /// HEAD's branch, as the current write has read it; nullopt if it has not.
  std::optional<std::string> head_branch = {};

  Repository& repository() const { return workspace.repository(); }

  /// Returns the commit that a request's text names: `$name`, or a revision, with `head` as HEAD.
  /// Returns Code::not_found for an unknown name. Without `head` it may also name a session.
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

/// Reads the members of a request as parameters of a command, as read_arguments() does. A revision
/// may be a `$name`. Returns Code::invalid for `stream`.
Result<Arguments> read_named_arguments(const Context& context, std::string_view command,
                                       std::span<const Parameter> parameters,
                                       const json::Value& request);

/// Runs one request, a JSON object, and appends the result as the next value.
Result<void> run_operation(Context& context, const json::Value& request, JsonWriter& json);

}  // namespace spoor::api::operations
