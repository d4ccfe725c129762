#include "import/turn_record.h"

#include <algorithm>
#include <charconv>

#include "base/json/python.h"
#include "base/json/writer.h"
#include "store/commit.h"

namespace spoor::import {
namespace {

using compile::Turn;
using compile::Type;

// The rest is for `shape`, `capture`, `exit_code` and line counts, which others add.
constexpr std::size_t kRoom = store::kMaxMeta - 256;

/// Returns true if the text is not empty and may fit. Checked before encoding it, because a long
/// text is in every record.
bool is_short(std::string_view value) { return !value.empty() && value.size() <= kRoom; }

constexpr std::int64_t kMicrosPerSecond = 1'000'000;

/// Numbers below this (the year 2286) are seconds, others milliseconds.
constexpr std::int64_t kMostSeconds = 10'000'000'000;

/// Converts `1757015025.972` to microseconds digit by digit: a double would round.
std::optional<std::int64_t> micros_of(std::string_view token) {
  const std::size_t point = std::min(token.find('.'), token.size());
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + point, whole);
  if (error != std::errc() || end != token.data() + point || whole < 0) return std::nullopt;
  const std::int64_t unit = whole < kMostSeconds ? kMicrosPerSecond : 1'000;
  if (whole > kLastMicro / unit) return std::nullopt;
  std::int64_t micros = whole * unit;
  std::int64_t digit_unit = unit / 10;
  for (const char c : token.substr(std::min(point + 1, token.size()))) {
    if (c < '0' || c > '9') return std::nullopt;
    micros += (c - '0') * digit_unit;
    digit_unit /= 10;
  }
  if (micros > kLastMicro) return std::nullopt;
  return micros;
}

void add_missing(compile::Facts& to, const compile::Facts& from) {
  for (const auto& [key, value] : from.values()) {
    if (to.json(key).empty()) to.set_json(key, value);
  }
}

}  // namespace

json::Document read_again(const std::string& record) {
  json::Document document;
  json::parse_python(record, document);
  return document;
}

Result<void> read_each(const std::vector<std::string>& records,
                       const std::function<Result<void>(const json::Value& record)>& read) {
  for (const std::string& record : records) {
    const json::Document document = read_again(record);
    TRY(read(document.root()));
  }
  return {};
}

std::string text_or_bytes(const json::Value& value) {
  return value.is_string() ? value.text() : std::string(value.raw());
}

std::optional<Timestamp> time_of(const json::Value& value) {
  if (value.is_string()) {
    const std::string text = value.text();
    auto time = parse_rfc3339(text);
    // Read as UTC, so that it is the same time on every machine.
    if (!time) time = parse_rfc3339(text + "Z");
    if (time) return time.value();
  }
  if (!value.is_number()) return std::nullopt;
  const auto micros = micros_of(value.raw());
  return micros ? std::optional<Timestamp>(Timestamp{*micros}) : std::nullopt;
}

void add_tool_call(Turn& turn, compile::ToolCall call) {
  if (!turn.fields.tool_calls) turn.fields.tool_calls.emplace();
  turn.fields.tool_calls->push_back(std::move(call));
}

compile::ToolCall take_call(const json::Value& object, std::string_view id, std::string_view name,
                            std::string_view arguments, Taken& taken) {
  return {taken.word(object, id), taken.text(object, name),
          text_or_bytes(taken(object, arguments))};
}

void take_exit_code(const json::Value& value, Turn& result, Taken& taken) {
  const auto code = value.integer();
  if (!code || std::to_string(*code) != value.raw()) return;
  const std::string known = result.facts.json(fact::exit_code);
  if (!known.empty() && known != value.raw()) return;
  result.facts.set(fact::exit_code, *code);
  taken(value);
}

void add_line_counts(std::optional<std::int64_t> added, std::optional<std::int64_t> removed,
                     Turn& result) {
  if (added && *added >= 0) result.facts.set(fact::lines_added, *added);
  if (removed && *removed >= 0) result.facts.set(fact::lines_removed, *removed);
}

TurnRecord::TurnRecord(const json::Value& root, std::string_view source) : root_(root) {
  fact_text(fact::source, source);
}

Turn& TurnRecord::start(Type type) {
  in_run_ = false;
  turns_.emplace_back();
  turns_.back().type = type;
  return turns_.back();
}

Turn& TurnRecord::run(Type type) {
  if (!in_run_) start(type);
  in_run_ = true;
  return turns_.back();
}

Turn& TurnRecord::start_reasoning(const json::Value& text, std::string_view format) {
  Turn& turn = start(Type::reasoning);
  turn.text = taken_.text(text);
  turn.fields.format = format;
  return turn;
}

