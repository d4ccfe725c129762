#include "serve/tokens.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/random.h"
#include "store/lines.h"
#include "store/sha256.h"

namespace spoor::serve {
namespace {

constexpr std::string_view kFact = "tokens";
constexpr std::string_view kSecret = "spoor_";

// Each is `token NAME`, `may RIGHT`, `prefix TEXT` if there is one, `made TIME` and `hash HEX`.
Result<void> write_tokens(store::Store& store, const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& each : tokens) {
    store::append_line(text, "token", each.name);
    store::append_line(text, "may", name_of(each.right));
    if (!each.prefix.empty()) store::append_line(text, "prefix", each.prefix);
    store::append_line(text, "made", each.made.text());
    store::append_line(text, "hash", each.hash);
  }
  return store.set_local(kFact, text.empty() ? std::nullopt : std::optional(text));
}

Result<std::string> new_secret() {
  constexpr std::size_t kBytes = 32;
  std::string coded = with_url_alphabet(encode_base64(TRY(random_bytes(kBytes))));
  coded.resize(std::min(coded.find('='), coded.size()));
  return std::string(kSecret) + coded;
}

}  // namespace

std::string_view name_of(Right right) {
  switch (right) {
    case Right::read:
      return "read";
    case Right::append:
      return "append";
    case Right::admin:
      break;
  }
  return "admin";
}

std::optional<Right> right_named(std::string_view name) {
  for (const Right right : {Right::read, Right::append, Right::admin}) {
    if (name == name_of(right)) return right;
  }
  return std::nullopt;
}

Result<std::vector<Token>> tokens_of(const store::Store& store) {
  std::vector<Token> tokens;
  const auto text = TRY(store.local(kFact));
  if (!text) return tokens;
  const auto malformed = [] { return corrupt("the store's list of tokens is malformed"); };
  store::LineReader lines(*text);
  while (const auto name = lines.take("token")) {
    Token token{.name = std::string(*name)};
    const auto right = right_named(lines.take("may").value_or(""));
    if (const auto prefix = lines.take("prefix")) token.prefix = *prefix;
    const auto made = parse_stored_time(lines.take("made").value_or(""));
    const auto hash = store::Oid::from_hex(lines.take("hash").value_or(""));
    if (!right || !made || !hash) return malformed();
    token.right = *right;
    token.made = *made;
    token.hash = *hash;
    tokens.push_back(std::move(token));
  }
  if (!lines.finished()) return malformed();
  return tokens;
}

Result<std::string> add_token(store::Store& store, Token token) {
  constexpr std::size_t kMost = 200;
  if (!store::is_plain_line(token.name, kMost)) {
    return invalid("the name is not valid", "give a name for the one who gets the token");
  }
  if (!token.prefix.empty() && !store::is_plain_line(token.prefix, kMost)) {
    return invalid("the prefix is not valid", "give the beginning of branch names, such as ben/");
  }
  auto tokens = TRY(tokens_of(store));
  const auto at = std::ranges::lower_bound(tokens, token.name, {}, &Token::name);
  if (at != tokens.end() && at->name == token.name) {
    return conflict(fmt::format("'{}' has a token", token.name),
                    fmt::format("take it back first: spoor serve revoke {}", token.name));
  }
  const std::string secret = TRY(new_secret());
  token.hash = store::sha256(secret);
  tokens.insert(at, std::move(token));
  TRY(write_tokens(store, tokens));
  return secret;
}

Result<void> remove_token(store::Store& store, const std::string& name) {
  auto tokens = TRY(tokens_of(store));
  std::string names;
  for (const Token& each : tokens) names += (names.empty() ? "" : ", ") + each.name;
  if (std::erase_if(tokens, [&](const Token& each) { return each.name == name; }) == 0) {
    return not_found(fmt::format("'{}' has no token", name),
                     names.empty() ? "there are none" : "there are: " + names);
  }
  return write_tokens(store, tokens);
}

Result<std::optional<Token>> token_with(const store::Store& store, std::string_view secret) {
  const store::Oid hash = store::sha256(secret);
  for (Token& each : TRY(tokens_of(store))) {
    if (each.hash == hash) return std::optional(std::move(each));
  }
  return std::optional<Token>();
}

}  // namespace spoor::serve
