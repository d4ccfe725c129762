#pragma once

#include <optional>
#include <string_view>

#include "compile/turn.h"

namespace spoor::import {

/// The picture in `data:image/png;base64,…` (RFC 2397), if encoding it again gives the same text;
/// else nothing.
std::optional<compile::Item> picture_in(std::string_view data_url);

/// The same of a media type and its base64.
std::optional<compile::Item> picture_of(std::string_view media_type, std::string_view base64);

}  // namespace spoor::import
