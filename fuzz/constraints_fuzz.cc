// Any file of constraints: read or refused, and what is read can be used. Any script: taken apart.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "guard/check/action_effects.h"
#include "guard/check/builtin.h"
#include "guard/check/constraints.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spoor;
  using namespace spoor::guard::check;  // NOLINT: a fuzz target is one file.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const auto secrets = rules_of_secrets().value();
  const auto event = intended("Bash", "{\"command\":\"cd a && rm -rf ../b > c\"}");
  if (const auto rules = read_constraints(text, "fuzz.toml")) {
    for (const Rule& rule : rules->rules) {
      // What was read is made; what it says is something.
      if (rule.constraint.id.empty() || rule.constraint.rule.empty()) std::abort();
      if (const auto* format = std::get_if<FormatRules>(&rule.how)) {
        if (!make_format(*format)) std::abort();
      }
      if (const auto* scope = std::get_if<ScopeRules>(&rule.how)) {
        if (!make_scope(*scope, "/r")->judge(event)) std::abort();
      }
      if (const auto* safety = std::get_if<SafetyRules>(&rule.how)) {
        if (!make_safety(*safety, "/r", *secrets)->judge(event)) std::abort();
      }
    }
  }
  const auto safety = make_safety({.has_hosts = true}, "/r", *secrets);
  const auto scope = make_scope({.only = {"src/"}, .never = {"@infra"}}, "/r");
  for (const char* tool : {"shell", "apply_patch", "run_command", "run_sql"}) {
    const auto call = intended(tool, text);
    if (!safety->judge(call) || !scope->judge(call)) std::abort();
  }
  return 0;
}
