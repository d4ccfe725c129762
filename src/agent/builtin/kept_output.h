#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spoor::agent::builtin {

/// What comes out of a command, however much that is: its beginning and its end, in at most `most`
/// bytes of memory (and a little).
class KeptOutput {
 public:
  explicit KeptOutput(std::size_t most) : most_head_(most / 2), most_tail_(most - most / 2) {}

  void add(std::string_view bytes);

  /// How many bytes came.
  std::uint64_t total() const { return total_; }

  /// Everything that came when it is at most `most` bytes; else its beginning and its end, cut
  /// between lines where lines are short, and between them a line that says how much is missing.
  std::string text(std::size_t most) const;

 private:
  std::size_t most_head_;
  std::size_t most_tail_;
  std::string head_;
  std::string ring_;       // The end: a circle once it is full.
  std::size_t begin_ = 0;  // Where the oldest byte of a full ring_ stands.
  std::uint64_t total_ = 0;
};

/// The first at most `most` bytes of a text, cut between code points.
std::string_view beginning_of(std::string_view text, std::size_t most);

}  // namespace spoor::agent::builtin
