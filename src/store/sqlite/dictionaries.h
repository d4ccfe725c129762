#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/sqlite/compression.h"
#include "store/sqlite/connection.h"
#include "store/store.h"

namespace spoor::store::sqlite {

/// The tables whose rows are compressed, each with dictionaries of its own.
enum class PackedTable : std::uint8_t { commits, objects };
std::string_view name_of(PackedTable table);

/// The highest possible number of a dictionary.
inline constexpr DictionaryNumber kLastNumber = 0x7fff'ffff;

/// The dictionaries of a table.
struct Dictionaries {
  DictionaryNumber last_number = 0;  ///< the last number in all tables
  std::string newest;                ///< of this table; empty if it has no valid one
  std::uint64_t learned = 0;         ///< bytes in this table when the newest was trained
};
Result<Dictionaries> dictionaries(Connection& connection, PackedTable table);

/// A dictionary to add.
struct NewDictionary {
  DictionaryNumber number = 0;
  std::uint64_t learned = 0;  ///< bytes in the table now
  std::string bytes;
};

/// Adds a dictionary. False if another writer has taken its number. Within a write transaction,
/// after allow_dictionaries() (schema.h).
Result<bool> add_dictionary(Connection& connection, PackedTable table, const NewDictionary& added);

/// Returns whether any dictionary still has its bytes.
Result<bool> has_dictionaries(Connection& connection);

/// Returns whether a dictionary with this number exists, valid or not.
Result<bool> has_dictionary(Connection& connection, DictionaryNumber number);

/// Removes the bytes of all dictionaries. Their numbers remain taken, so that a reader never
/// confuses a cached dictionary with a new one. Within a write transaction, when no row needs them.
Result<void> empty_dictionaries(Connection& connection);

/// Finds dictionaries that differ from what was added, for Store::check().
Result<std::vector<Store::Finding>> damaged_dictionaries(Connection& connection);

}  // namespace spoor::store::sqlite
