#include "agent/reading/dialect_arguments.h"

#include <optional>
#include <utility>

#include "agent/reading/literals.h"
#include "base/json/reader.h"
#include "base/text.h"

namespace spoor::agent::reading {
namespace {

std::optional<std::string> value_in(std::string_view text) {
  if (const auto value = json::canonical(text)) return *value;
  std::size_t at = 0;
  auto literal = read_literal(text, at, Notation::python);
  return at == text.size() ? std::move(literal) : std::nullopt;
}

}  // namespace

DialectArguments::DialectArguments(std::string name, const OfferedTools& tools) : tools_(tools) {
  call_.name = std::move(name);
  call_.tier = kDialectTier;
}

void DialectArguments::add(std::string_view key, const json::Value& value) {
  if (key != kRationaleKey) return object_.add_value(key, value);
  set_rationale(call_, value);
}

void DialectArguments::add_members(const json::Value& object) {
  for (const json::Member& member : object.members()) add(member.key.text(), member.value);
}

void DialectArguments::add_json(std::string_view key, const std::string& text) {
  if (const auto value = json::parse(text)) add(key, value->root());
}

void DialectArguments::add_between_tags(std::string_view key, std::string_view text, bool is_text) {
  if (text.starts_with('\r')) text.remove_prefix(1);
  if (text.starts_with('\n')) text.remove_prefix(1);
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);

  is_text = is_text || (tools_.takes_text && tools_.takes_text(call_.name, key));
  const auto value = is_text ? std::nullopt : value_in(trimmed(text));
  add_json(key, value ? *value : json::write_string(text));
}

TextCall DialectArguments::finish() && {
  call_.arguments = object_.write();
  return std::move(call_);
}

}  // namespace spoor::agent::reading
