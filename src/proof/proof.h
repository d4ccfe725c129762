#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proof/log_tree.h"
#include "store/commit.h"
#include "store/operation.h"
#include "store/reader.h"

namespace spoor::proof {

/// The way from an entry of the log, the name of an operation, to a commit.
struct Evidence {
  store::Oid operation;
  std::string body;  ///< of the operation; empty: gc folded it, and only its name is known
  /// The object that a ref got by the operation, then each one that the one before it names as
  /// parent, skip or a tag's target; the last is the commit that is proven. May be empty.
  std::vector<store::Object> path;

  bool operator==(const Evidence&) const = default;
};

/// A proof that an operation is in a log (https://c2sp.org/tlog-proof), with the evidence as its
/// extra data. Everybody can verify it without the store.
struct Proof {
  Evidence evidence;
  std::uint64_t index = 0;
  std::vector<Hash> inclusion;
  Note checkpoint;

  bool operator==(const Proof&) const = default;
};

std::string serialize(const Proof& proof);

/// Parses a proof. Code::invalid unless serialize() returns the same bytes. Verifies nothing.
Result<Proof> parse_proof(std::string_view bytes);

/// Proves that a commit was in the log at the time of a checkpoint, by the oldest operation that
/// still has its text and after which a ref led to the commit by first parents. Code::not_found if
/// there is none. `log` is this store's.
Result<Proof> prove_commit(const store::Reader& reader, const LogTree& log, const Note& checkpoint,
                           const store::Oid& commit);

/// Proves that an operation was in the log. Code::not_found if it is not in the checkpoint's.
Result<Proof> prove_operation(const store::Store& store, const LogTree& log, const Note& checkpoint,
                              const store::Oid& operation);

/// The content of a genuine proof.
struct Proven {
  Checkpoint checkpoint;
  std::vector<Timestamp> cosigned;  ///< in the order of the witnesses asked for
  std::optional<store::Operation> operation;
  std::string ref;  ///< that led to the commit
  std::optional<store::NamedCommit> commit;
};

/// Verifies a proof: the checkpoint's signature by the log, and by each witness, and that it covers
/// the operation and the path. Code::corrupt or Code::not_found with the reason if it does not.
Result<Proven> verify(const Proof& proof, const VerifierKey& log,
                      const std::vector<VerifierKey>& witnesses);

}  // namespace spoor::proof
