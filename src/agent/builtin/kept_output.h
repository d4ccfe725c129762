#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spoor::agent::builtin {

/// The beginning and the end of a command's output of any length, in about `most` bytes of memory.
class KeptOutput {
 public:
  explicit KeptOutput(std::size_t most) : most_head_(most / 2), most_tail_(most - most / 2) {}

  void add(std::string_view bytes);

  /// Returns the number of bytes added.
  std::uint64_t total() const { return total_; }

  /// Returns all output if it is at most `most` bytes. Else returns its beginning and end, cut
  /// between lines if lines are short, with a line between them that states how much is missing.
  std::string text(std::size_t most) const;

 private:
  std::size_t most_head_;
  std::size_t most_tail_;
  std::string head_;
  std::string ring_;       // The end of the output: circular once it is full.
  std::size_t begin_ = 0;  // Index of the oldest byte of a full ring_.
  std::uint64_t total_ = 0;
};

/// Returns at most the first `most` bytes of a text, cut between code points.
std::string_view beginning_of(std::string_view text, std::size_t most);

}  // namespace spoor::agent::builtin
