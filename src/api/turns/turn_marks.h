#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compile/fold.h"
#include "store/reader.h"

namespace spoor::api {

/// The effects of later commits on an earlier one.
struct Marks {
  std::optional<store::Priority> priority;  ///< set by an annotation; else the type's default
  bool is_edited = false;
  bool is_compressed = false;
  std::optional<bool> is_counterfactual;  ///< compile/counterfactual.h; nothing: unknown

  /// Returns the words shown on its line: "pinned", "skipped", "edited", "summarised",
  /// "counterfactual".
  std::vector<std::string_view> words(store::Type type) const;
};

/// Collects marks while a history is walked newest first: a commit that changes a turn is nearer to
/// the head, so it comes before the turn. After a merge, whose mode may change which marks apply,
/// the fold is used instead.
class MarkCollector {
 public:
  /// `tip` is the start of the walk; its fold decides after a merge.
  MarkCollector(const store::Reader& reader, const compile::Folder& folder,
                std::optional<store::Oid> tip)
      : reader_(reader), folder_(folder), tip_(tip) {}

  /// Call this for each commit of the walk, in order.
  Result<void> see(const store::NamedCommit& commit);

  /// Returns the marks of a commit that see() has had.
  Marks of(const store::Oid& commit) const;

 private:
  const store::Reader& reader_;
  const compile::Folder& folder_;
  std::optional<store::Oid> tip_;
  std::unordered_map<store::Oid, Marks> marks_;
  std::shared_ptr<const compile::State> state_;  // Set at the first merge.
};

/// Returns the marks of an entry of a fold.
Marks marks_of(const compile::Entry& entry);

}  // namespace spoor::api
