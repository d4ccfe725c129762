#pragma once

#include <string_view>

namespace spoor::guard {

/// Is the member of a JSON object called `key` one whose value is an id, a hash, a time, a path or
/// a provider's own sealed bytes, such as `id`, `parentUuid`, `sha256`, `created_at`, `file_path`
/// or `signature`? A rule that only guesses passes it over. Never for a name that says key, secret,
/// token, account, mail, phone or the like.
bool is_denied_key(std::string_view key);

}  // namespace spoor::guard
