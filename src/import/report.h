#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/oid.h"

namespace spoor::import {

/// A message about one place of a source.
struct Remark {
  enum class Kind {
    unreadable,  ///< bytes that could not be imported; changes the exit code
    odd,         ///< imported unchanged, but not expected in an intact file
  };
  Kind kind = Kind::odd;
  std::string source;  ///< the source's name
  std::uint64_t line = 0;
  std::string text;  ///< for people

  /// `file:line: text`
  std::string message() const;
};

/// The place of a ref after an import.
struct ImportedRef {
  std::string name;  ///< full name
  store::Oid target;
  bool moved = false;  ///< true if this import moved it
  store::Oid tip;      ///< the end of what was read, or the commit in its place in a longer copy
};

/// The result of an import: every record that was read is counted here, by name, so that reports
/// can be added up.
struct LossReport {
  using Counts = std::map<std::string, std::uint64_t>;

  std::uint64_t sources = 0;                   ///< files
  std::uint64_t passed_over = 0;               ///< files of folders that are not sessions
  std::vector<std::string> passed_over_files;  ///< the first kMaxPassedOver of their names
  static constexpr std::size_t kMaxPassedOver = 100;
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;  ///< whole JSON objects that were read

  std::uint64_t turn_records = 0;  ///< of these, records that became turns
  Counts turns;                    ///< commits made of them, by type (`compress` too)
  Counts kept;                     ///< records kept verbatim as notes, by record type
  Counts duplicates;               ///< records dropped because they repeat stored content
  Counts unknown;                  ///< of the kept: unknown record types

  Counts attached;        ///< facts outside of the message, attached to their turn, by key
  Counts repeated_facts;  ///< facts outside of the message that repeat the turn, dropped
  Counts odd_blocks;      ///< content blocks of unknown type, kept in `raw` or attached

  std::uint64_t met_turns = 0;  ///< turns that another capture of the conversation has
  std::uint64_t new_turns = 0;  ///< commits that were not in the store yet
  std::uint64_t new_notes = 0;
  std::uint64_t erased = 0;           ///< contents left out because they were erased in this store
  std::uint64_t unreadable = 0;       ///< places that could not be read, torn ends too
  std::uint64_t torn = 0;             ///< of these, a last line that is cut off
  std::uint64_t oddities = 0;         ///< places that were odd, but read
  std::uint64_t missing_parents = 0;  ///< records whose parent is not in their file
  std::vector<Remark> remarks;        ///< the first kMaxRemarks of both kinds

  std::vector<ImportedRef> refs;       ///< every ref that holds imported commits, by name
  std::string main_ref;                ///< of these, the line of the last record; may be empty
  std::optional<store::Oid> main_tip;  ///< its last turn that was read, or the commit in its place;
                                       ///< the ref may be further

  static constexpr std::size_t kMaxRemarks = 1000;

  /// Returns true if everything could be read.
  bool is_clean() const { return unreadable == 0; }

  void remark(Remark remark);

  /// Counts a file of a folder that is not a session.
  void pass_over(std::string file);

  /// Adds another import's report and takes over its `main_ref`.
  void add(const LossReport& other);
};

std::uint64_t total(const LossReport::Counts& counts);

}  // namespace spoor::import
