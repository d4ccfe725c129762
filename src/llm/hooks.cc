#include "llm/hooks.h"

namespace spoor::llm {

Result<void> Hooks::run(const HookEvent& event) const {
  const auto found = handlers_.find(event.kind);
  if (found == handlers_.end()) return {};
  for (const Handler& handler : found->second) TRY(handler(event));
  return {};
}

Result<std::optional<std::string>> Hooks::rewrite(std::string& body) const {
  std::optional<std::string> names;
  for (const Named& each : rewriters_) {
    auto changed = TRY(each.rewriter(body));
    if (!changed || *changed == body) continue;
    body = std::move(*changed);
    names = names ? *names + '\n' + each.name : each.name;
  }
  return names;
}

}  // namespace spoor::llm
