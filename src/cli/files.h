#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/read_limits.h"
#include "cli/error.h"

namespace spoor::cli {

/// The bytes of a file, or of what a pipe gives; nothing when there is no such file. Code::invalid
/// for a folder or a device, Code::denied, with a hint, for more than `most` bytes (more than which
/// is never in memory), Code::io.
Result<std::optional<std::string>> read_file(const std::string& path,
                                             std::uint64_t most = ReadLimits().text);

/// The bytes of a file that must be there: Code::not_found, with a hint, and those of read_file().
Result<std::string> read_given_file(const std::string& path,
                                    std::uint64_t most = ReadLimits().text);

/// The Code::denied of what is longer than `most` bytes: `what` is `standard input`.
Error too_long(const std::string& what, std::uint64_t most);

/// Makes a folder that its owner alone may enter (0700), and those above it as needed. One that is
/// there stays as it is. Code::io.
Result<void> make_folder(const std::string& path);

/// Replaces a file in one step (a reader sees the old or the new bytes), making
/// its folder (0700) when there is none. `mode` are the permissions of a new file.
Result<void> write_file(const std::string& path, std::string_view bytes, unsigned mode);

/// Adds `bytes` to the end of a file, in one write, and gives the file `mode` even
/// if it was there with another one. Makes file and folder (0700) as needed.
Result<void> append_file(const std::string& path, std::string_view bytes, unsigned mode);

/// As write_file(), but Code::conflict when the file is there.
Result<void> create_file(const std::string& path, std::string_view bytes, unsigned mode);

}  // namespace spoor::cli
