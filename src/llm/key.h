#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "llm/profile.h"

namespace spoor::llm {

/// A provider's key. Cannot be printed: it has no operator<< and no formatter, and only `secret()`
/// gives it away. Once made it is known to the process (compile/known_keys.h): nothing that says it
/// is stored.
class Key {
 public:
  /// No key, for providers that need none.
  Key() = default;

  bool empty() const { return secret_.empty(); }

  /// For the header of a request, and to look for the key where it must not be.
  const std::string& secret() const { return secret_; }

 private:
  friend Result<Key> make_key(std::string_view text, std::string_view source);

  std::string secret_;
};

/// A key from what somebody typed or stored: without white space around it. `source` names the
/// place in errors. Code::denied when nothing is left; Code::invalid for control characters, white
/// space inside, bytes beyond ASCII (none may stand in a header) and more than 8 KiB.
Result<Key> make_key(std::string_view text, std::string_view source);

/// The key of `profile` from the value of its variable (only cli looks at the environment). No key
/// for a profile that needs none and a variable that is not set or empty; Code::denied when it is
/// needed.
Result<Key> key_from_variable(const Profile& profile, const std::optional<std::string>& value);

/// The key in a file. Code::denied unless it is a regular file of this user (or root) that nobody
/// else may read or write; Code::not_found and Code::io as usual.
Result<Key> key_from_file(const std::filesystem::path& path);

/// `text` with compile::kKeyMark in place of the key, however short that is: providers repeat it in
/// errors, which are shown.
std::string without_key(std::string text, const Key& key);

}  // namespace spoor::llm
