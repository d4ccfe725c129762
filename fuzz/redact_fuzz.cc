// Any text: redacted once it stays as it is, and JSON stays JSON.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/json/reader.h"
#include "guard/redact/redactor.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::unique_ptr<spoor::guard::RuleSet> rules =
      spoor::guard::RuleSet::with_builtin().value();
  spoor::guard::MemoryNumbering numbers;
  const spoor::guard::Redactor redactor(*rules, numbers);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto once = redactor.redact(text);
  if (!once) std::abort();
  const auto twice = redactor.redact(once.value());
  if (!twice || twice.value() != once.value()) std::abort();
  const bool was_json = spoor::json::parse(text).has_value();
  if (was_json && !spoor::json::parse(once.value())) std::abort();
  return 0;
}
