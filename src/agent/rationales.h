#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "agent/rationale.h"

namespace spoor::agent {

/// The reasons of an answer's calls, by the number of the call, from 1: what stands in the fields
/// of the answer's commit as `{"1":{"why":…},"2":…}`.
using Rationales = std::map<std::size_t, Rationale>;

/// The canonical JSON object; empty for none.
std::string write_rationales(const Rationales& rationales);

/// Reads it back. What is no number, or no rationale, is passed over.
Rationales read_rationales(std::string_view json);

/// For people, on one line: `why`, then `(refs: a, b)`, `(not X: why)` and `(confidence 0.60)`.
std::string describe(const Rationale& rationale);

}  // namespace spoor::agent
