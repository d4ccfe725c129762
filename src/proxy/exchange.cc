#include "proxy/exchange.h"

#include <algorithm>
#include <array>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "base/words.h"

namespace spoor::proxy {
namespace {

constexpr std::array kEndings = {
    std::pair{Ending::complete, std::string_view("complete")},
    std::pair{Ending::client_disconnect, std::string_view("client_disconnect")},
    std::pair{Ending::upstream_no_response, std::string_view("upstream_no_response")},
    std::pair{Ending::upstream_cut, std::string_view("upstream_cut")}};

// Headers of providers and agents that may be kept, and beginnings of such.
constexpr std::array kKept = std::to_array<std::string_view>({"content-type",
                                                              "content-encoding",
                                                              "content-length",
                                                              "user-agent",
                                                              "traceparent",
                                                              "retry-after",
                                                              "request-id",
                                                              "x-request-id",
                                                              "session-id",
                                                              "thread-id",
                                                              "upgrade",
                                                              "x-client-request-id",
                                                              "openai-model",
                                                              "openai-version",
                                                              "openai-beta",
                                                              "x-stainless-retry-count",
                                                              "sec-websocket-extensions",
                                                              "anthropic-version",
                                                              "anthropic-beta",
                                                              "x-session-id",
                                                              "x-claude-code-session-id",
                                                              "x-claude-code-agent-id",
                                                              "x-claude-code-parent-agent-id",
                                                              "x-codex-window-id",
                                                              "x-codex-turn-metadata"});
constexpr std::array<std::string_view, 2> kKeptBeginnings = {"anthropic-ratelimit-",
                                                             "x-ratelimit-"};

bool is_kept(std::string_view name) {
  return is_in(kKept, name) ||
         std::any_of(kKeptBeginnings.begin(), kKeptBeginnings.end(),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

std::string write_headers(const Headers& headers) {
  std::vector<std::string> all;
  all.reserve(headers.size());
  for (const auto& [name, value] : headers) all.push_back(json::write_strings({name, value}));
  return json::write_array(all);
}

Headers read_headers(const json::Value& list) {
  Headers headers;
  for (const json::Value& pair : list.elements()) {
    std::vector<std::string> both;
    for (const json::Value& each : pair.elements()) both.push_back(each.text());
    if (both.size() == 2) headers.emplace_back(std::move(both[0]), std::move(both[1]));
  }
  return headers;
}

}  // namespace

std::string_view name_of(Ending ending) { return word_in(kEndings, ending); }

std::string_view value_of(const Headers& headers, std::string_view name) {
  const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& header) {
    return lowered(header.first) == name;
  });
  return found == headers.end() ? std::string_view() : found->second;
}

Headers kept_headers(const Headers& headers) {
  Headers kept;
  for (const auto& [name, value] : headers) {
    std::string lower_name = lowered(name);
    if (is_kept(lower_name)) kept.emplace_back(std::move(lower_name), value);
  }
  return kept;
}

std::string describe(const Exchange& exchange) {
  json::Object object;
  if (!exchange.agent.empty()) object.add_string("agent", exchange.agent);
  object.add_string("upstream", exchange.upstream);
  object.add_string("method", exchange.method);
  object.add_string("target", exchange.target);
  object.add_json("request_headers", write_headers(exchange.request_headers));
  object.add_integer("request", static_cast<std::int64_t>(exchange.request.size()));
  object.add_integer("status", exchange.status);
  object.add_json("response_headers", write_headers(exchange.response_headers));
  object.add_integer("response", static_cast<std::int64_t>(exchange.response.size()));
  object.add_string("begun", exchange.begun.text());
  object.add_integer("first_byte", exchange.first_byte);
  object.add_integer("end", exchange.end);
  object.add_string("ending", name_of(exchange.ending));
  object.add_boolean("altered", exchange.is_altered);
  if (exchange.is_copy) object.add_boolean("copy", true);
  return object.write();
}

namespace {

struct Sizes {
  std::size_t request = 0, response = 0;
};

Result<Exchange> read_line(const std::string& line, Sizes& sizes) {
  const auto document = json::parse(line);
  const json::Value root = document ? document->root() : json::Value();
  const auto request = root.find("request").integer();
  const auto response = root.find("response").integer();
  const auto status = root.find("status").integer();
  const auto begun = parse_stored_time(root.find("begun").text());
  const auto ending = value_in(kEndings, root.find("ending").text());
  if (!request || !response || !status || !begun || !ending || *request < 0 || *response < 0 ||
      *status < 0 || *status > 999) {
    return corrupt("a captured exchange is malformed");
  }
  sizes = {static_cast<std::size_t>(*request), static_cast<std::size_t>(*response)};
  Exchange exchange;
  exchange.agent = root.find("agent").text();
  exchange.upstream = root.find("upstream").text();
  exchange.method = root.find("method").text();
  exchange.target = root.find("target").text();
  exchange.request_headers = read_headers(root.find("request_headers"));
  exchange.status = static_cast<int>(*status);
  exchange.response_headers = read_headers(root.find("response_headers"));
  exchange.begun = *begun;
  exchange.first_byte = root.find("first_byte").integer().value_or(0);
  exchange.end = root.find("end").integer().value_or(0);
  exchange.ending = *ending;
  exchange.is_altered = root.find("altered").is_true();
  exchange.is_copy = root.find("copy").is_true();
  return exchange;
}

}  // namespace

Result<Exchange> read_description(const std::string& line) {
  Sizes sizes;
  return read_line(line, sizes);
}

Result<Exchange> parse_exchange(std::string_view bytes) {
  const std::size_t line = bytes.find('\n');
  if (line == bytes.npos) return corrupt("a captured exchange is malformed");
  Sizes sizes;
  Exchange exchange = TRY(read_line(std::string(bytes.substr(0, line)), sizes));
  bytes.remove_prefix(line + 1);
  if (sizes.request > bytes.size() || bytes.size() - sizes.request != sizes.response) {
    return corrupt("a captured exchange is malformed");
  }
  exchange.request = bytes.substr(0, sizes.request);
  exchange.response = bytes.substr(sizes.request);
  return exchange;
}

}  // namespace spoor::proxy
