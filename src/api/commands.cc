#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/command.h"
#include "api/commands/answers.h"
#include "api/commands/attempts.h"
#include "api/commands/calls.h"
#include "api/commands/compare.h"
#include "api/commands/cost.h"
#include "api/commands/file_edits.h"
#include "api/commands/lines.h"
#include "api/commands/requests.h"
#include "api/commands/sessions.h"
#include "api/commands/sql.h"
#include "api/commands/timeline.h"
#include "api/commands/trees.h"
#include "api/commands/turns.h"

namespace spoor::api {
namespace {

using json::Type;
using json::Value;

Error wrong_type(const Parameter& parameter, const char* wanted) {
  return invalid(fmt::format("'{}' must be {}", parameter.key(), wanted));
}

// A flag is true or false, a number an integer or a text, other values a text. A parameter that may
// be given more than once may also be a list.
Result<void> add_values(Arguments& arguments, const Parameter& parameter, const Value& value) {
  const bool is_list = parameter.count == Count::many || parameter.count == Count::some;
  if (value.is(Type::null)) return {};
  if (parameter.is_flag()) {
    if (!value.is(Type::boolean)) return wrong_type(parameter, "true or false");
    if (value.is_true()) arguments.add(parameter.name, "");
    return {};
  }
  if (is_list && value.is_array()) {
    for (const Value each : value.elements()) TRY(add_values(arguments, parameter, each));
    return {};
  }
  const bool is_number = parameter.takes == Takes::number || parameter.takes == Takes::positive;
  if (!value.is_string() && !(is_number && value.integer())) {
    return wrong_type(parameter, is_number ? "an integer" : "a string");
  }
  const std::string text = value.is_string() ? value.text() : std::string(value.raw());
  TRY(check_value(parameter, text));
  arguments.add(parameter.name, text);
  return {};
}

}  // namespace

std::span<const Command> commands() {
  static const std::array kAll = {erased<kSessions>(), erased<kRequests>(), erased<kTurns>(),
                                  erased<kTimeline>(), erased<kLineList>(), erased<kFile>(),
                                  erased<kCalls>(),    erased<kAnswers>(),  erased<kCost>(),
                                  compare_command(),   erased<kTrees>(),    sql_command()};
  return kAll;
}

const Command* find_command(std::string_view name) {
  const auto found =
      std::ranges::find_if(commands(), [&](const Command& each) { return name == each.name; });
  return found == commands().end() ? nullptr : &*found;
}

Result<Arguments> read_arguments(std::string_view command, std::span<const Parameter> parameters,
                                 const Value& object) {
  Arguments arguments;
  for (const json::Member member : object.members()) {
    std::string name = member.key.text();
    if (name == "op" || name == "id" || name == "as") continue;
    std::ranges::replace(name, '_', '-');
    if (name == "rev") name = "revision";
    const auto found = std::ranges::find(parameters, name, &Parameter::key);
    if (found == parameters.end()) {
      return invalid(fmt::format("'{}' has no member '{}'", command, member.key.text()),
                     fmt::format("see 'spoor help {}'", command));
    }
    TRY(add_values(arguments, *found, member.value));
  }
  for (const Parameter& parameter : parameters) {
    const bool is_needed = parameter.count == Count::one || parameter.count == Count::some;
    if (is_needed && !arguments.has(parameter.name)) {
      return invalid(fmt::format("'{}' needs a member '{}'", command, parameter.key()));
    }
  }
  return arguments;
}

}  // namespace spoor::api
