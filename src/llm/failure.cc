#include "llm/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"

namespace spoor::llm {
namespace {

using Kind = Failure::Kind;

bool holds_any(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Error types for an exhausted budget or daily quota. In lower case.
constexpr std::array<std::string_view, 14> kQuotaTypes = {
    "insufficient_quota",  "billing_error",        "billing_hard_limit", "billing_not_active",
    "quota_exceeded",      "insufficient_balance", "insufficient_funds", "payment_required",
    "credit_exhausted",    "out_of_credits",       "spend_limit",        "spending_limit",
    "usage_limit_reached", "access_terminated"};
constexpr std::array<std::string_view, 16> kQuotaMessages = {
    "insufficient_quota",
    "exceeded your current quota",
    "credit balance is too low",
    "insufficient balance",
    "insufficient credit",
    "insufficient funds",
    "out of credits",
    "more credits",
    "spend limit",
    "spending limit",
    "specified api usage limits",
    "monthly usage limit",
    "monthly limit",
    "hard limit",
    "perday",    // A Google quota: GenerateRequestsPerDayPerProjectPerModel.
    "per day"};  // (RPD), (TPD)

// Errors for a prompt that does not fit.
constexpr std::array<std::string_view, 4> kTooLongTypes = {
    "context_length_exceeded", "request_too_large", "context_window_exceeded", "prompt_too_long"};
constexpr std::array<std::string_view, 16> kTooLongMessages = {"context_length_exceeded",
                                                               "prompt is too long",
                                                               "prompt too long",
                                                               "input is too long",
                                                               "maximum context length",
                                                               "context length",
                                                               "context window",
                                                               "context limit",
                                                               "context size",
                                                               "maximum prompt length",
                                                               "maximum number of tokens",
                                                               "request too large",
                                                               "too large for model",
                                                               "too many input tokens",
                                                               "reduce the length of the messages",
                                                               "exceeds the maximum allowed input"};

struct TypeMeans {
  std::string_view word;
  Kind kind;
};

// Types that are clearer than any status. In lower case; matched as a part of the type.
constexpr std::array kTypes = {
    TypeMeans{"overloaded", Kind::overloaded},
    TypeMeans{"slow_down", Kind::overloaded},
    TypeMeans{"capacity_exceeded", Kind::overloaded},
    TypeMeans{"rate_limit", Kind::rate_limited},
    TypeMeans{"too_many_requests", Kind::rate_limited},
    TypeMeans{"resource_exhausted", Kind::rate_limited},
    TypeMeans{"timeout", Kind::timeout},
    TypeMeans{"deadline_exceeded", Kind::timeout},
    TypeMeans{"authentication", Kind::unauthorized},
    TypeMeans{"unauthenticated", Kind::unauthorized},
    TypeMeans{"invalid_api_key", Kind::unauthorized},
    TypeMeans{"permission", Kind::unauthorized},
    TypeMeans{"model_not_found", Kind::not_found},
    TypeMeans{"not_found", Kind::not_found},
    TypeMeans{"deploymentnotfound", Kind::not_found},
};

// Types that count if no status was received.
constexpr std::array kTypesWithoutStatus = {
    TypeMeans{"unavailable", Kind::overloaded},
    TypeMeans{"invalid", Kind::invalid_request},
    TypeMeans{"failed_precondition", Kind::invalid_request},
    TypeMeans{"tool_use_failed", Kind::invalid_request},
    TypeMeans{"bad_request", Kind::invalid_request},
    TypeMeans{"content_filter", Kind::invalid_request},
    TypeMeans{"content_policy", Kind::invalid_request},
};

template <std::size_t n>
const TypeMeans* find_type(const std::array<TypeMeans, n>& types, std::string_view type) {
  const auto found = std::ranges::find_if(types, [&](const TypeMeans& means) {
    return type.find(means.word) != std::string_view::npos;
  });
  return found == types.end() ? nullptr : &*found;
}

std::optional<Kind> kind_of_status(int status) {
  switch (status) {
    case 401:
    case 403:
      return Kind::unauthorized;
    case 402:
      return Kind::quota;
    case 404:
      return Kind::not_found;
    case 408:
    case 504:
    case 524:  // Cloudflare: the origin took too long.
      return Kind::timeout;
    case 413:
      return Kind::too_long;
    case 429:
      return Kind::rate_limited;
    case 498:  // Groq: no capacity in the flex tier.
    case 503:
    case 529:  // Anthropic.
      return Kind::overloaded;
    default:
      break;
  }
  if (status >= 500) return Kind::server;
  if (status >= 400) return Kind::invalid_request;
  return std::nullopt;
}

// Some providers put the status into the error object: `"code": 502`.
int status_in(std::string_view type) {
  const bool is_number = type.size() == 3 && std::ranges::all_of(type, [](unsigned char c) {
                           return std::isdigit(c) != 0;
                         });
  return is_number ? (type[0] - '0') * 100 + (type[1] - '0') * 10 + (type[2] - '0') : 0;
}

std::string_view hint_for(Kind kind) {
  switch (kind) {
    case Kind::rate_limited:
    case Kind::overloaded:
    case Kind::server:
      return "wait a little and try again";
    case Kind::quota:
      return "check the limits and the balance of your account at the provider";
    case Kind::timeout:
    case Kind::network:
      return "try again a little later";
    case Kind::unauthorized:
      return "check the provider's API key";
    case Kind::not_found:
      return "check the name of the model and the provider's address";
    case Kind::too_long:
      return "send less: use a window or a budget, or compress earlier turns";
    case Kind::malformed:
      return "check that the address is that of the provider's API";
    case Kind::invalid_request:
    case Kind::interrupted:
      return {};
  }
  return {};
}

}  // namespace

std::string_view name_of(Failure::Kind kind) {
  switch (kind) {
    case Kind::rate_limited:
      return "rate_limited";
    case Kind::quota:
      return "quota";
    case Kind::overloaded:
      return "overloaded";
    case Kind::timeout:
      return "timeout";
    case Kind::unauthorized:
      return "unauthorized";
    case Kind::not_found:
      return "not_found";
    case Kind::too_long:
      return "too_long";
    case Kind::invalid_request:
      return "invalid_request";
    case Kind::server:
      return "server";
    case Kind::network:
      return "network";
    case Kind::malformed:
      return "malformed";
    case Kind::interrupted:
      return "interrupted";
  }
  return "unknown";
}

Failure::Kind kind_of_failure(int status, std::string_view type, std::string_view message) {
  const std::string word = lowered(type);
  const std::string text = lowered(message);
  if (status == 0) status = status_in(word);
  const std::optional<Kind> by_status = kind_of_status(status);

  // Google sends "you exceeded your current quota" for limits per minute, too; only a daily limit
  // is a quota.
  const bool is_google = word == "resource_exhausted";
  const std::span quota_messages(kQuotaMessages);
  if (is_google ? holds_any(text, quota_messages.last(2))
                : holds_any(word, kQuotaTypes) || holds_any(text, quota_messages)) {
    if (status != 401 && status != 404) return Kind::quota;
  }
  const bool may_be_too_long = by_status != Kind::unauthorized && by_status != Kind::not_found &&
                               by_status != Kind::overloaded && by_status != Kind::timeout;
  const bool is_input_count = text.find("input token count") != std::string::npos &&
                              text.find("exceed") != std::string::npos;
  if (may_be_too_long &&
      (holds_any(word, kTooLongTypes) || holds_any(text, kTooLongMessages) || is_input_count)) {
    return Kind::too_long;
  }

  if (const TypeMeans* means = find_type(kTypes, word)) return means->kind;
  if (text.find("api key not valid") != std::string::npos) return Kind::unauthorized;
  if (by_status) return *by_status;
  if (const TypeMeans* means = find_type(kTypesWithoutStatus, word)) return means->kind;
  return Kind::server;
}

Error to_error(const Failure& failure) {
  std::string message =
      failure.message.empty() ? std::string(name_of(failure.kind)) : failure.message;
  if (failure.status != 0) message += fmt::format(" (HTTP {})", failure.status);
  std::string hint(hint_for(failure.kind));

  switch (failure.kind) {
    case Kind::interrupted:
      return interrupted(std::move(message), std::move(hint));
    case Kind::unauthorized:
    case Kind::quota:
      return denied(std::move(message), std::move(hint));
    case Kind::not_found:
      return not_found(std::move(message), std::move(hint));
    case Kind::invalid_request:
    case Kind::too_long:
      return invalid(std::move(message), std::move(hint));
    case Kind::rate_limited:
    case Kind::overloaded:
    case Kind::timeout:
    case Kind::server:
    case Kind::network:
    case Kind::malformed:
      break;
  }
  return unavailable(std::move(message), std::move(hint));
}

}  // namespace spoor::llm
