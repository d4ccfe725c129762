#include "guard/check/constraints.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "base/toml_values.h"
#include "base/utf8.h"
#include "base/words.h"
#include "guard/check/event.h"
#include "guard/check/findings.h"
#include "guard/check/paths.h"
#include "llm/schema.h"

namespace spoor::guard::check {
namespace {

constexpr std::size_t kMostFileBytes = 1U << 20U;
constexpr std::size_t kMostRules = 1'000;
constexpr std::size_t kMostIdBytes = 64;
constexpr std::int64_t kMostTimeout = 600'000;
constexpr std::string_view kHint = "see docs/checks.md";
constexpr std::string_view kOfRequest = "request-";
constexpr std::string_view kKinds = "format, scope, safety, repo, quality, hidden, command, judge";
// These cannot be typed, and are not types of rules in words.
constexpr std::array<std::string_view, 4> kChecksOfFiles = {"repo", "hidden", "command", "judge"};
constexpr const char* kTypedForms =
    "write 'scope: only PATH, PATH', 'scope: never PATH, PATH' or 'safety: hosts HOST, HOST'; a "
    "rule in words, which is not checked, begins with 'style: ', 'quality: ' or 'other: '";

bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= kMostIdBytes &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

bool is_host_pattern(std::string_view host) {
  if (host.starts_with("*.")) host.remove_prefix(2);
  return !host.empty() && host.find_first_of("*/@ \t") == std::string_view::npos;
}

// Returns the default type of a check whose rule names none.
Constraint::Type usual_type(const Rule::How& how) {
  if (std::holds_alternative<FormatRules>(how)) return Constraint::Type::format;
  if (std::holds_alternative<ScopeRules>(how)) return Constraint::Type::scope;
  if (std::holds_alternative<SafetyRules>(how)) return Constraint::Type::safety;
  if (std::holds_alternative<HiddenRules>(how)) return Constraint::Type::safety;
  if (std::holds_alternative<RepoRules>(how)) return Constraint::Type::quality;
  if (std::holds_alternative<QualityRules>(how)) return Constraint::Type::quality;
  return Constraint::Type::other;
}

std::string list_of(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// Returns `none` for an empty list, which allows nothing.
std::string list_or_none(const std::vector<std::string>& words) {
  return words.empty() ? "none" : list_of(words);
}

// Returns words for a rule without words: what it checks.
std::string words_of(const Rule::How& how) {
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "" : "; ") + more; };
  if (const auto* format = std::get_if<FormatRules>(&how)) {
    if (!format->schema.empty()) {
      add("JSON of a schema");
    } else if (format->json) {
      add("JSON");
    }
    if (format->max_length > 0) {
      add(fmt::format("at most {} character{}", format->max_length,
                      format->max_length == 1 ? "" : "s"));
    }
    if (format->no_emoji) add("no emoji");
    if (format->has_fence_rule) add("code fences of: " + list_or_none(format->fences));
    if (!format->requires_.empty()) add("has: " + list_of(format->requires_));
    if (!format->forbids.empty()) add("has not: " + list_of(format->forbids));
  } else if (const auto* scope = std::get_if<ScopeRules>(&how)) {
    if (!scope->only.empty()) add("only " + list_of(scope->only));
    if (!scope->never.empty()) add("never " + list_of(scope->never));
  } else if (const auto* safety = std::get_if<SafetyRules>(&how)) {
    if (safety->secrets) add("no secrets");
    if (safety->destructive) add("no destructive commands");
    if (safety->has_hosts) add("hosts: " + list_or_none(safety->hosts));
  } else if (const auto* repo = std::get_if<RepoRules>(&how)) {
    std::vector<std::string> before;
    for (const auto type : repo->before) before.emplace_back(name_of(type));
    if (repo->clean_tree) add("a clean tree before " + list_of(before));
    if (repo->tests) add("tests that pass before " + list_of(before));
  } else if (const auto* quality = std::get_if<QualityRules>(&how)) {
    if (quality->tests) add("tests pass");
    if (quality->exit_codes) add("commands succeed");
    if (quality->max_retries == 0) {
      add("no retries");
    } else if (quality->max_retries) {
      const std::int64_t most = *quality->max_retries;
      add(fmt::format("at most {} {}", most, most == 1 ? "retry" : "retries"));
    }
  } else if (std::holds_alternative<HiddenRules>(how)) {
    add("no hidden text");
  } else if (const auto* command = std::get_if<CommandRules>(&how)) {
    add("judged by " + command->argv.front());
  }
  return words;
}

class ConstraintReader : TomlValues {
 public:
  using TomlValues::TomlValues;

