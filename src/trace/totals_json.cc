#include "trace/totals_json.h"

#include "base/json/writer.h"

namespace spoor::trace {
namespace {

using json::Object;

void add_count(Object& object, const char* key, std::uint64_t count) {
  object.add_json(key, std::to_string(count));
}

void add_count(Object& object, const char* key, const std::optional<std::uint64_t>& count) {
  object.add_json(key, count ? std::to_string(*count) : "null");
}

void add_sums(Object& object, const TokenSum& tokens, const CostSum& cost) {
  add_count(object, "input_tokens", tokens.input);
  add_count(object, "cache_read_tokens", tokens.cached);
  add_count(object, "cache_write_tokens", tokens.cache_written);
  add_count(object, "output_tokens", tokens.output);
  object.add_string("tokens_trust", name_of(tokens.trust));
  object.add_json("cost_usd", cost.money ? llm::dollars(*cost.money) : "null");
  object.add_string("cost_trust", name_of(cost.trust));
}

}  // namespace

std::string to_json(const Totals& totals) {
  Object object;
  add_count(object, "turns", totals.turns);
  add_count(object, "requests", totals.requests);
  add_count(object, "answers", totals.answers);
  add_count(object, "failed_requests", totals.failed_requests);
  add_count(object, "unsettled_requests", totals.unsettled_requests);
  add_count(object, "calls", totals.calls);
  add_count(object, "failed", totals.failed);
  add_count(object, "refused", totals.refused);
  add_count(object, "unanswered", totals.unanswered);
  add_count(object, "explained", totals.explained);
  add_count(object, "edits", totals.edits);
  add_count(object, "uncounted_edits", totals.uncounted_edits);
  add_count(object, "files", totals.files);
  object.add_integer("lines_added", totals.added);
  object.add_integer("lines_removed", totals.removed);
  add_sums(object, totals.tokens, totals.cost);
  return object.write();
}

}  // namespace spoor::trace
