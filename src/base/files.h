#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/read_limits.h"
#include "base/result.h"

namespace spoor {

/// Returns the bytes of a file or a pipe, or nullopt if the file does not exist. Returns
/// Code::invalid for a folder or a device, Code::denied with a hint for more than `most` bytes (no
/// more than that is ever in memory), or Code::io.
Result<std::optional<std::string>> read_file(const std::string& path,
                                             std::uint64_t most = ReadLimits().text);

/// Like read_file(), but returns Code::not_found with a hint if the file does not exist.
Result<std::string> read_given_file(const std::string& path,
                                    std::uint64_t most = ReadLimits().text);

/// Returns the Code::denied for a text longer than `most` bytes; `what` is its name, such as
/// `standard input`.
Error too_long(const std::string& what, std::uint64_t most);

/// Creates a folder that only its owner may enter (0700), and its parents as needed. Does not
/// change an existing folder. Returns Code::io.
Result<void> make_folder(const std::string& path);

/// Replaces a file in one step (a reader sees the old or the new bytes). Creates its folder (0700)
/// if needed. `mode` is the mode of a new file.
Result<void> write_file(const std::string& path, std::string_view bytes, unsigned mode);

/// Appends `bytes` to a file in one write, and sets its mode to `mode`, also if it existed. Creates
/// file and folder (0700) as needed.
Result<void> append_file(const std::string& path, std::string_view bytes, unsigned mode);

/// Like write_file(), but returns Code::conflict if the file exists. A reader finds no file or the
/// whole of it.
Result<void> create_file(const std::string& path, std::string_view bytes, unsigned mode);

}  // namespace spoor
