#include "agent/dispatch.h"

#include <exception>
#include <string>

#include <fmt/format.h>

#include "agent/timed_stop.h"
#include "llm/schema.h"

namespace spoor::agent {
namespace {

using json::parse;

std::string_view or_empty_object(std::string_view arguments) {
  return arguments.empty() ? std::string_view("{}") : arguments;
}

}  // namespace

std::optional<ToolResult> refusal_of(const Catalogue& catalogue, std::string_view id,
                                     std::string_view arguments) {
  const Catalogue::Entry* entry = catalogue.find(id);
  if (entry == nullptr) return failed(fmt::format("there is no tool '{}' in this run", id));
  if (entry->tool == nullptr) return failed(fmt::format("the tool '{}' is not registered", id));

  const auto given = parse(or_empty_object(arguments));
  if (!given) return failed("the arguments are no JSON: " + given.error().message);
  if (!given->root().is_object()) {
    return failed(fmt::format("the arguments of '{}' must be an object, and are of type {}", id,
                              name_of(given->root().type())));
  }
  if (entry->tool->parameters.empty()) return std::nullopt;
  const auto schema = llm::Schema::parse(entry->tool->parameters);
  if (!schema) return failed("the tool's own schema is broken: " + schema.error().message);
  const auto problems = schema->check(given->root());
  if (!problems) return failed("the arguments cannot be checked: " + problems.error().message);
  if (problems->empty()) return std::nullopt;
  std::string why = fmt::format("the arguments of '{}' do not fit:", id);
  for (const llm::SchemaProblem& problem : *problems) why += ' ' + problem.text() + ';';
  why.pop_back();
  return failed(std::move(why));
}

ToolResult dispatch(const Catalogue& catalogue, std::string_view id, std::string_view arguments,
                    ToolContext context) {
  if (auto refused = refusal_of(catalogue, id, arguments)) return std::move(*refused);
  const Tool& tool = *catalogue.find(id)->tool;
  try {
    const TimedStop stop(context.stop, tool.timeout);
    context.stop = stop.token();
    if (tool.timeout.count() > 0) context.timeout = tool.timeout;
    ToolResult result = tool.run(or_empty_object(arguments), context);
    for (const Decision& decision : result.decisions) {
      if (const auto checked = check_decision(decision); !checked) {
        return failed(fmt::format("the tool '{}' broke: {}", id, checked.error().message));
      }
    }
    return result;
  } catch (const std::exception& error) {
    return failed(fmt::format("the tool '{}' broke: {}", id, error.what()));
  } catch (...) {
    return failed(fmt::format("the tool '{}' broke", id));
  }
}

}  // namespace spoor::agent
