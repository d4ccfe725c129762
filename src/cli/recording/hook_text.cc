#include "cli/recording/hook_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/toml_values.h"
#include "cli/error.h"

namespace spoor::cli {
namespace {

constexpr std::string_view kHooks = "hooks";
constexpr std::string_view kSpace = " \t\r\n";

std::size_t end_of(const json::Value& value) { return value.offset() + value.raw().size(); }

// The blanks that a line begins with; `at` is a place on it.
std::string indentation(std::string_view text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at == 0 ? 0 : at - 1);
  const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
  return std::string(text.substr(begin, text.find_first_not_of(" \t", begin) - begin));
}

// One level of it: that of the first line that has any.
std::string unit_of(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    const std::size_t end = std::min(text.find_first_not_of(" \t", at + 1), text.size());
    if (end > at + 1) return std::string(text.substr(at + 1, end - at - 1));
  }
  return "  ";
}

// Adds an element or a member at the end of a list or an object.
void add_to(std::string& text, const json::Value& container, const std::string& item) {
  const std::size_t close = end_of(container) - 1;
  const std::size_t last = text.find_last_not_of(kSpace, close - 1);
  const bool is_empty = last == container.offset();
  const bool is_one_line = container.raw().find('\n') == std::string_view::npos;
  if (is_one_line && !is_empty) {
    text.insert(last + 1, ", " + item);
    return;
  }
  const std::string outer = indentation(text, container.offset());
  const std::string added = (is_empty ? "\n" : ",\n") + outer + unit_of(text) + item;
  if (is_empty) {
    text.replace(last + 1, close - last - 1, added + "\n" + outer);
  } else {
    text.insert(last + 1, added);
  }
}

// Removes the range of an element or a member, with the comma that it no longer needs.
void remove(std::string& text, std::size_t begin, std::size_t end) {
  const std::size_t before = text.find_last_not_of(kSpace, begin - 1);
  const std::size_t after = text.find_first_not_of(kSpace, end);
  if (text[before] == ',') {
    text.erase(before, end - before);
  } else if (after != std::string::npos && text[after] == ',') {
    const std::size_t next = text.find_first_not_of(kSpace, after + 1);
    text.erase(begin, next - begin);
  } else {  // Nothing else is in it.
    text.erase(before + 1, after - before - 1);
  }
}

// Agents write their settings anew, with other blanks.
bool says_the_same(std::string_view a, std::string_view b) {
  const auto read = [](std::string_view text) {
    return nlohmann::json::parse(text, nullptr, false);
  };
  return a == b || read(a) == read(b);
}

Result<json::Document> read(const std::string& text) {
  auto document = json::parse(text);
  if (!document || !document->root().is_object()) {
    return invalid("it is not a JSON object", "files with comments are not changed");
  }
  return std::move(*document);
}

// Removes the last member of an object with this key if its value is empty.
void drop_if_empty(std::string& text, const json::Value& object, std::string_view key) {
  for (const json::Member& member : object.members()) {
    if (!member.key.equals(key) || member.value.size() > 0) continue;
    return remove(text, member.key.offset(), end_of(member.value));
  }
}

}  // namespace

Result<std::string> with_hooks(std::string text, std::span<const std::string_view> events,
                               const std::string& entry) {
  for (const std::string_view event : events) {
    const json::Document document = TRY(read(text));
    const json::Value root = document.root();
    const json::Value hooks = root.find(kHooks);
    const json::Value list = hooks.find(event);
    if ((hooks && !hooks.is_object()) || (list && !list.is_array())) {
      return invalid(
          fmt::format("its '{}' is not as expected", hooks.is_object() ? event : kHooks));
    }
    const std::string member = json::write_string(event) + ": [" + entry + "]";
    if (list) {
      add_to(text, list, entry);
    } else if (hooks) {
      add_to(text, hooks, member);
    } else {
      add_to(text, root, json::write_string(kHooks) + ": {}");
      const json::Document again = TRY(read(text));
      add_to(text, again.root().find(kHooks), member);
    }
  }
  return text;
}

std::string without_hooks(std::string text, std::span<const std::string_view> events,
                          const std::string& entry) {
  bool has_changed = false;
  for (const std::string_view event : events) {
    while (true) {
      const auto document = read(text);
      if (!document) return text;
      const json::Value list = document->root().find(kHooks).find(event);
      bool found = false;
      for (const json::Value& element : list.elements()) {
        found = says_the_same(element.raw(), entry);
        if (found) remove(text, element.offset(), end_of(element));
        if (found) break;
      }
      if (!found) break;
      has_changed = true;
    }
    if (!has_changed) continue;
    if (const auto document = read(text)) drop_if_empty(text, document->root().find(kHooks), event);
  }
  if (!has_changed) return text;
  if (const auto document = read(text)) drop_if_empty(text, document->root(), kHooks);
  return text;
}

Result<std::string> with_member(std::string text, std::string_view object, std::string_view key,
                                const std::string& value) {
  const json::Document document = TRY(read(text));
  const json::Value found = document.root().find(object);
  if (found && !found.is_object())
    return invalid(fmt::format("its '{}' is not as expected", object));
  if (found.find(key)) {
    return conflict(fmt::format("its '{}' has '{}' already", object, key), "take that out of it");
  }
  const std::string member = json::write_string(key) + ": " + value;
  if (found) {
    add_to(text, found, member);
    return text;
  }
  add_to(text, document.root(), json::write_string(object) + ": {}");
  const json::Document again = TRY(read(text));
  add_to(text, again.root().find(object), member);
  return text;
}

std::string without_member(std::string text, std::string_view object, std::string_view key,
                           const std::string& value) {
  const auto document = read(text);
  if (!document) return text;
  for (const json::Member& member : document->root().find(object).members()) {
    if (!member.key.equals(key) || !says_the_same(member.value.raw(), value)) continue;
    remove(text, member.key.offset(), end_of(member.value));
    if (const auto rest = read(text)) drop_if_empty(text, rest->root(), object);
    break;
  }
  return text;
}

Result<std::string> with_table(std::string text, const std::string& table) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  if (!text.empty()) text += '\n';
  text += table;
  const auto parsed = toml::parse(text);
  if (parsed) return text;
  return invalid(std::string(parsed.error().description()),
                 "the file may have such a table already");
}

std::string without_table(std::string text, const std::string& table) {
  const std::size_t at = text.find(table);
  if (at == std::string::npos) return text;
  const bool has_blank = at >= 2 && text.compare(at - 2, 2, "\n\n") == 0;
  text.erase(has_blank ? at - 1 : at, table.size() + (has_blank ? 1 : 0));
  return text;
}

}  // namespace spoor::cli
