// Any file of rules: read or refused, and what is read can be tried.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "guard/redact/rule.h"
#include "guard/redact/rule_set.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto file = spoor::guard::read_rules(text, "fuzz.toml");
  if (!file) return 0;
  const spoor::guard::RuleSet rules(std::move(file).value().rules);
  // A rule that compiles runs, on its examples and on the file itself.
  if (!rules.compile()) return 0;
  if (!spoor::guard::failing_examples(rules)) std::abort();
  if (!rules.find(text)) std::abort();
  return 0;
}
