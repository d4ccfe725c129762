#include "cli/git/tree.h"

#include <vector>

namespace spoor::cli::git {

// Returns the folder of `child` for changes: its own copy if others share it.
Tree& Tree::own(Child& child) const {
  if (!child.folder) {
    child.folder = std::make_shared<Tree>();
  } else if (child.folder.use_count() != 1) {
    child.folder = std::make_shared<Tree>(*child.folder);
  }
  child.is_changed = true;
  return *child.folder;
}

void Tree::put(std::string_view path, const GitOid& blob) {
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) {
    children_.insert_or_assign(std::string(path), Child{blob, nullptr, false});
    return;
  }
  Child& child = children_.try_emplace(std::string(path.substr(0, slash + 1))).first->second;
  own(child).put(path.substr(slash + 1), blob);
}

void Tree::remove(std::string_view folder, std::string_view prefix) {
  if (!folder.empty()) {
    const std::size_t slash = std::min(folder.find('/'), folder.size());
    const auto child = children_.find(std::string(folder.substr(0, slash)) + "/");
    if (child == children_.end()) return;
    Tree& inner = own(child->second);
    inner.remove(folder.substr(std::min(slash + 1, folder.size())), prefix);
    if (inner.empty()) children_.erase(child);
    return;
  }
  auto at = children_.lower_bound(prefix);
  while (at != children_.end() && at->first.starts_with(prefix)) at = children_.erase(at);
}

Result<GitOid> Tree::write(PackWriter& pack) {
  std::vector<TreeEntry> entries;
  entries.reserve(children_.size());
  for (auto& [name, child] : children_) {
    if (child.is_changed) {
      child.oid = TRY(child.folder->write(pack));
      child.is_changed = false;
    }
    const std::string_view bare(name.data(), name.size() - (child.folder ? 1 : 0));
    entries.push_back({bare, child.folder != nullptr, child.oid});
  }
  return pack.put(Kind::tree, encode(entries));
}

}  // namespace spoor::cli::git
