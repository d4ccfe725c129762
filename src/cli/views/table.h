#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/terminal/output.h"

namespace spoor::cli {

/// Returns rows of cells as the lines of a table with two spaces between columns. The first `names`
/// columns are aligned left, the others right. On a terminal that is too narrow, the longest of the
/// names are cut.
std::vector<std::string> table_lines(const Output& out,
                                     const std::vector<std::vector<std::string>>& rows,
                                     std::size_t names);

/// Prints such a table. The first row is the heading.
void print_table(Output& out, const std::vector<std::vector<std::string>>& rows, std::size_t names);

}  // namespace spoor::cli
