#include "cli/agents/tool_flags.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/agents/extra_tools.h"
#include "cli/agents/run_context.h"

namespace spoor::cli {
namespace {

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string absolute(const Session& session, const std::string& given) {
  if (given.empty()) return session.environment().directory();
  return given.front() == '/' ? given : session.environment().directory() + '/' + given;
}

// Returns the path relative to the root, as tools expect it.
Result<std::string> writable_path(const std::string& root, const std::string& given) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(root).lexically_normal();
  fs::path path = (folder / given).lexically_normal().lexically_relative(folder);
  if (given.empty() || path.empty() || *path.begin() == "..") {
    return invalid(fmt::format("--allow-write '{}' is not in the root folder", given),
                   "name a path relative to --root, such as .git");
  }
  return path.string();
}

}  // namespace

Result<ToolSettings> read_tool_flags(Session& session, const Arguments& arguments) {
  ToolSettings tools;
  tools.names = parts_of(arguments.text("--tools"));
  tools.root = absolute(session, arguments.text("--root"));
  tools.context = TRY(read_context(session, arguments, tools.root));
  tools.hosts = arguments.all("--host");
  tools.has_network = arguments.has("--allow-network");
  for (const std::string& path : arguments.all("--allow-read")) {
    tools.readable.push_back(absolute(session, path));
  }
  for (const std::string& path : arguments.all("--allow-write")) {
    tools.writable.push_back(TRY(writable_path(tools.root, path)));
  }
  tools.approve = arguments.all("--ask-before");
  tools.extra = TRY(read_extra_tools(session, arguments, tools.names));
  tools.memory = arguments.text("--memory-of");
  return tools;
}

}  // namespace spoor::cli
