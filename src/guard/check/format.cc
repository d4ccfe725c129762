// format.json, format.schema, format.length, format.emoji, format.fence, format.lacks, format.has
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/json/reader.h"
#include "base/text.h"
#include "base/utf8.h"
#include "compile/turn.h"
#include "guard/check/builtin.h"
#include "guard/check/findings.h"
#include "llm/schema.h"

namespace spoor::guard::check {
namespace {

constexpr std::size_t kEvidence = 80;  // Code points.

std::string short_of(std::string_view text) { return compile::preview(text, kEvidence); }

// Code points that are shown as pictures by default: Emoji_Presentation=Yes of Unicode 15
// (emoji-data.txt), and the blocks of pictographs as a whole. Signs such as a tick or an arrow are
// text unless U+FE0F follows.
constexpr std::array<std::pair<char32_t, char32_t>, 60> kEmoji = {{
    {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},   {0x23F3, 0x23F3},
    {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267F, 0x267F},
    {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},
    {0x26C4, 0x26C5},   {0x26CE, 0x26CE},   {0x26D4, 0x26D4},   {0x26EA, 0x26EA},
    {0x26F2, 0x26F3},   {0x26F5, 0x26F5},   {0x26FA, 0x26FA},   {0x26FD, 0x26FD},
    {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},   {0x274C, 0x274C},
    {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},
    {0x2B55, 0x2B55},   {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E},
    {0x1F191, 0x1F19A}, {0x1F1E6, 0x1F1FF}, {0x1F201, 0x1F201}, {0x1F21A, 0x1F21A},
    {0x1F22F, 0x1F22F}, {0x1F232, 0x1F236}, {0x1F238, 0x1F23A}, {0x1F250, 0x1F251},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7EB}, {0x1F7F0, 0x1F7F0},
    {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FA7C},
    {0x1FA80, 0x1FA88}, {0x1FA90, 0x1FABD}, {0x1FABF, 0x1FAC5}, {0x1FACE, 0x1FADB},
    {0x1FAE0, 0x1FAE8}, {0x1FAF0, 0x1FAF8}, {0xFE0F, 0xFE0F},   {0x20E3, 0x20E3},
}};

std::optional<char32_t> first_emoji(std::string_view text) {
  char32_t before = 0;
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    text.remove_prefix(point.length);
    if (point.valid && point.code >= 0x20E3) {
      for (const auto& [first, last] : kEmoji) {
        if (point.code < first || point.code > last) continue;
        return point.code == 0xFE0F || point.code == 0x20E3 ? before : point.code;
      }
    } else if (point.valid && point.code >= 0x231A) {
      for (const auto& [first, last] : kEmoji) {
        if (point.code >= first && point.code <= last) return point.code;
      }
    }
    before = point.code;
  }
  return std::nullopt;
}

// Returns the language of each code fence of a Markdown text; `none` for a fence that names none.
// Source: CommonMark 0.31, "Fenced code blocks".
std::vector<std::string> fences_of(std::string_view text) {
  std::vector<std::string> languages;
  char open = 0;
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent > 3) continue;  // npos: a blank line.
    line.remove_prefix(indent);
    const char mark = line.front();
    if (mark != '`' && mark != '~') continue;
    const std::size_t run = std::min(line.find_first_not_of(mark), line.size());
    const std::string_view info = trimmed(line.substr(run));
    if (open != 0) {
      if (mark == open && run >= width && info.empty()) open = 0;
      continue;
    }
    if (run < 3 || (mark == '`' && info.find('`') != std::string_view::npos)) continue;
    open = mark;
    width = run;
    const std::string language = lowered(info.substr(0, info.find_first_of(" \t{,")));
    languages.push_back(language.empty() ? "none" : language);
  }
  return languages;
}

