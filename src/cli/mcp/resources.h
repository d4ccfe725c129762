#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/json_writer.h"
#include "cli/session.h"

namespace spoor::cli::mcp {

// A resource is `spoor://REVISION`: the history of a branch, or a turn. `?offset=N` and
// `&max_tokens=N` name a part of it, as the parameters of tools do.

/// One page of the branches, by name.
struct BranchPage {
  std::vector<std::string> names;
  bool has_more = false;
};

/// Returns the branches whose names follow `cursor`.
Result<BranchPage> branches_after(Session& session, std::string_view cursor);

/// Append a branch's entry in `resources/list`, and the one entry of `resources/templates/list`.
void write_resource(api::JsonWriter& json, std::string_view branch);
void write_template(api::JsonWriter& json);

/// Returns a resource's text. Code::invalid for another kind of URI, Code::not_found if it names
/// nothing.
Result<std::string> read_resource(Session& session, std::string_view uri);

}  // namespace spoor::cli::mcp
