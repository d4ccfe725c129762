#include "agent/reading/json_values.h"

#include <fmt/format.h>

#include "llm/json_values.h"

namespace spoor::agent::reading {

Result<Payload> payload_of(std::string_view reply, std::string_view wanted_key) {
  bool is_first = true;
  Payload payload;
  for (const std::string_view value : llm::json_values(reply)) {
    payload.document = TRY(json::parse(value));
    if (!payload.root().is_object()) {
      if (is_first) return invalid("the first JSON value is no object");
    } else if (payload.root().find(wanted_key)) {
      return payload;
    }
    is_first = false;
  }
  if (is_first) {
    return invalid("no JSON block in the reply",
                   fmt::format("answer with one object that has '{}'", wanted_key));
  }
  return invalid(fmt::format("no JSON object in the reply has '{}'", wanted_key));
}

}  // namespace spoor::agent::reading
