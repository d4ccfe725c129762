#include "cli/agents/run_context.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "cli/git/work_tree.h"
#include "cli/version.h"

namespace spoor::cli {
namespace {

constexpr std::array<std::pair<const char*, std::string RunContext::*>, 5> kMembers = {{
    {"version", &RunContext::version},
    {"channel", &RunContext::channel},
    {"ticket_id", &RunContext::ticket_id},
    {"repo", &RunContext::repo},
    {"branch", &RunContext::branch},
}};

}  // namespace

Result<RunContext> read_context(Session& session, const Arguments& arguments,
                                const std::string& root) {
  RunContext context;
  context.version = kVersion;
  if (auto tree = git::find_work_tree(root)) {
    context.repo = std::move(tree->folder);
    context.branch = std::move(tree->branch);
  }
  for (const std::string& given : arguments.all("--context")) {
    const std::size_t equals = std::min(given.find('='), given.size());
    const std::string_view key = std::string_view(given).substr(0, equals);
    const std::string value = equals < given.size() ? given.substr(equals + 1) : "";
    if (value.empty()) return session.usage_error("'--context' takes KEY=VALUE");
    if (key == "channel") {
      context.channel = value;
    } else if (key == "ticket_id") {
      context.ticket_id = value;
    } else {
      return session.usage_error(fmt::format("unknown context '{}'", key),
                                 "the keys are channel and ticket_id");
    }
  }
  return context;
}

std::string write_context(const RunContext& context) {
  json::Object object;
  for (const auto& [key, member] : kMembers) {
    if (!(context.*member).empty()) object.add_string(key, context.*member);
  }
  return object.write();
}

RunContext parse_context(std::string_view json) {
  RunContext context;
  const auto document = json::parse(json);
  if (!document) return context;
  for (const auto& [key, member] : kMembers) context.*member = document->root().find(key).text();
  return context;
}

}  // namespace spoor::cli
