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

/// What a million tokens cost, by the kinds of Usage. Absent is unknown, which is not zero.
struct Rates {
  std::optional<Money> input;
  std::optional<Money> cached;
  std::optional<Money> cache_write;       ///< for the provider's usual time, some minutes
  std::optional<Money> cache_write_hour;  ///< for an hour; absent: costs what cache_write does
  std::optional<Money> output;            ///< reasoning included

  bool operator==(const Rates&) const = default;
};

/// The price of a provider's models, its list price for ordinary calls: no batch, no priority.
struct Price {
  std::string provider;  ///< as Profile::name; `openai` speaks for `openai-chat` too
  std::string model;     ///< a model's name, without the date of a snapshot; `*` is any text
  Rates rates;
  std::optional<std::uint64_t> above;  ///< a request of more tokens pays `long_rates` for all
  Rates long_rates;

  bool operator==(const Price&) const = default;
};

/// Reads the rates of a price: words such as `input=2.5 cached=0.25 write=3.1 write-hour=5
/// output=15`, each in dollars a million tokens; after `above=272000` the rates of longer requests.
/// A kind left out is unknown. Code::invalid names the word that is not understood.
Result<Price> parse_price(std::string_view provider, std::string_view model,
                          std::string_view rates);

/// The public prices that were known when this was written; price_table.cc has dates and sources.
const std::vector<Price>& built_in_prices();

/// Prices to look up in: the caller's own, then the built-in ones.
class PriceList {
 public:
  explicit PriceList(std::vector<Price> own = {});

  /// The price of a model. Of the patterns that fit, the longest wins (`*` has no length), of two
  /// as long the caller's own, then the first. The date of a snapshot (`-20260929`, `-2026-09-29`)
  /// may be part of the pattern or not. Null when nothing fits: the price is unknown. As long-lived
  /// as this list.
  const Price* find(std::string_view provider, std::string_view model) const;

 private:
  std::vector<Price> own_;
};

/// What a call cost, exactly but for one rounding to a billionth of a dollar. A count that is
/// unknown and has a price, or is there and has none, makes it a lower bound. Nothing when no count
/// has a price.
std::optional<Cost> cost_of(const Usage& usage, const Price& price);

}  // namespace spoor::llm
