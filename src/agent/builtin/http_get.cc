#include <algorithm>

#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/file_text.h"
#include "agent/builtin/kept_output.h"
#include "agent/builtin/web_address.h"
#include "agent/numbers.h"

namespace spoor::agent::builtin {
namespace {

namespace http = llm::http;

constexpr int kMostRedirects = 5;

constexpr std::string_view kParameters = R"json({
  "type": "object",
  "properties": {
    "url": {"type": "string", "description": "an http or https address on an allowed host"}
  },
  "required": ["url"],
  "additionalProperties": false
})json";

// The response to one request.
struct Page {
  int status = 0;
  std::string media_type;  // In lower case, without parameters; empty: none given.
  std::string location;
  std::string body;
  bool is_whole = true;
};

std::string media_type_of(std::string_view header) {
  std::string type;
  for (const char c : header.substr(0, header.find(';'))) {
    if (c > ' ' && c < 0x7f) type += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return type.size() <= 100 ? type : "";
}

Result<Page> fetch(const Settings& settings, const WebAddress& address, const Deadline& deadline,
                   const ToolContext& context, std::chrono::milliseconds timeout) {
  http::Request request;
  request.method = "GET";
  request.url = address.text();
  request.headers = {{"accept", "text/html, text/plain, application/json, */*;q=0.5"},
                     {"user-agent", "spoor"}};
  request.stop = context.stop;
  request.idle_timeout = std::min(request.idle_timeout, timeout);
  request.connect_timeout = std::min(request.connect_timeout, timeout);
  Page page;
  Result<void> ended;
  const auto failure = settings.transport->send(
      request, {[&](const http::Head& head) {
                  page.status = head.status;
                  page.media_type = media_type_of(head.find("content-type"));
                  page.location = head.find("location");
                },
                [&](std::string_view bytes) {
                  const std::size_t room = settings.attach_cap - page.body.size();
                  page.body += bytes.substr(0, room);
                  page.is_whole = bytes.size() <= room;
                  ended = deadline.check();
                  return page.is_whole && ended.has_value();
                }});
  TRY(std::move(ended));
  if (failure) {
    Error error = llm::to_error(*failure);
    error.message = fmt::format("cannot fetch '{}': {}", address.text(), failure->message);
    error.hint.clear();  // The hint is about models and keys.
    return error;
  }
  return page;
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Result<void> check_allowed(const WebAddress& address, std::span<const std::string> hosts) {
  if (is_allowed(address, hosts)) return {};
  std::string allowed;
  for (const std::string& host : hosts) allowed += (allowed.empty() ? "" : ", ") + host;
  return denied(fmt::format("'{}' is not on a host that was allowed", address.text()),
                allowed.empty() ? "none was" : "these were: " + allowed);
}

ToolResult page_result(const Settings& settings, const Page& page, const WebAddress& address) {
  ToolResult result;
  result.is_error = page.status < 200 || page.status > 299;
  result.facts.set(fact::artifact, "http_response");
  result.facts.set(fact::status, page.status);
  if (!page.media_type.empty()) result.facts.set(fact::media_type, page.media_type);
  if (result.is_error) result.text = fmt::format("HTTP status {}\n", page.status);
  const bool is_text = !find_binary(page.body);
  if (!is_text) {
    result.text += fmt::format("[{} bytes of {}, which is no text]", grouped(page.body.size()),
                               page.media_type.empty() ? "something" : page.media_type);
  } else {
    const std::string_view shown = beginning_of(page.body, settings.output_cap);
    result.text += shown;
    if (shown.size() < page.body.size() || !page.is_whole) {
      result.text += fmt::format("\n[cut after {} bytes of {}{}]", grouped(shown.size()),
                                 page.is_whole ? "" : "more than ", grouped(page.body.size()));
    }
  }
  if (page.body.empty() && !result.is_error) result.text = "[the answer is empty]";
  if (!is_text || page.body.size() > settings.output_cap) {
    result.attach.push_back(
        {page.body, page.media_type.empty() ? "application/octet-stream" : page.media_type});
  }
  if (const std::string url = address.text(); url.size() <= 300) result.facts.set(fact::url, url);
  return result;
}

Result<ToolResult> http_get(const Base& base, std::string_view json, const ToolContext& context) {
  const Settings& settings = base.settings;
  const Arguments arguments = TRY(Arguments::parse(json));
  const std::string url = TRY(arguments.text("url"));
  WebAddress address = TRY(parse_web_address(url));
  TRY(check_allowed(address, settings.hosts));
  std::chrono::milliseconds timeout = settings.http_timeout;
  if (context.timeout.count() > 0) timeout = std::min(timeout, context.timeout);
  const Deadline deadline(context.stop, timeout);
  for (int redirects = 0;; ++redirects) {
    TRY(deadline.check());
    const Page page = TRY(fetch(settings, address, deadline, context, timeout));
    if (!is_redirect(page.status) || page.location.empty()) {
      return page_result(settings, page, address);
    }
    WebAddress next = TRY(follow(address, page.location));
    const bool is_weaker = address.scheme == "https" && next.scheme == "http";
    if (next.host != address.host || is_weaker || !is_allowed(next, settings.hosts)) {
      return denied(fmt::format("'{}' leads on to '{}'", address.text(), next.text()),
                    is_weaker
                        ? "from https to http is not followed"
                        : "another host is not followed; fetch it by itself where it is allowed");
    }
    if (redirects == kMostRedirects) {
      return denied(fmt::format("'{}' leads on and on", url));
    }
    address = std::move(next);
  }
}

}  // namespace

Tool make_http_get(SharedBase base) {
  Tool tool;
  tool.id = "http_get";
  tool.description =
      "Fetches a web address with GET and gives the body as it came. Only hosts that were allowed; "
      "redirects to other hosts are told, not followed.";
  tool.parameters = kParameters;
  tool.tags = {"web"};
  tool.read_only = true;
  tool.run = [base = std::move(base)](std::string_view json, const ToolContext& context) {
    return as_result(http_get(*base, json, context));
  };
  return tool;
}

}  // namespace spoor::agent::builtin
