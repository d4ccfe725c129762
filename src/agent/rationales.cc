#include "agent/rationales.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"

namespace spoor::agent {

std::string write_rationales(const Rationales& rationales) {
  if (rationales.empty()) return {};
  json::Object object;
  for (const auto& [number, rationale] : rationales) {
    object.add_json(std::to_string(number), write_rationale(rationale));
  }
  return object.write();
}

Rationales read_rationales(std::string_view text) {
  Rationales rationales;
  const auto document = json::parse(text);
  if (!document) return rationales;
  for (const json::Member member : document->root().members()) {
    const std::string key = member.key.text();
    std::size_t number = 0;
    const auto read = std::from_chars(key.data(), key.data() + key.size(), number);
    if (read.ec != std::errc() || read.ptr != key.data() + key.size()) continue;
    if (auto cleaned = clean_rationale(member.value).rationale) {
      rationales.emplace(number, std::move(*cleaned));
    }
  }
  return rationales;
}

std::string describe(const Rationale& rationale) {
  std::string text = rationale.why;
  for (std::size_t i = 0; i < rationale.refs.size(); ++i) {
    text += (i == 0 ? " (refs: " : ", ") + rationale.refs[i];
  }
  if (!rationale.refs.empty()) text += ')';
  for (const Alternative& alternative : rationale.alternatives) {
    text += fmt::format(" (not {}: {})", alternative.option, alternative.rejected_because);
  }
  if (rationale.confidence) text += fmt::format(" (confidence {:.2f})", *rationale.confidence);
  return text;
}

}  // namespace spoor::agent
