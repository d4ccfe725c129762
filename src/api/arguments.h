#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/parameter.h"
#include "base/result.h"
#include "compile/scrubber.h"

namespace spoor::api {

/// The values given for a command's parameters, as text, by the names of the table. Their types and
/// numbers have been checked against the table.
class Arguments {
 public:
  bool has(std::string_view name) const { return values_.contains(name); }

  /// Returns the value, the last one if there are several; `fallback` if there is none.
  std::string text(std::string_view name, std::string_view fallback = {}) const;

  /// Does the same for Takes::number and Takes::positive.
  std::int64_t number(std::string_view name, std::int64_t fallback) const;

  /// Returns all values in the order they were given.
  const std::vector<std::string>& all(std::string_view name) const;

  void add(std::string_view name, std::string value);

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

/// Returns Code::invalid if `value` does not have the type of the parameter.
Result<void> check_value(const Parameter& parameter, std::string_view value);

/// Parses a capture mode. Returns Code::invalid with the known modes for another word.
Result<compile::Capture> read_capture(std::string_view name);

}  // namespace spoor::api
