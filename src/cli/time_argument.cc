#include "cli/time_argument.h"

namespace spoor::cli {

Result<std::optional<Timestamp>> time_argument(Session& session, const Arguments& arguments,
                                               std::string_view option) {
  if (!arguments.has(option)) return std::optional<Timestamp>();
  const auto time = parse_when(arguments.text(option), session.clock().now());
  if (!time) return session.usage_error(time.error().message, time.error().hint);
  return std::optional(time.value());
}

}  // namespace spoor::cli
