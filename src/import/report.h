#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/oid.h"

namespace spoor::import {

/// Something to say about one place of a source.
struct Remark {
  enum class Kind {
    unreadable,  ///< bytes that could not be imported: the exit code says so
    odd,         ///< imported as it stands, but not what a sound file holds
  };
  Kind kind = Kind::odd;
  std::string source;  ///< the source's name
  std::uint64_t line = 0;
  std::string text;  ///< for people

  /// `file:line: text`
  std::string message() const;
};

/// Where a ref is after an import.
struct ImportedRef {
  std::string name;  ///< full
  store::Oid target;
  bool moved = false;  ///< by this import
};

/// What became of every record of an import. Counts by name, so that a report
/// can be read and added up: nothing that was read is in none of them.
struct LossReport {
  using Counts = std::map<std::string, std::uint64_t>;

  std::uint64_t sources = 0;                   ///< files
  std::uint64_t passed_over = 0;               ///< files of folders that hold no session
  std::vector<std::string> passed_over_files;  ///< the first kMaxPassedOver of their names
  static constexpr std::size_t kMaxPassedOver = 100;
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;  ///< whole JSON objects that were read

  std::uint64_t turn_records = 0;  ///< of these, records that became turns
  Counts turns;                    ///< commits made of them, by type (`compress` too)
  Counts kept;                     ///< records kept verbatim as notes, by record type
  Counts duplicates;               ///< records dropped because they repeat what is stored
  Counts unknown;                  ///< of the kept: record types that are not known

  Counts attached;        ///< facts beside the message, attached to their turn, by key
  Counts repeated_facts;  ///< facts beside the message that repeat the turn, dropped
  Counts odd_blocks;      ///< content blocks of unknown type, kept in `raw` or attached

  std::uint64_t met_turns = 0;  ///< turns that another capture of the conversation has
  std::uint64_t new_turns = 0;  ///< commits that the store did not have yet
  std::uint64_t new_notes = 0;
  std::uint64_t erased = 0;           ///< contents left out because they were erased here
  std::uint64_t unreadable = 0;       ///< places that could not be read, torn ends too
  std::uint64_t torn = 0;             ///< of these, a last line that is cut off
  std::uint64_t oddities = 0;         ///< places that were odd, but read
  std::uint64_t missing_parents = 0;  ///< records whose parent is not in their file
  std::vector<Remark> remarks;        ///< the first kMaxRemarks of both kinds

  std::vector<ImportedRef> refs;  ///< every ref that holds what was imported, by name
  std::string main_ref;           ///< of these, the line of the last record; may be empty

  static constexpr std::size_t kMaxRemarks = 1000;

  /// Everything could be read.
  bool is_clean() const { return unreadable == 0; }

  void remark(Remark remark);

  /// Counts a file of a folder that holds no session.
  void pass_over(std::string file);

  /// Adds another import's report; `main_ref` is then the other's.
  void add(const LossReport& other);
};

/// The sum of the counts.
std::uint64_t total(const LossReport::Counts& counts);

}  // namespace spoor::import
