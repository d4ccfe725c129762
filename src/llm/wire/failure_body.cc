#include "llm/wire/failure_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/utf8.h"
#include "llm/wire/reply_parser.h"

namespace spoor::llm::wire {
namespace {

using json::Value;

constexpr std::size_t kMaxMessage = 1000;

// True for a name such as `rate_limit_exceeded`; some providers send a sentence or a number
// instead.
bool is_word(std::string_view text) {
  return !text.empty() && text.find(' ') == std::string_view::npos &&
         text.find_first_not_of("0123456789") != std::string_view::npos;
}

std::string first_word(const Value& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (std::string word = object.find(key).text(); is_word(word)) return word;
  }
  return {};
}

// Returns the message for people: a string, or the one in a list of errors.
std::string message_in(const Value& value) {
  if (value.is_string()) return value.text();
  if (value.is_array()) {
    std::string all;
    for (const Value element : value.elements()) {
      const std::string one = message_in(element);
      if (one.empty() || all.size() > kMaxMessage) continue;
      if (!all.empty()) all += "; ";
      all += one;
    }
    return all;
  }
  if (!value.is_object()) return {};
  for (const std::string_view key : {"message", "msg", "detail", "error"}) {
    if (std::string text = message_in(value.find(key)); !text.empty()) return text;
  }
  return {};
}

// Parses `21s`, `0.5s`: google.protobuf.Duration.
std::optional<std::chrono::milliseconds> read_duration(std::string_view text) {
  if (!text.ends_with('s') || text.size() > 20) return std::nullopt;
  text.remove_suffix(1);
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(seconds >= 0 && seconds < 1e9)) return std::nullopt;
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

// Reads Google's details: the wait and the exceeded quotas.
void read_details(const Value& details, Failure& failure, std::string& quotas) {
  for (const Value detail : details.elements()) {
    const auto delay = read_duration(detail.find("retryDelay").text());
    failure.retry_after = std::max(failure.retry_after, delay);
    for (const Value violation : detail.find("violations").elements()) {
      quotas += ' ' + violation.find("quotaId").text();
    }
  }
}

// Returns the original error of an aggregator: OpenRouter passes on its provider's error.
std::string behind(const Value& error) { return error.find("metadata").find("raw").text(); }

bool is_error_itself(const Value& body) {
  if (!body.find("message").is_string() && !body.find("detail") && !body.find("msg")) return false;
  const bool is_reply = body.find("choices") || body.find("content") || body.find("output") ||
                        body.find("candidates") || body.find("done");
  return !is_reply;
}

std::string cut(std::string text) {
  if (text.size() <= kMaxMessage) return text;
  text.resize(cut_to_bytes(text, kMaxMessage).size());
  return text + "…";
}

}  // namespace

Failure make_failure(Failure::Kind kind, std::string message, std::string_view raw) {
  Failure failure;
  failure.kind = kind;
  failure.message = std::move(message);
  failure.raw = raw.substr(0, kMaxFailureRaw);
  return failure;
}

std::optional<Failure> find_failure(int status, const Value& body) {
  if (body.is_array()) {
    for (const Value element : body.elements()) {
      if (auto failure = find_failure(status, element)) return failure;
    }
    return std::nullopt;
  }
  if (!body.is_object()) return std::nullopt;

  const Value inner = body.find("error");
  const bool has_error = inner.is_object() || (inner.is_string() && inner.raw().size() > 2);
  if (!has_error && !is_error_itself(body)) return std::nullopt;
  const Value& error = inner.is_object() ? inner : body;

  Failure failure;
  failure.status = status;
  failure.raw = body.raw().substr(0, kMaxFailureRaw);
  failure.type = first_word(error, {"code", "type", "status"});
  if (failure.type.empty()) {
    if (const auto code = error.find("code").integer()) failure.type = std::to_string(*code);
  }
  failure.message = message_in(inner.is_string() ? inner : error);

  std::string searched = failure.message;
  read_details(error.find("details"), failure, searched);
  if (const std::string cause = behind(error); !cause.empty()) {
    searched += ' ' + cause;
    failure.message += failure.message.empty() ? cause : ": " + cause;
  }
  // `type` or `code` may contain the reason: Groq has `tokens` and `rate_limit_exceeded`.
  const std::string other = first_word(error, {"type"});
  failure.kind = kind_of_failure(status, failure.type, searched);
  if (failure.kind == Failure::Kind::server || failure.kind == Failure::Kind::invalid_request) {
    if (!other.empty()) failure.kind = kind_of_failure(status, other, searched);
  }
  failure.message = cut(std::move(failure.message));
  return failure;
}

Failure read_failure(int status, std::string_view body) {
  const auto document = json::parse(body);
  if (document) {
    if (auto failure = find_failure(status, document->root())) return *std::move(failure);
  }
  Failure failure;
  failure.status = status;
  failure.raw = body.substr(0, kMaxFailureRaw);

  // A proxy's HTML page adds little to the status; a line of text is useful.
  const std::size_t begin = body.find_first_not_of(" \t\r\n");
  const bool is_text = begin != std::string_view::npos && body[begin] != '<' && !document;
  if (is_text) failure.message = cut(std::string(body.substr(begin, kMaxMessage + 1)));
  failure.kind = kind_of_failure(status, {}, failure.message);
  if (failure.message.empty()) failure.message = fmt::format("the provider answered {}", status);
  return failure;
}

}  // namespace spoor::llm::wire