  Result<Rules> read(std::string_view text) {
    const toml::table root = TRY(parse(text, kMostFileBytes));
    Rules made;
    for (auto&& [key, node] : root) {
      if (key.str() != "constraint") return unknown(node, key.str());
      const auto* list = node.as_array();
      if (list == nullptr) return wrong(node, "write '[[constraint]]' once for each constraint");
      if (list->size() > kMostRules) return wrong(node, "too many constraints");
      for (const toml::node& each : *list) {
        Rule rule = TRY(read_rule(each));
        for (const Rule& other : made.rules) {
          if (other.constraint.id != rule.constraint.id) continue;
          return wrong(each, fmt::format("two constraints are named '{}'", rule.constraint.id));
        }
        made.rules.push_back(std::move(rule));
      }
    }
    return made;
  }

 private:
  using Names = std::vector<std::string>;

  Result<Names> patterns(const toml::node& node, std::string_view name, bool has_groups) const {
    Names all = TRY(texts(node, name));
    for (const std::string& pattern : all) {
      if (pattern.starts_with('@') && (!has_groups || expand_group(pattern).empty())) {
        return wrong(node, fmt::format("unknown group '{}' in '{}'", pattern, name));
      }
      const Location location = locate(pattern, "", "");
      if (location.kind != Location::Kind::inside || location.path == ".") {
        return wrong(node, fmt::format("'{}' is not a path below the root", pattern));
      }
    }
    return all;
  }

  Result<Names> regexes(const toml::node& node, std::string_view name) const {
    Names all = TRY(texts(node, name));
    for (const std::string& each : all) {
      const RE2 regex(each, RE2::Quiet);
      if (!regex.ok()) return wrong(node, fmt::format("'{}': {}", each, regex.error()));
    }
    return all;
  }

  Result<std::vector<AgentAction::Type>> actions(const toml::node& node,
                                                 std::string_view name) const {
    std::vector<AgentAction::Type> all;
    for (const std::string& each : TRY(texts(node, name))) {
      const auto type = trace::action_type_from(each);
      if (!type) return wrong(node, fmt::format("unknown action '{}'", each));
      all.push_back(*type);
    }
    if (all.empty()) return wrong(node, fmt::format("'{}' is empty", name));
    return all;
  }

