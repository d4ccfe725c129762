#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/git/blobs.h"
#include "cli/git/tree.h"
#include "compile/state.h"

namespace spoor::cli::git {

/// The tree of a commit (docs/adr/0014): `prompt/` holds what compiles by default, in
/// prompt order; `left-out/` all else this history has brought, in order of arrival;
/// `config.json` the settings. A change of a few turns writes few trees.
///
/// A value; a copy is the picture of another line from here on.
class Picture {
 public:
  /// Brings the picture of the first parent (an empty one at a root) up to `commit`,
  /// whose state is `state`.
  Result<void> apply(const store::Reader& reader, Blobs& blobs, const store::NamedCommit& commit,
                     const compile::State& state);

  Result<GitOid> write(PackWriter& pack) { return tree_.write(pack); }

 private:
  // Where an entry stands among those of the prompt. Most stand where they came.
  struct Place {
    std::uint32_t number = 0;
    std::string before;  // `+000012` once or more: put in before that number, as the 12th to come.
  };
  using Index = std::uint32_t;  // Into the state's entries.

  Place place_of(Index index) const;
  void number_new(const compile::State& state, store::Op op);
  void place_between(const compile::State& state, Index first_new);
  bool is_shown(const compile::State& state, Index index) const;
  void erase(Index index);
  Result<void> draw(const store::Reader& reader, Blobs& blobs, const compile::State& state,
                    Index index);
  Result<void> draw_config(Blobs& blobs, const compile::State& state);

  Tree tree_;
  std::uint32_t came_ = 0;              // How many turns there were so far.
  std::vector<std::uint32_t> numbers_;  // Of each entry: as the how-manieth it came.
  std::vector<bool> is_gone_;           // Of each entry: a summary stands for it.
  std::map<Index, Place> elsewhere_;    // Entries that do not stand where they came.
  std::vector<Index> named_;            // System prompts with a name: one hides another.
};

}  // namespace spoor::cli::git
