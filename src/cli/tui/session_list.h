#pragma once

#include <vector>

#include "api/session.h"
#include "cli/tui/list.h"

namespace spoor::cli::tui {

/// The sessions of a store, the one that started last first.
class SessionList final : public List {
 public:
  /// `session` must outlive the list.
  static Result<std::unique_ptr<SessionList>> read(Session& session);

  std::string title() const override;
  std::uint64_t size() const override { return sessions_.size(); }
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
  explicit SessionList(Session& session) : session_(session) {}

  Session& session_;
  std::vector<api::Session> sessions_;
};

/// The branches of a session, its main line first.
class BranchList final : public List {
 public:
  /// `of` is the session; `session` must outlive the list.
  BranchList(Session& session, api::Session of) : session_(session), of_(std::move(of)) {}

  std::string title() const override;
  std::uint64_t size() const override { return of_.lines.size(); }
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
  Session& session_;
  api::Session of_;
};

}  // namespace spoor::cli::tui
