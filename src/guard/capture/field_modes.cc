#include "guard/capture/field_modes.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace spoor::guard {
namespace {

using compile::Capture;

// Ordered by the names in the setting.
constexpr std::array kParts = {std::pair{std::string_view("arguments"), &FieldModes::arguments},
                               std::pair{std::string_view("attachments"), &FieldModes::attachments},
                               std::pair{std::string_view("labels"), &FieldModes::labels},
                               std::pair{std::string_view("rationale"), &FieldModes::rationale},
                               std::pair{std::string_view("raw"), &FieldModes::raw},
                               std::pair{std::string_view("text"), &FieldModes::text}};

Result<Capture FieldModes::*> part_of(std::string_view word) {
  std::string known;
  for (const auto& [name, part] : kParts) {
    if (name == word) return part;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return invalid(fmt::format("unknown part '{}'", word), "the parts are " + known);
}

Result<Capture> mode_of(std::string_view word) {
  if (const auto mode = compile::capture_from(word)) return *mode;
  return invalid(fmt::format("unknown capture mode '{}'", word),
                 "the modes are full, redacted and hashed");
}

}  // namespace

void FieldModes::restrict_to(const FieldModes& other) {
  all = std::max(all, other.all);
  for (const auto& [name, part] : kParts) this->*part = std::max(this->*part, other.*part);
}

FieldModes FieldModes::at_least(Capture least) const {
  FieldModes modes = *this;
  modes.all = std::max(modes.all, least);
  for (const auto& [name, part] : kParts) modes.*part = std::max(modes.*part, modes.all);
  modes.raw = std::max({modes.raw, modes.text, modes.arguments, modes.rationale});
  return modes;
}

std::string FieldModes::differences() const {
  const FieldModes modes = at_least(all);
  std::string said;
  for (const auto& [name, part] : kParts) {
    if (modes.*part == modes.all) continue;
    said += fmt::format("{}{}={}", said.empty() ? "" : ",", name, compile::name_of(modes.*part));
  }
  return said;
}

Result<FieldModes> read_field_modes(std::string_view text) {
  FieldModes modes;
  while (!trimmed(text).empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view one = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) {
      return invalid(fmt::format("'{}' has no capture mode", trimmed(one)),
                     "write PART=MODE, such as 'raw=hashed,arguments=redacted'");
    }
    const auto part = TRY(part_of(trimmed(one.substr(0, equals))));
    const Capture mode = TRY(mode_of(trimmed(one.substr(equals + 1))));
    modes.*part = std::max(modes.*part, mode);
  }
  return modes;
}

}  // namespace spoor::guard
