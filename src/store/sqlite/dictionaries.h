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

/// No dictionary has a higher number.
inline constexpr DictionaryNumber kLastNumber = 0x7fff'ffff;

/// What there is of a table's dictionaries.
struct Dictionaries {
  DictionaryNumber last_number = 0;  ///< of all tables'
  std::string newest;                ///< of this table; empty when it has none that is sound
  std::uint64_t learned = 0;         ///< bytes that this table had when the newest was learned
};
Result<Dictionaries> dictionaries(Connection& connection, PackedTable table);

/// A dictionary that is to be added.
struct NewDictionary {
  DictionaryNumber number = 0;
  std::uint64_t learned = 0;  ///< bytes that the table has
  std::string bytes;
};

/// False when another writer has taken its number. Within a write transaction, after
/// allow_dictionaries() (schema.h).
Result<bool> add_dictionary(Connection& connection, PackedTable table, const NewDictionary& added);

/// Are there dictionaries with bytes?
Result<bool> has_dictionaries(Connection& connection);

/// Is there one with this number, sound or not?
Result<bool> has_dictionary(Connection& connection, DictionaryNumber number);

/// Takes the bytes of all dictionaries away. Their numbers stay taken: a reader that remembers one
/// never takes it for another. Within a write transaction, when no row needs them any more.
Result<void> empty_dictionaries(Connection& connection);

/// Those that are not as they were added, for Store::check().
Result<std::vector<Store::Finding>> damaged_dictionaries(Connection& connection);

}  // namespace spoor::store::sqlite