Turn& TurnRecord::start_result(const json::Value& object, std::string_view call_id,
                               std::string_view name, std::string_view is_error) {
  Turn& turn = start(Type::tool);
  turn.fields.call_id = taken_.word(object, call_id);
  if (!name.empty()) turn.fields.name = taken_.text(object, name);
  if (!is_error.empty()) turn.fields.is_error = taken_.flag(object, is_error);
  return turn;
}

bool TurnRecord::has_room(const compile::Facts& facts, const fact::Key& key, std::size_t value) {
  if (!facts.json(key).empty()) return false;           // The first of a key counts.
  const std::size_t more = key.key.size() + value + 4;  // Quotes, colon, comma.
  if (size_ + more > kRoom) return false;
  size_ += more;
  return true;
}

bool TurnRecord::write(compile::Facts& facts, const fact::Key& key, const json::Value& value) {
  if (!value || says_nothing(value) || json::has_python_word(value)) return false;
  if (value.raw().size() > 8 * kRoom) return false;  // Too large in any encoding.
  std::string written;
  json::append_canonical(written, value);
  if (!has_room(facts, key, written.size())) return false;
  facts.set_json(key.key, std::move(written));
  return true;
}

bool TurnRecord::add(compile::Facts& facts, const fact::Key& key, const json::Value& value) {
  if (!write(facts, key, value)) return false;
  taken_(value);
  return true;
}

void TurnRecord::fact(const fact::Key& key, const json::Value& value) { add(all_, key, value); }

void TurnRecord::made_fact(const fact::Key& key, const json::Value& value) {
  if (add(made_, key, value)) made_of_.push_back(value);
}

void TurnRecord::last_fact(const fact::Key& key, const json::Value& value) {
  add(last_, key, value);
}

void TurnRecord::last_fact_told(const fact::Key& key, const std::string& json) {
  write(last_, key, read_again(json).root());
}

void TurnRecord::last_fact_member(const fact::Key& key, const json::Value& object,
                                  std::string_view member) {
  const json::Value value = object.find(member);
  if (!value.is_number() || json::has_python_word(value)) return;
  std::string written = "{" + json::write_string(member) + ":";
  json::append_canonical(written, value);
  written += '}';
  if (!has_room(last_, key, written.size())) return;
  last_.set_json(key.key, std::move(written));
  taken_(value);
}

void TurnRecord::fact_text(const fact::Key& key, std::string_view value) {
  if (is_short(value) && has_room(all_, key, json::write_string(value).size()))
    all_.set_text(key.key, value);
}

void TurnRecord::made_fact_text(const fact::Key& key, std::string_view value) {
  if (is_short(value) && has_room(made_, key, json::write_string(value).size()))
    made_.set_text(key.key, value);
}

void TurnRecord::flag(const fact::Key& key) {
  if (has_room(all_, key, 4)) all_.set_json(key.key, "true");
}

void TurnRecord::set_time(const json::Value& value) {
  if (time_) return;
  time_ = time_of(value);
  if (time_) taken_(value);
}

void TurnRecord::set_model(const json::Value& told, const std::string& otherwise) {
  const bool is_told = told.is_string() && !says_nothing(told);
  made_fact(fact::model, told);
  if (!is_told) made_fact_text(fact::model, otherwise);
  set_author(is_told ? told.text() : otherwise);
}

void TurnRecord::set_author(std::string_view author) {
  author_ = store::is_author(author) ? std::string(author) : std::string();
}

std::vector<Turn> TurnRecord::finish(LossReport& report, std::string_view nested) {
  const auto is_made = [](const Turn& turn) {
    return turn.type == Type::assistant || turn.type == Type::reasoning;
  };
  if (std::none_of(turns_.begin(), turns_.end(), is_made)) {
    for (const json::Value& value : made_of_) taken_.give_back(value);
  }
  const std::string rest = taken_.rest(root_, report.attached, nested);
  if (turns_.empty()) return {};
  Turn* last_said = nullptr;  // The last turn that is not a tool result.
  for (Turn& turn : turns_) {
    add_missing(turn.facts, all_);
    if (is_made(turn)) add_missing(turn.facts, made_);
    if (!turn.time) turn.time = time_;
    if (turn.type == Type::tool) continue;
    if (turn.author.empty()) turn.author = author_;
    last_said = &turn;
  }
  Turn& last = turns_.back();
  add_missing((last_said == nullptr ? last : *last_said).facts, last_);
  if (!rest.empty()) last.attach.push_back({rest});
  return std::move(turns_);
}

}  // namespace spoor::import
