#include "api/turns/decorations.h"

namespace spoor::api {

Result<Oid> Decorations::shown_at(const Workspace& workspace, Oid commit) {
  while (true) {
    const auto at = TRY(workspace.reader().commit(commit));
    if (!compile::is_bookkeeping(*at) || at->parents.empty()) return commit;
    commit = at->parents.front();
  }
}

Result<Decorations> Decorations::read(const Workspace& workspace, bool past_bookkeeping) {
  Decorations all;
  const auto place = [&](const Oid& target) -> Result<Oid> {
    return past_bookkeeping ? shown_at(workspace, target) : Result<Oid>(target);
  };
  const Head head = TRY(workspace.head());
  if (head.commit) all.labels_[TRY(place(*head.commit))].push_back({Label::Kind::head, "HEAD"});
  constexpr std::string_view kHeads = "refs/heads/";
  constexpr std::string_view kTags = "refs/tags/";
  const store::Store& store = workspace.repository().store();
  for (const store::Ref& ref : TRY(store.refs(kHeads))) {
    const std::string name = ref.name.substr(kHeads.size());
    std::vector<Label>& labels = all.labels_[TRY(place(ref.target))];
    if (!head.is_detached() && name == head.branch) {
      labels.insert(labels.begin(), {Label::Kind::branch, "HEAD -> " + name});
    } else {
      labels.push_back({Label::Kind::branch, name});
    }
  }
  for (const store::Ref& ref : TRY(store.refs(kTags))) {
    const Oid commit = TRY(workspace.reader().peel(ref.target));
    all.labels_[TRY(place(commit))].push_back(
        {Label::Kind::tag, "tag: " + ref.name.substr(kTags.size())});
  }
  constexpr std::string_view kRemotes = "refs/remotes/";
  for (const store::Ref& ref : TRY(store.refs(kRemotes))) {
    all.labels_[TRY(place(ref.target))].push_back(
        {Label::Kind::remote, ref.name.substr(kRemotes.size())});
  }
  return all;
}

void Decorations::mark_view(const View& view) {
  if (!view.is_present()) labels_[*view.now().commit].push_back({Label::Kind::view, "view"});
}

const std::vector<Decorations::Label>& Decorations::labels(const Oid& commit) const {
  static const std::vector<Label> kNone;
  const auto found = labels_.find(commit);
  return found == labels_.end() ? kNone : found->second;
}

std::vector<std::string> Decorations::at(const Oid& commit) const {
  std::vector<std::string> texts;
  for (const Label& label : labels(commit)) texts.push_back(label.text);
  return texts;
}

}  // namespace spoor::api
