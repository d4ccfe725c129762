#include "agent/mcp/server.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/mcp/result.h"
#include "agent/registry.h"

namespace spoor::agent::mcp {
namespace {

constexpr std::size_t kMostId = 64;

// The id of a tool. It is the same each time, whatever other tools there are, unless two collide.
std::string id_of(const std::string& server, const std::string& name,
                  const std::map<std::string, ServerTool>& taken) {
  std::string id = server + '.' + name;
  for (char& c : id) {
    if (!is_tool_id(std::string_view(&c, 1))) c = '_';
  }
  id.resize(std::min(id.size(), kMostId));
  const std::string plain = id;
  for (int n = 2; taken.contains(id); ++n) {
    const std::string suffix = fmt::format("_{}", n);
    id = plain.substr(0, kMostId - suffix.size()) + suffix;
  }
  return id;
}

Error named(const std::string& server, Error error) {
  error.message = fmt::format("the server '{}': {}", server, error.message);
  return error;
}

}  // namespace

Result<std::shared_ptr<Server>> Server::open(Settings settings) {
  std::shared_ptr<Server> server(new Server(std::move(settings)));  // Shared by its tools.
  const Deadline deadline({}, server->settings_.connect_timeout);
  if (const auto connected = server->client_.connect(deadline); !connected) {
    Error error = named(server->settings_.name, connected.error());
    if (error.hint.empty()) {
      error.hint =
          "is it a server of the Model Context Protocol, and may it read what it needs "
          "(--allow-read, --allow-network)?";
    }
    return error;
  }
  if (const auto listed = server->list(deadline); !listed) {
    return named(server->settings_.name, listed.error());
  }
  return server;
}

Result<void> Server::list(const Deadline& deadline) {
  std::vector<std::string> left_out;
  std::map<std::string, ServerTool> tools;
  std::vector<std::string> order;
  for (ServerTool& tool : TRY(client_.list_tools(deadline, left_out))) {
    order.push_back(id_of(settings_.name, tool.name, tools));
    tools.emplace(order.back(), std::move(tool));
  }
  const std::lock_guard lock(mutex_);
  tools_ = std::move(tools);
  order_ = std::move(order);
  left_out_ = std::move(left_out);
  return {};
}

ToolDefinition Server::definition_of(const ServerTool& tool, const std::string& id) const {
  return {.id = id,
          .description = tool.description,
          .parameters = tool.input_schema,
          .read_only = settings_.is_confined && tool.says_read_only};
}

std::vector<ToolDefinition> Server::definitions() const {
  const std::lock_guard lock(mutex_);
  std::vector<ToolDefinition> all;
  for (const std::string& id : order_) all.push_back(definition_of(tools_.at(id), id));
  return all;
}

Tool Server::make(const std::shared_ptr<Server>& server, const ToolDefinition& told) {
  Tool tool =
      make_tool(told, [server, told](std::string_view arguments, const ToolContext& context) {
        auto result = server->call(told, arguments, context);
        if (!result) return builtin::as_result(named(server->settings_.name, result.error()));
        return std::move(*result);
      });
  tool.tags = {std::string(kServerTag)};
  tool.annotations = {{"server", server->settings_.name}};
  tool.timeout = server->settings_.call_timeout;
  return tool;
}

// Describes what is new, gone or different, for the model; empty: nothing.
std::string Server::changes(const std::map<std::string, ServerTool>& before) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  const auto add = [&](std::string_view what, const std::string& id) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, id);
  };
  for (const auto& [id, tool] : tools_) {
    const auto old = before.find(id);
    if (old == before.end()) add("added", id);
    if (old != before.end() && old->second != tool) add("changed", id);
  }
  for (const auto& [id, tool] : before) {
    if (!tools_.contains(id)) add("removed", id);
  }
  return text;
}

Result<ToolResult> Server::call(const ToolDefinition& told, std::string_view arguments,
                                const ToolContext& context) {
  const Deadline deadline(context);
  std::string note;
  if (client_.have_tools_changed()) {
    std::map<std::string, ServerTool> before;
    {
      const std::lock_guard lock(mutex_);
      before = tools_;
    }
    TRY(list(deadline));
    note = changes(before);
  }
  ServerTool tool;
  {
    const std::lock_guard lock(mutex_);
    const auto found = tools_.find(told.id);
    if (found == tools_.end())
      return not_found(fmt::format("it has no tool '{}' any more", told.id));
    tool = found->second;
  }
  ToolDefinition now = definition_of(tool, told.id);
  now.read_only = told.read_only;
  if (now != told) {
    return denied(fmt::format("it describes '{}' in another way than when this run began", told.id),
                  "a new run is told the new description");
  }
  const std::string result = TRY(client_.call(tool, arguments, deadline, context.output));
  ToolResult read =
      read_result(result, {.text = settings_.output_cap, .attached = settings_.attach_cap});
  if (!note.empty()) {
    read.text +=
        fmt::format("\n[the server's tools changed: {}; this run keeps those it began with]", note);
    read.is_json = false;
  }
  return read;
}

}  // namespace spoor::agent::mcp
