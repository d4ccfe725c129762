#pragma once

namespace spoor::store::sqlite {

/// Makes fork() wait until no other thread holds a lock of SQLite that all connections share, such
/// as that of its allocator: else it would stay locked for ever in the child, which could open no
/// store. Call it before the first connection; more calls do nothing.
void keep_usable_after_fork();

}  // namespace spoor::store::sqlite
