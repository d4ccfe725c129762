#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/cost.h"
#include "llm/usage.h"

namespace spoor::llm {

/// The price of a million tokens, by the kinds of Usage. Nullopt means unknown, not zero.
struct Rates {
  std::optional<Money> input;
  std::optional<Money> cached;
  std::optional<Money> cache_write;       ///< for the provider's default duration, some minutes
  std::optional<Money> cache_write_hour;  ///< for an hour; nullopt: costs as much as cache_write
  std::optional<Money> output;            ///< reasoning included

  bool operator==(const Rates&) const = default;
};

/// The list price of a model for ordinary calls: no batch, no priority.
struct Price {
  std::string provider;  ///< as Profile::name; `openai` includes `openai-chat`
  std::string model;     ///< a model's name without the date of a snapshot; `*` matches any text
  Rates rates;
  std::optional<std::uint64_t> above;  ///< requests of more tokens pay `long_rates` for all
  Rates long_rates;

  bool operator==(const Price&) const = default;
};

/// Parses the rates of a price: words such as `input=2.5 cached=0.25 write=3.1 write-hour=5
/// output=15`, each in dollars per million tokens; after `above=272000` the rates of longer
/// requests. A kind that is left out is unknown. Code::invalid names the word that is not
/// understood.
Result<Price> parse_price(std::string_view provider, std::string_view model,
                          std::string_view rates);

/// Returns the public prices known at the time of writing; price_table.cc has dates and sources.
const std::vector<Price>& built_in_prices();

/// Finds prices: first the caller's own, then the built-in ones.
class PriceList {
 public:
  explicit PriceList(std::vector<Price> own = {});

  /// Returns the price of a model, or null if no pattern matches and the price is unknown. The
  /// longest matching pattern wins (`*` has no length); of equally long ones the caller's own, then
  /// the first. The pattern may contain the date of a snapshot (`-20260929`, `-2026-09-29`) or omit
  /// it. The result lives as long as this list.
  const Price* find(std::string_view provider, std::string_view model) const;

 private:
  std::vector<Price> own_;
};

/// Returns the cost of a call, rounded once to a billionth of a dollar. The cost is a lower bound
/// if a count with a price is unknown, or if a count has no price. Returns nullopt if no count has
/// a price.
std::optional<Cost> cost_of(const Usage& usage, const Price& price);

}  // namespace spoor::llm
