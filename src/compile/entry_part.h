#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "compile/prompt.h"

namespace spoor::compile {

/// Returns the role of an entry in a prompt: that of its type, or `developer` if its fields set it.
std::string_view role_of(const Entry& entry);

/// Returns the entry as a part of its message, with its text. Part::tokens is 0.
Part part_of(const Entry& entry, std::shared_ptr<const std::string> text);

}  // namespace spoor::compile
