#pragma once

#include <string_view>
#include <vector>

#include "cli/terminal/output.h"
#include "graph/unified_diff.h"

namespace spoor::cli {

/// Prints lines of a unified diff, coloured by their signs, each after `indent`.
void print_diff_lines(Output& out, std::string_view diff, std::string_view indent);
void print_diff_lines(Output& out, const std::vector<graph::UnifiedLine>& diff,
                      std::string_view indent);

}  // namespace spoor::cli
