#include "api/arguments.h"

#include <algorithm>

#include <fmt/format.h>

namespace spoor::api {
namespace {

bool is_number(std::string_view text) {
  // Fifteen digits exceed any count here and fit in 64 bits.
  return !text.empty() && text.size() <= 15 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_positive(std::string_view text) {
  return is_number(text) && text.find_first_not_of('0') != std::string_view::npos;
}

bool is_choice(std::string_view choices, std::string_view word) {
  while (true) {
    const std::size_t end = std::min(choices.find('|'), choices.size());
    if (choices.substr(0, end) == word) return true;
    if (end == choices.size()) return false;
    choices.remove_prefix(end + 1);
  }
}

std::string spoken(std::string_view choices) {
  std::string list(choices);
  for (std::size_t at = list.find('|'); at != std::string::npos; at = list.find('|', at)) {
    list.replace(at, 1, ", ");
  }
  return list;
}

}  // namespace

std::string Arguments::text(std::string_view name, std::string_view fallback) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string(fallback) : found->second.back();
}

std::int64_t Arguments::number(std::string_view name, std::int64_t fallback) const {
  const auto found = values_.find(name);
  return found == values_.end() ? fallback : std::stoll(found->second.back());
}

const std::vector<std::string>& Arguments::all(std::string_view name) const {
  static const std::vector<std::string> kNone;
  const auto found = values_.find(name);
  return found == values_.end() ? kNone : found->second;
}

void Arguments::add(std::string_view name, std::string value) {
  values_[std::string(name)].push_back(std::move(value));
}

Result<void> check_value(const Parameter& parameter, std::string_view value) {
  if (parameter.takes == Takes::number && !is_number(value)) {
    return invalid(fmt::format("'{}' takes a number, not '{}'", parameter.name, value));
  }
  if (parameter.takes == Takes::positive && !is_positive(value)) {
    return invalid(fmt::format("'{}' takes a number from 1 on, not '{}'", parameter.name, value));
  }
  if (parameter.takes == Takes::choice && !is_choice(parameter.choices, value)) {
    return invalid(fmt::format("'{}' takes one of {}, not '{}'", parameter.name,
                               spoken(parameter.choices), value));
  }
  return {};
}

Result<compile::Capture> read_capture(std::string_view name) {
  if (const auto capture = compile::capture_from(name)) return *capture;
  return invalid(fmt::format("unknown capture mode '{}'", name),
                 "the modes are full, redacted and hashed");
}

}  // namespace spoor::api
