#include "agent/mcp/client.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "agent/mcp/http_channel.h"
#include "agent/mcp/tool_list.h"
#include "base/json/writer.h"
#include "base/percent.h"
#include "compile/turn.h"

namespace spoor::agent::mcp {
namespace {

constexpr std::array<std::string_view, 4> kOlder = {kLegacy, "2025-06-18", "2025-03-26",
                                                    "2024-11-05"};
constexpr std::int64_t kMethodNotFound = -32601;
constexpr std::int64_t kUnsupportedVersion = -32022;
constexpr std::int64_t kHeaderMismatch = -32020;
constexpr std::int64_t kMissingCapability = -32021;
constexpr int kMostRounds = 4;  // How often a server may ask for more before it answers.
constexpr std::string_view kMeta = "io.modelcontextprotocol/";

bool is_older(std::string_view revision) {
  return std::find(kOlder.begin(), kOlder.end(), revision) != kOlder.end();
}

std::string client_info(const std::string& version) {
  json::Object info;
  info.add_string("name", "spoor");
  info.add_string("version", version);
  return info.write();
}

std::string capabilities(const std::string& root) {
  return root.empty() ? "{}" : R"({"roots":{}})";
}

// The revisions in a list, for an error.
std::string shown(const json::Value& versions) {
  std::string text;
  for (const json::Value version : versions.elements()) {
    text += (text.empty() ? "" : ", ") + version.text();
  }
  return compile::preview(text);
}

Error no_common(const json::Value& theirs) {
  return unavailable(
      fmt::format("the server speaks other revisions of the protocol: {}", shown(theirs)),
      fmt::format("spoor speaks {} and {}", kModern, kLegacy));
}

bool holds(const json::Value& versions, std::string_view revision) {
  for (const json::Value version : versions.elements()) {
    if (version.equals(revision)) return true;
  }
  return false;
}

// Chooses between the eras by the server's list; sets `is_legacy`.
Result<void> choose(const json::Value& versions, bool& is_legacy) {
  if (holds(versions, kModern)) return {};
  for (const json::Value version : versions.elements()) is_legacy |= is_older(version.text());
  if (!is_legacy) return no_common(versions);
  return {};
}

}  // namespace

std::shared_ptr<Channel> Client::channel() const {
  const std::lock_guard lock(mutex_);
  return channel_;
}

Listener Client::listener() {
  return {.notified = [this](std::string_view method,
                             const json::Value& params) { notified(method, params); },
          .asked = [this](std::string_view method) { return answer(method); }};
}

// Sampling and elicitation are not offered, so a server that asks for them is told so.
Answer Client::answer(std::string_view method) const {
  if (method == "ping") return {.result = "{}", .error = {}};
  if (method == "roots/list" && !settings_.root.empty()) {
    json::Object root;
    root.add_string("uri", "file://" + percent_encoded(settings_.root, "/"));
    return {.result = json::write_object("roots", json::write_array({root.write()})), .error = {}};
  }
  return {.result = {},
          .error = RpcError{
              .code = kMethodNotFound, .message = "this client does not offer it", .data = {}}};
}

void Client::notified(std::string_view method, const json::Value& params) {
  if (method == "notifications/tools/list_changed") have_changed_ = true;
  if (method != "notifications/progress") return;
  const auto token = params.find("progressToken").integer();
  if (!token) return;
  std::string text = params.find("message").text();
  const std::string_view total = params.find("total").raw();
  text += fmt::format("{}{}{}{}\n", text.empty() ? "" : " ", params.find("progress").raw(),
                      total.empty() ? "" : " of ", total);
  const std::lock_guard lock(progress_mutex_);
  const auto found = progress_.find(*token);
  if (found != progress_.end() && *found->second) (*found->second)(text);
}

std::string Client::params(std::string members, std::int64_t progress_token) const {
  json::Object meta;
  if (is_modern_) {
    meta.add_string(std::string(kMeta) + "protocolVersion", kModern);
    meta.add_json(std::string(kMeta) + "clientInfo", client_info(settings_.version));
    meta.add_json(std::string(kMeta) + "clientCapabilities", capabilities(settings_.root));
  }
  if (progress_token > 0) meta.add_integer("progressToken", progress_token);
  if (meta.empty()) return members;
  const auto document = json::parse(members);
  json::Object all;
  if (document) {
    for (const json::Member member : document->root().members()) {
      all.add_value(member.key.text(), member.value);
    }
  }
  all.add_json("_meta", meta.write());
  return all.write();
}

Result<void> Client::discover(Channel& channel, const Deadline& deadline, bool& is_legacy) {
  is_modern_ = true;
  channel.speak(kModern);
  const Deadline probe(deadline.stop(),
                       std::min(kProbeTimeout, deadline.left().value_or(kProbeTimeout)));
  const auto answered = channel.ask({"server/discover", params("{}")}, probe);
  if (!answered) {
    TRY(deadline.check());
    // A refusal for want of a key is final. All else may be an older server's way to not
    // understand.
    if (answered.error().code == Error::Code::denied && channel.is_http()) return answered.error();
    is_legacy = true;
    return {};
  }
  if (answered->error) {
    const RpcError& error = *answered->error;
    if (error.code == kHeaderMismatch || error.code == kMissingCapability) {
      return unavailable(
          fmt::format("the server refuses to speak: {}", compile::preview(error.message)));
    }
    if (error.code != kUnsupportedVersion) {
      is_legacy = true;
      return {};
    }
    const auto data = json::parse(error.data);
    return choose(data ? data->root().find("supported") : json::Value(), is_legacy);
  }
  const auto result = TRY(json::parse(answered->result));
  TRY(choose(result.root().find("supportedVersions"), is_legacy));
  if (is_legacy) return {};
  revision_ = kModern;
  if (result.root().find("capabilities").find("tools").find("listChanged").is_true()) {
    channel.listen(
        {"subscriptions/listen", params(R"({"notifications":{"toolsListChanged":true}})")});
  }
  return {};
}

Result<void> Client::initialize(Channel& channel, const Deadline& deadline) {
  is_modern_ = false;
  channel.speak("");
  json::Object asked;
  asked.add_string("protocolVersion", kLegacy);
  asked.add_json("capabilities", capabilities(settings_.root));
  asked.add_json("clientInfo", client_info(settings_.version));
  const Answer answered = TRY(channel.ask({"initialize", asked.write()}, deadline));
  if (answered.error) {
    return unavailable(
        fmt::format("the server does not begin: {}", compile::preview(answered.error->message)),
        "is it a server of the Model Context Protocol?");
  }
  const auto result = TRY(json::parse(answered.result));
  revision_ = result.root().find("protocolVersion").text();
  if (!is_older(revision_)) {
    return unavailable(fmt::format("the server chose the revision '{}' of the protocol, which is "
                                   "unknown here",
                                   compile::preview(revision_, 40)),
                       fmt::format("spoor speaks {} and {}", kModern, kLegacy));
  }
  channel.speak(revision_);
  return channel.tell("notifications/initialized", "");
}

Result<void> Client::connect(const Deadline& deadline) {
  std::shared_ptr<Channel> channel = TRY(settings_.open(listener()));
  bool is_legacy = false;
  TRY(discover(*channel, deadline, is_legacy));
  if (is_legacy) {
    // Some older servers end at a request that they do not know.
    if (!channel->is_alive()) channel = TRY(settings_.open(listener()));
    TRY(initialize(*channel, deadline));
  }
  const std::lock_guard lock(mutex_);
  channel_ = std::move(channel);
  return {};
}

Result<std::shared_ptr<Channel>> Client::connected(const Deadline& deadline) {
  const std::lock_guard lock(connecting_);
  std::shared_ptr<Channel> now = channel();
  if (now != nullptr && now->is_alive()) return now;
  if (restarts_ == kMostRestarts) {
    return unavailable(fmt::format("the server has ended {} times", kMostRestarts + 1));
  }
  ++restarts_;
  TRY(connect(deadline));
  return channel();
}

Result<std::vector<ServerTool>> Client::list_tools(const Deadline& deadline,
                                                   std::vector<std::string>& left_out) {
  const std::shared_ptr<Channel> channel = TRY(connected(deadline));
  ToolList list(channel->is_http() && is_modern_);
  std::string asked = "{}";
  std::set<std::string, std::less<>> cursors;
  while (true) {
    const Answer answered = TRY(channel->ask({"tools/list", params(asked)}, deadline));
    if (answered.error && answered.error->code == kMethodNotFound) break;
    if (answered.error) {
      return unavailable(fmt::format("the server does not list its tools: {}",
                                     compile::preview(answered.error->message)));
    }
    const auto result = TRY(json::parse(answered.result));
    list.add(result.root().find("tools"));
    const json::Value cursor = result.root().find("nextCursor");
    if (!cursor.is_string() || list.is_full()) break;
    if (!cursors.insert(std::string(cursor.text())).second) break;  // It would go round for ever.
    asked = json::write_object("cursor", json::write_string(cursor.text()));
  }
  left_out = list.left_out();
  return list.tools();
}

// Registers a call's listener for its progress.
class Client::Progress {
 public:
  Progress(Client& client, const std::function<void(std::string_view)>& listener)
      : client_(client) {
    if (!listener) return;
    const std::lock_guard lock(client_.progress_mutex_);
    token_ = ++client_.last_token_;
    client_.progress_[token_] = &listener;
  }
  ~Progress() {
    const std::lock_guard lock(client_.progress_mutex_);
    client_.progress_.erase(token_);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  std::int64_t token() const { return token_; }

 private:
  Client& client_;
  std::int64_t token_ = 0;
};

Result<std::string> Client::call(const ServerTool& tool, std::string_view arguments,
                                 const Deadline& deadline,
                                 const std::function<void(std::string_view)>& progress) {
  const Progress listening(*this, progress);
  std::shared_ptr<Channel> channel = TRY(connected(deadline));
  auto result = call_once(*channel, tool, arguments, deadline, listening.token());
  // A session that ended did not take the request, so it is sent in a new one.
  if (result || !channel->is_http() || channel->is_alive()) return result;
  channel = TRY(connected(deadline));
  return call_once(*channel, tool, arguments, deadline, listening.token());
}

Result<std::string> Client::call_once(Channel& channel, const ServerTool& tool,
                                      std::string_view arguments, const Deadline& deadline,
                                      std::int64_t token) {
  Request request{"tools/call", {}};
  if (channel.is_http() && is_modern_) {
    request.headers = {{"mcp-name", header_value(tool.name)}};
    const auto given = TRY(json::parse(arguments));
    for (auto& header : header_parameters(tool, given.root())) {
      request.headers.push_back(std::move(header));
    }
  }
  json::Object given;  // The answers to the questions of the round before.
  std::string state;
  for (int round = 0; round < kMostRounds; ++round) {
    json::Object asked;
    asked.add_string("name", tool.name);
    asked.add_json("arguments", TRY(json::canonical(arguments)));
    if (!given.empty()) asked.add_json("inputResponses", given.write());
    if (!state.empty()) asked.add_json("requestState", state);
    request.params = params(asked.write(), token);
    Answer answered = TRY(channel.ask(request, deadline));
    if (answered.error) {
      return invalid(fmt::format("the server refuses the call: {} ({})", answered.error->message,
                                 answered.error->code));
    }
    const auto document = TRY(json::parse(answered.result));
    const json::Value type = document.root().find("resultType");
    if (!type || type.equals("complete")) return std::move(answered.result);
    if (!type.equals("input_required")) {
      return unavailable(fmt::format("the server gives a result of an unknown type, '{}'",
                                     compile::preview(type.text(), 40)));
    }
    // The roots are given; other input is not offered, so a server must not ask for it.
    given = {};
    for (const json::Member member : document.root().find("inputRequests").members()) {
      const std::string method = member.value.find("method").text();
      const Answer own = answer(method);
      if (own.error) {
        return denied(fmt::format("the server asks for input that is not offered here ({})",
                                  compile::preview(method, 40)),
                      compile::preview(member.value.find("params").find("message").text(), 200));
      }
      given.add_json(member.key.text(), own.result);
    }
    state = document.root().find("requestState").raw();
  }
  return unavailable("the server asks for more input again and again");
}

}  // namespace spoor::agent::mcp
