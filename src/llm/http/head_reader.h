#pragma once

#include <cstddef>
#include <string_view>

#include "llm/http/transport.h"

namespace spoor::llm::http {

/// Parses the lines before a response's body into a Head. Skips the heads of interim responses
/// (1xx) and all lines after the head (trailers).
class HeadReader {
 public:
  enum class State {
    reading,
    complete,  ///< this line completed `head()`
    behind,    ///< an earlier line completed it
    broken,    ///< too long, or not a head
  };

  /// Takes a line with or without its CR LF; an empty line ends a head.
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
