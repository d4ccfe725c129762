#pragma once

#include "api/turns/decorations.h"
#include "cli/terminal/output.h"

namespace spoor::cli {

using api::Decorations;

/// Prints the names at a commit, ` (HEAD -> main, tag: v1)`, or nothing.
void print_names(Output& out, const Decorations& names, const store::Oid& commit);

/// Returns the number of columns that print_names() takes.
int width_of_names(const Decorations& names, const store::Oid& commit);

}  // namespace spoor::cli