  Result<Rule> read_rule(const toml::node& node) {
    const auto* table = node.as_table();
    if (table == nullptr) return wrong(node, "a constraint is not a table");
    Rule rule;
    const toml::node* kind_node = table->get("check");
    const std::string kind = kind_node != nullptr ? TRY(text(*kind_node, "check")) : "";
    rule.how = TRY(empty_of(kind, node));
    std::optional<Constraint::Type> type;
    bool has_own = false;  // A setting for the check.
    for (auto&& [key, value] : *table) {
      const std::string_view name = key.str();
      if (name == "check") continue;
      if (name == "id") {
        rule.constraint.id = TRY(text(value, name));
        if (!is_id(rule.constraint.id)) {
          return wrong(value, "an id must be 1 to 64 of a-z, 0-9 and '-'");
        }
        if (rule.constraint.id.starts_with(kOfRequest)) {
          return wrong(value, "an id must not begin with 'request-'");
        }
      } else if (name == "type") {
        type = trace::constraint_type_from(TRY(text(value, name)));
        if (!type)
          return wrong(value, "'type' must be style, safety, format, scope, quality or other");
      } else if (name == "rule") {
        rule.constraint.rule = TRY(text(value, name));
      } else if (name == "severity") {
        rule.severity = trace::severity_from(TRY(text(value, name)));
        if (!rule.severity) {
          return wrong(value, "'severity' must be info, low, medium, high or critical");
        }
      } else if (name == "on") {
        rule.on = TRY(actions(value, name));
      } else {
        has_own = true;
        TRY(read_own(name, value, rule.how));
      }
    }
    if (rule.constraint.id.empty()) return wrong(node, "the constraint has no 'id'");
    TRY(check_whole(rule, node, has_own));
    rule.constraint.type = type.value_or(usual_type(rule.how));
    if (rule.constraint.rule.empty()) rule.constraint.rule = words_of(rule.how);
    return rule;
  }

  Result<Rule::How> empty_of(const std::string& kind, const toml::node& node) const {
    if (kind.empty()) return Rule::How();
    if (kind == "format") return Rule::How(FormatRules{});
    if (kind == "scope") return Rule::How(ScopeRules{});
    if (kind == "safety") return Rule::How(SafetyRules{});
    if (kind == "repo") return Rule::How(RepoRules{});
    if (kind == "quality") return Rule::How(QualityRules{});
    if (kind == "hidden") return Rule::How(HiddenRules{});
    if (kind == "command") return Rule::How(CommandRules{});
    if (kind == "judge") return Rule::How(JudgeRules{});
    return wrong(node, fmt::format("unknown check '{}'; the checks are {}", kind, kKinds));
  }

  Result<void> read_own(std::string_view name, const toml::node& value, Rule::How& how) const {
    if (auto* format = std::get_if<FormatRules>(&how)) return read_format(name, value, *format);
    if (auto* scope = std::get_if<ScopeRules>(&how)) {
      if (name == "only") {
        scope->only = TRY(patterns(value, name, false));
      } else if (name == "never") {
        scope->never = TRY(patterns(value, name, true));
      } else if (name == "allow_unclear") {
        scope->allow_unclear = TRY(truth(value, name));
      } else {
        return unknown(value, name);
      }
      return {};
    }
    if (auto* safety = std::get_if<SafetyRules>(&how)) return read_safety(name, value, *safety);
    if (auto* repo = std::get_if<RepoRules>(&how)) {
      if (name == "clean_tree") {
        repo->clean_tree = TRY(truth(value, name));
      } else if (name == "tests") {
        repo->tests = TRY(truth(value, name));
      } else if (name == "before") {
        repo->before = TRY(actions(value, name));
      } else {
        return unknown(value, name);
      }
      return {};
    }
    if (auto* quality = std::get_if<QualityRules>(&how)) {
      if (name == "tests") {
        quality->tests = TRY(truth(value, name));
      } else if (name == "exit_codes") {
        quality->exit_codes = TRY(truth(value, name));
      } else if (name == "max_retries") {
        quality->max_retries = TRY(whole(value, name, 0, 1'000'000));
      } else {
        return unknown(value, name);
      }
      return {};
    }
    if (auto* command = std::get_if<CommandRules>(&how)) {
      if (name == "argv") {
        command->argv = TRY(texts(value, name));
      } else if (name == "timeout_ms") {
        command->timeout = std::chrono::milliseconds(TRY(whole(value, name, 1, kMostTimeout)));
      } else {
        return unknown(value, name);
      }
      return {};
    }
    if (auto* judge = std::get_if<JudgeRules>(&how)) {
      if (name != "model") return unknown(value, name);
      judge->model = TRY(text(value, name));
      return {};
    }
    return unknown(value, name);
  }

