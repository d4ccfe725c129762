#include "llm/provider.h"

namespace spoor::llm {

std::optional<Failure> held_back(const Request& request) {
  if (!request.before_send || request.before_send()) return std::nullopt;
  return Failure{.kind = Failure::Kind::interrupted, .message = "the request was not sent"};
}

}  // namespace spoor::llm
