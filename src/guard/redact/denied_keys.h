#pragma once

#include <string_view>

namespace spoor::guard {

/// Returns true if the value of a JSON member called `key` is an id, a hash, a time, a path or a
/// provider's own sealed bytes: `id`, `parentUuid`, `sha256`, `created_at`, `file_path`,
/// `signature`. A rule that only guesses ignores such members. False for a name that contains key,
/// secret, token, account, mail, phone or similar words.
bool is_denied_key(std::string_view key);

}  // namespace spoor::guard
