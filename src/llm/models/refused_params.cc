#include "llm/models/refused_params.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "llm/structured.h"

namespace spoor::llm {
namespace {

using json::Value;

// A parameter that a request does without, by its path in the body, and a word in lower case by
// which refusals name it apart from its path.
struct Optional {
  std::string_view path;
  std::string_view word;
};

// More exact ones first.
constexpr std::array kOptional = {
    Optional{"temperature", "temperature"},
    Optional{"generationConfig.temperature", "temperature"},
    Optional{"options.temperature", "temperature"},
    Optional{"top_p", "top_p"},
    Optional{"top_k", "top_k"},
    Optional{"reasoning.summary", "reasoning summaries"},
    Optional{"reasoning.effort", "reasoning.effort"},
    Optional{"reasoning", "reasoning"},
    Optional{"reasoning_effort", "reasoning_effort"},
    Optional{"output_config.effort", "effort"},
    Optional{"thinking.display", "display"},
    Optional{"thinking", "thinking"},
    Optional{"generationConfig.thinkingConfig.thinkingLevel", "thinking level"},
    Optional{"generationConfig.thinkingConfig.thinkingBudget", "thinking budget"},
    Optional{"generationConfig.thinkingConfig", "thinking"},
    Optional{"think", "thinking"},
    Optional{"include", "encrypted content"},
    Optional{"cache_control", "cache_control"},
    Optional{"stream_options", "stream_options"},
};

// The paths of the longest answer.
constexpr std::array<std::string_view, 5> kLongest = {
    "max_tokens", "max_completion_tokens", "max_output_tokens", "generationConfig.maxOutputTokens",
    "options.num_predict"};
constexpr std::string_view kNewLongest = "max_completion_tokens";
constexpr std::int64_t kLeastAnswer = 256;

Value at(Value value, std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    value = value.find(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return value;
}

// Returns the patch that sets `path` to `json`.
std::string patch_of(std::string_view path, std::string json) {
  const std::size_t dot = path.find('.');
  if (dot != std::string_view::npos) json = patch_of(path.substr(dot + 1), std::move(json));
  return json::write_object(path.substr(0, dot), std::move(json));
}

std::string without_marks(std::string_view path) {
  std::string plain;
  for (const char c : path) {
    if (c != '_' && c != '.') plain += lower(c);
  }
  return plain;
}

// Returns where `text` has `word` with no letter, digit or `_` beside it; npos if nowhere.
std::size_t find_word(std::string_view text, std::string_view word) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) {
      return at;
    }
  }
  return std::string_view::npos;
}

bool has_word(std::string_view text, std::string_view word) {
  return find_word(text, word) != std::string_view::npos;
}

// OpenAI and those that follow it name the parameter.
std::string named_param(const Failure& failure) {
  const auto body = json::parse(failure.raw);
  if (!body) return {};
  const Value error = body->root().find("error");
  return error.is_object() ? error.find("param").text() : body->root().find("param").text();
}

bool is_in_history(std::string_view text) {
  constexpr std::array<std::string_view, 6> kPlaces = {"messages.", "messages:", "messages[",
                                                       "input[",    "contents[", "contents."};
  return std::ranges::any_of(
      kPlaces, [&](const auto& place) { return text.find(place) != std::string_view::npos; });
}

// Whether a message says that something is not taken at all. Another one is about a value, which is
// the caller's to mend.
bool refuses(std::string_view message) {
  constexpr std::array<std::string_view, 14> kPhrases = {
      "not support", "unsupported", "not enabled",  "deprecated",       "not permitted",
      "not allowed", "unknown",     "unrecognized", "unexpected",       "must be verified",
      "extra input", "no longer",   "may only be",  "cannot find field"};
  return std::ranges::any_of(
      kPhrases, [&](const auto& phrase) { return message.find(phrase) != std::string_view::npos; });
}

std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
    std::string digits;
    const auto is_digit = [&](std::size_t at) {
      return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
    };
    for (; is_digit(i) || (i < text.size() && text[i] == ',' && is_digit(i + 1) &&
                           is_digit(i + 2) && is_digit(i + 3) && !is_digit(i + 4));
         ++i) {
      if (text[i] != ',') digits += text[i];
    }
    std::int64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec == std::errc()) numbers.push_back(number);
  }
  return numbers;
}

