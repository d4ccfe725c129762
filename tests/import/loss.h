#pragma once

// Finds what of a foreign session is nowhere in the store. Shares no code with the importers: it
// reads the source with another JSON reader, and asks of each value whether it was stored at all.

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "tests/import/support.h"

namespace import_test {

/// Strings and numbers of a JSON text, each with the key it stands under. Several values in a row
/// are read one after the other; what is no JSON ends it.
struct Leaves : nlohmann::json_sax<nlohmann::json> {
  struct Leaf {
    std::string key;
    std::string value;
    bool is_number = false;
    bool is_derived = false;  // Within a structured result of Claude Code, which counts lines.
  };
  std::vector<Leaf> all;

  static std::vector<Leaf> of(std::string_view text) {
    Leaves leaves;
    nlohmann::json::sax_parse(text.begin(), text.end(), &leaves);
    return std::move(leaves.all);
  }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t value) override { return add(std::to_string(value), true); }
  bool number_unsigned(std::uint64_t value) override { return add(std::to_string(value), true); }
  bool number_float(double, const std::string& token) override { return add(token, true); }
  bool string(std::string& value) override { return add(value, false); }
  bool binary(binary_t&) override { return true; }
  bool key(std::string& value) override {
    key_ = value;
    if (value == "toolUseResult") derived_from_ = depth_;
    return true;
  }
  bool start_object(std::size_t) override { return ++depth_, true; }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return ++depth_, true; }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool add(std::string value, bool is_number) {
    all.push_back({key_, std::move(value), is_number, derived_from_ != 0});
    return true;
  }
  bool close() {
    if (--depth_ <= derived_from_) derived_from_ = 0;
    return true;
  }
  std::string key_;
  int depth_ = 0;
  int derived_from_ = 0;
};

/// Everything that the refs of a repository hold, as values to look up.
class Stored {
 public:
  explicit Stored(const Repository& repository) {
    for (const std::string& ref : ref_names(repository)) {
      for (const Step& step : history(repository, ref)) add(step);
    }
  }

  /// Does this stand in any text?
  bool occurs(const std::string& value) const {
    for (const std::string& text : texts_) {
      if (text.find(value) != std::string::npos) return true;
    }
    return false;
  }

  bool has(const Leaves::Leaf& leaf) const {
    if (leaf.value.empty() || values_.contains(leaf.value)) return true;
    if (leaf.is_number) return leaf.is_derived || has_number(leaf.value);
    return is_time(leaf.value) || occurs(leaf.value);
  }

 private:
  void add(const Step& step) {
    if (!seen_.insert(step.oid.hex()).second) return;
    const Turn& turn = step.turn;
    texts_.push_back(turn.text);
    texts_.push_back(without_line_numbers(turn.text));
    values_.insert(turn.text);
    if (turn.fields.is_error) values_.insert("Error: " + turn.text);  // Claude Code's own copy.
    for (const std::string& value : {turn.fields.call_id, turn.fields.name, turn.author}) {
      values_.insert(value);
    }
    for (const auto& call :
         turn.fields.tool_calls.value_or(std::vector<spoor::compile::ToolCall>())) {
      for (const std::string& value : {call.id, call.name, call.arguments}) values_.insert(value);
      add_json(call.arguments);
    }
    for (const auto& [key, value] : turn.facts.values()) add_json(value);
    for (const auto& item : turn.raw) add_json(item.bytes);
    for (const auto& item : turn.attach) {
      if (item.media_type == "application/json") {
        add_json(item.bytes);
        continue;
      }
      const std::string base64 = spoor::encode_base64(item.bytes);
      values_.insert(base64);
      values_.insert(item.media_type);
      values_.insert("data:" + item.media_type + ";base64," + base64);
    }
    if (turn.text.starts_with('{') || turn.text.starts_with('[')) add_json(turn.text);
    if (step.commit.time) times_.insert(step.commit.time->micros);
  }

  void add_json(const std::string& text) {
    texts_.push_back(text);
    for (Leaves::Leaf& leaf : Leaves::of(text)) values_.insert(std::move(leaf.value));
  }

  bool is_time(const std::string& value) const {
    for (const std::string& text : {value, value + "Z"}) {
      const auto time = spoor::parse_rfc3339(text);
      if (time && times_.contains(time.value().micros)) return true;
    }
    return false;
  }

  /// Seconds or milliseconds, to the digit that a double holds.
  bool has_number(const std::string& token) const {
    const double value = std::strtod(token.c_str(), nullptr);
    for (const double unit : {1e6, 1e3}) {
      const auto near = times_.lower_bound(static_cast<std::int64_t>(value * unit) - 2);
      if (near != times_.end() && *near <= static_cast<std::int64_t>(value * unit) + 2) return true;
    }
    return false;
  }

  /// A file listing without the number in front of each line.
  static std::string without_line_numbers(const std::string& text) {
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t digits = line.find_first_not_of(" 0123456789");
      const std::string_view rest =
          std::string_view(line).substr(digits == std::string::npos ? 0 : digits);
      if (rest.starts_with("\xe2\x86\x92")) line = rest.substr(3);
      if (rest.starts_with("\t")) line = rest.substr(1);
      out += line + "\n";
    }
    return out;
  }

  std::set<std::string> seen_;
  std::set<std::string> values_;
  std::set<std::int64_t> times_;
  std::vector<std::string> texts_;
};

/// The values of `text` that are nowhere in `repository`, as `key: value`. What says how records
/// and blocks hang together is the graph's, and the time of a duplicate goes with it.
inline std::vector<std::string> lost_values(std::string_view text, const Repository& repository) {
  static const std::set<std::string> kStructure = {
      "type",       "role",       "timestamp",   "parentUuid", "parentId",
      "userType",   "session_id", "sessionKind", "from",       "logicalParentUuid",
      "lastPrompt", "source",  // Folded and cut off.
      "class_",     "speaker",    "sender"};
  const Stored stored(repository);
  std::vector<std::string> lost;
  const auto check = [&](std::string_view json) {
    for (const Leaves::Leaf& leaf : Leaves::of(json)) {
      if (kStructure.contains(leaf.key) || stored.has(leaf)) continue;
      lost.push_back(leaf.key + ": " + leaf.value.substr(0, 120));
    }
  };
  if (nlohmann::json::accept(text)) {
    check(text);
    return lost;
  }
  const std::size_t begin = text.find_first_not_of(" \r\n");
  const bool is_aider =
      begin != std::string_view::npos && (text[begin] == '#' || text[begin] == '>');
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (is_aider) {  // Marks of what was typed and printed are told by the type.
      for (const std::string mark : {"#### ", "> "}) {
        if (line.starts_with(mark)) line.erase(0, mark.size());
      }
      line.erase(line.find_last_not_of(" \r") + 1);
      if (!stored.occurs(line)) lost.push_back(line);
    } else if (nlohmann::json::accept(line)) {
      check(line);
    }
  }
  return lost;
}

}  // namespace import_test
