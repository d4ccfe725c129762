#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "llm/price.h"

namespace spoor::llm {
namespace {

struct Row {
  const char* provider;
  const char* model;
  const char* rates;
};

// List prices in US dollars per million tokens from the providers' public pages, with the date
// above each group. A price is omitted if it could not be confirmed or has a known end date:
// unknown is better than wrong. If a page has a higher price for long requests whose rates could
// not be confirmed, only `above` is given: the cost of such requests is unknown.
constexpr Row kRows[] = {
    // 2026-10-24, platform.claude.com/docs/en/about-claude/pricing
    {"anthropic", "claude-fable-5-1", "input=10 cached=0.25 write=12.5 write-hour=20 output=50"},
    {"anthropic", "claude-fable-5", "input=10 cached=1 write=12.5 write-hour=20 output=50"},
    {"anthropic", "claude-mythos-5-1", "input=10 cached=0.25 write=12.5 write-hour=20 output=50"},
    {"anthropic", "claude-mythos-5", "input=10 cached=1 write=12.5 write-hour=20 output=50"},
    {"anthropic", "claude-opus-5-5", "input=4 cached=0.2 write=5 write-hour=8 output=20"},
    {"anthropic", "claude-opus-5", "input=5 cached=0.5 write=6.25 write-hour=10 output=25"},
    {"anthropic", "claude-opus-4-8", "input=5 cached=0.5 write=6.25 write-hour=10 output=25"},
    {"anthropic", "claude-opus-4-7", "input=5 cached=0.5 write=6.25 write-hour=10 output=25"},
    {"anthropic", "claude-opus-4-6", "input=5 cached=0.5 write=6.25 write-hour=10 output=25"},
    {"anthropic", "claude-opus-4-5", "input=5 cached=0.5 write=6.25 write-hour=10 output=25"},
    {"anthropic", "claude-opus-4-1", "input=15 cached=1.5 write=18.75 write-hour=30 output=75"},
    {"anthropic", "claude-opus-4", "input=15 cached=1.5 write=18.75 write-hour=30 output=75"},
    {"anthropic", "claude-sonnet-5-5", "input=2 cached=0.1 write=2.5 write-hour=4 output=10"},
    {"anthropic", "claude-sonnet-5", "input=2 cached=0.2 write=2.5 write-hour=4 output=10"},
    {"anthropic", "claude-sonnet-4-6", "input=3 cached=0.3 write=3.75 write-hour=6 output=15"},
    {"anthropic", "claude-sonnet-4-5",
     "input=3 cached=0.3 write=3.75 write-hour=6 output=15 "
     "above=200000 input=6 cached=0.6 write=7.5 write-hour=12 output=22.5"},
    {"anthropic", "claude-sonnet-4",
     "input=3 cached=0.3 write=3.75 write-hour=6 output=15 "
     "above=200000 input=6 cached=0.6 write=7.5 write-hour=12 output=22.5"},
    {"anthropic", "claude-3-7-sonnet", "input=3 cached=0.3 write=3.75 write-hour=6 output=15"},
    {"anthropic", "claude-haiku-5-5",
     "input=0.1 cached=0.01 write=0.125 write-hour=0.2 output=0.5 "
     "above=100000 input=0.5 cached=0.05 write=0.625 write-hour=1 output=2.5"},
    {"anthropic", "claude-haiku-4-5", "input=1 cached=0.1 write=1.25 write-hour=2 output=5"},
    {"anthropic", "claude-3-5-haiku", "input=0.8 cached=0.08 write=1 write-hour=1.6 output=4"},
    {"anthropic", "claude-3-haiku", "input=0.25 cached=0.03 write=0.3 write-hour=0.5 output=1.25"},

    // DeepSeek's prices are omitted: since 2026-07 they depend on the time of the day.

    // 2026-10, ai.google.dev/gemini-api/docs/pricing; for texts and images, sound costs more.
    // gemini-3.8-flash is omitted: its price ends with the year.
    {"gemini", "gemini-3.5-flash", "input=1.5 cached=0.15 output=9"},
    {"gemini", "gemini-3.1-pro-preview*",
     "input=2 cached=0.2 output=12 above=200000 input=4 cached=0.4 output=18"},
    {"gemini", "gemini-3.1-flash-lite", "input=0.25 cached=0.025 output=1.5"},
    {"gemini", "gemini-3-flash-preview", "input=0.5 cached=0.05 output=3"},
    {"gemini", "gemini-2.5-pro",
     "input=1.25 cached=0.125 output=10 above=200000 input=2.5 cached=0.25 output=15"},
    {"gemini", "gemini-2.5-flash", "input=0.3 cached=0.03 output=2.5"},
    {"gemini", "gemini-2.5-flash-lite", "input=0.1 cached=0.01 output=0.4"},

    // 2026-11, developers.openai.com/api/docs/models/gpt-6.2-sol
    {"openai", "gpt-6.2-sol",
     "input=2 cached=0.1 write=2.5 output=10 above=272000 input=4 cached=0.2 write=5 output=15"},
    // 2026-10, developers.openai.com/api/docs/pricing
    {"openai", "gpt-6.1-sol",
     "input=2 cached=0.1 write=2.5 output=10 above=272000 input=4 cached=0.2 write=5 output=15"},
    {"openai", "gpt-6.1-terra",
     "input=1 cached=0.05 write=1.25 output=5 above=272000 input=2 cached=0.1 write=2.5 "
     "output=7.5"},
    {"openai", "gpt-6-sol",
     "input=2 cached=0.2 write=2.5 output=10 above=272000 input=4 cached=0.4 write=5 output=15"},
    {"openai", "gpt-6-luna",
     "input=0.1 cached=0.01 write=0.125 output=0.5 above=272000 input=0.2 cached=0.02 write=0.25 "
     "output=0.75"},
    {"openai", "gpt-6-astra", "input=10 cached=1 output=50 above=272000"},
    // gpt-5.6-sol is omitted: its price was promised until 2026-11-21 only.
    {"openai", "gpt-5.6-terra", "input=2 cached=0.2 output=12 above=272000"},
    {"openai", "gpt-5.6-luna", "input=0.2 cached=0.02 output=1.2 above=272000"},
    // 2026-06, the same page
    {"openai", "gpt-5.5", "input=5 cached=0.5 output=30 above=272000"},
    {"openai", "gpt-5.4", "input=2.5 cached=0.25 output=15 above=272000"},
    {"openai", "gpt-5.4-mini", "input=0.75 cached=0.075 output=4.5"},
    {"openai", "gpt-5.4-nano", "input=0.2 cached=0.02 output=1.25"},
    {"openai", "gpt-5.2", "input=1.75 cached=0.175 output=14"},
    {"openai", "gpt-5-mini", "input=0.25 cached=0.025 output=2"},
    // 2026-10, developers.openai.com/api/docs/models/gpt-5-nano
    {"openai", "gpt-5-nano", "input=0.05 cached=0.005 output=0.4"},
    // 2026-06, developers.openai.com/api/docs/pricing
    {"openai", "gpt-4.1", "input=2 cached=0.5 output=8"},
    {"openai", "gpt-4o", "input=2.5 cached=1.25 output=10"},
    {"openai", "gpt-4o-mini", "input=0.15 cached=0.075 output=0.6"},
};

std::vector<Price> read_rows() {
  std::vector<Price> prices;
  for (const Row& row : kRows) {
    auto price = parse_price(row.provider, row.model, row.rates);
    if (!price) throw std::logic_error("a built-in price: " + price.error().message);
    prices.push_back(std::move(price).value());
  }
  return prices;
}

}  // namespace

const std::vector<Price>& built_in_prices() {
  static const std::vector<Price> prices = read_rows();
  return prices;
}

}  // namespace spoor::llm
