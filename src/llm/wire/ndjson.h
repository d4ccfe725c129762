#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace spoor::llm::wire {

/// Splits bytes that arrive in any pieces into JSON values: a single one with white space around it
/// (providers send it to keep a connection open), one per line (NDJSON), concatenated ones, or the
/// elements of one array, each as soon as it is complete (Gemini's stream without SSE).
///
/// Only checks brackets and strings: a value passed on may be invalid JSON.
class JsonValues {
 public:
  /// `value` is borrowed for the call. `is_cut`: the bytes ended inside it.
  using OnValue = std::function<void(std::string_view value, bool is_cut)>;

  void feed(std::string_view bytes, const OnValue& on_value);
  void finish(const OnValue& on_value);

 private:
  void end_value(const OnValue& on_value);
  std::size_t take_string(std::string_view bytes, const OnValue& on_value);
  bool take_between(char c);

  std::string value_;        // The incomplete value; empty between two.
  std::uint64_t depth_ = 0;  // The number of open brackets in value_.
  bool is_in_string_ = false;
  bool is_escaped_ = false;  // The next character of the string follows a backslash.
  bool is_in_array_ = false;
  bool is_first_ = true;
};

}  // namespace spoor::llm::wire
