#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "compile/prompt.h"

namespace spoor::compile {

/// Which entries of a state are the messages of a prompt, and why the others are out: a walk in
/// prompt order that reads no text. About fifty bytes an entry; the state must outlive it.
class Selection {
 public:
  /// A reasoning that led to a message: CompileOptions::with_thoughts.
  struct Led {
    const Entry* entry;
    std::size_t before;  ///< the number of the message's entry that it led to
  };

  /// The tokens of some messages.
  using Weigh = std::function<Result<std::uint64_t>(std::span<const std::uint32_t> messages)>;

  Selection(const State& state, const CompileOptions& options);

  /// Keeps the last so many turns, what is pinned, and what belongs to these.
  void apply_window(std::int64_t turns);

  /// Keeps what is pinned, then the newest messages until one does not fit: which is what dropping
  /// the oldest ones until the rest fits comes to, but it weighs no more of a history than about
  /// twice what stays.
  Result<void> apply_budget(std::uint64_t budget, const Weigh& weigh);

  /// How many messages there are, in prompt order, those that were dropped too.
  std::size_t size() const { return groups_.size(); }

  bool is_shown(std::size_t message) const { return !groups_[message].dropped; }

  /// What a message is made of: usually one entry, more where a provider's message came as several
  /// records.
  std::span<const Entry* const> entries(std::size_t message) const;

  std::span<const Led> thoughts(std::size_t message) const;

  /// What is not shown, in prompt order.
  std::vector<LeftOut> left_out() const;

 private:
  struct Group {
    std::uint32_t first = 0;  // In members_.
    std::uint32_t count = 0;
    std::uint32_t piece = 0;  // The first group that stays or goes together with it.
    bool is_pinned = false;
    std::optional<Why> dropped;
  };
  struct Line {
    const Entry* entry;
    std::uint32_t number;  // Of its message: message_numbers.h.
    std::uint32_t group;
    std::optional<Why> out;
  };

  void hide(const CompileOptions& options);
  void group(std::size_t numbers, bool with_thoughts);
  void give(std::vector<const Entry*>& thoughts, const Entry& entry, std::uint32_t group);
  void gather();
  void join_pieces();

  std::vector<Line> lines_;            // The entries in prompt order.
  std::vector<Group> groups_;          // By their first entry.
  std::vector<const Entry*> members_;  // The entries of each group in a row.
  std::unordered_map<std::uint32_t, std::vector<Led>> thoughts_;
};

}  // namespace spoor::compile
