#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Secrets that this process holds itself, such as the key it asks a model with. Every draft leaves
// them out of what it stores, whatever the capture mode: a model, a server or a tool may repeat
// one.
namespace spoor::compile {

/// What stands where a known key stood.
constexpr std::string_view kKeyMark = "[REDACTED:known-key]";

/// A shorter secret is never known: it would be found where nobody said it. In bytes.
constexpr std::size_t kShortestKnownKey = 16;

/// One secret, to be taken out of texts. It is found as it is; with any of its signs escaped as
/// JSON (several deep) or as URLs do; and within base64 of either alphabet in one piece. Its first
/// half is enough, if that has kShortestKnownKey bytes: a reply may end in the middle. A secret
/// that is shorter than that is looked for as a whole, and not in base64.
class KnownKey {
 public:
  /// An empty one is nowhere.
  explicit KnownKey(std::string_view secret);

  /// Puts kKeyMark in place of each occurrence; true if there was one. Backslashes right before it
  /// go with it, so JSON stays JSON. Linear in the text.
  bool take_out_of(std::string& text) const;

  std::size_t size() const { return size_; }
  bool operator==(const KnownKey&) const = default;

 private:
  struct Pattern {
    std::string text;            // What has to be there, without backslashes.
    std::string rest;            // What may follow, or a part of it.
    std::size_t core_begin = 0;  // The longest run of letters and digits in `text`.
    std::size_t core_end = 0;
    bool operator==(const Pattern&) const = default;
  };
  static Pattern pattern_of(std::string_view text, std::string_view rest = {});
  static bool take_out(const Pattern& pattern, std::string& text);

  std::vector<Pattern> patterns_;
  std::size_t size_;
};

/// From now on, and until the process ends, no draft of this process stores `secret`. White space
/// at its ends is passed over; so is a secret that is shorter than kShortestKnownKey or has no
/// letter. Of the process and not of a store, since the process holds it whatever it writes to.
/// Safe to call from any thread.
void know_key(std::string_view secret);

/// Puts kKeyMark in place of all keys that are known; true if there was one. Safe to call from any
/// thread; costs nothing while none is known.
bool take_out_known_keys(std::string& text);

/// Is a known key in what members of the same name say one behind the other, in a text of JSON or
/// in lines of it, with `data:` before it or not? A reply that was streamed cuts its texts
/// anywhere.
bool holds_known_key_in_pieces(std::string_view text);

}  // namespace spoor::compile
