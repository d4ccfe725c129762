#pragma once

#include <string>
#include <string_view>

namespace spoor::import {

/// What may stand in a report: ASCII letters, digits, `._-`, at most 64 bytes, everything else
/// a `-`.
std::string plain_word(std::string_view text);

/// The same without dots, which a ref's name may hold in few places only.
std::string ref_word(std::string_view text);

}  // namespace spoor::import
