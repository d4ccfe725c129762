#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spoor::agent {

/// Something that was weighed and not taken.
struct Alternative {
  std::string option;
  std::string rejected_because;  ///< at most kMaxRejectedBecause code points

  bool operator==(const Alternative&) const = default;
};

/// Why a step was taken, in the words of who took it. Captured, never made up.
struct Rationale {
  std::string why;                ///< not blank, at most kMaxWhy code points
  std::vector<std::string> refs;  ///< the observations it rests on
  std::vector<Alternative> alternatives;
  std::optional<double> confidence;  ///< from 0 to 1

  bool operator==(const Rationale&) const = default;
};

constexpr std::size_t kMaxWhy = 280;
constexpr std::size_t kMaxRejectedBecause = 160;

}  // namespace spoor::agent
