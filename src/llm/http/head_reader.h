#pragma once

#include <cstddef>
#include <string_view>

#include "llm/http/transport.h"

namespace spoor::llm::http {

/// Makes a Head of the lines before a response's body. Heads of interim responses (1xx) are passed
/// over, and so is all that comes behind the head (trailers).
class HeadReader {
 public:
  enum class State {
    reading,
    complete,  ///< now: `head()` is whole
    behind,    ///< it was complete before this line
    broken,    ///< too long, or no head at all
  };

  /// A line with or without its CR LF; the empty one ends a head.
  State feed(std::string_view line);

  const Head& head() const { return head_; }

 private:
  State begin(std::string_view status_line);
  State end();

  static constexpr std::size_t kMaxBytes = 256U << 10U;

  Head head_;
  std::size_t bytes_ = 0;
  State state_ = State::reading;
};

}  // namespace spoor::llm::http
