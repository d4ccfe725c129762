#include "compile/facts_view.h"

namespace spoor::compile {

Result<void> FactsView::read(std::string_view meta) {
  if (meta.empty()) meta = "{}";
  const json::Reading reading = json::parse_one(meta, facts_);
  const bool is_whole = reading && meta.find_first_not_of(" \n\t\r", reading.end) == meta.npos;
  if (is_whole && facts_.root().is_object()) return {};
  return corrupt("'meta' is not a JSON object", "run 'spoor store fsck'");
}

}  // namespace spoor::compile