// Returns the change for an answer that may not be as long as asked for.
std::optional<Correction> shorter(const Value& params, std::string_view param,
                                  std::string_view message) {
  for (const std::string_view path : kLongest) {
    const auto asked = at(params, path).integer();
    if (!asked) continue;
    const std::string name = lowered(path.substr(path.rfind('.') + 1));
    const bool is_meant = param == path || has_word(message, name) ||
                          message.find("output tokens") != std::string_view::npos ||
                          message.find("output_tokens") != std::string_view::npos ||
                          message.find("completion tokens") != std::string_view::npos;
    if (!is_meant) return std::nullopt;
    if (path != kNewLongest && has_word(message, kNewLongest) &&
        message.find("instead") != std::string_view::npos) {
      json::Object patch;
      patch.add_json(path, "null");
      patch.add_integer(kNewLongest, *asked);
      return Correction{patch.write(), fmt::format("'{}' is sent as '{}'", path, kNewLongest),
                        false};
    }
    std::int64_t most = 0;
    for (const std::int64_t number : numbers_in(message)) {
      if (number < *asked) most = std::max(most, number);
    }
    if (message.find("exclusive") != std::string_view::npos) --most;
    if (most < kLeastAnswer) return std::nullopt;
    const bool is_lasting = message.find("context") == std::string_view::npos;
    return Correction{patch_of(path, std::to_string(most)),
                      fmt::format("'{}' is {} instead of {}", path, most, *asked), is_lasting};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Correction> correction_for(const Failure& failure, std::string_view params_text) {
  if (failure.kind != Failure::Kind::invalid_request) return std::nullopt;
  const auto document = json::parse(params_text);
  if (!document || !document->root().is_object()) return std::nullopt;
  const Value params = document->root();
  const std::string message = lowered(failure.message);
  const std::string param = named_param(failure);
  // Anthropic: a tool loop whose last answer has no thinking cannot go on with it.
  const bool is_loop = message.find("disable `thinking`") != std::string::npos;
  if (!is_loop && (is_in_history(param) || is_in_history(message) ||
                   message.find("signature") != std::string::npos)) {
    return std::nullopt;
  }
  if (auto correction = shorter(params, param, message)) return correction;
  // OpenAI: chat completions of later models have tools or reasoning, not both.
  if (message.find("tools with reasoning_effort") != std::string::npos) {
    if (at(params, "reasoning_effort").equals("none")) return std::nullopt;
    // Without tools it has reasoning.
    return Correction{R"({"reasoning_effort":"none"})", "'reasoning_effort' is 'none'", false};
  }
  if (!is_loop && !refuses(message)) return std::nullopt;
  const std::string plain_param = without_marks(param);
  const Optional* refused = nullptr;
  std::size_t first = std::string_view::npos;  // The parameter that the message names first.
  for (const Optional& optional : kOptional) {
    if (!at(params, optional.path)) continue;
    // A plain word such as `include` may be any.
    const bool is_plain = optional.path == "include" || optional.path == "think";
    std::size_t place = find_word(message, optional.word);
    if (!is_plain) place = std::min(place, find_word(message, lowered(optional.path)));
    if (!param.empty()) {
      place = plain_param == without_marks(optional.path) ? 0 : std::string_view::npos;
    }
    if (place >= first) continue;
    first = place;
    refused = &optional;
  }
  if (refused == nullptr) return std::nullopt;
  const bool is_value =
      message.starts_with("unsupported value") || message.starts_with("invalid value");
  return Correction{patch_of(refused->path, "null"), fmt::format("'{}' is left out", refused->path),
                    !is_loop && !is_value};
}

namespace {

std::string applied(const Value& target, const Value& patch) {
  json::Object object;
  for (const json::Member member : target.members()) {
    if (!patch.find(member.key.text())) object.add_value(member.key.text(), member.value);
  }
  for (const json::Member member : patch.members()) {
    const std::string key = member.key.text();
    const Value before = target.find(key);
    const auto asked = before.integer();
    const auto most = member.value.integer();
    if (member.value.is(json::Type::null)) continue;
    if (member.value.is_object()) {
      std::string inner = applied(before, member.value);
      if (inner != "{}") object.add_json(key, std::move(inner));
    } else {
      object.add_value(key, asked && most && *asked < *most ? before : member.value);
    }
  }
  return object.write();
}

}  // namespace

Result<std::string> joined_patches(std::string_view patch, std::string_view more) {
  return json::canonical(
      TRY(merge_params(patch.empty() ? "{}" : patch, more.empty() ? "{}" : more)));
}

Result<std::string> corrected(std::string_view params, std::string_view patch) {
  const json::Document target = TRY(json::parse(params.empty() ? "{}" : params));
  const json::Document change = TRY(json::parse(patch.empty() ? "{}" : patch));
  if (!target.root().is_object() || !change.root().is_object()) {
    return invalid("the parameters of a call are not a JSON object");
  }
  return applied(target.root(), change.root());
}

}  // namespace spoor::llm
