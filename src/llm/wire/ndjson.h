#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace spoor::llm::wire {

/// Cuts bytes into JSON values, however they arrive: a single one with white space around it
/// (providers send it to keep a connection open), one a line (NDJSON), glued ones, or the elements
/// of one array, each as soon as it is there (Gemini's stream without SSE).
///
/// Looks at brackets and strings alone: what it hands out may still be no JSON.
class JsonValues {
 public:
  /// `value` is borrowed for the call. `is_cut`: the bytes ended within it.
  using OnValue = std::function<void(std::string_view value, bool is_cut)>;

  void feed(std::string_view bytes, const OnValue& on_value);
  void finish(const OnValue& on_value);

 private:
  void end_value(const OnValue& on_value);
  std::size_t take_string(std::string_view bytes, const OnValue& on_value);
  bool take_between(char c);

  std::string value_;        // Under way; empty between two.
  std::uint64_t depth_ = 0;  // Of brackets open in value_.
  bool is_in_string_ = false;
  bool is_escaped_ = false;  // The next character of the string stands behind a backslash.
  bool is_in_array_ = false;
  bool is_first_ = true;
};

}  // namespace spoor::llm::wire
