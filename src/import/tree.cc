#include "import/tree.h"

#include <utility>

namespace spoor::import {

using compile::Oid;
using compile::Turn;

Result<void> Tree::add(const Link& link, const std::vector<Turn>& turns) {
  const Place place = thread_.place(link);
  std::optional<Oid> parent;
  if (place.parent != kNone) parent = last_commit(place.parent);
  ends_.resize(place.turn, static_cast<Index>(commits_.size()));
  bool compresses = place.compresses;
  for (const Turn& turn : turns) {
    if (std::exchange(compresses, false) && turn.type == compile::Type::summary) {
      parent = TRY(writer_.compress(*parent, commits_of(place.replaced), turn));
    } else {
      parent = TRY(writer_.append(parent, turn));
    }
    commits_.push_back(*parent);
  }
  ends_.push_back(static_cast<Index>(commits_.size()));
  return {};
}

std::vector<WantedRef> Tree::lines() const {
  std::vector<WantedRef> all;
  for (const Leaf& leaf : thread_.leaves()) {
    all.push_back({writer_.line(leaf.agent), last_commit(leaf.turn)});
  }
  return all;
}

std::vector<Oid> Tree::commits_of(const std::vector<Index>& turns) const {
  std::vector<Oid> all;
  for (const Index turn : turns) {
    all.insert(all.end(), commits_.begin() + first_of(turn), commits_.begin() + ends_[turn]);
  }
  return all;
}

}  // namespace spoor::import
