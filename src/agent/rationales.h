#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "agent/rationale.h"

namespace spoor::agent {

/// The reasons of an answer's calls, by the number of the call, from 1. In the fields of the
/// answer's commit: `{"1":{"why":…},"2":…}`.
using Rationales = std::map<std::size_t, Rationale>;

/// Returns the canonical JSON object; empty if there are none.
std::string write_rationales(const Rationales& rationales);

/// Parses that object. Skips members that are not a number or not a rationale.
Rationales read_rationales(std::string_view json);

/// Formats a rationale for people, on one line: `why`, then `(refs: a, b)`, `(not X: why)` and
/// `(confidence 0.60)`.
std::string describe(const Rationale& rationale);

}  // namespace spoor::agent
