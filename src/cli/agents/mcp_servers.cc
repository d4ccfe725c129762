#include "cli/agents/mcp_servers.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "agent/builtin/environment.h"
#include "agent/builtin/web_address.h"
#include "agent/mcp/http_channel.h"
#include "agent/mcp/stdio_channel.h"
#include "agent/registry.h"
#include "base/files.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "cli/repl/words.h"
#include "cli/settings/store_path.h"
#include "cli/version.h"
#include "compile/known_keys.h"
#include "llm/key.h"

namespace spoor::cli {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kMostName = 32;

bool is_url(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

Result<void> check_server_name(const std::string& name) {
  if (agent::is_tool_id(name) && name.size() <= kMostName && name.find('.') == std::string::npos) {
    return {};
  }
  return invalid(fmt::format("'{}' cannot be the name of a server", name),
                 "use at most 32 letters, digits, '_' and '-'");
}

// Splits `NAME=VALUE`.
Result<std::pair<std::string, std::string>> split(const Option& option, const std::string& given) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == given.size()) {
    return invalid(fmt::format("{} '{}' is not {}", option.name, given, option.value),
                   "write --mcp files='node server.js' or --mcp docs=https://example.com/mcp");
  }
  return std::pair(given.substr(0, equals), given.substr(equals + 1));
}

Result<McpServer> read_server(const std::string& given) {
  const auto [name, value] = TRY(split(kMcp, given));
  TRY(check_server_name(name));
  McpServer server;
  server.name = name;
  if (is_url(value)) {
    server.url = value;
    return server;
  }
  const Words words = split_words(value);
  if (words.is_open || words.words.empty()) {
    return invalid(
        fmt::format("the command of '{}' has a quote that is not closed, or is empty", name));
  }
  for (const Word& word : words.words) server.argv.push_back(word.text);
  return server;
}

// A value of the file that must not be recorded.
Error literal_secret(const std::string& server, const std::string& name) {
  return denied(
      fmt::format("the file has the value of '{}' of the server '{}' in it", name, server),
      fmt::format("put it into a variable, and write \"${{{}}}\" in the file", "NAME"));
}

bool is_secret(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  const std::string lower = lowered(name);
  return agent::builtin::is_secret_name(name) || lower == "authorization" || lower == "cookie" ||
         lower == "proxy_authorization";
}

Result<Pairs> read_pairs(const std::string& server, const json::Value& object) {
  Pairs pairs;
  for (const json::Member member : object.members()) {
    const std::string name = member.key.text();
    const std::string value = member.value.text();
    if (is_secret(name) && value.find("${") == std::string::npos)
      return literal_secret(server, name);
    pairs.emplace_back(name, value);
  }
  return pairs;
}

Result<McpServer> read_entry(const std::string& name, const json::Value& entry) {
  TRY(check_server_name(name));
  McpServer server;
  server.name = name;
  const std::string type = entry.find("type").text();
  if (type == "sse") {
    return invalid(
        fmt::format("the server '{}' uses the transport 'sse', which is no longer part of "
                    "the protocol",
                    name),
        "use its address for 'http', if it has one");
  }
  server.url = entry.find("url").text();
  const std::string command = entry.find("command").text();
  if (command.empty() == server.url.empty()) {
    return invalid(fmt::format("the server '{}' must have a 'command' or a 'url'", name));
  }
  if (!command.empty()) server.argv.push_back(command);
  for (const json::Value argument : entry.find("args").elements()) {
    if (!command.empty()) server.argv.push_back(argument.text());
  }
  server.environment = TRY(read_pairs(name, entry.find("env")));
  server.headers = TRY(read_pairs(name, entry.find("headers")));
  return server;
}

Result<std::vector<McpServer>> read_config(const std::string& path) {
  const std::string text = TRY(read_given_file(path));
  const auto document = json::parse(text);
  if (!document || !document->root().find("mcpServers").is_object()) {
    return invalid(fmt::format("'{}' is not a JSON object with 'mcpServers'", path),
                   document ? "" : document.error().message);
  }
  std::vector<McpServer> servers;
  for (const json::Member member : document->root().find("mcpServers").members()) {
    if (member.value.find("disabled").is_true()) continue;
    servers.push_back(TRY(read_entry(member.key.text(), member.value)));
  }
  return servers;
}

std::string write_pairs(const Pairs& pairs) {
  json::Object object;
  for (const auto& [name, value] : pairs) object.add_string(name, value);
  return object.write();
}

Pairs parse_pairs(const json::Value& object) {
  Pairs pairs;
  for (const json::Member member : object.members()) {
    pairs.emplace_back(member.key.text(), member.value.text());
  }
  return pairs;
}

// Replaces `${VARIABLE}` and `${VARIABLE:-default}` by values, which become known to the process.
Result<std::string> expand(const Environment& environment, std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t begin = text.find("${");
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('}', begin);
    out += text.substr(0, end == std::string_view::npos ? end : begin);
    if (end == std::string_view::npos) return out;
    const std::string_view inner = text.substr(begin + 2, end - begin - 2);
    const std::size_t otherwise = inner.find(":-");
    const std::string name(inner.substr(0, otherwise));
    const auto value = environment.variable(name.c_str());
    if (value && agent::builtin::is_secret_name(name)) compile::know_key(*value);
    if (!value && otherwise == std::string_view::npos) {
      return denied(fmt::format("the variable '{}' is not set", name),
                    "export it, or set a default");
    }
    out += value ? *value : std::string(inner.substr(otherwise + 2));
    text.remove_prefix(end + 1);
  }
}

