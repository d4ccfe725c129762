#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::agent::reading {

/// An assumption that a model states, in its own words.
struct Assumption {
  std::string assumption;          ///< at most kMaxAssumption code points
  std::optional<std::string> why;  ///< the text after `because`; at most kMaxWhy code points

  bool operator==(const Assumption&) const = default;
};

constexpr std::size_t kMaxAssumption = 240;
constexpr std::size_t kMaxAssumptions = 3;

/// Returns the assumptions stated in a text, then those in its thinking; duplicates once, at most
/// kMaxAssumptions. Pass texts without rationale blocks and without JSON. Linear in the size of
/// both.
///
/// An assumption follows `I assume`, `I am assuming`, `I'm assuming` or the same with `we` (whole
/// words, any case, on one line) and an optional `that`. Its sentence ends at a `!` or `?`; at the
/// end of a line unless the next begins with `because`; and at a `.` before the end of a line, or
/// before white space and a capital letter (quotes, brackets and asterisks may close between). A
/// sentence that ends with `?` is a question and does not count. The first `because` begins the
/// reason; it may be missing. `assume` in another sense (responsibility, control, …) does not
/// count.
std::vector<Assumption> read_assumptions(std::string_view text, std::string_view thinking = {});

}  // namespace spoor::agent::reading
