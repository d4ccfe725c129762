// hidden.text
#include <unordered_set>

#include <fmt/format.h>

#include "base/hidden_text.h"
#include "base/utf8.h"
#include "guard/check/builtin.h"
#include "guard/check/event.h"
#include "guard/check/findings.h"

namespace spoor::guard::check {

namespace {

constexpr std::uint64_t kLongRun = 8;  // In a row: no writing system needs as many.
constexpr std::size_t kMostEvidence = 400;

// Returns the ASCII text of the tag characters in a text, else the name of its first hidden
// character.
std::string evidence_of(std::string_view text) {
  std::string said;
  std::string first;
  HiddenText hidden;
  while (!text.empty() && said.size() < kMostEvidence) {
    const CodePoint next = decode_utf8(text);
    text.remove_prefix(next.length);
    if (!hidden.take(next.valid ? next.code : 0xfffd, text)) continue;
    if (first.empty()) first = fmt::format("U+{:04X}", static_cast<unsigned>(next.code));
    const char32_t ascii = next.code & 0x7fU;
    if (is_tag_character(next.code) && ascii >= 0x20 && ascii < 0x7f) {
      said += static_cast<char>(ascii);
    }
  }
  return said.empty() ? first : said;
}

class Hidden final : public Check {
 public:
  Result<std::optional<CheckResult>> judge(const DecisionEvent& event) override {
    Findings findings;
    bool has_looked = false;
    const auto look = [&](const Content& content, const std::string& where) {
      const std::string* text = readable(content);
      if (text == nullptr && content.mode == Content::Mode::unknown) return;
      has_looked = true;
      if (text == nullptr) return findings.text_missing();
      const HiddenCount count = count_hidden(*text);
      if (count.tags == 0 && count.longest_run < kLongRun) return;
      findings.add("hidden.text", Severity::high,
                   fmt::format("{} has {} invisible character{}", where, count.characters,
                               count.characters == 1 ? "" : "s"),
                   evidence_of(*text));
    };
    const EventRequest& request = event.request;
    if (!asked_.contains(request.request_id)) {
      look(request.user_request_raw,
           fmt::format("the request {}", request.request_id.substr(0, 8)));
    }
    for (const ToolResult& result : event.agent_action.tool_results) {
      look(result.output, fmt::format("the result of '{}'", result.name));
      look(result.arguments, fmt::format("the arguments of '{}'", result.name));
    }
    if (event.model_output) look(event.model_output->output_raw, "the answer");
    if (!has_looked) return std::optional<CheckResult>();
    return std::optional(std::move(findings).result());
  }

  void observe(const DecisionEvent& event) override { asked_.insert(event.request.request_id); }

 private:
  std::unordered_set<std::string> asked_;  // Requests that were examined.
};

}  // namespace

std::unique_ptr<Check> make_hidden() { return std::make_unique<Hidden>(); }

}  // namespace spoor::guard::check
