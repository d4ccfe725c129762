#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/oid.h"

namespace spoor::cli {

/// Draws a history beside its lines, as `git log --graph` does: one column a
/// line of descent. Commits come children first; a hidden one only moves its
/// column on to its parents.
class Graph {
 public:
  /// What stands beside one commit.
  struct Rows {
    std::vector<std::string> before;  ///< rows of their own above it: lines that come together
    std::string commit;               ///< beside its first line
    std::string after;                ///< beside each further line
    std::vector<std::string> below;   ///< rows of their own under it: a merge's second parent
  };

  Rows next(const store::Oid& commit, const std::vector<store::Oid>& parents, bool hidden);

 private:
  using Column = std::optional<store::Oid>;  // What it waits for; nothing: free.

  std::size_t column_for(const store::Oid& commit);
  std::size_t free_column(std::size_t from);
  void bring_together(const store::Oid& commit, std::size_t into, std::vector<std::string>& rows);
  std::string bars(std::optional<std::size_t> star) const;
  void trim();

  std::vector<Column> columns_;
};

}  // namespace spoor::cli
