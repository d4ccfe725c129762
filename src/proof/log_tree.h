#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proof/merkle.h"
#include "proof/note.h"
#include "store/store.h"

namespace spoor::proof {

/// The text of a checkpoint: a tree's head (https://c2sp.org/tlog-checkpoint).
struct Checkpoint {
  std::string origin;  ///< names the log
  std::uint64_t size = 0;
  Hash root;

  bool operator==(const Checkpoint&) const = default;
};

std::string serialize(const Checkpoint& checkpoint);

/// Parses the text of a note. Code::invalid if it is not a checkpoint. Lines after the third are
/// ignored. Verifies nothing.
Result<Checkpoint> parse_checkpoint(std::string_view text);

/// The tree over a store's operation log: one entry for each operation, in order, which is its name
/// (32 bytes). Derived from the log alone, folded or not, so an append costs nothing for it.
struct LogTree {
  std::uint64_t first = 0;  ///< the number of the operation with index 0
  std::vector<store::Oid> names;
  MerkleTree tree;

  std::uint64_t size() const { return names.size(); }

  /// Returns the index of an operation; nullopt if the log has not got it.
  std::optional<std::uint64_t> index_of(const store::Oid& operation) const;

  Checkpoint head(std::string origin) const {
    return {std::move(origin), size(), tree.root(size())};
  }
};

/// Reads the log, verified. Code::unavailable if the store's format does not keep the names of
/// folded operations, or other programs kept folding the log meanwhile.
Result<LogTree> read_log_tree(const store::Store& store);

/// Returns how the log contradicts a checkpoint of it; empty if it begins with that tree.
std::string contradiction(const LogTree& log, const Checkpoint& checkpoint);

/// The property (Store::properties) with the newest signed note of the log. No hash covers it: its
/// signature does.
inline constexpr std::string_view kKeptCheckpoint = "log.checkpoint";

/// Returns the kept note. Code::not_found with a hint if there is none. Verifies nothing.
Result<Note> kept_checkpoint(const store::Store& store);

}  // namespace spoor::proof
