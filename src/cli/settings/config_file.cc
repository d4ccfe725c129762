#include "cli/settings/config_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/toml_values.h"
#include "base/utf8.h"
#include "cli/settings/config.h"

namespace spoor::cli {
namespace {

constexpr std::size_t kMostBytes = 1U << 18U;
constexpr std::string_view kHint =
    "correct this line in an editor: the file is TOML (https://toml.io), where a name that "
    "contains "
    "a dot needs quotes, such as \"gpt-5.1\"";

std::string full_name(std::string_view section, std::string_view key) {
  return section.empty() ? std::string(key) : fmt::format("{}.{}", section, key);
}

using Nodes = std::multimap<std::string, const toml::node*, std::less<>>;

// Adds every value below `table` that is not a table, by its setting's name.
void add_nodes(const toml::table& table, std::string_view section, Nodes& nodes) {
  for (auto&& [key, node] : table) {
    std::string name = full_name(section, key.str());
    if (const auto* inner = node.as_table()) {
      add_nodes(*inner, name, nodes);
    } else {
      nodes.emplace(std::move(name), &node);
    }
  }
}

Result<std::string> read_value(const TomlValues& values, const toml::node& node,
                               const std::string& name) {
  if (node.is_string()) return values.text(node, name);
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* truth = node.as_boolean()) return std::string(truth->get() ? "true" : "false");
  return values.wrong(node, fmt::format("'{}' is not a string, an integer, true or false", name));
}

// A part of the text that is replaced.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string replacement;
};

// A file that can be edited: its values, and where they are in the text.
class Document {
 public:
  static Result<Document> read(std::string_view text, std::string_view file_name) {
    Document made;
    made.root_ = TRY(TomlValues(file_name, kHint).parse(text, kMostBytes));
    if (text.starts_with(kByteOrderMark)) made.lines_[0] = kByteOrderMark.size();
    made.text_ = text;
    for (std::size_t at = text.find('\n'); at != std::string_view::npos;
         at = text.find('\n', at + 1)) {
      made.lines_.push_back(at + 1);
    }
    add_nodes(made.root_, {}, made.nodes_);
    return made;
  }

  const Nodes& nodes() const { return nodes_; }

  // The bytes of every value but `key`'s. What an edit leaves alone has the same ones after it.
  std::vector<std::pair<std::string, std::string_view>> others(std::string_view key) const {
    std::vector<std::pair<std::string, std::string_view>> all;
    for (const auto& [name, node] : nodes_) {
      if (name != key) add_source(*node, name, all);
    }
    return all;
  }

  Edit replace(const toml::node& node, std::string replacement) const {
    const toml::source_region& region = node.source();
    return {offset(region.begin), offset(region.end), std::move(replacement)};
  }

  Edit remove_lines(const toml::node& node) const {
    return {start_of(node.source().begin.line), start_of(node.source().end.line + 1), {}};
  }

  // Adds `line` after the values that are directly in the section.
  Edit add_to(std::string_view section, const std::string& line) const {
    const toml::table* table = section.empty() ? &root_ : root_.at_path(section).as_table();
    if (table == nullptr) return append(fmt::format("[{}]\n{}", section, line));
    std::size_t last = section.empty() ? 0 : table->source().end.line;
    for (auto&& [key, node] : *table) {
      const bool is_line = !node.is_table() && !node.is_array_of_tables();
      if (is_line) last = std::max<std::size_t>(last, node.source().end.line);
    }
    return insert(start_of(last + 1), line);
  }

  Edit append(const std::string& section) const {
    return insert(text_.size(), text_.empty() ? section : "\n" + section);
  }

 private:
  using Sources = std::vector<std::pair<std::string, std::string_view>>;

  // Lists have no bytes of their own: those of `[[name]]` may contain other tables.
  void add_source(const toml::node& node, const std::string& name, Sources& all) const {
    std::size_t number = 0;
    if (const auto* list = node.as_array()) {
      for (const toml::node& each : *list) {
        add_source(each, fmt::format("{}[{}]", name, number++), all);
      }
    } else if (const auto* table = node.as_table()) {
      for (auto&& [key, each] : *table) add_source(each, full_name(name, key.str()), all);
    } else {
      const Edit place = replace(node, {});
      all.emplace_back(name, text_.substr(place.begin, place.end - place.begin));
      return;
    }
    all.emplace_back(name, std::string_view());
  }

