#include "cli/agents/reasons_filter.h"

#include <algorithm>
#include <string>
#include <utility>

#include <doctest/doctest.h>

using namespace spoor;

namespace {

struct Shown {
  std::string text;
  std::vector<std::string> reasons;
};

// Passes a text on in pieces of `size` bytes.
Shown shown(std::string_view text, std::size_t size) {
  cli::ReasonsFilter filter;
  Shown shown;
  while (!text.empty()) {
    shown.text += filter.take(text.substr(0, size));
    text.remove_prefix(std::min(size, text.size()));
    for (std::string& reason : filter.take_reasons()) shown.reasons.push_back(std::move(reason));
  }
  shown.text += filter.finish();
  return shown;
}

}  // namespace

TEST_SUITE("cli/agents/reasons_filter") {
  TEST_CASE("reasons are taken out of a text, however it is cut") {
    const std::string text =
        "\n<rationale call=\"1\">{\"why\": \"see what is wrong\", \"refs\": []}</rationale>\n"
        "I look. 1 < 2, <ration> and <rationale call=\"2\">\nplain\nwords</rationale> done <rat";
    for (std::size_t size = 1; size <= text.size(); ++size) {
      CAPTURE(size);
      const Shown made = shown(text, size);
      CHECK(made.text == "I look. 1 < 2, <ration> and  done <rat");
      REQUIRE(made.reasons.size() == 2);
      CHECK(made.reasons[0] == "see what is wrong");
      CHECK(made.reasons[1] == "plain words");
    }
  }

  TEST_CASE("words that are not a block are shown") {
    for (const std::string text : {"a <rationale>{\"why\":", "Use <rationales> and <rationale",
                                   "the tag <rationale to say why"}) {
      for (std::size_t size = 1; size <= text.size(); ++size) {
        const Shown made = shown(text, size);
        CHECK(made.text == text);
        CHECK(made.reasons.empty());
      }
    }
  }
}
