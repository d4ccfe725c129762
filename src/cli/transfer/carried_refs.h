#pragma once

#include <string>
#include <vector>

#include "cli/session.h"

namespace spoor::cli {

/// Returns the refs that the names mean (branches, tags, full names), and those that go with them
/// to another store: the runs that end on a branch, the trees of attempts that begin on it, the
/// requests that a proxy captured of it, the rules by which it was imported. By name, each once;
/// without names all refs. Code::not_found for an unknown name.
Result<std::vector<store::Ref>> refs_with_company(Workspace& workspace,
                                                  const std::vector<std::string>& names);

}  // namespace spoor::cli
