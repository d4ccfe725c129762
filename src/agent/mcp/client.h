#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agent/mcp/channel.h"

namespace spoor::agent::mcp {

/// The revisions of the protocol that this client speaks; a server's own choice among the older
/// ones is accepted. All that is used of them here is the same.
constexpr std::string_view kModern = "2026-07-28";
constexpr std::string_view kLegacy = "2025-11-25";

/// A tool, as its server describes it. Untrusted.
struct ServerTool {
  std::string name;
  std::string description;
  std::string input_schema;     ///< JSON, byte for byte; a schema that can be checked
  bool says_read_only = false;  ///< readOnlyHint without destructiveHint
  /// Arguments that are also sent as headers (`x-mcp-header`): the path of members, and the header.
  std::vector<std::pair<std::vector<std::string>, std::string>> headers;

  bool operator==(const ServerTool&) const = default;
};

/// Speaks with one server. Connects again if the server ended meanwhile, at most kMostRestarts
/// times. Thread-safe.
class Client {
 public:
  struct Settings {
    /// Opens a channel to the server, again for each connection.
    std::function<Result<std::unique_ptr<Channel>>(Listener)> open;
    std::string version;  ///< of this program
    std::string root;     ///< the folder that the server may ask for (roots/list); empty: none
  };

  explicit Client(Settings settings) : settings_(std::move(settings)) {}

  /// Opens the channel and agrees on a revision: asks a server of the newer kind with
  /// `server/discover`, and falls back to the handshake of the older one as "Versioning" wants.
  /// Returns Code::unavailable if they have no revision in common, and the errors of Channel.
  Result<void> connect(const Deadline& deadline);

  /// Returns the tools that can be used, in the server's order. Reasons why others cannot go to
  /// `left_out`.
  Result<std::vector<ServerTool>> list_tools(const Deadline& deadline,
                                             std::vector<std::string>& left_out);

  /// Calls a tool with `arguments`, a JSON object. Returns the result object of `tools/call`.
  /// `progress` takes what the server says meanwhile. A protocol error of the server is
  /// Code::invalid.
  Result<std::string> call(const ServerTool& tool, std::string_view arguments,
                           const Deadline& deadline,
                           const std::function<void(std::string_view)>& progress);

  /// True if the server said since the last question that its tools changed.
  bool have_tools_changed() { return have_changed_.exchange(false); }

  const std::string& revision() const { return revision_; }

 private:
  class Progress;

  std::shared_ptr<Channel> channel() const;
  Result<void> discover(Channel& channel, const Deadline& deadline, bool& is_legacy);
  Result<void> initialize(Channel& channel, const Deadline& deadline);
  Result<std::shared_ptr<Channel>> connected(const Deadline& deadline);
  Listener listener();
  Answer answer(std::string_view method) const;
  void notified(std::string_view method, const json::Value& params);
  std::string params(std::string members, std::int64_t progress_token = 0) const;
  Result<std::string> call_once(Channel& channel, const ServerTool& tool,
                                std::string_view arguments, const Deadline& deadline,
                                std::int64_t token);

  const Settings settings_;
  std::mutex connecting_;
  mutable std::mutex mutex_;
  std::atomic<bool> is_modern_ = false;
  std::string revision_;
  int restarts_ = 0;
  std::atomic<bool> have_changed_ = false;
  std::mutex progress_mutex_;
  std::map<std::int64_t, const std::function<void(std::string_view)>*> progress_;
  std::int64_t last_token_ = 0;
  // Guarded by mutex_. Calls under way share an old one. Last, because its threads use the others.
  std::shared_ptr<Channel> channel_;
};

constexpr int kMostRestarts = 3;
constexpr std::size_t kMostTools = 256;             ///< of one server
constexpr std::size_t kMostSchema = 64 * 1024;      ///< bytes
constexpr std::size_t kMostDescription = 8 * 1024;  ///< bytes
constexpr std::chrono::milliseconds kProbeTimeout{10'000};

}  // namespace spoor::agent::mcp
