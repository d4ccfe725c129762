#include "store/sqlite/erasures.h"

#include <string>

#include "store/sqlite/local_facts.h"

namespace spoor::store::sqlite {

Result<std::uint64_t> erasures(Connection& connection) {
  return local_number(connection, kErasures);
}

Result<void> count_erasure(Connection& connection) {
  const std::string next = std::to_string(TRY(erasures(connection)) + 1);
  return set_local_fact(connection, kErasures, next);
}

}  // namespace spoor::store::sqlite
