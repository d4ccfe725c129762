#include "llm/http/transport.h"

namespace spoor::llm::http {

std::string_view Head::find(std::string_view name) const {
  for (const auto& [known, value] : headers) {
    if (known == name) return value;
  }
  return {};
}

}  // namespace spoor::llm::http