  Result<void> read_format(std::string_view name, const toml::node& value,
                           FormatRules& format) const {
    if (name == "json") {
      format.json = TRY(truth(value, name));
    } else if (name == "schema") {
      format.schema = TRY(text(value, name));
      if (const auto schema = llm::Schema::parse(format.schema); !schema) {
        return wrong(value, schema.error().message);
      }
      format.json = true;
    } else if (name == "max_length") {
      format.max_length = static_cast<std::size_t>(TRY(whole(value, name, 1, 1'000'000'000)));
    } else if (name == "no_emoji") {
      format.no_emoji = TRY(truth(value, name));
    } else if (name == "fences") {
      format.fences = TRY(texts(value, name));
      format.has_fence_rule = true;
    } else if (name == "requires") {
      format.requires_ = TRY(regexes(value, name));
    } else if (name == "forbids") {
      format.forbids = TRY(regexes(value, name));
    } else {
      return unknown(value, name);
    }
    return {};
  }

  Result<void> read_safety(std::string_view name, const toml::node& value,
                           SafetyRules& safety) const {
    if (name == "secrets") {
      safety.secrets = TRY(truth(value, name));
    } else if (name == "destructive") {
      safety.destructive = TRY(truth(value, name));
    } else if (name == "allow_unclear") {
      safety.allow_unclear = TRY(truth(value, name));
    } else if (name == "hosts") {
      safety.hosts = TRY(texts(value, name));
      safety.has_hosts = true;
      for (std::string& host : safety.hosts) {
        if (!is_host_pattern(host)) return wrong(value, fmt::format("'{}' is not a host", host));
        host = lowered(host);
      }
    } else {
      return unknown(value, name);
    }
    return {};
  }

  // A rule that checks nothing is a mistake.
  Result<void> check_whole(const Rule& rule, const toml::node& node, bool has_own) const {
    const bool is_wish = is_words(rule);
    const bool needs_words = is_wish || std::holds_alternative<JudgeRules>(rule.how);
    if (needs_words && rule.constraint.rule.empty()) {
      return wrong(node, fmt::format("'{}' has no 'rule'", rule.constraint.id));
    }
    if (is_wish && (rule.severity || !rule.on.empty())) {
      return wrong(node,
                   fmt::format("'{}' has 'severity' or 'on', but no 'check'", rule.constraint.id));
    }
    const auto* command = std::get_if<CommandRules>(&rule.how);
    if (command != nullptr && command->argv.empty()) {
      return wrong(node, fmt::format("'{}' has no 'argv'", rule.constraint.id));
    }
    const auto* safety = std::get_if<SafetyRules>(&rule.how);
    const bool always_looks = std::holds_alternative<HiddenRules>(rule.how);
    const bool looks_for_nothing =
        safety != nullptr ? !safety->secrets && !safety->destructive && !safety->has_hosts
                          : !needs_words && !has_own && !always_looks;
    if (looks_for_nothing) {
      return wrong(node, fmt::format("'{}' checks nothing", rule.constraint.id));
    }
    return {};
  }
};

std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view part = trimmed(list.substr(0, end));
    if (!part.empty()) parts.emplace_back(part);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word) || text.size() <= word.size()) return false;
  if (kWhiteSpace.find(text[word.size()]) == std::string_view::npos) return false;
  text = trimmed(text.substr(word.size()));
  return true;
}

// Parses the text after `scope:` or `safety:`. Any other form is refused: it would look like a
// check and check nothing.
Result<Rule::How> typed_check(Constraint::Type type, std::string_view words) {
  const std::string whole = fmt::format("{}: {}", name_of(type), words);
  const auto unfit = [&](std::string why) { return invalid(std::move(why), kTypedForms); };
  const bool is_scope = type == Constraint::Type::scope;
  const bool is_only = is_scope && take_word(words, "only");
  const bool is_never = is_scope && !is_only && take_word(words, "never");
  const bool is_hosts = !is_scope && take_word(words, "hosts");
  if (is_only) take_word(words, "under");
  const std::vector<std::string> list = parts_of(is_hosts ? lowered(words) : words);
  const bool is_form = is_only || is_never || is_hosts;
  if (!is_form || list.empty()) return unfit(fmt::format("'{}' is not a check", whole));
  if (is_hosts) {
    for (const std::string& host : list) {
      if (!is_host_pattern(host)) return unfit(fmt::format("'{}' is not a host", host));
    }
    SafetyRules safety;
    safety.has_hosts = true;
    safety.hosts = list;
    return Rule::How(std::move(safety));
  }
  for (const std::string& pattern : list) {
    const bool is_group = pattern.starts_with('@');
    const bool is_known = is_never && is_group && !expand_group(pattern).empty();
    const Location location = locate(pattern, "", "");
    const bool is_path =
        !is_group && location.kind == Location::Kind::inside && location.path != ".";
    const bool is_several = pattern.find_first_of(kWhiteSpace) != std::string::npos;
    if (is_several) {
      return invalid(fmt::format("'{}' is not a path below the root", pattern),
                     "separate paths with commas; write a path with a space in a "
                     "file of constraints");
    }
    if (!is_known && !is_path) {
      return invalid(fmt::format("'{}' is not a path below the root", pattern),
                     "write a path such as src/, '*.tf' or @ci");
    }
  }
  ScopeRules scope;
  (is_only ? scope.only : scope.never) = list;
  return Rule::How(std::move(scope));
}

}  // namespace

