#include "cli/views/graph.h"

#include <algorithm>

namespace spoor::cli {
namespace {

using store::Oid;

void put(std::string& row, std::size_t at, char what) {
  if (row.size() <= at) row.resize(at + 1, ' ');
  row[at] = what;
}

}  // namespace

Graph::Rows Graph::next(const Oid& commit, const std::vector<Oid>& parents, bool hidden) {
  Rows rows;
  const std::size_t at = column_for(commit);
  bring_together(commit, at, rows.before);
  if (hidden && parents.size() < 2) {
    columns_[at] = parents.empty() ? Column() : Column(parents.front());
    trim();
    return rows;
  }
  rows.commit = bars(at);
  columns_[at] = parents.empty() ? Column() : Column(parents.front());
  if (parents.size() == 2) {
    // The second line branches off to the right, across the columns between.
    const std::size_t side = free_column(at + 1);
    std::string row = bars(std::nullopt);
    for (std::size_t gap = at; gap < side; ++gap) put(row, 2 * gap + 1, gap == at ? '\\' : '_');
    if (side > at + 1) put(row, 2 * side - 1, '\\');
    columns_[side] = parents[1];
    rows.below.push_back(std::move(row));
  }
  trim();
  rows.after = bars(std::nullopt);
  return rows;
}

std::size_t Graph::column_for(const Oid& commit) {
  const auto found = std::find(columns_.begin(), columns_.end(), Column(commit));
  if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
  const std::size_t at = free_column(0);
  columns_[at] = commit;
  return at;
}

// Returns the first free column from `from` on, which is at most one beyond the last.
std::size_t Graph::free_column(std::size_t from) {
  for (std::size_t i = from; i < columns_.size(); ++i) {
    if (!columns_[i]) return i;
  }
  columns_.emplace_back();
  return columns_.size() - 1;
}

// Joins every other column that waits for the same commit to `into`.
void Graph::bring_together(const Oid& commit, std::size_t into, std::vector<std::string>& rows) {
  for (std::size_t from = columns_.size(); from-- > into + 1;) {
    if (columns_[from] != Column(commit)) continue;
    columns_[from].reset();
    for (std::size_t at = from; at > into; --at) {
      std::string row = bars(std::nullopt);
      put(row, 2 * at - 1, '/');
      rows.push_back(std::move(row));
    }
  }
  trim();
}

std::string Graph::bars(std::optional<std::size_t> star) const {
  std::string row;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (star == i) {
      put(row, 2 * i, '*');
    } else if (columns_[i]) {
      put(row, 2 * i, '|');
    }
  }
  return row;
}

void Graph::trim() {
  while (!columns_.empty() && !columns_.back()) columns_.pop_back();
}

}  // namespace spoor::cli
