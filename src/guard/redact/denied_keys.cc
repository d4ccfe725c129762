#include "guard/redact/denied_keys.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "guard/redact/checks.h"

namespace spoor::guard {
namespace {

constexpr std::size_t kMostBytes = 64;

// In lower case, without separators between words.
constexpr std::array<std::string_view, 58> kNames = {
    "id",
    "ids",
    "uuid",
    "guid",
    "oid",
    "sha",
    "sha1",
    "sha256",
    "sha512",
    "md5",
    "hash",
    "digest",
    "checksum",
    "etag",
    "commit",
    "rev",
    "revision",
    "head",
    "base",
    "parent",
    "parents",
    "tree",
    "blob",
    "oids",
    "signature",
    "nonce",
    "fingerprint",
    "sealed",
    "thoughtsignature",
    "encryptedcontent",
    "time",
    "timestamp",
    "ts",
    "date",
    "datetime",
    "created",
    "updated",
    "modified",
    "started",
    "ended",
    "duration",
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filenames",
    "cwd",
    "dir",
    "directory",
    "folder",
    "root",
    "branch",
    "gitbranch",
    "version",
    "model",
    "systemfingerprint",
    "usage",
};

// Words at the end of a name.
constexpr std::array<std::string_view, 13> kEndings = {
    "id",   "ids",   "uuid", "hash", "sha",       "sha256", "digest",
    "path", "paths", "at",   "time", "timestamp", "dir"};

// Names of secrets and of personal numbers, whatever their ending.
constexpr std::array<std::string_view, 14> kTelling = {
    "key",  "secret", "token", "passw", "account",    "phone", "mail",
    "card", "iban",   "ssn",   "auth",  "credential", "login", "contact"};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
// `created_at` and `createdAt` end in `at`; `format` does not.
bool ends_in_word(std::string_view key, std::string_view lower, std::string_view word) {
  if (lower.size() <= word.size() || !lower.ends_with(word)) return false;
  const std::size_t begin = key.size() - word.size();
  const char before = key[begin - 1];
  if (!is_lower(spoor::lower(before)) && !is_digit(before)) return true;
  return is_upper(key[begin]) && !is_upper(before);
}

}  // namespace

bool is_denied_key(std::string_view key) {
  if (key.empty() || key.size() > kMostBytes) return false;
  std::string lower;
  std::string compact;
  for (const char c : key) {
    lower += spoor::lower(c);
    if (is_lower(lower.back()) || is_digit(c)) compact += lower.back();
  }
  for (const std::string_view word : kTelling) {
    if (compact.find(word) != std::string::npos) return false;
  }
  if (std::find(kNames.begin(), kNames.end(), compact) != kNames.end()) return true;
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view word) { return ends_in_word(key, lower, word); });
}

}  // namespace spoor::guard
