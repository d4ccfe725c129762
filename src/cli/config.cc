#include "cli/config.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/files.h"
#include "cli/near_miss.h"

namespace spoor::cli {
namespace {

constexpr std::string_view kBlank = " \t\r";

constexpr const char* kSeconds = "SECONDS";
constexpr const char* kMebibytes = "MIB";

constexpr std::array kKeys = {
    ConfigKey{"author", "the author of turns written by hand (default: the login name)",
              "SPOOR_AUTHOR", true},
    ConfigKey{"capture", "how much of what is said is kept: full (default), redacted or hashed",
              "SPOOR_CAPTURE", true},
    ConfigKey{"capture.fields", "less of some parts: raw=hashed,arguments=redacted (docs/audit.md)",
              "SPOOR_CAPTURE_FIELDS", true},
    ConfigKey{"capture.full-in-prod",
              "true: this store may be written in full where 'environment' is prod", "", true,
              "true false"},
    ConfigKey{"color", "colour the output: auto, always or never", "", false, "auto always never"},
    ConfigKey{"commit_reasoning", "keep the reasoning of models' replies: true (default) or false",
              "", true, "true false"},
    ConfigKey{"environment", "where this runs: local, ci, staging or prod", "SPOOR_ENVIRONMENT",
              false, "local ci staging prod"},
    ConfigKey{"keys.directory", "where the keys of private stores lie", "SPOOR_KEYS", false, "",
              true},
    ConfigKey{"max-text",
              "MiB that one text, or one prompt, of a store may take in memory (default: 256)",
              "SPOOR_MAX_TEXT", false, kMebibytes},
    ConfigKey{"model",
              "PROVIDER/MODEL one talks to: a line of the interactive session is then said to it",
              "SPOOR_MODEL", false},
    ConfigKey{"pager", "the command long output goes through; empty or 'cat' for none",
              "SPOOR_PAGER", false},
    ConfigKey{"patience",
              "seconds that a command waits for another that writes the store (default: 60)",
              "SPOOR_PATIENCE", false, kSeconds},
    ConfigKey{"redaction.rules", "a file of your own rules for redaction (docs/audit.md)",
              "SPOOR_REDACTION_RULES", false, "", true},
};

bool is_bare_key(std::string_view key) {
  return !key.empty() && key.find_first_not_of(
                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789_-.") == std::string_view::npos;
}

// The name in `key = …`, bare or in quotes; nothing when it is neither.
std::optional<std::string_view> parse_key(std::string_view key) {
  if (is_bare_key(key)) return key;
  if (key.size() < 3 || !key.starts_with('"') || !key.ends_with('"')) return std::nullopt;
  const std::string_view inside = key.substr(1, key.size() - 2);
  if (inside.find_first_of("\"\\") != std::string_view::npos) return std::nullopt;
  return inside;
}

// The text of a value, or nothing: a string in either quotes, true, false or an
// integer. A comment may follow.
std::optional<std::string> parse_value(std::string_view text) {
  std::string value;
  std::size_t end = 0;
  if (text.starts_with('"')) {
    for (end = 1; end < text.size() && text[end] != '"'; ++end) {
      if (text[end] != '\\') {
        value += text[end];
        continue;
      }
      if (++end == text.size()) return std::nullopt;
      constexpr std::string_view kNames = "\"\\nrtbf";
      constexpr std::string_view kMeans = "\"\\\n\r\t\b\f";
      const std::size_t which = kNames.find(text[end]);
      if (which == std::string_view::npos) return std::nullopt;
      value += kMeans[which];
    }
    if (end == text.size()) return std::nullopt;
    ++end;
  } else if (text.starts_with('\'')) {
    end = text.find('\'', 1);
    if (end == std::string_view::npos) return std::nullopt;
    value = text.substr(1, end - 1);
    ++end;
  } else {
    end = std::min(text.find('#'), text.size());
    value = trimmed(text.substr(0, end), kBlank);
    const bool is_word = value == "true" || value == "false";
    const bool is_number =
        !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    if (!is_word && !is_number) return std::nullopt;
  }
  const std::string_view rest = trimmed(text.substr(end), kBlank);
  if (!rest.empty() && !rest.starts_with('#')) return std::nullopt;
  return value;
}

// What one line of the file is.
struct Line {
  enum class Is : unsigned char { nothing, section, pair, wrong } is = Is::nothing;
  std::string name;   // of the section, or the key; of a wrong one, where it has any
  std::string value;  // of the pair
};

Line read_line(std::string_view line) {
  line = trimmed(line, kBlank);
  if (line.empty() || line.front() == '#') return {};
  if (line.front() == '[') {
    const std::size_t end = line.find(']');
    if (end == std::string_view::npos) return {Line::Is::wrong, {}, {}};
    const std::string_view name = trimmed(line.substr(1, end - 1), kBlank);
    const std::string_view rest = trimmed(line.substr(end + 1), kBlank);
    const bool sound = is_bare_key(name) && (rest.empty() || rest.front() == '#');
    if (!sound) return {Line::Is::wrong, {}, {}};
    return {Line::Is::section, std::string(name), {}};
  }
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return {Line::Is::wrong, {}, {}};
  const auto key = parse_key(trimmed(line.substr(0, equals), kBlank));
  auto value = parse_value(trimmed(line.substr(equals + 1), kBlank));
  if (!key) return {Line::Is::wrong, {}, {}};
  if (!value) return {Line::Is::wrong, std::string(*key), {}};
  return {Line::Is::pair, std::string(*key), std::move(*value)};
}

// Takes the next line off `text`, without its line end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string full_name(std::string_view section, std::string_view key) {
  return section.empty() ? std::string(key) : fmt::format("{}.{}", section, key);
}

std::string quoted(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

std::span<const ConfigKey> config_keys() { return kKeys; }

Result<void> check_setting(const ConfigKey& key, const std::string& value) {
  const std::string_view values = key.values;
  if (values.empty()) return {};
  if (values == kSeconds || values == kMebibytes) {
    constexpr int kMost = 1'000'000;
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc() && end == value.data() + value.size();
    const int least = values == kSeconds ? 0 : 1;
    if (is_number && number >= least && number <= kMost) return {};
    const char* what = values == kSeconds ? "seconds, such as 60" : "MiB, such as 256";
    return invalid(fmt::format("'{}' cannot be '{}'", key.name, value),
                   fmt::format("'{}' is a number of {}", key.name, what));
  }
  std::string all;
  for (std::size_t at = 0; at <= values.size();) {
    const std::size_t end = std::min(values.find(' ', at), values.size());
    const std::string_view each = values.substr(at, end - at);
    if (each == value) return {};
    all += fmt::format("{}{}", all.empty() ? "" : end == values.size() ? " or " : ", ", each);
    at = end + 1;
  }
  return invalid(fmt::format("'{}' cannot be '{}'", key.name, value),
                 fmt::format("'{}' is {}", key.name, all));
}

Result<const ConfigKey*> find_config_key(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ConfigKey& key : kKeys) {
    if (name == key.name) return &key;
    names.emplace_back(key.name);
  }
  const std::string near = near_miss(name, names);
  return not_found(
      fmt::format("there is no setting '{}'", name),
      near.empty() ? "list them with 'spoor config'" : fmt::format("did you mean '{}'?", near));
}

ConfigFile read_config(std::string_view text, std::string_view file_name) {
  ConfigFile file;
  std::string section;
  for (int number = 1; !text.empty(); ++number) {
    Line line = read_line(take_line(text));
    switch (line.is) {
      case Line::Is::nothing:
        break;
      case Line::Is::section:
        section = std::move(line.name);
        break;
      case Line::Is::pair:
        file.values[full_name(section, line.name)] = std::move(line.value);
        break;
      case Line::Is::wrong: {
        const Error wrong =
            invalid(fmt::format("{}:{}: this line is not understood", file_name, number),
                    "write 'key = \"value\"', under '[section]' where the key has one");
        if (!line.name.empty()) {
          file.wrong.emplace(full_name(section, line.name), wrong);
        } else if (!file.lost) {
          file.lost = wrong;
        }
        break;
      }
    }
  }
  return file;
}

Result<ConfigValues> parse_config(std::string_view text, std::string_view file_name) {
  ConfigFile file = read_config(text, file_name);
  if (file.lost) return *file.lost;
  if (!file.wrong.empty()) return file.wrong.begin()->second;
  return std::move(file.values);
}

std::string edited_config(std::string_view text, std::string_view key,
                          const std::optional<std::string>& value) {
  const std::size_t dot = key.rfind('.');
  const std::string wanted_section(dot == std::string_view::npos ? "" : key.substr(0, dot));
  const std::string_view name = dot == std::string_view::npos ? key : key.substr(dot + 1);
  const std::string entry = value ? fmt::format("{} = {}\n", name, quoted(*value)) : std::string();

  std::string out;
  std::string section;
  std::size_t section_end = std::string::npos;  // Where a new key of the section may go.
  if (wanted_section.empty()) section_end = 0;
  bool written = false;
  while (!text.empty()) {
    const std::string_view source = take_line(text);
    const Line line = read_line(source);
    if (line.is == Line::Is::section) section = line.name;
    const bool has_key = line.is == Line::Is::pair || line.is == Line::Is::wrong;
    if (has_key && full_name(section, line.name) == key) {
      if (!written) out += entry;
      written = true;
      continue;
    }
    out.append(source).append("\n");
    if (section == wanted_section && line.is != Line::Is::nothing) section_end = out.size();
  }
  if (written || !value) return out;
  if (section_end != std::string::npos) return out.insert(section_end, entry);
  return out + fmt::format("{}[{}]\n{}", out.empty() ? "" : "\n", wanted_section, entry);
}

Result<Config::Value> Config::get(std::string_view name) {
  const ConfigKey& key = *TRY(find_config_key(name));
  Value value = TRY(read(key, name));
  if (key.is_path) value.text = expand_home(environment_, std::move(value.text));
  return value;
}

Result<Config::Value> Config::read(const ConfigKey& key, std::string_view name) {
  if (const auto found = chosen_.find(name); found != chosen_.end()) {
    return Value{found->second, "chosen"};
  }
  if (key.variable[0] != '\0') {
    if (auto value = environment_.variable(key.variable)) return Value{*value, "environment"};
  }
  if (key.in_store && store_) {
    if (auto value = store_(name)) return Value{*value, "store"};
  }
  TRY(load());
  const auto wrong = file_->wrong.find(name);
  if (wrong != file_->wrong.end() && !is_lenient_) return wrong->second;
  if (file_->lost && !is_lenient_) return *file_->lost;
  if (const auto found = file_->values.find(name); found != file_->values.end()) {
    return Value{found->second, "file"};
  }
  return Value{"", "default"};
}

Result<ConfigValues> Config::file_values(std::string_view prefix) {
  TRY(load());
  const auto wrong = file_->wrong.lower_bound(prefix);
  const bool is_wrong = wrong != file_->wrong.end() && wrong->first.starts_with(prefix);
  if (is_wrong && !is_lenient_) return wrong->second;
  if (file_->lost && !is_lenient_) return *file_->lost;
  ConfigValues values;
  for (auto at = file_->values.lower_bound(prefix); at != file_->values.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    values.insert(*at);
  }
  return values;
}

Result<void> Config::set(std::string_view key, const std::optional<std::string>& value) {
  const std::string file = file_name();
  if (file.empty()) {
    return not_found("there is no place for a configuration file", "set HOME or XDG_CONFIG_HOME");
  }
  const std::string text = TRY(read_file(file)).value_or("");
  if (const auto lost = read_config(text, file).lost)
    return *lost;  // Never edit what is not understood.
  TRY(write_file(file, edited_config(text, key, value), 0644));
  file_.reset();
  return {};
}

std::string Config::file_name() const {
  const std::string folder = config_home(environment_);
  return folder.empty() ? folder : folder + "/config.toml";
}

Result<void> Config::load() {
  if (file_) return {};
  const std::string file = file_name();
  std::string text;
  if (!file.empty()) text = TRY(read_file(file)).value_or("");
  file_ = read_config(text, file);
  return {};
}

}  // namespace spoor::cli
