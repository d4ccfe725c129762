#include "cli/settings/prices.h"

#include <fmt/format.h>

#include "base/files.h"
#include "cli/settings/config_file.h"

namespace spoor::cli {

Result<std::vector<llm::Price>> parse_prices(std::string_view text, std::string_view file_name) {
  std::vector<llm::Price> prices;
  const ConfigValues values = TRY(parse_config(text, file_name));
  for (const auto& [name, rates] : values) {
    const std::size_t dot = name.find('.');
    if (dot == 0 || dot == std::string::npos || dot + 1 == name.size()) {
      return invalid(fmt::format("{}: '{}' is not under a provider", file_name, name),
                     "move it under a section, such as '[openai]'");
    }
    auto price = llm::parse_price(name.substr(0, dot), name.substr(dot + 1), rates);
    if (!price) {
      return invalid(fmt::format("{}: {}", file_name, price.error().message), price.error().hint);
    }
    prices.push_back(std::move(price).value());
  }
  return prices;
}

std::string prices_file(const Environment& environment) {
  const std::string folder = config_home(environment);
  return folder.empty() ? folder : folder + "/prices.toml";
}

Result<std::vector<llm::Price>> read_prices(const Environment& environment) {
  const std::string file = prices_file(environment);
  if (file.empty()) return std::vector<llm::Price>();
  const auto text = TRY(read_file(file));
  if (!text) return std::vector<llm::Price>();
  return parse_prices(*text, file);
}

}  // namespace spoor::cli
