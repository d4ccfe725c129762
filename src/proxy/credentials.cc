#include "proxy/credentials.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "base/words.h"
#include "compile/stream_texts.h"
#include "llm/wire/reply_parser.h"
#include "proxy/content_coding.h"

namespace spoor::proxy {
namespace {

// A header whose name has one of these may identify the client.
constexpr std::array<std::string_view, 6> kSecretive = {"auth",   "key",    "token",
                                                        "secret", "cookie", "password"};
constexpr std::array<std::string_view, 8> kHarmless = {"beta",  "alt",   "api-version", "stream",
                                                       "limit", "order", "after",       "before"};
constexpr std::size_t kMostKeys = 256;
constexpr std::size_t kLeastSecret = 8;  // Shorter words are in any text.

bool is_secretive(std::string_view name) {
  const std::string lower_name = lowered(name);
  return std::any_of(kSecretive.begin(), kSecretive.end(), [&](std::string_view each) {
    return lower_name.find(each) != std::string::npos;
  });
}

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

bool is_secret(std::string_view name) { return !is_in(kHarmless, name); }

}  // namespace

Credentials::Credentials(const Headers& request, std::string_view target) {
  for (const auto& [name, value] : request) {
    if (!is_secretive(name)) continue;
    // `Bearer TOKEN`, `a=TOKEN; b=TOKEN`: each word may be one.
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(" ;,="), rest.size());
      const std::string_view word = rest.substr(0, end);
      add_secret(word);
      if (value.starts_with("Basic ")) {  // `user:password`, in base64 (RFC 7617).
        if (const auto pair = decode_base64(word)) add_secret(pair->substr(pair->find(':') + 1));
      }
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
  }
  each_member(target, [&](std::string_view name, std::string_view value) {
    if (is_secret(name)) add_secret(value);
  });
}

void Credentials::add_secret(std::string_view secret) {
  const bool is_word = std::all_of(secret.begin(), secret.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (secret.size() < kLeastSecret || (is_word && secret.size() < compile::kShortestKnownKey)) {
    return;  // `Bearer`, `Path`, `no-cache`.
  }
  keys_.emplace_back(secret);
}

void Credentials::add(const Credentials& others) {
  for (const compile::KnownKey& key : others.keys_) {
    if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) keys_.push_back(key);
  }
  if (keys_.size() > kMostKeys) {
    keys_.erase(keys_.begin(), keys_.end() - static_cast<std::ptrdiff_t>(kMostKeys));
  }
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
    auto decoded = decode_content(coding, exchange.response, llm::wire::kMaxReply);
    if (decoded) {
      std::erase_if(headers, [](const auto& each) { return each.first == "content-encoding"; });
    }
    exchange.response = std::move(decoded).value_or("");
  }
  const std::string packed(value_of(exchange.request_headers, "content-encoding"));
  if (!packed.empty()) {  // Undecoded, a key in it would not be seen.
    auto plain = decode_content(packed, exchange.request, llm::wire::kMaxReply);
    if (plain) {
      std::erase_if(exchange.request_headers,
                    [](const auto& each) { return each.first == "content-encoding"; });
    }
    exchange.request = std::move(plain).value_or("");
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
