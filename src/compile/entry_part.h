#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "compile/prompt.h"

namespace spoor::compile {

/// The role of an entry in a prompt: that of its type, but `developer` where it says so.
std::string_view role_of(const Entry& entry);

/// The entry as a part of its message, with its text. Part::tokens is 0.
Part part_of(const Entry& entry, std::shared_ptr<const std::string> text);

}  // namespace spoor::compile
