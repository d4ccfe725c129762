#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compile/prompt.h"

namespace spoor::compile {

/// Selects the entries of a state that become messages of a prompt, and records why the others are
/// left out. Walks in prompt order and reads no text. Uses about fifty bytes per entry; the state
/// must outlive it.
class Selection {
 public:
  /// A reasoning that led to a message (CompileOptions::with_thoughts).
  struct Led {
    const Entry* entry;
    std::size_t before;  ///< index of the message's entry that it led to
  };

  /// Returns the tokens of some messages.
  using Weigh = std::function<Result<std::uint64_t>(std::span<const std::uint32_t> messages)>;

  Selection(const State& state, const CompileOptions& options);

  /// Keeps the last `turns` turns, pinned entries, and messages that belong to them.
  void apply_window(std::int64_t turns);

  /// Keeps pinned entries, then the newest messages until one does not fit. The result is the same
  /// as dropping the oldest ones until the rest fits, but it weighs only about twice as much
  /// history as it keeps.
  Result<void> apply_budget(std::uint64_t budget, const Weigh& weigh);

  /// Returns the number of messages, including dropped ones.
  std::size_t size() const { return groups_.size(); }

  bool is_shown(std::size_t message) const { return !groups_[message].dropped; }

  /// Returns the entries of a message: usually one, several if a provider's message was stored as
  /// several records.
  std::span<const Entry* const> entries(std::size_t message) const;

  std::span<const Led> thoughts(std::size_t message) const;

  /// Returns true if the options shorten this entry of the message.
  bool clears(std::size_t message, const Entry& entry) const;

  /// Entries whose text gave way to a shorter one.
  using Cleared = std::unordered_set<const Entry*>;

  /// Returns the entries that are not shown, or `cleared`, in prompt order.
  std::vector<LeftOut> left_out(const Cleared& cleared) const;

  /// Returns false if the messages shown might be others with the entries that a partial state
  /// lacks. True for a complete state.
  bool is_exact() const;

 private:
  struct Group {
    std::uint32_t first = 0;  // In members_.
    std::uint32_t count = 0;
    std::uint32_t piece = 0;  // The first group that is kept or dropped with it.
    bool is_pinned = false;
    std::optional<Why> dropped;
  };
  struct Line {
    const Entry* entry;
    std::uint32_t number;  // The number of its message: message_numbers.h.
    std::uint32_t group;
    std::optional<Why> out;
  };

  void hide(const CompileOptions& options);
  void group(std::size_t numbers, bool with_thoughts);
  void give(std::vector<const Entry*>& thoughts, const Entry& entry, std::uint32_t group);
  void gather();
  void join_pieces();

  std::uint32_t first_complete_group(std::size_t line) const;

  std::vector<Line> lines_;            // The entries in prompt order.
  std::vector<Group> groups_;          // By their first entry.
  std::vector<const Entry*> members_;  // The entries of all groups, one group after another.
  std::unordered_map<std::uint32_t, std::vector<Led>> thoughts_;
  const std::optional<std::int64_t> clear_results_after_;
  // Of a partial state: the first group from which on none is missing, and the oldest group that
  // window or budget have looked at to decide which are shown; nullopt: they have looked at all.
  std::optional<std::uint32_t> complete_from_;
  std::optional<std::uint32_t> decided_from_;
};

}  // namespace spoor::compile
