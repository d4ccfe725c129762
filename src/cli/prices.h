#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"
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
/// Code::invalid names the line, or the word of a price, that is not understood.
Result<std::vector<llm::Price>> parse_prices(std::string_view text, std::string_view file_name);

/// Where the user's file of prices is, or would be: `prices.toml` beside config.toml; empty without
/// a home.
std::string prices_file(const Environment& environment);

/// The user's own prices; none where there is no file. Code::io when it cannot be read.
Result<std::vector<llm::Price>> read_prices(const Environment& environment);

}  // namespace spoor::cli
