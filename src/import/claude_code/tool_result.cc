#include "import/claude_code/tool_result.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "base/find_text.h"

namespace spoor::import::claude_code {
namespace {

constexpr std::string_view kArrow = "\xe2\x86\x92";  // U+2192, as in `   12→text`.

/// Reads the number in front of a line of a file listing and removes it from `line`.
std::optional<std::int64_t> take_line_number(std::string_view& line) {
  std::string_view rest = line;
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (rest.starts_with(kArrow)) {
    rest.remove_prefix(kArrow.size());
  } else if (rest.starts_with('\t')) {
    rest.remove_prefix(1);
  } else {
    return std::nullopt;
  }
  line = rest;
  return number;
}

/// A file listing without its line numbers.
struct Listing {
  std::string text;
  std::int64_t first = 0;
  std::int64_t lines = 0;
};

Listing read_listing(std::string_view text) {
  Listing listing;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string_view line = text.substr(0, end);
    if (const auto number = take_line_number(line)) {
      if (listing.lines == 0) listing.first = *number;
      ++listing.lines;
    }
    listing.text += line;
    text.remove_prefix(end);
  }
  return listing;
}

bool is_line_of(std::string_view line, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (text.substr(0, end) == line) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

class Comparison {
 public:
  Comparison(std::string_view text, std::string_view arguments, Taken& taken)
      : text_(text), taken_(taken) {
    if (!json::parse_one(arguments, arguments_)) arguments_ = {};
  }

  bool take(const json::Value& structured) {
    if (structured.is_object()) return take_members(structured, &Comparison::is_known);
    const bool is_repeated = structured.is_string() && is_whole_text(structured);
    if (is_repeated) taken_(structured);
    return is_repeated;
  }

 private:
  using Rule = bool (Comparison::*)(const std::string& key, const json::Value& value);

  /// Takes the members that `known` accepts. Returns true if these are all.
  bool take_members(const json::Value& from, Rule known) {
    bool is_all = true;
    for (const json::Member& member : from.members()) {
      const std::string key = member.key.text();
      taken_(member.key);  // The rest of the object is written again.
      if (key == "file" && member.value.is_object()) {
        is_all = take_members(member.value, &Comparison::is_known_of_file) && is_all;
      } else if (says_nothing(member.value) || (this->*known)(key, member.value)) {
        taken_(member.value);
      } else {
        is_all = false;
      }
    }
    return is_all;
  }

  bool is_known(const std::string& key, const json::Value& value) {
    if (key == "stdout" || key == "stderr") return holds_text(text_, value.text());
    if (key == "content") return is_argument(value) || is_output(value);
    if (key == "filenames") return are_lines(value);
    if (key == "newTodos") return value.raw() == arguments_.root().find("todos").raw();
    if (key == "type") return value.equals("text") && listing().lines > 0;
    return is_argument(value);
  }

  bool is_known_of_file(const std::string& key, const json::Value& value) {
    if (key == "content") return holds_text(listing().text, value.text());
    if (key == "numLines") return value.integer() == listing().lines;
    if (key == "startLine") return value.integer() == listing().first;
    if (key == "totalLines") return value.integer() == listing().first - 1 + listing().lines;
    return is_argument(value);
  }

  bool is_whole_text(const json::Value& value) const {
    const std::string said = value.text();
    constexpr std::string_view kError = "Error: ";
    return said == text_ ||
           (said.starts_with(kError) && std::string_view(said).substr(kError.size()) == text_);
  }

  /// Returns true for a text of the result that is too long to occur in it by chance.
  bool is_output(const json::Value& value) const {
    constexpr std::size_t kNoChance = 32;
    const std::string said = value.text();
    return value.is_string() &&
           (said == text_ || (said.size() >= kNoChance && holds_text(text_, said)));
  }

  bool is_argument(const json::Value& value) const {
    if (!value.is_string() && !value.is_true()) return false;
    const std::string said = value.text();
    for (const json::Member& member : arguments_.root().members()) {
      if (value.is_string() ? member.value.equals(said) : member.value.is_true()) return true;
    }
    return false;
  }

  bool are_lines(const json::Value& names) const {
    for (const json::Value& name : names.elements()) {
      if (!is_line_of(name.text(), text_)) return false;
    }
    return names.is_array();
  }

  const Listing& listing() {
    if (!listing_) listing_ = read_listing(text_);
    return *listing_;
  }

  std::string_view text_;
  Taken& taken_;
  json::Document arguments_;
  std::optional<Listing> listing_;
};

}  // namespace

bool take_known(const json::Value& structured, std::string_view text, std::string_view arguments,
                Taken& taken) {
  return Comparison(text, arguments, taken).take(structured);
}

}  // namespace spoor::import::claude_code
