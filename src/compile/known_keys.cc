#include "compile/known_keys.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/find_text.h"
#include "base/text.h"
#include "compile/stream_texts.h"

namespace spoor::compile {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_plain(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

// A spelling of a key's character.
struct Form {
  std::string text;
  bool is_escape = false;  // Only after a backslash.
};

// Escapes are first: for ambiguous text such as `%25`, the exact text was already tried.
std::vector<Form> forms_of(char c) {
  if (is_plain(c)) return {{std::string(1, c)}};
  const unsigned byte = static_cast<unsigned char>(c);
  std::vector<Form> forms = {{fmt::format("u{:04x}", byte), true},
                             {fmt::format("%25{:02x}", byte)},
                             {fmt::format("%{:02x}", byte)}};
  if (c == '\n') forms.push_back({"n", true});
  if (c == '\r') forms.push_back({"r", true});
  if (c == '\t') forms.push_back({"t", true});
  forms.push_back({std::string(1, c)});
  return forms;
}

// Compares with hexadecimal digits in either case.
bool is_form(std::string_view text, const std::string& form) {
  return text == form || (form.size() > 1 && lowered(text) == form);
}

// Returns the end of the character `c` at `at`; nullopt if it is not there. Skips backslashes.
std::optional<std::size_t> end_of(std::string_view text, std::size_t at, char c, bool escapes) {
  const std::size_t begin = at;
  while (at < text.size() && text[at] == '\\') ++at;
  if (!escapes) return at < text.size() && text[at] == c ? std::optional(at + 1) : std::nullopt;
  for (const Form& form : forms_of(c)) {
    if (form.is_escape && at == begin) continue;
    if (is_form(text.substr(at, form.text.size()), form.text)) return at + form.text.size();
  }
  return std::nullopt;
}

// Does the same backwards: returns the beginning of the character that ends at `end`, or before the
// backslashes there.
std::optional<std::size_t> begin_of(std::string_view text, std::size_t end, char c, bool escapes) {
  while (end > 0 && text[end - 1] == '\\') --end;
  if (!escapes) return end > 0 && text[end - 1] == c ? std::optional(end - 1) : std::nullopt;
  for (const Form& form : forms_of(c)) {
    if (form.text.size() > end) continue;
    const std::size_t at = end - form.text.size();
    if (form.is_escape && (at == 0 || text[at - 1] != '\\')) continue;
    if (is_form(text.substr(at, form.text.size()), form.text)) return at;
  }
  return std::nullopt;
}

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Returns the extent of a key whose core is at `at`; nullopt if the text around it differs.
std::optional<Span> span_around(std::string_view text, std::size_t at, std::string_view before,
                                std::string_view core, std::string_view after, bool escapes) {
  Span span{at, at + core.size()};
  for (const char c : after) {
    const auto end = end_of(text, span.end, c, escapes);
    if (!end) return std::nullopt;
    span.end = *end;
  }
  for (std::size_t i = before.size(); i > 0; --i) {
    const auto begin = begin_of(text, span.begin, before[i - 1], escapes);
    if (!begin) return std::nullopt;
    span.begin = *begin;
  }
  while (span.begin > 0 && text[span.begin - 1] == '\\') --span.begin;
  return span;
}

// Returns the end of the part of `rest` that follows at `at`.
std::size_t end_of_rest(std::string_view text, std::size_t at, std::string_view rest) {
  for (const char c : rest) {
    auto end = end_of(text, at, c, false);
    if (!end) end = end_of(text, at, c, true);
    if (!end) break;
    at = *end;
  }
  return at;
}

using Keys = std::vector<KnownKey>;

// The keys of this process. A snapshot, since every write reads it and it rarely changes.
class Registry {
 public:
  std::shared_ptr<const Keys> all() const {
    const std::lock_guard lock(mutex_);
    return keys_;
  }

  void add(KnownKey key) {
    const std::lock_guard lock(mutex_);
    if (std::find(keys_->begin(), keys_->end(), key) != keys_->end()) return;
    auto more = std::make_shared<Keys>(*keys_);
    more->push_back(std::move(key));
    // Longest first, because a key may be a part of another.
    std::stable_sort(more->begin(), more->end(),
                     [](const KnownKey& a, const KnownKey& b) { return a.size() > b.size(); });
    keys_ = std::move(more);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Keys> keys_ = std::make_shared<const Keys>();  // Guarded by mutex_.
};

Registry& registry() {
  static Registry of_process;
  return of_process;
}

}  // namespace

KnownKey::Pattern KnownKey::pattern_of(std::string_view text, std::string_view rest) {
  Pattern pattern;
  std::copy_if(rest.begin(), rest.end(), std::back_inserter(pattern.rest),
               [](char c) { return c != '\\'; });
  std::size_t run = 0;
  for (const char c : text) {
    if (c != '\\') pattern.text += c;
    const std::size_t end = pattern.text.size();
    if (!is_plain(c)) {
      run = end;
    } else if (end - run > pattern.core_end - pattern.core_begin) {
      pattern.core_begin = run;
      pattern.core_end = end;
    }
  }
  return pattern;
}

KnownKey::KnownKey(std::string_view secret) : size_(secret.size()) {
  if (secret.empty()) return;
  const std::size_t enough =
      std::min(std::max(secret.size() / 2, kShortestKnownKey), secret.size());
  patterns_.push_back(pattern_of(secret.substr(0, enough), secret.substr(enough)));
  if (secret.size() < kShortestKnownKey) return;
  for (std::size_t before = 0; before < 3; ++before) {
    const std::string coded = inside_base64(secret, before);
    const std::string other = with_url_alphabet(coded);
    patterns_.push_back(pattern_of(coded));
    if (other != coded) patterns_.push_back(pattern_of(other));
  }
}

bool KnownKey::take_out_of(std::string& text) const {
  bool was_there = false;
  for (const Pattern& pattern : patterns_) was_there = take_out(pattern, text) || was_there;
  return was_there;
}

bool KnownKey::take_out(const Pattern& pattern, std::string& text) {
  const std::string_view all = pattern.text;
  const std::string_view before = all.substr(0, pattern.core_begin);
  const std::string_view core = all.substr(pattern.core_begin, pattern.core_end - before.size());
  const std::string_view after = all.substr(pattern.core_end);
  if (core.empty()) return false;
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = find_text(text, core); at != std::string::npos;) {
    auto span = span_around(text, at, before, core, after, false);
    if (!span) span = span_around(text, at, before, core, after, true);
    if (!span || span->begin < done) {
      at = find_text(text, core, at + 1);
      continue;
    }
    out.append(text, done, span->begin - done).append(kKeyMark);
    done = end_of_rest(text, span->end, pattern.rest);
    at = find_text(text, core, done);
  }
  if (done == 0) return false;
  text = out.append(text, done);
  return true;
}

void know_key(std::string_view secret) {
  secret = trimmed(secret);
  if (secret.size() < kShortestKnownKey) return;
  if (std::none_of(secret.begin(), secret.end(), is_letter)) return;  // A number in JSON.
  registry().add(KnownKey(secret));
}

bool take_out_known_keys(std::string& text) {
  bool was_there = false;
  for (const KnownKey& key : *registry().all()) was_there = key.take_out_of(text) || was_there;
  return was_there;
}

bool holds_known_key_in_pieces(std::string_view text) {
  if (registry().all()->empty()) return false;
  auto said = joined_texts(text);
  return std::any_of(said.begin(), said.end(),
                     [](auto& each) { return take_out_known_keys(each.second); });
}

}  // namespace spoor::compile
