#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "llm/profile.h"

namespace spoor::llm {

/// A provider's key. It cannot be printed: it has no operator<< and no formatter, and only
/// `secret()` returns it. Each new key is registered in the process (compile/known_keys.h), and
/// text that contains it is not stored.
class Key {
 public:
  /// An empty key, for providers that need none.
  Key() = default;

  bool empty() const { return secret_.empty(); }

  /// For request headers, and to search for the key where it must not be.
  const std::string& secret() const { return secret_; }

 private:
  friend Result<Key> make_key(std::string_view text, std::string_view source);

  std::string secret_;
};

/// Makes a key from text that was typed or stored; removes white space around it. `source` names
/// its origin in errors. Code::denied if nothing is left. Code::invalid for control characters,
/// inner white space, bytes beyond ASCII (not allowed in a header) and more than 8 KiB.
Result<Key> make_key(std::string_view text, std::string_view source);

/// Makes the key of `profile` from the value of its environment variable (only cli reads the
/// environment). Returns an empty key if the profile needs none and the variable is unset or empty;
/// Code::denied if the profile needs one.
Result<Key> key_from_variable(const Profile& profile, const std::optional<std::string>& value);

/// Reads a key from a file. Code::denied unless it is a regular file owned by this user (or root)
/// that no other user can read or write. Code::not_found and Code::io as usual.
Result<Key> key_from_file(const std::filesystem::path& path);

/// The shortest key that errors are cleaned of, in bytes: shorter ones are placeholders for servers
/// that ask for none, such as `none`, which other words contain.
constexpr std::size_t kShortestSecret = 8;

/// Replaces the key in `text` by compile::kKeyMark, if it has kShortestSecret bytes. For errors,
/// which are shown and in which providers repeat the key.
std::string without_key(std::string text, const Key& key);

}  // namespace spoor::llm
