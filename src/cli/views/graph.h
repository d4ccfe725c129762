#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/oid.h"

namespace spoor::cli {

/// Draws a history graph to the left of its lines, as `git log --graph` does: one column per line
/// of descent. Commits come children first. A hidden commit only moves its column to its parents.
class Graph {
 public:
  /// The graph's part of the lines of one commit.
  struct Rows {
    std::vector<std::string> before;  ///< rows of their own above it: lines that join
    std::string commit;               ///< left of its first line
    std::string after;                ///< left of each further line
    std::vector<std::string> below;   ///< rows of their own under it: a merge's second parent
  };

  Rows next(const store::Oid& commit, const std::vector<store::Oid>& parents, bool hidden);

 private:
  using Column = std::optional<store::Oid>;  // The awaited commit; nullopt: free.

  std::size_t column_for(const store::Oid& commit);
  std::size_t free_column(std::size_t from);
  void bring_together(const store::Oid& commit, std::size_t into, std::vector<std::string>& rows);
  std::string bars(std::optional<std::size_t> star) const;
  void trim();

  std::vector<Column> columns_;
};

}  // namespace spoor::cli