bool Rule::operator==(const Rule& other) const {
  return constraint.id == other.constraint.id && constraint.type == other.constraint.type &&
         constraint.rule == other.constraint.rule && how == other.how &&
         severity == other.severity && on == other.on;
}

std::vector<Constraint> Rules::constraints() const {
  std::vector<Constraint> all;
  for (const Rule& rule : rules) all.push_back(rule.constraint);
  return all;
}

bool Rules::has_commands() const {
  return std::any_of(rules.begin(), rules.end(), [](const Rule& rule) {
    return std::holds_alternative<CommandRules>(rule.how);
  });
}

bool Rules::asks_others() const {
  return has_commands() || std::any_of(rules.begin(), rules.end(), [](const Rule& rule) {
           return std::holds_alternative<JudgeRules>(rule.how);
         });
}

Result<Rules> read_constraints(std::string_view text, std::string_view file_name) {
  return ConstraintReader(file_name, kHint).read(text);
}

Result<Rule> constraint_from_text(std::string_view text, std::size_t number) {
  text = trimmed(text);
  if (text.empty()) return invalid("the constraint is empty");
  if (!is_utf8(text)) return invalid("the constraint is not UTF-8");
  Rule rule;
  rule.constraint.id = fmt::format("{}{}", kOfRequest, number);
  rule.constraint.rule = text;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return rule;
  const std::string prefix = lowered(trimmed(text.substr(0, colon)));
  if (is_in(kChecksOfFiles, prefix)) {
    return invalid(fmt::format("the check '{}' is only for files of constraints", prefix),
                   "see docs/checks.md; to write a rule in words, begin it with 'other: '");
  }
  const auto type = trace::constraint_type_from(prefix);
  if (!type) return rule;
  rule.constraint.type = *type;
  const std::string_view words = trimmed(text.substr(colon + 1));
  if (words.empty()) return invalid("the constraint is empty");
  rule.constraint.rule = words;
  if (*type == Constraint::Type::scope || *type == Constraint::Type::safety) {
    rule.how = TRY(typed_check(*type, words));
  }
  return rule;
}

Rules joined(Rules first, Rules then) {
  for (Rule& rule : then.rules) {
    const bool is_there =
        std::any_of(first.rules.begin(), first.rules.end(),
                    [&](const Rule& other) { return other.constraint.id == rule.constraint.id; });
    if (!is_there) first.rules.push_back(std::move(rule));
  }
  return first;
}

}  // namespace spoor::guard::check
