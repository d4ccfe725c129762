#include "agent/debrief/stored_rationale.h"

#include "agent/debrief/numbers.h"
#include "store/utf8.h"

namespace spoor::agent::debrief {
namespace {

using compile::json::Value;

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const store::CodePoint next = store::decode_utf8(text);
    if (!store::is_blank_or_invisible(next.code)) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

std::string first_code_points(const std::string& text, std::size_t most) {
  std::size_t at = 0;
  for (std::size_t seen = 0; seen < most && at < text.size(); ++seen) {
    at += store::decode_utf8(std::string_view(text).substr(at)).length;
  }
  return text.substr(0, at);
}

}  // namespace

std::vector<Alternative> read_alternatives(const Value& value) {
  std::vector<Alternative> found;
  if (!value.is_array()) return found;
  for (const Value entry : value.elements()) {
    const Value option = entry.find("option");
    const Value reason = entry.find("rejectedBecause");
    if (option.is_string() && reason.is_string()) found.push_back({option.text(), reason.text()});
  }
  return found;
}

std::optional<Rationale> read_rationale(const Value& value) {
  if (!value.is_object() || !value.find("why").is_string()) return std::nullopt;
  Rationale rationale{.why = first_code_points(value.find("why").text(), kMaxWhy)};
  if (is_blank(rationale.why)) return std::nullopt;
  if (const Value refs = value.find("refs"); refs.is_array()) {
    for (const Value ref : refs.elements()) {
      if (ref.is_string()) rationale.refs.push_back(ref.text());
    }
  }
  rationale.alternatives = read_alternatives(value.find("alternatives"));
  const auto confidence = number_of(value.find("confidence"));
  if (confidence && *confidence >= 0 && *confidence <= 1) rationale.confidence = confidence;
  return rationale;
}

}  // namespace spoor::agent::debrief
