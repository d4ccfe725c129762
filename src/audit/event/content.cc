#include "audit/event/content.h"

#include <algorithm>
#include <utility>

#include "compile/json/reader.h"
#include "store/utf8.h"

namespace spoor::audit {
namespace {

namespace json = compile::json;

constexpr std::string_view kPlaceholder = "[REDACTED:";
constexpr std::string_view kHash = "hmac-sha256:";
constexpr std::size_t kMostOfCommitment = 200;

bool is_rule(std::string_view word) {
  return !word.empty() && word.size() <= 40 && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool is_number(std::string_view word) {
  return !word.empty() && word.size() <= 12 &&
         word.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<Content::Redaction> redactions_in(std::string_view text) {
  std::vector<Content::Redaction> found;
  for (std::size_t at = text.find(kPlaceholder); at != std::string_view::npos;
       at = text.find(kPlaceholder, at + 1)) {
    const std::string_view rest = text.substr(at + kPlaceholder.size(), 64);
    const std::size_t colon = rest.find(':');
    const std::size_t end = rest.find(']');
    if (colon == std::string_view::npos || end == std::string_view::npos || end < colon) continue;
    const std::string_view rule = rest.substr(0, colon);
    if (!is_rule(rule) || !is_number(rest.substr(colon + 1, end - colon - 1))) continue;
    found.push_back({std::string(rule), at, kPlaceholder.size() + end + 1});
  }
  return found;
}

// Nothing where it is no commitment.
Content commitment_in(std::string_view text) {
  const auto document = json::parse(text);
  if (!document || !document->root().is_object()) return {};
  const json::Value root = document->root();
  const std::string hash = root.find("hash").text();
  const auto bytes = root.find("bytes").integer();
  if (!root.find("mode").equals("hashed") || !hash.starts_with(kHash) || !bytes || *bytes < 0) {
    return {};
  }
  return {.mode = Content::Mode::hashed, .hash = hash, .bytes = static_cast<std::uint64_t>(*bytes)};
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  if (store::is_utf8(text)) return std::string(text);
  std::string valid;
  valid.reserve(text.size() + 16);
  while (!text.empty()) {
    const store::CodePoint point = store::decode_utf8(text);
    valid += point.valid ? text.substr(0, point.length) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(point.length);
  }
  return valid;
}

Content content_of(std::string_view text, compile::Capture mode) {
  // In whatever mode: parts may be captured more strictly than the whole.
  if (text.starts_with('{') && text.size() <= kMostOfCommitment) {
    Content committed = commitment_in(text);
    if (committed.mode == Content::Mode::hashed) return committed;
  }
  Content content{.mode = Content::Mode::full, .text = valid_utf8(text)};
  if (mode != compile::Capture::redacted) return content;
  content.mode = Content::Mode::redacted;
  content.redactions = redactions_in(content.text);
  return content;
}

compile::Capture stricter(compile::Capture a, compile::Capture b) { return std::max(a, b); }

}  // namespace spoor::audit
