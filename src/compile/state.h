#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compile/turn.h"

namespace spoor::compile {

/// What directives did to one entry, in chain order. Most entries have none.
struct Directives {
  std::vector<Oid> edits;
  std::vector<Oid> annotations;
  std::vector<Priority> priorities;  ///< what each annotation set; as long as `annotations`
  std::optional<Oid> compressed_by;  ///< gone for good, into this summary
  std::optional<Oid> skipped_by;     ///< the merge whose mode skipped it

  bool operator==(const Directives&) const = default;
};

/// One entry of the prompt: a message, a compress summary or a digest.
struct Entry {
  Oid commit;
  Type type = Type::user;
  Priority priority = Priority::normal;
  bool is_explicit = false;              ///< the priority was set, not the type's default
  bool is_edited = false;                ///< rendered without its raw items
  Oid content;                           ///< in force
  std::shared_ptr<const Fields> fields;  ///< in force; null: none
  std::shared_ptr<const std::vector<store::Content>> raw;     ///< null: none
  std::shared_ptr<const std::vector<store::Content>> attach;  ///< null: none
  std::string message_id;                        ///< groups the records of one provider message
  std::shared_ptr<const Directives> directives;  ///< null: none
  std::uint32_t next = 0;                        ///< the next in prompt order

  bool is_compressed() const { return directives && directives->compressed_by.has_value(); }
  const std::vector<ToolCall>* calls() const {
    return fields && fields->tool_calls ? &*fields->tool_calls : nullptr;
  }
};

/// What both sides of a merge changed differently, and nothing settled since.
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
/// Entries never move in memory order: `first` and `Entry::next` give the prompt
/// order, so an append is O(1) and a summary can stand in the middle.
/// A value; not safe to change and read at once.
class State {
 public:
  static constexpr std::uint32_t kEnd = 0xffffffff;

  const std::vector<Entry>& entries() const { return entries_; }
  std::uint32_t first() const { return first_; }

  /// The entry that a commit made; null when it made none.
  const Entry* find(const Oid& commit) const;

  /// Settings in force: key to canonical JSON value.
  const std::map<std::string, std::string>& config() const { return config_; }

  /// Unsettled conflicts, in prompt order.
  std::vector<Conflict> conflicts() const;

  /// Entries that are not compressed, in prompt order.
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::uint32_t i = first_; i != kEnd; i = entries_[i].next) visit(entries_[i]);
  }

  // What the fold does (fold.cc).
  void append(Entry entry);
  void edit(const Oid& target, const Oid& by, const std::optional<Oid>& content,
            const std::shared_ptr<const Fields>& fields);
  void annotate(const Oid& target, const Oid& by, Priority priority);
  void compress(const std::vector<Oid>& targets, Entry summary);
  void skip(const Oid& target, const Oid& by);
  void set(const std::map<std::string, std::string>& settings);
  void merge(const State& theirs, const Commit& commit, const Oid& oid, std::optional<Entry> digest,
             const std::vector<Oid>& targets);

 private:
  Entry* find_mutable(const Oid& commit);
  void settle(Conflict::Kind kind, const Oid& target);
  void record(Conflict conflict);

  std::vector<Entry> entries_;  // In chain order.
  std::unordered_map<Oid, std::uint32_t> index_;
  std::uint32_t first_ = kEnd;
  std::uint32_t last_ = kEnd;
  std::map<std::string, std::string> config_;
  std::unordered_map<std::string, Oid> config_by_;  // Which commit set a key.
  std::vector<Conflict> conflicts_;
};

}  // namespace spoor::compile