class Format final : public Check {
 public:
  static Result<std::unique_ptr<Check>> make(const FormatRules& rules) {
    std::unique_ptr<Format> made(new Format(rules));
    if (!rules.schema.empty()) made->schema_.emplace(TRY(llm::Schema::parse(rules.schema)));
    for (const auto* list : {&rules.requires_, &rules.forbids}) {
      for (const std::string& each : *list) {
        auto regex = std::make_unique<RE2>(each, RE2::Quiet);
        if (!regex->ok()) return invalid(fmt::format("'{}': {}", each, regex->error()));
        (list == &rules.forbids ? made->forbidden_ : made->required_).push_back(std::move(regex));
      }
    }
    return std::unique_ptr<Check>(std::move(made));
  }

  Result<std::optional<CheckResult>> judge(const DecisionEvent& event) override {
    if (!event.model_output) return std::optional<CheckResult>();
    Findings findings;
    const std::string* text = readable(event.model_output->output_raw);
    if (text == nullptr) {
      findings.text_missing();
      return std::optional(std::move(findings).result());
    }
    TRY(look_at_json(*text, findings));
    look_at_text(*text, findings);
    return std::optional(std::move(findings).result());
  }

 private:
  explicit Format(FormatRules rules) : rules_(std::move(rules)) {}

  Result<void> look_at_json(const std::string& text, Findings& findings) const {
    if (!rules_.json) return {};
    const auto document = json::parse(text);
    if (!document) {
      const bool is_fenced = trimmed(text).starts_with("```");
      findings.add("format.json", Severity::high,
                   is_fenced ? "the answer is no JSON: a code fence is around it"
                             : "the answer is no JSON: " + document.error().message,
                   short_of(text));
      return {};
    }
    if (!schema_) return {};
    for (const llm::SchemaProblem& problem : TRY(schema_->check(document->root()))) {
      findings.add("format.schema", Severity::high,
                   "the answer does not fit its schema: " + problem.text());
    }
    return {};
  }

  void look_at_text(const std::string& text, Findings& findings) const {
    if (rules_.max_length > 0) {
      const std::size_t length = count_code_points(text);
      if (length > rules_.max_length) {
        findings.add("format.length", Severity::medium,
                     fmt::format("the answer has {} characters, and may have {}", length,
                                 rules_.max_length));
      }
    }
    if (rules_.no_emoji) {
      if (const auto emoji = first_emoji(text)) {
        findings.add("format.emoji", Severity::medium, "the answer has an emoji",
                     fmt::format("U+{:04X}", static_cast<std::uint32_t>(*emoji)));
      }
    }
    if (rules_.has_fence_rule) {
      for (const std::string& language : fences_of(text)) {
        const bool is_allowed =
            std::any_of(rules_.fences.begin(), rules_.fences.end(),
                        [&](const std::string& allowed) { return lowered(allowed) == language; });
        if (is_allowed) continue;
        findings.add("format.fence", Severity::medium,
                     fmt::format("a code fence of '{}'", short_of(language)));
      }
    }
    for (const auto& regex : required_) {
      if (RE2::PartialMatch(text, *regex)) continue;
      findings.add("format.lacks", Severity::medium,
                   fmt::format("the answer has nothing like '{}'", regex->pattern()));
    }
    for (const auto& regex : forbidden_) {
      re2::StringPiece found;
      const re2::StringPiece whole(text);
      if (!regex->Match(whole, 0, whole.size(), RE2::UNANCHORED, &found, 1)) continue;
      findings.add("format.has", Severity::medium,
                   fmt::format("the answer has what '{}' forbids", regex->pattern()),
                   short_of(std::string_view(found.data(), found.size())));
    }
  }

  const FormatRules rules_;
  std::optional<llm::Schema> schema_;
  std::vector<std::unique_ptr<RE2>> required_;
  std::vector<std::unique_ptr<RE2>> forbidden_;
};

}  // namespace

Result<std::unique_ptr<Check>> make_format(const FormatRules& rules) { return Format::make(rules); }

}  // namespace spoor::guard::check
