#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/git/blobs.h"
#include "cli/git/tree.h"
#include "compile/state.h"

namespace spoor::cli::git {

/// The tree of a commit (docs/adr/0014). `prompt/` contains the entries that compile by default, in
/// prompt order; `left-out/` all other entries of this history, in order of arrival; `config.json`
/// the settings. A change of a few turns writes few trees.
///
/// A value; a copy starts the picture of another line.
class Picture {
 public:
  /// Updates the picture of the first parent (an empty one at a root) to `commit`, whose state is
  /// `state`.
  Result<void> apply(const store::Reader& reader, Blobs& blobs, const store::NamedCommit& commit,
                     const compile::State& state);

  Result<GitOid> write(PackWriter& pack) { return tree_.write(pack); }

 private:
  // The position of an entry among those of the prompt. Most are in order of arrival.
  struct Position {
    std::uint32_t number = 0;
    std::string before;  // `+000012` once or more: the 12th to come, inserted before `number`.
  };
  using Index = std::uint32_t;  // Into the state's entries.

  Position place_of(Index index) const;
  void number_new(const compile::State& state, store::Op op);
  void place_between(const compile::State& state, Index first_new);
  bool is_shown(const compile::State& state, Index index) const;
  void erase(Index index);
  Result<void> draw(const store::Reader& reader, Blobs& blobs, const compile::State& state,
                    Index index);
  Result<void> draw_config(Blobs& blobs, const compile::State& state);

  Tree tree_;
  std::uint32_t came_ = 0;               // The number of turns so far.
  std::vector<std::uint32_t> numbers_;   // The ordinal of each entry's arrival.
  std::vector<bool> is_gone_;            // True for each entry that a summary replaces.
  std::map<Index, Position> elsewhere_;  // Entries that are not in order of arrival.
  std::vector<Index> named_;             // System prompts with a name: one hides another.
};

}  // namespace spoor::cli::git
