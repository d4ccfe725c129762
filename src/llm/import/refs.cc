#include "llm/import/refs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "store/ancestry.h"

namespace spoor::llm::import {
namespace {

using store::Oid;
using store::Result;

/// The names of one base, and what they hold now.
class Names {
 public:
  static Result<Names> read(const compile::Repository& repository, const std::string& base) {
    Names names(base);
    for (const store::Ref& ref : TRY(repository.store().refs(base))) {
      if (names.is_numbered(ref.name)) names.held_.emplace(ref.name, ref.target);
    }
    return names;
  }

  std::string name(std::size_t number) const {
    return number == 1 ? base_ : fmt::format("{}-{}", base_, number);
  }

  std::optional<Oid> at(const std::string& name) const {
    const auto found = held_.find(name);
    return found == held_.end() ? std::nullopt : std::optional<Oid>(found->second);
  }

  const std::map<std::string, Oid>& held() const { return held_; }

 private:
  explicit Names(std::string base) : base_(std::move(base)) {}

  bool is_numbered(std::string_view name) const {
    if (name == base_) return true;
    name.remove_prefix(base_.size());
    if (name.size() < 2 || name[0] != '-') return false;
    return std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  std::string base_;
  std::map<std::string, Oid> held_;
};

/// Places the wanted commits of one base.
class Placing {
 public:
  Placing(const compile::Repository& repository, compile::Draft& draft, Names names,
          const std::vector<Oid>& tips)
      : repository_(repository), draft_(draft), names_(std::move(names)), tips_(tips) {}

  Result<std::vector<ImportedRef>> place() {
    std::vector<ImportedRef> placed;
    for (const Oid& tip : tips_) {
      const auto holder = someone_holding(tip);
      placed.push_back(holder ? ImportedRef{*holder, *names_.at(*holder), false}
                              : TRY(take_next(tip)));
    }
    return placed;
  }

 private:
  bool is_free(const Oid& target) const {
    return std::any_of(tips_.begin(), tips_.end(),
                       [&](const Oid& tip) { return is_held(repository_, target, tip); });
  }

  /// A ref that may not move and has `tip` in its history.
  std::optional<std::string> someone_holding(const Oid& tip) const {
    for (const auto& [name, target] : names_.held()) {
      if (!is_free(target) && is_held(repository_, tip, target)) return name;
    }
    return std::nullopt;
  }

  Result<ImportedRef> take_next(const Oid& tip) {
    for (;;) {
      const std::string name = names_.name(next_++);
      const auto now = names_.at(name);
      if (now && !is_free(*now)) continue;
      const bool moves = now != tip;
      if (moves) TRY(draft_.move(name, tip));
      return ImportedRef{name, tip, moves};
    }
  }

  const compile::Repository& repository_;
  compile::Draft& draft_;
  Names names_;
  const std::vector<Oid>& tips_;
  std::size_t next_ = 1;
};

}  // namespace

bool is_held(const compile::Repository& repository, const Oid& commit, const Oid& tip) {
  const auto held = store::is_ancestor(repository.reader(), commit, tip);
  return held && held.value();
}

Result<std::vector<ImportedRef>> place_refs(const compile::Repository& repository,
                                            compile::Draft& draft,
                                            const std::vector<WantedRef>& wanted) {
  std::vector<ImportedRef> all;
  for (std::size_t i = 0; i < wanted.size();) {
    const std::string& base = wanted[i].base;
    std::vector<Oid> tips;
    for (; i < wanted.size() && wanted[i].base == base; ++i) tips.push_back(wanted[i].tip);
    Placing placing(repository, draft, TRY(Names::read(repository, base)), tips);
    for (ImportedRef& ref : TRY(placing.place())) all.push_back(std::move(ref));
  }
  return all;
}

}  // namespace spoor::llm::import
