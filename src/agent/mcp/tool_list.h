#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agent/mcp/client.h"
#include "base/json/reader.h"

namespace spoor::agent::mcp {

/// Reads the pages of `tools/list`. A tool that cannot be used is left out, with the reason: its
/// name or schema is missing, too long or not one; over HTTP, it has an `x-mcp-header` that breaks
/// the rules of "Custom Headers from Tool Parameters".
class ToolList {
 public:
  explicit ToolList(bool has_headers) : has_headers_(has_headers) {}

  void add(const json::Value& tools);

  bool is_full() const { return tools_.size() >= kMostTools || pages_ >= kMostPages; }
  const std::vector<ServerTool>& tools() const { return tools_; }
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  static constexpr int kMostPages = 100;

  void add_one(const json::Value& tool);

  const bool has_headers_;
  int pages_ = 0;
  std::vector<ServerTool> tools_;
  std::vector<std::string> left_out_;
};

/// Returns the headers of a call: `mcp-param-…` for each of the tool's parameters that has one and
/// is given. Values are encoded.
std::vector<std::pair<std::string, std::string>> header_parameters(const ServerTool& tool,
                                                                   const json::Value& arguments);

}  // namespace spoor::agent::mcp