Result<Pairs> expand(const Environment& environment, const Pairs& pairs) {
  Pairs values;
  for (const auto& [name, text] : pairs) {
    values.emplace_back(name, TRY(expand(environment, text)));
    if (is_secret(name)) compile::know_key(values.back().second);
  }
  return values;
}

Result<llm::Key> key_of(const Environment& environment, const McpServer& server) {
  if (server.key.find('/') != std::string::npos) {
    return llm::key_from_file(expand_home(environment, server.key));
  }
  const auto value = environment.variable(server.key.c_str());
  if (!value) return denied(fmt::format("the variable '{}' is not set", server.key));
  return llm::make_key(*value, server.key);
}

bool is_here(const agent::builtin::WebAddress& address) {
  return address.host == "localhost" || address.host == "127.0.0.1" || address.host == "[::1]";
}

Result<agent::mcp::ServerAddress> address_of(const Environment& environment,
                                             const McpServer& server) {
  agent::mcp::ServerAddress address;
  address.url = TRY(expand(environment, server.url));
  address.headers = TRY(expand(environment, server.headers));
  if (!server.key.empty()) {
    const llm::Key key = TRY(key_of(environment, server));
    address.headers.emplace_back("authorization", "Bearer " + key.secret());
  }
  const auto parsed = TRY(agent::builtin::parse_web_address(address.url));
  if (parsed.scheme == "http" && !is_here(parsed) && !address.headers.empty()) {
    return denied(fmt::format("a key would be sent to '{}' in clear", parsed.host),
                  "use https for it");
  }
  return address;
}

Result<agent::mcp::ServerProgram> program_of(const Environment& environment,
                                             const McpServer& server) {
  agent::mcp::ServerProgram program;
  for (const std::string& word : server.argv) {
    program.argv.push_back(TRY(expand(environment, word)));
  }
  program.environment = TRY(expand(environment, server.environment));
  return program;
}

}  // namespace

Result<std::vector<McpServer>> read_mcp_flags(const Arguments& arguments) {
  std::vector<McpServer> servers;
  for (const std::string& given : arguments.all(kMcp.name)) {
    servers.push_back(TRY(read_server(given)));
  }
  if (arguments.has(kMcpConfig.name)) {
    for (McpServer& server : TRY(read_config(arguments.text(kMcpConfig.name)))) {
      servers.push_back(std::move(server));
    }
  }
  for (const std::string& given : arguments.all(kMcpKey.name)) {
    const auto [name, key] = TRY(split(kMcpKey, given));
    const auto found =
        std::find_if(servers.begin(), servers.end(),
                     [&wanted = name](const McpServer& one) { return one.name == wanted; });
    if (found == servers.end() || found->url.empty()) {
      return invalid(fmt::format("--mcp-key '{}': no server at a URL has this name", name));
    }
    found->key = key;
  }
  for (std::size_t i = 0; i < servers.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (servers[i].name == servers[j].name) {
        return invalid(fmt::format("two servers have the name '{}'", servers[i].name));
      }
    }
  }
  return servers;
}

std::string write_mcp_servers(const std::vector<McpServer>& servers) {
  std::vector<std::string> list;
  for (const McpServer& server : servers) {
    json::Object object;
    object.add_string("name", server.name);
    if (!server.argv.empty()) object.add_json("argv", json::write_strings(server.argv));
    if (!server.url.empty()) object.add_string("url", server.url);
    if (!server.environment.empty()) object.add_json("env", write_pairs(server.environment));
    if (!server.headers.empty()) object.add_json("headers", write_pairs(server.headers));
    if (!server.key.empty()) object.add_string("key", server.key);
    list.push_back(object.write());
  }
  return json::write_array(list);
}

std::vector<McpServer> parse_mcp_servers(const json::Value& list) {
  std::vector<McpServer> servers;
  for (const json::Value one : list.elements()) {
    McpServer server;
    server.name = one.find("name").text();
    for (const json::Value word : one.find("argv").elements()) server.argv.push_back(word.text());
    server.url = one.find("url").text();
    server.environment = parse_pairs(one.find("env"));
    server.headers = parse_pairs(one.find("headers"));
    server.key = one.find("key").text();
    servers.push_back(std::move(server));
  }
  return servers;
}

Result<std::shared_ptr<agent::mcp::Server>> open_mcp_server(Session& session,
                                                            const McpServer& server,
                                                            const agent::builtin::SharedBase& base,
                                                            const std::string& root,
                                                            llm::http::Transport& transport) {
  using agent::mcp::Listener;
  const Environment& environment = session.environment();
  agent::mcp::Server::Settings settings;
  settings.name = server.name;
  settings.client.version = std::string(kVersion);
  if (server.url.empty()) {
    settings.is_confined = true;
    settings.client.root = root;
    settings.client.open = [base,
                            program = TRY(program_of(environment, server))](Listener listener) {
      return agent::mcp::start_server(program, base, std::move(listener));
    };
  } else {
    const auto address = TRY(address_of(environment, server));
    settings.client.open =
        [address, &transport](Listener listener) -> Result<std::unique_ptr<agent::mcp::Channel>> {
      return agent::mcp::make_http_channel(address, transport, std::move(listener));
    };
  }
  auto opened = TRY(agent::mcp::Server::open(std::move(settings)));
  for (const std::string& tool : opened->left_out()) {
    session.err()
        .print(Style::warning, "warning")
        .print(fmt::format(": the server '{}' has a tool that cannot be used: {}\n", server.name,
                           tool))
        .flush();
  }
  return opened;
}

}  // namespace spoor::cli
