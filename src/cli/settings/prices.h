#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "cli/error.h"
#include "llm/price.h"

namespace spoor::cli {

/// Reads a file of prices: a section for each provider, and in it a line for each model or pattern,
/// in the words of llm::parse_price.
///
///     [openai]
///     gpt-5 = "input=1.25 cached=0.125 output=10"
///     "gpt-5-*" = "input=1 output=8 above=200000 input=2 output=12"
///
/// Returns Code::invalid with the line, or the word of a price, that cannot be parsed.
Result<std::vector<llm::Price>> parse_prices(std::string_view text, std::string_view file_name);

/// Returns the path of the user's price file, which need not exist: `prices.toml` next to
/// config.toml; empty without a home.
std::string prices_file(const Environment& environment);

/// Returns the user's own prices; none without a file. Returns Code::io if it cannot be read.
Result<std::vector<llm::Price>> read_prices(const Environment& environment);

}  // namespace spoor::cli
