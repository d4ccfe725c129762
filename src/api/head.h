#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/oid.h"

namespace spoor::api {

/// The position of the command line: on a branch, which may have no commit yet, or on a commit
/// (detached). The library below does not know HEAD.
struct Head {
  std::string branch;                ///< short name; empty when detached
  std::optional<store::Oid> commit;  ///< when detached

  bool is_detached() const { return commit.has_value(); }
  bool operator==(const Head&) const = default;
};

/// Returns the form kept in the store: `ref refs/heads/main`, or 64 digits.
std::string write_head(const Head& head);

/// Parses the form of write_head(); nullopt if it is malformed.
std::optional<Head> read_head(std::string_view text);

}  // namespace spoor::api
