#include "guard/redact/rule.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/toml_values.h"
#include "trace/placeholder.h"

namespace spoor::guard {

using trace::is_rule_id;

namespace {

constexpr std::size_t kMostFileBytes = 4U << 20U;

class RuleReader : TomlValues {
 public:
  using TomlValues::TomlValues;

  Result<RuleFile> read(std::string_view text, std::string_view file_name) {
    const toml::table root = TRY(parse(text, kMostFileBytes));
    RuleFile made;
    if (const toml::node* node = root.get("skip_dummies")) {
      skips_dummies_ = TRY(truth(*node, "skip_dummies"));
    }
    for (auto&& [key, node] : root) {
      const std::string_view name = key.str();
      if (name == "rules") {
        const auto* rules = node.as_array();
        if (rules == nullptr) return wrong(node, "'rules' is not a list of tables");
        for (const toml::node& rule : *rules) made.rules.push_back(TRY(read_rule(rule)));
      } else if (name == "allowlists") {
        made.allowlists = TRY(read_allowlists(node));
      } else if (name == "extend") {
        made.disabled = TRY(read_extend(node));
      } else if (name != "title" && name != "description" && name != "skip_dummies") {
        return unknown(node, name);
      }
    }
    for (std::size_t i = 0; i < made.rules.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (made.rules[i].id != made.rules[j].id) continue;
        return invalid(fmt::format("{}: two rules are named '{}'", file_name, made.rules[i].id));
      }
    }
    return made;
  }

 private:
  // Returns a list of examples, each a text or a list of pieces to be joined: with pieces, a
  // scanner of repositories does not take the file for a leak.
  Result<std::vector<std::string>> examples(const toml::node& node, std::string_view name) const {
    const auto* list = node.as_array();
    if (list == nullptr) return wrong(node, fmt::format("'{}' is not a list of strings", name));
    std::vector<std::string> all;
    for (const toml::node& each : *list) {
      if (each.is_string()) {
        all.push_back(TRY(text(each, name)));
        continue;
      }
      std::string joined;
      for (const std::string& piece : TRY(texts(each, name))) joined += piece;
      all.push_back(std::move(joined));
    }
    return all;
  }

  Result<std::vector<std::string>> read_extend(const toml::node& node) const {
    const auto* table = node.as_table();
    if (table == nullptr) return wrong(node, "'extend' is not a table");
    std::vector<std::string> disabled;
    for (auto&& [key, value] : *table) {
      if (key.str() != "disabled_rules" && key.str() != "disabledRules") {
        return unknown(value, key.str());
      }
      disabled = TRY(texts(value, key.str()));
    }
    return disabled;
  }

  Result<std::vector<Allowlist>> read_allowlists(const toml::node& node) const {
    const auto* list = node.as_array();
    if (list == nullptr) return wrong(node, "'allowlists' is not a list of tables");
    std::vector<Allowlist> all;
    for (const toml::node& each : *list) all.push_back(TRY(read_allowlist(each)));
    return all;
  }

  Result<Allowlist> read_allowlist(const toml::node& node) const {
    const auto* table = node.as_table();
    if (table == nullptr) return wrong(node, "an allowlist must be a table");
    Allowlist made;
    for (auto&& [key, value] : *table) {
      const std::string_view name = key.str();
      if (name == "description") {
        made.description = TRY(text(value, name));
      } else if (name == "regexes") {
        made.regexes = TRY(texts(value, name));
      } else if (name == "stopwords") {
        made.stopwords = TRY(texts(value, name));
      } else if (name == "paths") {
        made.paths = TRY(texts(value, name));
      } else if (name == "regex_target" || name == "regexTarget") {
        const std::string target = TRY(text(value, name));
        if (target == "match") {
          made.target = AllowTarget::match;
        } else if (target == "line") {
          made.target = AllowTarget::line;
        } else if (target != "secret") {
          return wrong(value, "a target must be secret, match or line");
        }
      } else if (name == "condition") {
        const std::string condition = TRY(text(value, name));
        if (condition != "AND" && condition != "OR")
          return wrong(value, "a condition must be AND or OR");
        made.all = condition == "AND";
      } else {
        return unknown(value, name);
      }
    }
    if (made.regexes.empty() && made.stopwords.empty() && made.paths.empty()) {
      return wrong(node, "an allowlist needs regexes, stopwords or paths");
    }
    return made;
  }

  Result<Rule> read_rule(const toml::node& node) const {
    const auto* table = node.as_table();
    if (table == nullptr) return wrong(node, "a rule must be a table");
    Rule rule;
    rule.skips_dummies = skips_dummies_;
    for (auto&& [key, value] : *table) TRY(read_member(key.str(), value, rule));
    if (!is_rule_id(rule.id)) {
      return wrong(node, "a rule's id must be 1 to 40 of a-z, 0-9 and '-'");
    }
    if (rule.regex.empty()) return wrong(node, fmt::format("'{}' has no regex", rule.id));
    return rule;
  }

  Result<void> read_member(std::string_view name, const toml::node& value, Rule& rule) const {
    if (name == "id") {
      rule.id = TRY(text(value, name));
    } else if (name == "description") {
      rule.description = TRY(text(value, name));
    } else if (name == "regex") {
      rule.regex = TRY(text(value, name));
    } else if (name == "secret_group" || name == "secretGroup") {
      rule.secret_group = static_cast<int>(TRY(whole(value, name, 0, 15)));
    } else if (name == "keywords") {
      rule.keywords = TRY(texts(value, name));
    } else if (name == "entropy") {
      const auto bits = value.value<double>();
      if (!bits || !(*bits >= 0 && *bits <= 8)) return wrong(value, "entropy must be 0 to 8 bits");
      rule.entropy = *bits;
    } else if (name == "path") {
      rule.path = TRY(text(value, name));
    } else if (name == "check") {
      const std::string check = TRY(text(value, name));
      if (check != "luhn" && check != "mod97") return wrong(value, "a check must be luhn or mod97");
      rule.check = check == "luhn" ? Check::luhn : Check::mod97;
    } else if (name == "reach") {
      rule.reach = static_cast<std::size_t>(TRY(whole(value, name, 0, 1 << 20)));
    } else if (name == "guesses") {
      rule.guesses = TRY(truth(value, name));
    } else if (name == "skip_dummies") {
      rule.skips_dummies = TRY(truth(value, name));
    } else if (name == "allowlists") {
      rule.allowlists = TRY(read_allowlists(value));
    } else if (name == "positive") {
      rule.positive = TRY(examples(value, name));
    } else if (name == "negative") {
      rule.negative = TRY(examples(value, name));
    } else if (name == "tags") {
      TRY(texts(value, name));  // For people.
    } else {
      return unknown(value, name);
    }
    return {};
  }

  bool skips_dummies_ = false;  // A setting of the file for all of its rules.
};

}  // namespace

Result<RuleFile> read_rules(std::string_view toml, std::string_view file_name) {
  return RuleReader(file_name, "see docs/audit.md").read(toml, file_name);
}

}  // namespace spoor::guard
