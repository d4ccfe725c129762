#include "cli/settings/prices.h"

#include <doctest/doctest.h>

#include "base/files.h"
#include "tests/cli/temporary_folder.h"

using namespace spoor;
using namespace spoor::cli;
using spoor::Error;
using spoor::llm::dollars;
using spoor::test::TemporaryFolder;

TEST_SUITE("cli/prices") {
  TEST_CASE("providers are sections, models are keys") {
    const auto prices = parse_prices(
        "[openai]\n"
        "gpt-9.5 = \"input=1.25 output=10\"  # mine\n"
        "\"gpt-9.5-*\" = \"input=1 output=8 above=200000 input=2 output=12\"\n"
        "[ollama]\n"
        "\"qwen3:8b\" = \"input=0 cached=0 output=0\"\n",
        "f");
    REQUIRE(prices);
    const spoor::llm::PriceList list(prices.value());
    CHECK(dollars(*list.find("openai", "gpt-9.5")->rates.input) == "1.25");
    CHECK(dollars(*list.find("openai", "gpt-9.5-nano")->long_rates.output) == "12.00");
    CHECK(dollars(*list.find("ollama", "qwen3:8b")->rates.output) == "0.00");
    CHECK(list.find("ollama", "llama") == nullptr);
  }

  TEST_CASE("what is not understood is named") {
    CHECK(parse_prices("[openai]\ngpt = \"input=1 colour=2\"\n", "f").error().message ==
          "f: the price of 'openai/gpt': 'colour=2' is not understood");
    CHECK(parse_prices("[openai]\ngpt\n", "f").error().message.starts_with("f:2:4: "));
    CHECK(parse_prices("gpt = \"input=1\"\n", "f").error().message ==
          "f: 'gpt' is not under a provider");
    const auto twice = parse_prices("[a]\ngpt-9 = \"input=1\"\ngpt-9.5 = \"input=1\"\n", "f");
    REQUIRE_FALSE(twice);
    CHECK(twice.error().code == Error::Code::invalid);
    CHECK(twice.error().message.starts_with("f:3:1: "));
    CHECK(twice.error().hint.find("a dot needs quotes") != std::string::npos);
  }

  TEST_CASE("the file stands beside the configuration, and need not be there") {
    const TemporaryFolder folder;
    MapEnvironment environment;
    CHECK(read_prices(environment).value().empty());
    environment.variables["XDG_CONFIG_HOME"] = folder.path;
    CHECK(prices_file(environment) == folder.path + "/spoor/prices.toml");
    CHECK(read_prices(environment).value().empty());
    REQUIRE(write_file(prices_file(environment), "[p]\nm = \"input=1\"\n", 0600));
    REQUIRE(read_prices(environment).value().size() == 1);
    CHECK(read_prices(environment).value().front().model == "m");
  }
}
