#pragma once

#include <string_view>

#include "cli/terminal/output.h"

namespace spoor::cli {

/// Prints lines of a unified diff, coloured by their signs, each after `indent`.
void print_diff_lines(Output& out, std::string_view diff, std::string_view indent);

}  // namespace spoor::cli
