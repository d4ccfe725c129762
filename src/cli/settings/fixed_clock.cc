#include "cli/settings/fixed_clock.h"

namespace spoor::cli {

std::unique_ptr<Clock> clock_from(const Environment& environment) {
  if (const auto text = environment.variable("SPOOR_NOW")) {
    if (const auto time = parse_rfc3339(*text)) {
      return std::make_unique<FixedClock>(time.value());
    }
  }
  return std::make_unique<SystemClock>();
}

}  // namespace spoor::cli
