#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compile/fold.h"
#include "store/reader.h"

namespace spoor::cli {

/// What later commits did to an earlier one.
struct Marks {
  std::optional<store::Priority> priority;  ///< set by an annotation; else the type's default
  bool is_edited = false;
  bool is_compressed = false;
  std::optional<bool> is_counterfactual;  ///< compile/counterfactual.h; nothing: unknown

  /// "pinned", "skipped", "edited", "summarised", "counterfactual": the words shown on its line.
  std::vector<std::string_view> words(store::Type type) const;
};

/// Gathers marks while a history is walked newest first: what changes a turn
/// stands nearer to the head, so it has been seen when the turn comes. Where a
/// merge comes up, whose mode may change what applies, the fold is asked instead.
class MarkCollector {
 public:
  /// `tip` is where the walk began: its fold decides behind a merge.
  MarkCollector(const store::Reader& reader, const compile::Folder& folder,
                std::optional<store::Oid> tip)
      : reader_(reader), folder_(folder), tip_(tip) {}

  /// To be called for each commit of the walk, in its order.
  Result<void> see(const store::NamedCommit& commit);

  /// What is known of a commit that has been seen.
  Marks of(const store::Oid& commit) const;

 private:
  const store::Reader& reader_;
  const compile::Folder& folder_;
  std::optional<store::Oid> tip_;
  std::unordered_map<store::Oid, Marks> marks_;
  std::shared_ptr<const compile::State> state_;  // Set at the first merge.
};

/// The marks of an entry of a fold.
Marks marks_of(const compile::Entry& entry);

}  // namespace spoor::cli
