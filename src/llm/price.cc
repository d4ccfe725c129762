#include "llm/price.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "llm/models/name_pattern.h"

namespace spoor::llm {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

// Keeps products of a rate and a million tokens within 63 bits.
constexpr Money kHighestRate{9'000'000'000'000};  // 9,000 dollars per million tokens

constexpr std::pair<std::string_view, std::optional<Money> Rates::*> kWords[] = {
    {"input", &Rates::input},       {"cached", &Rates::cached},
    {"write", &Rates::cache_write}, {"write-hour", &Rates::cache_write_hour},
    {"output", &Rates::output},
};

constexpr const char* kHint =
    "write it as 'input=2.5 cached=0.25 output=15', in dollars per million";

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}

// Parses one `key=value`. Returns false if it is invalid.
bool read_word(std::string_view word, Price& price) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view key = word.substr(0, equals);
  const std::string_view value = word.substr(equals + 1);
  if (key == "above") {
    if (price.above) return false;
    price.above = parse_count(value);
    return price.above.has_value();
  }
  Rates& rates = price.above ? price.long_rates : price.rates;
  for (const auto& [name, rate] : kWords) {
    if (name != key) continue;
    if (rates.*rate) return false;
    rates.*rate = parse_dollars(value);
    return rates.*rate && *(rates.*rate) <= kHighestRate;
  }
  return false;
}

// Sets `best` to the longest match in `prices` if it is longer than `best`; of equally long ones
// the first.
void look_up(const std::vector<Price>& prices, std::string_view provider, std::string_view model,
             const Price*& best) {
  if (provider == "openai-chat") provider = "openai";  // The same provider, with an older wire.
  for (const Price& price : prices) {
    if (price.provider != provider) continue;
    if (best != nullptr && pattern_length(price.model) <= pattern_length(best->model)) continue;
    if (fits_name(price.model, model)) best = &price;
  }
}

// Sums up tokens times rates: whole nano-dollars and, separately, the remainder.
class Bill {
 public:
  // Adds the cost of `count` tokens. The sum is a lower bound if the count has no rate, or if it is
  // unknown and has one.
  void add(const std::optional<std::uint64_t>& count, const std::optional<Money>& rate) {
    if (!count) {
      is_lower_bound_ |= rate && rate->nano_dollars > 0;
    } else if (!rate) {
      is_lower_bound_ |= *count > 0;
    } else {
      is_priced_ = true;
      add_product(*count, rate->nano_dollars);
    }
  }

  std::optional<Cost> total() const {
    if (!is_priced_) return std::nullopt;
    const Money rounded{(remainder_ + kMillion / 2) / kMillion};
    return Cost{sum_ + rounded, is_lower_bound_};
  }

 private:
  void add_product(std::uint64_t count, std::int64_t rate) {
    const auto million = static_cast<std::uint64_t>(kMillion);
    Money whole;
    if (__builtin_mul_overflow(count / million, rate, &whole.nano_dollars)) {
      whole.nano_dollars = std::numeric_limits<std::int64_t>::max();
    }
    const std::int64_t rest = static_cast<std::int64_t>(count % million) * rate;
    sum_ += whole;
    sum_ += Money{rest / kMillion};
    remainder_ += rest % kMillion;
  }

  Money sum_;
  std::int64_t remainder_ = 0;  // Millionths of a nano-dollar; a few millions at most.
  bool is_priced_ = false;
  bool is_lower_bound_ = false;
};

std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

bool is_long(const Usage& usage, const Price& price) {
  const std::uint64_t request =
      capped_sum(capped_sum(usage.input.value_or(0), usage.cached.value_or(0)),
                 usage.cache_written.value_or(0));
  return price.above && request > *price.above;
}

// Returns the tokens written to a cache for an hour. Only Anthropic's `usage` contains them.
std::uint64_t written_for_an_hour(const Usage& usage) {
  if (usage.cache_written.value_or(0) == 0) return 0;
  json::Document document;
  if (!json::parse_one(usage.raw, document)) return 0;
  const auto count =
      document.root().find("cache_creation").find("ephemeral_1h_input_tokens").integer();
  if (!count || *count < 0) return 0;
  return std::min(static_cast<std::uint64_t>(*count), *usage.cache_written);
}

}  // namespace

Result<Price> parse_price(std::string_view provider, std::string_view model,
                          std::string_view rates) {
  Price price{std::string(provider), std::string(model), {}, std::nullopt, {}};
  std::string_view rest = rates;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" ,\t"), rest.size()));
    if (rest.empty()) break;
    const std::string_view word = rest.substr(0, rest.find_first_of(" ,\t"));
    if (!read_word(word, price)) {
      return invalid(
          fmt::format("the price of '{}/{}': '{}' is not understood", provider, model, word),
          kHint);
    }
    rest.remove_prefix(word.size());
  }
  if (price.rates == Rates{}) {
    return invalid(fmt::format("the price of '{}/{}' is empty", provider, model), kHint);
  }
  return price;
}

PriceList::PriceList(std::vector<Price> own) : own_(std::move(own)) {}

const Price* PriceList::find(std::string_view provider, std::string_view model) const {
  const Price* best = nullptr;
  look_up(own_, provider, model, best);
  look_up(built_in_prices(), provider, model, best);
  return best;
}

std::optional<Cost> cost_of(const Usage& usage, const Price& price) {
  const Rates& rates = is_long(usage, price) ? price.long_rates : price.rates;
  Bill bill;
  bill.add(usage.input, rates.input);
  bill.add(usage.cached, rates.cached);
  const std::uint64_t hour = rates.cache_write_hour ? written_for_an_hour(usage) : 0;
  if (hour > 0) bill.add(hour, rates.cache_write_hour);
  bill.add(usage.cache_written ? std::optional(*usage.cache_written - hour) : std::nullopt,
           rates.cache_write);
  bill.add(usage.output, rates.output);
  return bill.total();
}

}  // namespace spoor::llm
