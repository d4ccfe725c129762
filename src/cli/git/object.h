#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/git/git_oid.h"

/// Git's own objects, as gitformat-pack(5), git-hash-object(1) and fsck want them.
namespace spoor::cli::git {

/// The numbers are those of a pack.
enum class Kind : std::uint8_t { commit = 1, tree = 2, blob = 3, tag = 4 };
std::string_view name_of(Kind kind);

/// SHA-1 of `kind SP length NUL bytes`.
GitOid name_object(Kind kind, std::string_view bytes);

/// Who and when, as a commit has them: `Name <email> seconds +0000`.
struct Signature {
  std::string name;
  std::string email;
  std::int64_t seconds = 0;  ///< since 1970, not negative

  std::string text() const;
};

/// Any text as somebody's signature. `Ada <ada@example.org>` is taken at its word, any
/// other name gets the address `name@spoor`; what would end a field is left out.
Signature signature_of(std::string_view author, std::int64_t seconds);

struct Commit {
  GitOid tree;
  std::vector<GitOid> parents;
  Signature author;     ///< the committer too: who exports is not told
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

/// `entries` in git's order: by bytes, a folder's name as if it ended in `/`.
std::string encode(const std::vector<TreeEntry>& entries);

}  // namespace spoor::cli::git
