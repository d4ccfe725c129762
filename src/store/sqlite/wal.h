#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace spoor::store::sqlite {

// The log as its bytes are, read without SQLite, which leaves out whatever follows a wrong checksum
// and says nothing. The format is SQLite's
// (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).

using LogSalts = std::array<unsigned char, 8>;

/// What the bytes of a log say. Frames are counted from 1.
struct LogScan {
  std::uint64_t size = 0;           ///< of its file; 0 when there is none
  std::optional<LogSalts> salts{};  ///< nothing when there is no header, or a damaged one
  std::uint32_t frames = 0;         ///< up to the last commit of the valid ones
  std::uint32_t invalid = 0;        ///< the first frame that is not valid; 0 when there is none
  /// Transactions that follow the invalid frame, and look as they were written. One that was never
  /// finished leaves none.
  std::uint32_t commits_after = 0;
};

/// Reads the header alone of the log of the store at `path`: size and salts. Code::io.
Result<LogScan> read_log_header(const std::string& path);

/// Reads all of it, while nobody begins it anew. Code::io.
Result<LogScan> scan_log(const std::string& path);

}  // namespace spoor::store::sqlite
