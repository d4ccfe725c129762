#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "llm/cost.h"
#include "llm/usage.h"

namespace spoor::llm {

/// A number of tokens, summed over calls. Calls that did not say are counted apart.
struct TokenSum {
  std::uint64_t known = 0;    ///< tokens
  std::uint64_t unknown = 0;  ///< calls of which this number is not known

  bool operator==(const TokenSum&) const = default;
};

/// What was spent, by the kinds of Usage.
struct Spending {
  std::uint64_t calls = 0;  ///< of models
  TokenSum input;
  TokenSum cached;
  TokenSum cache_written;
  TokenSum output;
  TokenSum reasoning;                 ///< a share of `output`
  Money cost;                         ///< of all that is known to have cost something
  std::uint64_t unknown_costs = 0;    ///< calls and tools whose cost is not known at all
  std::uint64_t lower_bounds = 0;     ///< calls and tools that may have cost more than counted
  std::uint64_t kept_replies = 0;     ///< came out of a response cache: neither call nor cost
  std::uint64_t booked_by_child = 0;  ///< handed on by a parent, already counted: not counted here

  /// All tokens that went through a model: requests and replies.
  std::uint64_t tokens() const;

  /// Is `cost` all there is?
  bool is_cost_exact() const { return unknown_costs == 0 && lower_bounds == 0; }

  bool operator==(const Spending&) const = default;
};

/// What is known of a booking besides its numbers.
struct Booking {
  /// Who counts it.
  enum class By {
    here,    ///< this booking does
    child,   ///< a call further down has booked it already (`dedupe: child`): nothing is added
    before,  ///< the first call did, of which this reply was kept (Reply::from_cache)
  };

  std::string model;  ///< `provider/model`; of a tool, a name of its own
  By by = By::here;
};

/// Sums what the calls of a process, or of a run with all its parts, have used. One is shared by
/// everything that spends: whoever has a budget takes a mark() at its start and asks since() before
/// each further call.
///
/// Safe to call from any thread. Every answer is one state: no booking is half in it.
class CostTracker {
 public:
  CostTracker() = default;
  CostTracker(const CostTracker&) = delete;
  CostTracker& operator=(const CostTracker&) = delete;

  /// Books a call of a model. Without a cost, that is unknown.
  void add(const Usage& usage, const std::optional<Cost>& cost, const Booking& booking);

  /// Books what cost money and has no tokens, such as a tool.
  void add(const Cost& cost, const Booking& booking);

  Spending total() const;

  /// By Booking::model, sorted.
  std::map<std::string, Spending> by_model() const;

  /// Now: where a later since() counts from.
  Spending mark() const { return total(); }

  /// What was booked after `mark`, by anybody.
  Spending since(const Spending& mark) const;

 private:
  template <class Change>
  void change(const std::string& model, Change change);

  mutable std::mutex mutex_;
  Spending total_;                            // Guarded by mutex_, as is what follows.
  std::map<std::string, Spending> by_model_;  // Its sums are those of total_.
};

}  // namespace spoor::llm
