#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/terminal/output.h"

namespace spoor::cli {

/// Prints rows of cells as a table with two spaces between columns. The first row is the heading.
/// The first `names` columns are aligned left, the others right. On a terminal that is too narrow,
/// the longest of the names are cut.
void print_table(Output& out, const std::vector<std::vector<std::string>>& rows, std::size_t names);

}  // namespace spoor::cli
