#pragma once

#include <string_view>
#include <vector>

#include "store/rope.h"

namespace spoor::proxy {

/// Returns where to cut the body of a request, so that the next request of the conversation shares
/// the pieces that it repeats: at each element of at least 512 bytes of an array in the JSON
/// document, at any depth down to eight. An element's piece begins after the one before, so that it
/// has its comma, and appending to an array changes no piece. Every 16 elements of a long array are
/// one piece that is cut further. No cuts if the body is not JSON.
///
/// Knows no provider: `system`, `tools`, `messages`, `input` and `contents` are arrays in all of
/// their APIs.
std::vector<store::Cut> cut_body(std::string_view body);

}  // namespace spoor::proxy
