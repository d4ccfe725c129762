#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace spoor::store::sqlite {

// Reads the log as bytes, without SQLite, which silently ignores everything after a wrong checksum.
// The format is SQLite's (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).

using LogSalts = std::array<unsigned char, 8>;

/// The result of reading a log. Frames are counted from 1.
struct LogScan {
  std::uint64_t size = 0;           ///< of its file; 0 if there is none
  std::optional<LogSalts> salts{};  ///< nullopt if the header is missing or damaged
  std::uint32_t frames = 0;         ///< up to the last commit of the valid frames
  std::uint32_t invalid = 0;        ///< the first invalid frame; 0 if there is none
  /// Complete transactions after the invalid frame whose bytes look as written. A transaction that
  /// was never finished is not counted.
  std::uint32_t commits_after = 0;
};

/// Reads only the header of the log of the store at `path`: size and salts. Code::io.
Result<LogScan> read_log_header(const std::string& path);

/// Reads the whole log; no other process may restart it meanwhile. Code::io.
Result<LogScan> scan_log(const std::string& path);

}  // namespace spoor::store::sqlite
