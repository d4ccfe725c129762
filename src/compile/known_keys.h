#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Secrets that this process holds, such as its key for a model. Every draft removes them from the
// data it stores, in every capture mode, because a model, a server or a tool may repeat one.
namespace spoor::compile {

/// The replacement for a known key.
constexpr std::string_view kKeyMark = "[REDACTED:known-key]";

/// The shortest secret that is registered, in bytes. A shorter one would be found in unrelated
/// text.
constexpr std::size_t kShortestKnownKey = 16;

/// A secret to be removed from texts. It is found unchanged; with any of its signs escaped as in
/// JSON (several levels) or in URLs; and inside base64 of either alphabet in one piece. Its first
/// half is enough if that has kShortestKnownKey bytes, since a reply may be cut off in the middle.
/// A shorter secret is found only as a whole, and not in base64.
class KnownKey {
 public:
  /// An empty secret never matches.
  explicit KnownKey(std::string_view secret);

  /// Replaces each occurrence by kKeyMark; returns true if there was one. Also removes backslashes
  /// directly before it, so that JSON remains JSON. Linear in the text.
  bool take_out_of(std::string& text) const;

  std::size_t size() const { return size_; }
  bool operator==(const KnownKey&) const = default;

 private:
  struct Pattern {
    std::string text;            // The required text, without backslashes.
    std::string rest;            // The text that may follow, wholly or in part.
    std::size_t core_begin = 0;  // The longest run of letters and digits in `text`.
    std::size_t core_end = 0;
    bool operator==(const Pattern&) const = default;
  };
  static Pattern pattern_of(std::string_view text, std::string_view rest = {});
  static bool take_out(const Pattern& pattern, std::string& text);

  std::vector<Pattern> patterns_;
  std::size_t size_;
};

/// Registers `secret` until the process ends: no draft of this process stores it. Trims white space
/// at its ends. Ignores secrets that are shorter than kShortestKnownKey or contain no letter. The
/// registry belongs to the process and not to a store, since the process may write to any store.
/// Safe to call from any thread.
void know_key(std::string_view secret);

/// Replaces all known keys by kKeyMark; returns true if there was one. Safe to call from any
/// thread; free while no key is known.
bool take_out_known_keys(std::string& text);

/// Returns true if members of the same name, joined in order, contain a known key. `text` is JSON
/// or lines of JSON, with or without `data:` before each. For streamed replies, which split texts
/// anywhere.
bool holds_known_key_in_pieces(std::string_view text);

}  // namespace spoor::compile