  Edit insert(std::size_t at, const std::string& lines) const {
    const bool is_in_line = at > lines_[0] && text_[at - 1] != '\n';
    return {at, at, is_in_line ? "\n" + lines : lines};
  }

  // Lines and columns begin at 1.
  std::size_t start_of(std::size_t line) const {
    return line > lines_.size() ? text_.size() : lines_[line - 1];
  }

  std::size_t offset(const toml::source_position& at) const {
    const std::size_t start = start_of(at.line);
    return start + first_code_points(text_.substr(start), at.column - 1).size();
  }

  std::string_view text_;
  std::vector<std::size_t> lines_ = {0};  // Where each begins.
  toml::table root_;
  Nodes nodes_;
};

std::string quoted(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      out.append({'\\', c});
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (is_control(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 0x80) {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out += c;
    }
  }
  return out + '"';
}

// The ways to add a setting, the best one first.
std::vector<Edit> ways_to_add(const Document& document, std::string_view key,
                              const std::string& value) {
  const std::size_t dot = key.rfind('.');
  const bool has_section = dot != std::string_view::npos;
  const std::string_view section = has_section ? key.substr(0, dot) : std::string_view();
  const std::string line = fmt::format("{} = {}\n", key.substr(has_section ? dot + 1 : 0), value);
  if (!has_section) return {document.add_to({}, line)};

  const Edit quoted_name = document.add_to({}, fmt::format("\"{}\" = {}\n", key, value));
  // A section of the name of a setting would be in the way of that.
  if (find_config_key(section)) return {quoted_name};
  return {document.add_to(section, line), document.append(fmt::format("[{}]\n{}", section, line)),
          quoted_name};
}

}  // namespace

ConfigFile read_config(std::string_view text, std::string_view file_name) {
  ConfigFile file;
  const TomlValues values(file_name, kHint);
  const auto root = values.parse(text, kMostBytes);
  if (!root) {
    file.broken = root.error();
    return file;
  }
  Nodes nodes;
  add_nodes(*root, {}, nodes);
  for (const auto& [name, node] : nodes) {
    auto value = read_value(values, *node, name);
    if (!value) {
      file.wrong.emplace(name, value.error());
    } else if (nodes.count(name) > 1) {
      file.wrong.emplace(name, values.wrong(*node, fmt::format("'{}' is set twice", name)));
    } else {
      file.values.emplace(name, std::move(value).value());
    }
  }
  return file;
}

Result<ConfigValues> parse_config(std::string_view text, std::string_view file_name) {
  ConfigFile file = read_config(text, file_name);
  if (file.broken) return *file.broken;
  if (!file.wrong.empty()) return file.wrong.begin()->second;
  return std::move(file.values);
}

Result<std::string> edited_config(std::string_view text, std::string_view file_name,
                                  std::string_view key, const std::optional<std::string>& value) {
  if (value && !is_utf8(*value)) {
    return invalid(fmt::format("the value of '{}' is not UTF-8", key));
  }
  const Document document = TRY(Document::read(text, file_name));
  const auto [first, last] = document.nodes().equal_range(key);
  if (first == last && !value) return std::string(text);

  std::vector<Edit> ways;
  if (first == last) {
    ways = ways_to_add(document, key, quoted(*value));
  } else if (value) {
    ways = {document.replace(*first->second, quoted(*value))};
  } else {
    ways = {document.remove_lines(*first->second)};
  }
  for (const Edit& way : ways) {
    std::string changed(text);
    changed.replace(way.begin, way.end - way.begin, way.replacement);
    const auto again = Document::read(changed, file_name);
    if (!again || again->others(key) != document.others(key)) continue;
    const auto values = read_config(changed, file_name).values;
    const auto found = values.find(key);
    const bool is_done =
        value ? found != values.end() && found->second == *value : again->nodes().count(key) == 0;
    if (is_done) return changed;
  }
  if (first == last) {
    return invalid(
        fmt::format("cannot add '{}' to {} without a change to another setting", key, file_name),
        fmt::format("if [{0}] is a section of the file, write its settings at the top of the file, "
                    "as \"{0}.NAME\" = \"VALUE\"",
                    key));
  }
  return invalid(fmt::format("{}:{}: cannot change '{}' without a change to another setting",
                             file_name, first->second->source().begin.line, key),
                 "edit this line by hand");
}

}  // namespace spoor::cli
