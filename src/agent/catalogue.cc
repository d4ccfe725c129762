#include "agent/catalogue.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace spoor::agent {
namespace {

using json::Value;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : lowered(text)) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool matches(const Catalogue::Entry& entry, const std::vector<std::string>& words) {
  if (words.empty()) return true;
  const std::string id = lowered(entry.id);
  const std::string description = entry.tool != nullptr ? lowered(entry.tool->description) : "";
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return id.find(word) != std::string::npos || description.find(word) != std::string::npos;
  });
}

void add_ids(const Registry& registry, const std::vector<std::string>& ids, Catalogue& catalogue) {
  for (const std::string& id : ids) {
    if (catalogue.find(id) == nullptr) catalogue.entries.push_back({id, registry.find(id)});
  }
}

}  // namespace

const Catalogue::Entry* Catalogue::find(std::string_view id) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.id == id; });
  return found == entries.end() ? nullptr : &*found;
}

Result<ToolSelection> read_tool_selection(const Value& value) {
  const char* const hint = "give a list of ids, a number of the newest tools, or nothing for all";
  if (!value || value.is(json::Type::null)) return ToolSelection(AllTools{});
  if (value.is_number()) {
    const auto count = value.integer();
    if (!count) return invalid("the number of tools is not an integer", hint);
    return ToolSelection(LastTools{*count});
  }
  if (!value.is_array()) {
    return invalid(fmt::format("tools cannot be a {}", name_of(value.type())), hint);
  }
  std::vector<std::string> ids;
  for (const Value id : value.elements()) {
    if (!id.is_string()) return invalid("an id of a tool is a string", hint);
    ids.push_back(id.text());
  }
  return ToolSelection(std::move(ids));
}

Result<Catalogue> discover_tools(const Registry& registry, const ToolSelection& selection,
                                 const ToolFilter& filter) {
  Catalogue catalogue;
  const auto& tools = registry.tools();
  if (std::holds_alternative<AllTools>(selection)) {
    for (const Tool& tool : tools) catalogue.entries.push_back({tool.id, &tool});
    if (tools.size() > kManyTools && std::holds_alternative<std::monostate>(filter)) {
      catalogue.warnings.push_back(
          fmt::format("{} tools are offered at once, and models choose badly from so many; name "
                      "some, or set a filter",
                      tools.size()));
    }
  } else if (const auto* last = std::get_if<LastTools>(&selection)) {
    if (last->count < 0) {
      return invalid(fmt::format("{} tools cannot be offered", last->count),
                     "0 offers none; omit the number for all");
    }
    const auto wanted = std::min(tools.size(), static_cast<std::size_t>(last->count));
    for (std::size_t i = tools.size() - wanted; i < tools.size(); ++i) {
      catalogue.entries.push_back({tools[i].id, &tools[i]});
    }
  } else if (const auto* ids = std::get_if<std::vector<std::string>>(&selection)) {
    add_ids(registry, *ids, catalogue);
  } else {
    const auto& ask = std::get<std::function<std::vector<std::string>()>>(selection);
    if (!ask) return invalid("the function that names the tools is empty");
    add_ids(registry, ask(), catalogue);
  }

  if (const auto* text = std::get_if<std::string>(&filter)) {
    const auto words = words_of(*text);
    std::erase_if(catalogue.entries, [&](const auto& entry) { return !matches(entry, words); });
  } else if (const auto* keep = std::get_if<std::function<bool(const Tool&)>>(&filter)) {
    if (!*keep) return invalid("the filter of the tools is an empty function");
    std::erase_if(catalogue.entries, [&](const auto& entry) {
      return entry.tool == nullptr || !(*keep)(*entry.tool);
    });
  }
  return catalogue;
}

}  // namespace spoor::agent
