#include "guard/erase/literal_finder.h"

#include <algorithm>

#include "base/base64.h"
#include "base/find_text.h"
#include "base/json/reader.h"
#include "base/text.h"

namespace spoor::guard {
namespace {

constexpr std::string_view kBetween = "\r\n\t ";  // Lines of base64.
constexpr int kDeepest = 4;  // A call's arguments in a provider's item in a record of a session.

bool contains_any(std::string_view hay, const std::vector<std::string>& needles) {
  return std::any_of(needles.begin(), needles.end(),
                     [hay](const std::string& needle) { return holds_text(hay, needle); });
}

bool is_base64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/' || c == '-' || c == '_';
}

// Replaces CR LF with LF.
std::string with_short_ends(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
  }
  return out;
}

std::string with_long_ends(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

}  // namespace

bool LiteralFinder::add(std::string_view text, std::size_t least) {
  const std::string needle = with_short_ends(trimmed(text));
  if (needle.empty() || needle.size() < least) return false;
  if (std::find(plain_.begin(), plain_.end(), needle) != plain_.end()) return true;
  plain_.push_back(needle);
  if (needle.size() < kLeastCoded) return true;
  std::vector<std::string> forms = {needle};
  if (holds_text(needle, "\n")) forms.push_back(with_long_ends(needle));
  for (const std::string& form : forms) {
    for (std::size_t before = 0; before < 3; ++before) {
      const std::string coded = inside_base64(form, before);
      const std::string other = with_url_alphabet(coded);
      if (shortest_ == 0 || coded.size() < shortest_) shortest_ = coded.size();
      coded_.push_back(coded);
      if (other != coded) coded_.push_back(other);
    }
  }
  return true;
}

bool LiteralFinder::is_in(std::string_view bytes) const {
  if (is_in_this(bytes)) return true;
  std::string owned;
  for (int depth = 0; depth < kDeepest && holds_text(bytes, "\\"); ++depth) {
    owned = json::unescape(bytes);
    bytes = owned;
    if (is_in_this(bytes)) return true;  // Base64 may have its slashes escaped.
  }
  return false;
}

bool LiteralFinder::is_in_this(std::string_view bytes) const {
  if (contains_any(bytes, plain_) || is_in_base64(bytes)) return true;
  return holds_text(bytes, "\r\n") && contains_any(with_short_ends(bytes), plain_);
}

// Searches only runs that are long enough and in the alphabet, with their lines joined.
bool LiteralFinder::is_in_base64(std::string_view bytes) const {
  if (coded_.empty()) return false;
  std::string run;
  for (std::size_t i = 0; i <= bytes.size(); ++i) {
    const char c = i < bytes.size() ? bytes[i] : ' ';
    if (is_base64(c)) {
      run += c;
    } else if ((c == '\n' || c == '\r') && !run.empty()) {
      i = std::min(bytes.find_first_not_of(kBetween, i), bytes.size()) - 1;
    } else {
      if (run.size() >= shortest_ && contains_any(run, coded_)) return true;
      run.clear();
    }
  }
  return false;
}

}  // namespace spoor::guard
