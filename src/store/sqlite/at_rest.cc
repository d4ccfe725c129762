#include "store/sqlite/at_rest.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "base/big_endian.h"
#include "store/sqlite/log_end.h"

namespace spoor::store::sqlite {
namespace {

constexpr std::int64_t kLastWriter = 96;  // Its offset in the header.
using Number = std::array<unsigned char, 4>;

Error failed(int code) {
  return io_error(std::string("the header of the store's file failed: ") + sqlite3_errstr(code));
}

Result<void> write_number(Connection& connection, std::uint32_t number) {
  std::string bytes;
  append_big_endian(bytes, number, sizeof(Number));
  sqlite3_file* file = store_file(connection.handle());
  const int code =
      file->pMethods->xWrite(file, bytes.data(), static_cast<int>(bytes.size()), kLastWriter);
  if (code != SQLITE_OK) return failed(code);
  return {};
}

}  // namespace

Result<bool> needs_log(Connection& connection) {
  Number bytes{};
  sqlite3_file* file = store_file(connection.handle());
  const int code =
      file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), kLastWriter);
  if (code != SQLITE_OK) return failed(code);
  return std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == 0; });
}

Result<void> note_log_needed(Connection& connection) {
  if (TRY(needs_log(connection))) return {};
  return write_number(connection, 0);
}

Result<void> note_at_rest(Connection& connection) {
  if (!TRY(needs_log(connection))) return {};
  TRY(write_number(connection, static_cast<std::uint32_t>(sqlite3_libversion_number())));
  sqlite3_file* file = store_file(connection.handle());
  const int code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
  if (code != SQLITE_OK) return failed(code);
  return {};
}

// Every open connection holds a shared lock on the file.
bool is_alone(Connection& connection) {
  sqlite3_file* file = store_file(connection.handle());
  const int code = file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE);
  file->pMethods->xUnlock(file, SQLITE_LOCK_SHARED);
  return code == SQLITE_OK;
}

}  // namespace spoor::store::sqlite
