#include "api/turns/follow.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "api/turns/history.h"
#include "store/store.h"

namespace spoor::api {
namespace {

constexpr std::chrono::milliseconds kLook{50};

}  // namespace

Result<Follow> Follow::begin(const Workspace& workspace, std::string branch, Moves moves) {
  Follow follow(workspace, std::move(branch), moves);
  TRY(follow.look());
  return follow;
}

Result<std::vector<Follow::Moved>> Follow::look() {
  std::vector<Moved> moved;
  const store::Store& store = workspace_.repository().store();
  const bool is_first = !std::exchange(has_begun_, true);
  const auto newest = TRY(store.newest_operation());
  if (!newest || newest->name == operation_) return moved;
  operation_ = newest->name;
  const std::string heads = store::branch_ref("");
  std::vector<Oid> seen;  // The tips before and now, also if a branch has left it.
  for (const auto& [name, tip] : tips_) seen.push_back(tip);
  for (const store::Ref& ref : TRY(store.refs(branch_.empty() ? heads : branch_))) {
    if (!branch_.empty() && ref.name != branch_) continue;
    const auto known = tips_.find(ref.name);
    const bool is_same = known != tips_.end() && known->second == ref.target;
    if (is_same || is_first) {
      tips_[ref.name] = ref.target;
      continue;
    }
    HistoryQuery query;
    query.tips = {ref.target};
    query.without = seen;
    seen.push_back(ref.target);
    Moved more{ref.name.substr(heads.size()), ref.target, {}};
    TRY(walk(workspace_, query, [&](const HistoryStep& step) {
      more.turns.push_back(step.view.oid);
      return true;
    }));
    std::reverse(more.turns.begin(), more.turns.end());
    tips_[ref.name] = ref.target;
    if (!more.turns.empty() || moves_ == Moves::all) moved.push_back(std::move(more));
  }
  return moved;
}

Result<std::vector<Follow::Moved>> Follow::wait(const std::function<bool()>& is_over) {
  while (true) {
    auto moved = TRY(look());
    if (!moved.empty() || is_over()) return moved;
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace spoor::api
