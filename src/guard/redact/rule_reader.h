#pragma once

#include <string_view>

#include "guard/redact/rule.h"
#include "store/result.h"

namespace spoor::guard {

/// Reads a file of rules: TOML 1.0 in the shape of gitleaks' (docs/audit.md has the members).
/// What is not understood is refused, an unknown member too: a rule that is misspelt must not be
/// a rule that does nothing. Regexes are compiled later (rule_set.h). Code::invalid, with
/// `file_name:line`.
store::Result<RuleFile> read_rules(std::string_view toml, std::string_view file_name);

}  // namespace spoor::guard
