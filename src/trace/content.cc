#include "trace/content.h"

#include <algorithm>
#include <utility>

#include "base/json/reader.h"
#include "base/utf8.h"
#include "compile/commitment.h"
#include "trace/placeholder.h"

namespace spoor::trace {
namespace {

constexpr std::string_view kHash = "hmac-sha256:";
constexpr std::size_t kMostOfCommitment = 200;

// Returns an empty content if `text` is not a commitment.
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
  if (is_utf8(text)) return std::string(text);
  std::string valid;
  valid.reserve(text.size() + 16);
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    valid += point.valid ? text.substr(0, point.length) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(point.length);
  }
  return valid;
}

Content content_of(std::string_view text, compile::Capture mode) {
  // In any mode: parts may be captured more strictly than the whole.
  if (text.starts_with('{') && text.size() <= kMostOfCommitment) {
    Content committed = commitment_in(text);
    if (committed.mode == Content::Mode::hashed) return committed;
  }
  Content content{.mode = Content::Mode::full, .text = valid_utf8(text)};
  if (mode != compile::Capture::redacted) return content;
  content.mode = Content::Mode::redacted;
  for (const Placeholder& each : placeholders_in(content.text)) {
    const auto [begin, end] = each.span;
    content.redactions.push_back({std::string(each.rule), begin, end - begin});
  }
  return content;
}

std::string shown(const Content& content) {
  switch (content.mode) {
    case Content::Mode::full:
    case Content::Mode::redacted:
      return content.text;
    case Content::Mode::hashed:
      return compile::hashed_words(content.bytes);
    case Content::Mode::erased:
      return "[erased]";
    case Content::Mode::unknown:
      break;
  }
  return "[unknown]";
}

compile::Capture stricter(compile::Capture a, compile::Capture b) { return std::max(a, b); }

}  // namespace spoor::trace
