#pragma once

#include "store/postgres/connection.h"

namespace spoor::store::postgres {

/// The statement that takes the tables from version 1 to 2: who may do what in which store. It does
/// nothing to tables of a later version. Roles that had rights on the tables get the same in each
/// store.
Statement roles_step();

/// Refuses what comes after it in the transaction if this user is not an admin of store $1. For a
/// user to whom row-level security applies: what it hides is not an error to the server.
constexpr auto kAdmin = R"(
  SELECT CASE WHEN NOT EXISTS (SELECT FROM spoor.grants WHERE store = $1 AND may = 'admin')
    THEN spoor.refuse('42501') END)";

/// The same for an appender.
constexpr auto kAppender = R"(
  SELECT CASE WHEN NOT EXISTS (SELECT FROM spoor.grants WHERE store = $1 AND may <> 'reader')
    THEN spoor.refuse('42501') END)";

}  // namespace spoor::store::postgres
