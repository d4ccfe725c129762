#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/settings/capture.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/times.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

constexpr std::array kOptions = {
    Option{"key", "KEY", "the setting (default: list all)", 0, Takes::config_key},
    Option{"value", "VALUE", "its new value (default: print the one in force)"},
    Option{"--unset", "", "remove the setting"},
    Option{"--in-store", "", "use this store, not your own file; so does --store PATH"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor config", "list every setting, its value and where it comes from"},
    Example{"spoor config author 'Ada'", "write it into your own file"},
    Example{"spoor --store work.spoor config capture redacted", "write it into that store"},
};

// What the rules of redaction that a store carries come to. Wrong ones are told, and no error: the
// settings still are what they are.
void list_store_rules(Session& session, Workspace& workspace, JsonWriter& json, bool as_json) {
  const auto read = rules_in(workspace.store());
  if (read && !read.value()) return;
  const guard::Additions added = read ? *read.value() : guard::Additions();
  json.key("store_rules").object().member("rules", added.rules.size()).list("ignored");
  for (const std::string& ignored : added.ignored) json.value(ignored);
  json.end().member_or_null("problem", read ? "" : read.error().message).end();
  if (as_json) return;
  Output& out = session.out();
  if (!read) {
    out.print(Style::removed, "the store's redaction rules cannot be used: ");
    out.print(visible_line(read.error().message)).newline();
    return;
  }
  out.print(fmt::format("this store adds {} of redaction\n", counted(added.rules.size(), "rule")));
  for (const std::string& ignored : added.ignored) {
    out.print("  ignored, because a store can only add rules: " + visible_line(ignored) + "\n");
  }
}

Result<void> list(Session& session, Workspace* workspace, bool as_json) {
  JsonWriter json;
  json.object().list("settings");
  for (const ConfigKey& key : config_keys()) {
    const Config::Value value = TRY(session.config().get(key.name));
    json.object().member("key", key.name).member("value", value.text);
    json.member("origin", value.origin).member("help", key.help).end();
    if (as_json) continue;
    session.out().print(Style::strong, padded(key.name, 14)).print("  ");
    session.out().print(value.origin == "default" ? "-" : visible_line(value.text));
    session.out().print(Style::muted, "  (" + value.origin + ")").newline();
    session.out().print(Style::muted, std::string("                ") + key.help).newline();
  }
  json.end();
  if (workspace != nullptr) list_store_rules(session, *workspace, json, as_json);
  if (as_json) session.out().verbatim(json.end().take());
  return {};
}

// What reads a setting reads its new value, before it is written.
Result<void> check(const ConfigKey& key, const std::string& value) {
  const std::string_view name = key.name;
  const auto cannot_be = [&](const char* hint) {
    return invalid(fmt::format("'{}' cannot be '{}'", name, visible_line(value)), hint);
  };
  if (name == "author" && !store::is_author(value)) {
    return cannot_be("an author must be one line of 1 to 128 bytes");
  }
  const bool has_control = std::any_of(value.begin(), value.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (has_control) return cannot_be("use one line without control characters");
  if (name == "model" && !value.empty()) {
    const std::size_t slash = value.find('/');
    const bool is_model = slash != std::string::npos && slash > 0 && slash + 1 < value.size();
    if (!is_model) return cannot_be("write PROVIDER/MODEL, such as ollama/qwen3");
  }
  if (name == "capture") TRY(api::read_capture(value));
  if (name == "capture.fields") TRY(guard::read_field_modes(value));
  if (name == "redaction.rules" && !value.empty()) TRY(read_own_rules(value));
  return check_setting(key, value);
}

Result<void> set(Session& session, const ConfigKey& key, const std::optional<std::string>& value,
                 bool in_store) {
  const Config::Value before = TRY(session.config().get(key.name));
  if (value) {
    const bool is_home = key.is_path && !in_store;
    TRY(check(key, is_home ? expand_home(session.environment(), *value) : *value));
  }
  if (!in_store) {
    TRY(session.config().set(key.name, value));
  } else if (!key.in_store) {
    return denied(
        fmt::format("a store may not set '{}'", key.name),
        fmt::format("set it in your own file: spoor config {} VALUE, without --store", key.name));
  } else {
    Workspace& workspace = *TRY(session.workspace());
    TRY(workspace.store().set_property("config." + std::string(key.name), value));
  }
  const Config::Value after = TRY(session.config().get(key.name));
  const auto spoken = [](const Config::Value& v) {
    return v.origin == "default" ? "(default)" : v.text;
  };
  session.out().print(fmt::format("{}: {} -> {}\n", key.name, spoken(before), spoken(after)));
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  session.config().pass_over_wrong();  // This command corrects them.
  const auto problem = session.config().problem();
  if (problem && *problem) {
    session.report(**problem);
    session.exit_with(kExitOk);
  }
  // A store here has its say; without one the rest of the settings still hold.
  const auto opened = session.workspace();
  if (!opened && opened.error().code != Error::Code::not_found) {
    if (arguments.has("--in-store") || arguments.has("--store")) return opened.error();
    session.report(opened.error());
    session.exit_with(kExitOk);
  }
  if (!arguments.has("key")) {
    return list(session, opened ? opened.value() : nullptr, arguments.has("--json"));
  }
  const ConfigKey& key = *TRY(find_config_key(arguments.text("key")));
  // Who names a store means that store.
  const bool in_store = arguments.has("--in-store") || arguments.has("--store");
  if (arguments.has("--unset")) return set(session, key, std::nullopt, in_store);
  if (arguments.has("value")) return set(session, key, arguments.text("value"), in_store);

  const Config::Value value = TRY(session.config().get(key.name));
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().member("key", key.name).member("value", value.text);
    json.member("origin", value.origin).member("help", key.help).end();
    session.out().verbatim(json.take());
    return {};
  }
  session.out().print(value.text).newline();
  return {};
}

}  // namespace

extern const Command kConfig{
    .name = "config",
    .summary = "Show or change settings",
    .options = kOptions,
    .run = run,
    .group = Group::program,
    .details =
        "A setting comes from the environment, else from the store, else from your own file\n"
        "($XDG_CONFIG_HOME/spoor/config.toml), else from the built-in default. Flags\n"
        "override all of them. A new value is written to your own file; with --in-store or\n"
        "--store PATH it is written to that store, if a store may have it. A store may not\n"
        "set what starts a program or names a place on this machine. The most\n"
        "restrictive value of 'capture' applies, whatever its source.\n"
        "\n"
        "Redaction rules in a store only add to yours and to the built-in ones; a rule that\n"
        "would allow something is listed as ignored.",
    .examples = kExamples,
};

}  // namespace spoor::cli
