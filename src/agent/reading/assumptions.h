#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::agent::reading {

/// Something that a model takes for granted, in its own words.
struct Assumption {
  std::string assumption;          ///< at most kMaxAssumption code points
  std::optional<std::string> why;  ///< what stood behind `because`; at most kMaxWhy code points

  bool operator==(const Assumption&) const = default;
};

constexpr std::size_t kMaxAssumption = 240;
constexpr std::size_t kMaxAssumptions = 3;

/// The assumptions that a text states, then those of the thinking that came with it; equal ones
/// once, and no more than kMaxAssumptions.
///
/// One begins behind `I assume`, `I am assuming`, `I'm assuming` or the same of `we`, whole words
/// in any case on one line, and a `that` behind them. Its sentence ends with a `!` or a `?`, with a
/// line that no `because` follows, and with a `.` before the end of a line, or before white space
/// and a capital letter (quotes, brackets and asterisks may close between). A sentence that ends
/// with `?` asks. The first `because` begins the reason; nothing stands for one that is not given.
/// What is assumed in another sense (responsibility, control, …) is no assumption.
///
/// Give texts without rationale blocks and without JSON. Linear in the size of both.
std::vector<Assumption> read_assumptions(std::string_view text, std::string_view thinking = {});

}  // namespace spoor::agent::reading
