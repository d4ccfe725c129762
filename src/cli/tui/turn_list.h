#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/turns/turn_marks.h"
#include "api/turns/turn_view.h"
#include "cli/tui/list.h"

namespace spoor::cli::tui {

/// The commits of a branch's first-parent line, the oldest first: row N is the commit at depth N,
/// so rows keep their numbers as the branch grows. Reads what is shown, not the line.
class TurnList final : public List {
 public:
  /// The line of `branch`, its short name, as it grows; without one, that of the commit `tip`.
  /// `session` must outlive the list.
  static Result<std::unique_ptr<TurnList>> read(Session& session, std::string title,
                                                std::string branch, const store::Oid& tip);

  std::string title() const override { return title_; }
  std::uint64_t size() const override { return size_; }
  Result<Line> row(std::uint64_t index, int columns) override;
  Result<bool> has(std::uint64_t index, std::string_view needle) override;
  Result<bool> begins_chapter(std::uint64_t index) override;
  std::span<const Tab> tabs() const override;
  Result<std::vector<std::string>> command(std::uint64_t index, const Tab& tab,
                                           std::optional<std::uint64_t> mark) override;
  Result<store::Oid> commit(std::uint64_t index) override;
  Result<std::unique_ptr<List>> open(std::uint64_t index) override;
  Result<std::unique_ptr<List>> branches(std::uint64_t index) override;
  Result<std::uint64_t> refresh(std::uint64_t index) override;

 private:
  TurnList(Session& session, std::string title, std::string branch)
      : session_(session), title_(std::move(title)), branch_(std::move(branch)) {}

  Result<void> begin_at(const store::Oid& tip);
  Result<const api::TurnView*> turn(std::uint64_t index);
  Result<std::uint64_t> answer_before(std::uint64_t index);
  Result<std::uint64_t> thought_at(std::uint64_t index);

  Session& session_;
  const std::string title_;
  const std::string branch_;  // May be empty.
  store::Oid tip_;
  std::uint64_t size_ = 0;
  // Of pages that were looked at, at most a few.
  std::map<std::uint64_t, std::vector<api::TurnView>> pages_;
  std::shared_ptr<const compile::State> state_;  // Has the turns that later commits mark.
};

}  // namespace spoor::cli::tui
