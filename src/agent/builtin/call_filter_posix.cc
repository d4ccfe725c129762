#include "agent/builtin/call_filter.h"

namespace spoor::agent::builtin {

std::vector<FilterStep> make_call_filter(const CallRules& /*rules*/) { return {}; }

}  // namespace spoor::agent::builtin
