#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/error.h"

namespace spoor::cli {

/// The bytes of a small file; nothing when there is no such file. Code::io.
Result<std::optional<std::string>> read_file(const std::string& path);

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
