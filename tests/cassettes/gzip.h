#pragma once

#include <string>
#include <string_view>

namespace cassettes {

/// `bytes` unpacked if they are gzip's, else as they are. Throws std::runtime_error when they are
/// damaged, or more than 64 MiB.
std::string unpacked(std::string_view bytes);

}  // namespace cassettes
