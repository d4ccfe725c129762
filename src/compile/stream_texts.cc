#include "compile/stream_texts.h"

#include <algorithm>

#include "base/json/reader.h"
#include "base/text.h"

namespace spoor::compile {
namespace {

// Appends each string to the text collected for its member.
void gather(const json::Value& value, const std::string& member,
            std::map<std::string, std::string>& said) {
  if (value.is_string()) said[member] += value.text();
  if (value.is_object()) {
    for (const json::Member each : value.members()) gather(each.value, each.key.text(), said);
  }
  for (const json::Value element : value.elements()) gather(element, member, said);
}

}  // namespace

std::map<std::string, std::string> joined_texts(std::string_view text) {
  std::map<std::string, std::string> said;  // By member name.
  if (const auto whole = json::parse(text)) {
    gather(whole->root(), {}, said);
    return said;
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    constexpr std::string_view kData = "data:";
    if (line.starts_with(kData)) line.remove_prefix(kData.size());
    if (const auto read = json::parse(trimmed(line))) gather(read->root(), {}, said);
  }
  return said;
}

}  // namespace spoor::compile
