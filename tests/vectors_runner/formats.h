#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/backend.h"
#include "tests/vectors_runner/json.h"

namespace spoor::vectors {

/// A vector of any format, read and checked: what the runner counts, shuffles and plays.
struct AnyVector {
  std::string name;
  /// False: it needs no store, is played once, and with none of them.
  bool needs_store = true;
  /// One line for each thing that differs; none: it passed. `backend` is null without a store.
  std::function<std::vector<std::string>(testing::Backend* backend)> play;
};

/// How a file is to be read.
struct Reading {
  bool rename = false;  ///< under other binding names; a format without bindings refuses
};

/// A format of vector files. To add one: a file of its own that defines it, and a line in the
/// table of formats.cc.
struct Format {
  std::string_view name;  ///< as a file's `format` has it
  /// Reads all vectors of a file of this format; `where` names the file in messages. Throws
  /// BadVector when any of it is not in the format.
  std::vector<AnyVector> (*read)(const Json& file, const std::string& where, const Reading& how);
};

/// Reads each vector of a file whose vectors bind no names with `read`, and names the one that is
/// not in the format.
std::vector<AnyVector> read_each(const Json& file, const std::string& where, const Reading& how,
                                 AnyVector (*read)(const Json& vector));

extern const Format kGraphFormat;
extern const Format kPlannerFormat;
extern const Format kRationaleFormat;

/// Every format that the runner knows.
std::span<const Format* const> formats();

/// Reads a file as the format that it names. Throws BadVector for what cannot be read, has
/// another format, or is not in it.
std::vector<AnyVector> read_file(const std::string& path, const Reading& how);

}  // namespace spoor::vectors
