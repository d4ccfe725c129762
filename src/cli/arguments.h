#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"
#include "cli/error.h"

namespace spoor::cli {

struct Command;
struct Option;

/// The values a command line gave to a command's options and positionals, by
/// the names of the table. Everything the table can say was checked already.
class Arguments {
 public:
  bool has(std::string_view name) const { return values_.contains(name); }

  /// The value, the last one where there are several; `fallback` without one.
  std::string text(std::string_view name, std::string_view fallback = {}) const;

  /// As text(), for Takes::number.
  std::int64_t number(std::string_view name, std::int64_t fallback) const;

  /// All values, in the order of the line.
  const std::vector<std::string>& all(std::string_view name) const;

  void add(std::string_view name, std::string value);

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

/// Reads `words` (without the verb) by the command's table and the global one.
/// `--` ends the options, `-` is a value, `--name=value` and `--name value` are
/// the same, letters may be joined, and `-20` is `-n 20` where there is an `n`.
/// `~` at the start of a path is the home that `environment` names.
/// Code::invalid with a hint for everything the table does not allow.
Result<Arguments> parse_arguments(const Command& command, std::span<const std::string> words,
                                  const Environment& environment);

/// Options every command takes, before or after the verb.
std::span<const Option> global_options();

/// What precedes the verb: global options. The verb and all after it are left
/// in `rest`.
struct CommandLine {
  Arguments global;
  std::span<const std::string> rest;
};
Result<CommandLine> parse_global(std::span<const std::string> words,
                                 const Environment& environment);

}  // namespace spoor::cli
