#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/git/git_oid.h"

/// Git's own objects, in the format of gitformat-pack(5) and git-hash-object(1), as git fsck
/// requires.
namespace spoor::cli::git {

/// The numbers are those in a pack.
enum class Kind : std::uint8_t { commit = 1, tree = 2, blob = 3, tag = 4 };
std::string_view name_of(Kind kind);

/// Returns the SHA-1 of `kind SP length NUL bytes`.
GitOid name_object(Kind kind, std::string_view bytes);

/// The name and time in a git commit: `Name <email> seconds +0000`.
struct Signature {
  std::string name;
  std::string email;
  std::int64_t seconds = 0;  ///< since 1970, not negative

  std::string text() const;
};

/// Returns the signature for any text. `Ada <ada@example.org>` is used as given; any other name
/// gets the address `name@spoor`. Characters that would end a field are left out.
Signature signature_of(std::string_view author, std::int64_t seconds);

struct Commit {
  GitOid tree;
  std::vector<GitOid> parents;
  Signature author;     ///< the committer too: the user who exports is not recorded
  std::string message;  ///< UTF-8 without NUL
};
std::string encode(const Commit& commit);

struct Tag {
  GitOid commit;
  std::string name;  ///< without `refs/tags/`
  Signature tagger;
  std::string message;
};
std::string encode(const Tag& tag);

/// One line of a tree.
struct TreeEntry {
  std::string_view name;
  bool is_folder = false;
  GitOid oid;
};

/// Encodes `entries` in git's order: by bytes, a folder's name as if it ended in `/`.
std::string encode(const std::vector<TreeEntry>& entries);

}  // namespace spoor::cli::git
