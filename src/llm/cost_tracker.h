#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "llm/cost.h"
#include "llm/usage.h"

namespace spoor::llm {

/// A sum of tokens over calls. Calls that did not report the number are counted separately.
struct TokenSum {
  std::uint64_t known = 0;    ///< tokens
  std::uint64_t unknown = 0;  ///< calls that did not report this number

  bool operator==(const TokenSum&) const = default;
};

/// The sums of all bookings, by the kinds of Usage.
struct Spending {
  std::uint64_t calls = 0;  ///< model calls
  TokenSum input;
  TokenSum cached;
  TokenSum cache_written;
  TokenSum output;
  TokenSum reasoning;                 ///< included in `output`
  Money cost;                         ///< the sum of all known costs
  std::uint64_t unknown_costs = 0;    ///< calls and tools whose cost is unknown
  std::uint64_t lower_bounds = 0;     ///< calls and tools that may have cost more than counted
  std::uint64_t kept_replies = 0;     ///< replies from a response cache: neither calls nor cost
  std::uint64_t booked_by_child = 0;  ///< passed on by a parent, counted in the child and not here

  /// Returns the tokens of all requests and replies.
  std::uint64_t tokens() const;

  /// Returns true if `cost` is complete.
  bool is_cost_exact() const { return unknown_costs == 0 && lower_bounds == 0; }

  bool operator==(const Spending&) const = default;
};

/// The properties of a booking other than its numbers.
struct Booking {
  /// Which booking counts the amount.
  enum class By {
    here,    ///< this one
    child,   ///< an earlier booking by a call further down (`dedupe: child`): adds nothing
    before,  ///< the first call, whose reply was cached (Reply::from_cache)
  };

  std::string model;  ///< `provider/model`; for a tool, its own name
  By by = By::here;
};

/// Sums the usage of all calls of a process, or of a run with all its parts. Everything that spends
/// shares one tracker. To enforce a budget, take a mark() at the start and call since() before each
/// further call.
///
/// Safe to call from any thread. Every result is consistent: it contains a booking completely or
/// not at all.
class CostTracker {
 public:
  CostTracker() = default;
  CostTracker(const CostTracker&) = delete;
  CostTracker& operator=(const CostTracker&) = delete;

  /// Books a model call. Without `cost`, the cost is counted as unknown.
  void add(const Usage& usage, const std::optional<Cost>& cost, const Booking& booking);

  /// Books a cost without tokens, such as a tool's.
  void add(const Cost& cost, const Booking& booking);

  Spending total() const;

  /// Returns the sums for each Booking::model, sorted by name.
  std::map<std::string, Spending> by_model() const;

  /// Returns the current sums, as the start for a later since().
  Spending mark() const { return total(); }

  /// Returns the sum of all bookings after `mark`.
  Spending since(const Spending& mark) const;

 private:
  template <class Change>
  void change(const std::string& model, Change change);

  mutable std::mutex mutex_;
  Spending total_;                            // Guarded by mutex_, like by_model_.
  std::map<std::string, Spending> by_model_;  // Its sums are those of total_.
};

}  // namespace spoor::llm
