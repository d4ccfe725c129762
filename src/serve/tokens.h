#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.h"
#include "store/store.h"

namespace spoor::serve {

/// The right of a token.
enum class Right : std::uint8_t {
  read,    ///< fetch
  append,  ///< and move refs forward, make new ones
  admin    ///< and move them anywhere, remove them
};

std::string_view name_of(Right right);
std::optional<Right> right_named(std::string_view name);

/// The right to ask a store that is served, for one who has the secret.
struct Token {
  std::string name;  ///< the actor of what they push
  Right right = Right::read;
  std::string prefix;  ///< of the branches and tags that they may push; empty: all
  Timestamp made;
  store::Oid hash;  ///< SHA-256 of the secret

  bool operator==(const Token&) const = default;
};

/// Returns the tokens, by name. They are facts of this user's workspace (Store::local).
Result<std::vector<Token>> tokens_of(const store::Store& store);

/// Makes a token, and returns its secret, `spoor_` and 43 letters, which is kept nowhere. `hash` is
/// set. Code::conflict if the name is taken, Code::invalid if it is not a plain line.
Result<std::string> add_token(store::Store& store, Token token);

/// Code::not_found, with the names that there are.
Result<void> remove_token(store::Store& store, const std::string& name);

/// Returns the token that has this secret.
Result<std::optional<Token>> token_with(const store::Store& store, std::string_view secret);

}  // namespace spoor::serve
