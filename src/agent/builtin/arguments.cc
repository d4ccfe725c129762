#include "agent/builtin/arguments.h"

#include <cmath>

#include <fmt/format.h>

#include "agent/numbers.h"

namespace spoor::agent::builtin {

using json::Type;
using json::Value;

Result<Arguments> Arguments::parse(std::string_view json) {
  Arguments arguments;
  arguments.document_ = TRY(json::parse(json.empty() ? "{}" : json));
  if (!arguments.document_.root().is_object()) {
    return invalid("the arguments are no JSON object");
  }
  return arguments;
}

Value Arguments::find(std::string_view key) const {
  const Value value = document_.root().find(key);
  return value.is(Type::null) ? Value() : value;
}

Result<std::string> Arguments::text(std::string_view key) const {
  const Value value = find(key);
  if (!value) return invalid(fmt::format("'{}' is missing", key));
  if (!value.is_string()) return invalid(fmt::format("'{}' must be a string", key));
  return value.text();
}

Result<std::string> Arguments::text_or(std::string_view key, std::string_view fallback) const {
  return find(key) ? text(key) : Result<std::string>(std::string(fallback));
}

Result<std::vector<std::string>> Arguments::texts(std::string_view key) const {
  const Value value = find(key);
  if (!value) return invalid(fmt::format("'{}' is missing", key));
  if (!value.is_array()) return invalid(fmt::format("'{}' must be a list", key));
  std::vector<std::string> all;
  for (const Value element : value.elements()) {
    if (!element.is_string()) {
      return invalid(fmt::format("'{}' must be a list of strings", key));
    }
    all.push_back(element.text());
  }
  return all;
}

Result<std::vector<std::string>> Arguments::command(std::string_view key) const {
  std::vector<std::string> argv = TRY(texts(key));
  if (argv.empty() || argv.front().empty()) {
    return invalid(fmt::format("'{}' names no program", key));
  }
  for (const std::string& word : argv) {
    if (word.find('\0') != std::string::npos) {
      return invalid(fmt::format("'{}' has a NUL byte in it", key));
    }
  }
  return argv;
}

Result<bool> Arguments::flag(std::string_view key) const {
  const Value value = find(key);
  if (value && !value.is(Type::boolean)) {
    return invalid(fmt::format("'{}' must be true or false", key));
  }
  return value.is_true();
}

Result<double> Arguments::number_or(std::string_view key, double fallback, double least,
                                    double most) const {
  const Value value = find(key);
  if (!value) return fallback;
  const auto number = number_of(value);
  if (!number) return invalid(fmt::format("'{}' must be a number", key));
  if (*number < least || *number > most) {
    return invalid(fmt::format("'{}' must be from {} to {}", key, least, most));
  }
  return *number;
}

Result<std::int64_t> Arguments::whole_or(std::string_view key, std::int64_t fallback,
                                         std::int64_t least, std::int64_t most) const {
  const double number = TRY(number_or(key, static_cast<double>(fallback),
                                      static_cast<double>(least), static_cast<double>(most)));
  if (number != std::floor(number)) {
    return invalid(fmt::format("'{}' must be a whole number", key));
  }
  return static_cast<std::int64_t>(number);
}

ToolResult as_result(Result<ToolResult> result) {
  if (result) return std::move(result).value();
  const Error& error = result.error();
  return failed(error.hint.empty() ? error.message : error.message + "; " + error.hint);
}

}  // namespace spoor::agent::builtin
