#include "proxy/credentials.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/text.h"
#include "base/words.h"
#include "compile/stream_texts.h"
#include "proxy/content_coding.h"

namespace spoor::proxy {
namespace {

constexpr std::array<std::string_view, 9> kHeaders = {
    "authorization", "proxy-authorization",  "x-api-key",  "api-key",     "x-goog-api-key",
    "cookie",        "x-amz-security-token", "set-cookie", "x-auth-token"};
constexpr std::array<std::string_view, 6> kMembers = {"key",    "api_key",      "api-key",
                                                      "apikey", "access_token", "token"};

constexpr std::size_t kMostDecoded = 64U << 20U;

// Calls `visit` with each name and value of a target's query, which are views into it.
void each_member(std::string_view target,
                 const std::function<void(std::string_view, std::string_view)>& visit) {
  const std::size_t begin = target.find('?');
  if (begin == std::string_view::npos) return;
  std::string_view query = target.substr(begin + 1);
  while (!query.empty()) {
    const std::string_view member = query.substr(0, query.find('&'));
    const std::size_t equals = member.find('=');
    if (equals != std::string_view::npos) {
      visit(member.substr(0, equals), member.substr(equals + 1));
    }
    query.remove_prefix(std::min(query.size(), member.size() + 1));
  }
}

bool is_secret(std::string_view name) { return is_in(kMembers, lowered(name)); }

}  // namespace

Credentials::Credentials(const Headers& request, std::string_view target) {
  for (const auto& [name, value] : request) {
    if (!is_in(kHeaders, lowered(name))) continue;
    // `Bearer TOKEN`, `a=TOKEN; b=TOKEN`: each word may be one.
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(" ;,="), rest.size());
      add(rest.substr(0, end));
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
  }
  each_member(target, [&](std::string_view name, std::string_view value) {
    if (is_secret(name)) add(value);
  });
}

void Credentials::add(std::string_view secret) {
  if (secret.size() >= compile::kShortestKnownKey) keys_.emplace_back(secret);
}

bool Credentials::take_out_of(std::string& text) const {
  bool found = false;
  for (const compile::KnownKey& key : keys_) found = key.take_out_of(text) || found;
  return found;
}

void take_out(const Credentials& credentials, Exchange& exchange) {
  Headers& headers = exchange.response_headers;
  const std::string coding(value_of(headers, "content-encoding"));
  if (!coding.empty()) {
    auto decoded = decode_content(coding, exchange.response, kMostDecoded);
    if (decoded) {
      std::erase_if(headers, [](const auto& each) { return each.first == "content-encoding"; });
    }
    exchange.response = std::move(decoded).value_or("");
  }
  exchange.target = without_credentials(exchange.target);
  if (credentials.empty()) return;
  credentials.take_out_of(exchange.target);
  for (Headers* each : {&exchange.request_headers, &headers}) {
    for (auto& header : *each) credentials.take_out_of(header.second);
  }
  exchange.is_altered = credentials.take_out_of(exchange.request);
  credentials.take_out_of(exchange.response);
  auto joined = compile::joined_texts(exchange.response);
  const bool tells = std::any_of(joined.begin(), joined.end(),
                                 [&](auto& each) { return credentials.take_out_of(each.second); });
  if (tells) exchange.response = compile::kKeyMark;
}

std::string without_credentials(std::string_view target) {
  std::string kept;
  std::size_t done = 0;
  each_member(target, [&](std::string_view name, std::string_view value) {
    if (!is_secret(name)) return;
    const auto at = static_cast<std::size_t>(value.data() - target.data());
    kept.append(target.substr(done, at - done)).append(compile::kKeyMark);
    done = at + value.size();
  });
  kept.append(target.substr(done));
  return kept;
}

}  // namespace spoor::proxy
