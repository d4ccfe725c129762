#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/mcp/client.h"
#include "agent/tool.h"
#include "base/result.h"

namespace spoor::agent::mcp {

/// A server and its tools, as tools of an agent: `NAME.TOOL`, with other characters than those of
/// an id replaced by `_`. Thread-safe.
///
/// Hints of a server are claims: only a confined one may make its calls read-only (the caller says
/// which), and then they may run side by side.
class Server {
 public:
  struct Settings {
    std::string name;
    Client::Settings client;
    bool is_confined = false;  ///< its hint readOnlyHint is believed
    std::chrono::milliseconds connect_timeout{30'000};
    std::chrono::milliseconds call_timeout{120'000};
    std::size_t output_cap = 30'000;
    std::size_t attach_cap = 4 * 1024 * 1024;
  };

  /// Connects and asks for the tools. The server's name is part of each error.
  static Result<std::shared_ptr<Server>> open(Settings settings);

  /// Returns the tools as the server describes them now.
  std::vector<ToolDefinition> definitions() const;

  /// The tools that cannot be used, and why.
  const std::vector<std::string>& left_out() const { return left_out_; }

  const std::string& revision() const { return client_.revision(); }

  /// Makes a tool. A call of one that its server describes otherwise than `told`, or has no more,
  /// is a failed result: the model was told something else.
  static Tool make(const std::shared_ptr<Server>& server, const ToolDefinition& told);

 private:
  explicit Server(Settings settings) : settings_(std::move(settings)), client_(settings_.client) {}

  Result<void> list(const Deadline& deadline);
  ToolDefinition definition_of(const ServerTool& tool, const std::string& id) const;
  Result<ToolResult> call(const ToolDefinition& told, std::string_view arguments,
                          const ToolContext& context);
  std::string changes(const std::map<std::string, ServerTool>& before) const;

  const Settings settings_;
  Client client_;
  mutable std::mutex mutex_;
  std::map<std::string, ServerTool> tools_;  // By id. Guarded by mutex_.
  std::vector<std::string> order_;           // The ids, as the server has them.
  std::vector<std::string> left_out_;
};

}  // namespace spoor::agent::mcp
