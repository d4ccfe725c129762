#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "compile/turn.h"
#include "store/oid_table.h"

namespace spoor::compile {

/// The version of fold and selection that `compile` uses by default. A bundle contains the version
/// of its request. Any change of the result for any (commit, options) requires a new version.
///
///   1  joins every commit of one `message_id`; an edit settles only conflicts of edits, an
///      annotation only those of priorities
///   2  joins only those that follow one another within one answer; either settles any conflict;
///      a summary of reasoning alone is left out if reasoning is not included
inline constexpr std::uint32_t kNewestVersion = 2;

/// The effects of directives on one entry, in chain order. Most entries have none.
struct Directives {
  std::vector<Oid> edits;
  std::vector<Oid> annotations;      ///< annotate commits, and merges whose mode skipped the entry
  std::vector<Priority> priorities;  ///< the priority set by each; as long as `annotations`
  std::optional<Oid> compressed_by;  ///< permanently replaced by this summary

  bool operator==(const Directives&) const = default;
};

/// One entry of the prompt: a message, a compress summary or a digest.
struct Entry {
  Oid commit;
  Type type = Type::user;
  Priority priority = Priority::normal;
  bool is_explicit = false;              ///< the priority was set, not the type's default
  bool is_of_thoughts = false;           ///< a summary of reasoning alone
  bool is_edited = false;                ///< rendered without its raw items
  Oid content;                           ///< current
  std::shared_ptr<const Fields> fields;  ///< current; null: none
  std::shared_ptr<const std::vector<store::Content>> raw;     ///< null: none
  std::shared_ptr<const std::vector<store::Content>> attach;  ///< null: none
  std::string message_id;                  ///< groups the records of one provider message
  std::shared_ptr<Directives> directives;  ///< null: none; only State changes them
  Oid digest;                              ///< hash of everything that a model would see
  std::uint32_t prev = 0;                  ///< neighbours in prompt order; State::kEnd at the ends
  std::uint32_t next = 0;

  bool is_compressed() const { return directives && directives->compressed_by.has_value(); }
  const std::vector<ToolCall>* calls() const {
    return fields && fields->tool_calls ? &*fields->tool_calls : nullptr;
  }
};

/// Different changes on both sides of a merge that are not settled.
struct Conflict {
  enum class Kind { edit, priority };
  Kind kind = Kind::edit;
  Oid target;
  Oid ours;  ///< the last edit or annotation (or compress) on each side
  Oid theirs;

  bool operator==(const Conflict&) const = default;
};

/// The fold of a history up to one commit: the ordered entries and the settings.
///
/// Entries never move in memory: `first` and `Entry::next` give the prompt order, so an append is
/// O(1) and a summary can be inserted in the middle. A value type; not safe to change and read at
/// once.
class State {
 public:
  static constexpr std::uint32_t kEnd = 0xffffffff;

  const std::vector<Entry>& entries() const { return entries_; }
  std::uint32_t first() const { return first_; }

  /// Returns the entry that a commit made; null if it made none.
  const Entry* find(const Oid& commit) const;

  /// Returns the current settings: key to canonical JSON value.
  std::map<std::string, std::string> config() const;

  /// Returns the unsettled conflicts under a version of the fold, in prompt order.
  std::vector<Conflict> conflicts(std::uint32_t version = kNewestVersion) const;

  /// Calls `visit` for each entry that is not compressed, in prompt order.
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::uint32_t i = first_; i != kEnd; i = entries_[i].next) {
      if (!entries_[i].is_compressed()) visit(entries_[i]);
    }
  }

  /// Returns the position of each entry in prompt order, indexed as entries().
  std::vector<std::uint32_t> positions() const;

  /// Returns the place in entries() of the first entry from which on none is missing, in prompt
  /// order; nullopt for a complete state. Only part_fold.h makes partial states.
  std::optional<std::uint32_t> complete_from() const { return complete_from_; }

  /// States that entries before those appended from now on may be missing.
  void begin_complete_part() { complete_from_ = static_cast<std::uint32_t>(entries_.size()); }

  /// Reserves memory for a known total number of entries.
  void reserve(std::size_t entries) { entries_.reserve(entries); }

  // The effects of commits. Code::corrupt if a target is not an entry of this history; the state is
  // then unchanged.
  void append(Entry entry);
  Result<void> edit(const Oid& target, const Oid& by, const std::optional<Oid>& content,
                    const std::optional<std::vector<ToolCall>>& calls);
  Result<void> annotate(const std::vector<Oid>& targets, const Oid& by, Priority priority);
  Result<void> compress(const std::vector<Oid>& targets, Entry summary);
  Result<void> set(const Oid& by, std::string_view settings);
  Result<void> merge(const State& theirs, const Oid& by, store::Mode mode,
                     const std::vector<Oid>& picked, std::optional<Entry> digest);

 private:
  struct Setting {
    std::string json;  // Empty: removed.
    Oid by;
  };
  struct Listed {
    Conflict conflict;
    bool is_settled = false;  // By a directive of the other kind: version 1 still lists it.
  };

  Result<std::uint32_t> place_of(const Oid& target) const;
  Result<std::vector<std::uint32_t>> places_of(const std::vector<Oid>& targets) const;
  void insert_before(std::uint32_t place, Entry entry);
  void settle(Conflict::Kind kind, const Oid& target);
  void settle_all(Conflict::Kind kind, const Oid& target);
  void adopt_conflict(const State& theirs, Conflict::Kind kind, const Oid& target);
  void adopt_settled(const State& theirs, Conflict::Kind kind, const Oid& target);
  void join_content(Entry& ours, const Entry& theirs, const State& other);
  void join_priority(Entry& ours, const Entry& theirs, const State& other);
  std::unordered_set<Oid> join_shared(const State& theirs, bool ignores);
  void join_settings(const State& theirs);

  std::vector<Entry> entries_;  // In chain order.
  store::OidTable index_;       // Numbers the commits of entries_ by their places.
  std::uint32_t first_ = kEnd;
  std::uint32_t last_ = kEnd;
  std::map<std::string, Setting> settings_;
  std::unordered_set<Oid> setters_;  // Every config commit of this history.
  std::vector<Listed> conflicts_;
  std::optional<std::uint32_t> complete_from_;
};

/// Sets `digest` from the rest of the entry; `fields` is the hash of its fields.
void seal(Entry& entry, const std::optional<Oid>& fields);

/// Returns true if calls of an answer, or some of them, were erased.
bool has_erased_calls(const Entry& entry);

/// Returns true if a compress can replace this entry: NORMAL, or a summary that is pinned only by
/// default.
bool is_source(const Entry& entry);

}  // namespace spoor::compile
