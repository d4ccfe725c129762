#include "guard/redact/rule_set.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include "base/text.h"
#include "guard/redact/checks.h"
#include "guard/redact/denied_keys.h"
#include "guard/redact/dummies.h"
#include "guard/redact/rule.h"
#include "guard/redact/triggers.h"
#include "trace/placeholder.h"

namespace spoor::guard {

using trace::Placeholder;
using trace::placeholders_in;

namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

// Uses bytes, not characters: a regex must not fail on a text that is not UTF-8.
std::unique_ptr<RE2> compiled(const std::string& regex, std::string& problem) {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  auto made = std::make_unique<RE2>(regex, options);
  if (!made->ok()) problem = made->error();
  return made;
}

bool has_any(std::string_view text, const std::vector<std::unique_ptr<RE2>>& regexes) {
  for (const auto& regex : regexes) {
    if (RE2::PartialMatch(piece(text), *regex)) return true;
  }
  return false;
}

std::string_view line_around(std::string_view text, const Span& span) {
  const std::size_t before =
      span.begin == 0 ? std::string_view::npos : text.rfind('\n', span.begin - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', span.end), text.size());
  return text.substr(begin, end - begin);
}

bool is_inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool are_hex(std::string_view digits) {
  return !digits.empty() && std::all_of(digits.begin(), digits.end(), is_hex);
}

// Returns true if `before` ends with an escape sequence for a character: `\n`, `\x1b`, `\u001b`,
// `\033`, `%3D`.
bool ends_with_escape(std::string_view before) {
  const auto last = [before](std::size_t count) {
    return before.substr(before.size() - std::min(count, before.size()));
  };
  if (last(2).size() == 2 && last(2)[0] == '\\') {
    return std::string_view("nrtfvbae0").find(last(1)[0]) != std::string_view::npos;
  }
  if (last(3).size() == 3 && last(3)[0] == '%' && are_hex(last(2))) return true;
  if (last(4).size() == 4 && last(4)[0] == '\\') {
    return (last(4)[1] == 'x' && are_hex(last(2))) || (last(4)[1] == '0' && are_hex(last(2)));
  }
  return last(6).size() == 6 && last(6).starts_with("\\u") && are_hex(last(4));
}

// Returns true if it ends with a colour: ESC, `[`, numbers, a letter (ECMA-48, CSI), as bytes or
// escaped.
bool ends_with_colour(std::string_view before) {
  if (before.empty() || !is_word(before.back())) return false;
  before.remove_suffix(1);
  constexpr std::size_t kMostParameters = 20;
  for (std::size_t i = 0; i < kMostParameters && !before.empty(); ++i) {
    const bool is_parameter =
        (before.back() >= '0' && before.back() <= '9') || before.back() == ';';
    if (!is_parameter) break;
    before.remove_suffix(1);
  }
  if (!before.ends_with('[')) return false;
  before.remove_suffix(1);
  return before.ends_with('\x1b') || ends_with_escape(before);
}

// Returns true if a secret may begin here. `\b` does not match before a letter that is part of an
// escape or a colour.
bool is_edge(std::string_view text, std::size_t at, bool guesses) {
  if (at == 0) return true;
  const bool is_letter = is_word(text[at]);
  const std::string_view before = text.substr(0, at);
  if (is_word(before.back()) != is_letter) return true;
  if (!is_letter) return false;
  if (before.back() == '_' && !guesses) return true;
  return ends_with_escape(before) || ends_with_colour(before);
}

void widen_to_characters(std::string_view text, Span& span) {
  constexpr std::size_t kMostBytes = 3;  // That can follow the first byte of a character.
  for (std::size_t i = 0; i < kMostBytes && span.begin > 0; ++i) {
    if (is_inside_character(text, span.begin)) --span.begin;
  }
  for (std::size_t i = 0; i < kMostBytes; ++i) {
    if (is_inside_character(text, span.end)) ++span.end;
  }
}

}  // namespace

// An allowlist, whose regexes are compiled at first use.
class RuleSet::Allowed {
 public:
  explicit Allowed(const Allowlist& list) : list_(list) {}

  void compile(std::string& problem) {
    for (const std::string& regex : list_.regexes) regexes_.push_back(compiled(regex, problem));
    for (const std::string& regex : list_.paths) paths_.push_back(compiled(regex, problem));
    for (const std::string& word : list_.stopwords) stopwords_.push_back(lowered(word));
  }

  bool allows(std::string_view text, const Span& match, const Span& secret,
              std::string_view path) const {
    int asked = 0;
    int yes = 0;
    const auto count = [&](bool is_listed, bool is_true) {
      asked += is_listed ? 1 : 0;
      yes += is_listed && is_true ? 1 : 0;
    };
    const std::string_view said = text.substr(secret.begin, secret.end - secret.begin);
    count(!paths_.empty(), !path.empty() && has_any(path, paths_));
    count(!regexes_.empty(), has_any(target(text, match, said, secret), regexes_));
    count(!stopwords_.empty(), has_stopword(said));
    return list_.all ? yes == asked : yes > 0;
  }

 private:
  std::string_view target(std::string_view text, const Span& match, std::string_view said,
                          const Span& secret) const {
    if (list_.target == AllowTarget::match)
      return text.substr(match.begin, match.end - match.begin);
    return list_.target == AllowTarget::line ? line_around(text, secret) : said;
  }

  bool has_stopword(std::string_view said) const {
    if (stopwords_.empty()) return false;
    const std::string low = lowered(said);
    for (const std::string& word : stopwords_) {
      if (low.find(word) != std::string::npos) return true;
    }
    return false;
  }

  const Allowlist& list_;
  std::vector<std::unique_ptr<RE2>> regexes_;
  std::vector<std::unique_ptr<RE2>> paths_;
  std::vector<std::string> stopwords_;
};

// A compiled rule. Compiled at its first use, by any thread.
class RuleSet::Matcher {
 public:
  explicit Matcher(const Rule& rule) : rule_(rule) {}

  // Returns nullopt, or why the rule cannot be run.
  const std::optional<std::string>& problem() {
    std::call_once(once_, [this] { compile(); });
    return problem_;
  }

  // The progress of a rule in a text.
  struct Progress {
    std::size_t matched = 0;   // The end of the last match's secret.
    std::size_t searched = 0;  // There is no further match before here.
  };

  // Appends the rule's findings in the window. Extends the window if a match reaches its end, since
  // the match might continue there.
  void find(std::string_view text, Span window, const Surroundings& where,
            const std::vector<std::unique_ptr<Allowed>>& common, Progress& progress,
            std::vector<Span>& found) const {
    std::size_t grow = std::max<std::size_t>(rule_.reach, 256);
    window.begin = std::max(window.begin, progress.matched);
    std::size_t from = window.begin;
    while (from <= window.end) {
      Span match;
      Span secret;
      progress.searched = window.end;
      if (!match_at(text, from, window.end, match, secret)) return;
      const bool is_cut = (match.end == window.end && window.end < text.size()) ||
                          (match.begin == window.begin && window.begin > progress.matched);
      if (is_cut) {
        window.begin -= std::min(window.begin - progress.matched, grow);
        from = std::max(window.begin, progress.matched);
        window.end = std::min(text.size(), window.end + grow);
        grow *= 2;
        continue;
      }
      if (begins_at_edge_ && !is_edge(text, match.begin, rule_.guesses)) {
        from = match.begin + 1;
        continue;
      }
      from = std::max(secret.end, from + 1);  // Not after the match: neighbours share a blank.
      progress.matched = from;
      if (is_secret(text, match, secret, where, common)) found.push_back(secret);
    }
  }

 private:
  void compile() {
    std::string problem;
    std::string regex = rule_.regex;
    constexpr std::string_view kEdge = "\\b";
    for (const std::string_view flags : {std::string_view(), std::string_view("(?i)")}) {
      if (!regex.starts_with(flags) || regex.compare(flags.size(), kEdge.size(), kEdge) != 0) {
        continue;
      }
      begins_at_edge_ = true;
      regex.erase(flags.size(), kEdge.size());
      break;
    }
    regex_ = compiled(regex, problem);
    if (problem.empty() && regex_->NumberOfCapturingGroups() < rule_.secret_group) {
      problem = fmt::format("the regex has no group {}", rule_.secret_group);
    }
    if (!rule_.path.empty()) path_ = compiled(rule_.path, problem);
    for (const Allowlist& list : rule_.allowlists) {
      allowlists_.push_back(std::make_unique<Allowed>(list));
      allowlists_.back()->compile(problem);
    }
    if (!problem.empty()) problem_ = std::move(problem);
  }

  bool match_at(std::string_view text, std::size_t from, std::size_t to, Span& match,
                Span& secret) const {
    constexpr int kMostGroups = 16;  // The reader of rules enforces this.
    re2::StringPiece groups[kMostGroups];
    if (!regex_->Match(piece(text), from, to, RE2::UNANCHORED, groups, rule_.secret_group + 1)) {
      return false;
    }
    const auto span_of = [&](const re2::StringPiece& group) {
      const auto begin = static_cast<std::size_t>(group.data() - text.data());
      return Span{begin, begin + group.size()};
    };
    match = span_of(groups[0]);
    const re2::StringPiece& group = groups[rule_.secret_group];
    secret = group.data() == nullptr ? match : span_of(group);  // An alternative without the group.
    return true;
  }

  bool is_secret(std::string_view text, const Span& match, Span& secret, const Surroundings& where,
                 const std::vector<std::unique_ptr<Allowed>>& common) const {
    if (secret.begin == secret.end) return false;
    if (path_ && !where.path.empty() && !RE2::PartialMatch(piece(where.path), *path_)) return false;
    const auto length = passing(rule_.check, text.substr(secret.begin, secret.end - secret.begin));
    if (!length) return false;
    secret.end = secret.begin + *length;
    const std::string_view said = text.substr(secret.begin, secret.end - secret.begin);
    if (rule_.entropy > 0 && entropy_of(said) < rule_.entropy) return false;
    if (rule_.skips_dummies && is_dummy(said)) return false;
    for (const auto* lists : {&allowlists_, &common}) {
      for (const auto& list : *lists) {
        if (list->allows(text, match, secret, where.path)) return false;
      }
    }
    return true;
  }

  const Rule& rule_;
  std::once_flag once_;
  std::optional<std::string> problem_;
  std::unique_ptr<RE2> regex_;
  bool begins_at_edge_ = false;  // `\b` before it, which is_edge() refines.
  std::unique_ptr<RE2> path_;
  std::vector<std::unique_ptr<Allowed>> allowlists_;
};

struct RuleSet::Keywords {
  explicit Keywords(const std::vector<Rule>& rules) : triggers(rules) {}

  Triggers triggers;
  std::vector<Allowlist> allowlists;  // For every rule.
  std::once_flag once;
  std::optional<std::string> problem;  // A problem of the allowlists.
};

RuleSet::RuleSet(std::vector<Rule> rules, std::vector<Allowlist> allowlists)
    : rules_(std::move(rules)), keywords_(std::make_unique<Keywords>(rules_)) {
  keywords_->allowlists = std::move(allowlists);
  for (const Allowlist& list : keywords_->allowlists) {
    allowlists_.push_back(std::make_unique<Allowed>(list));
  }
  for (const Rule& rule : rules_) {
    ids_.push_back(rule.id);
    matchers_.push_back(std::make_unique<Matcher>(rule));
  }
}

RuleSet::~RuleSet() = default;

Additions additions_of(RuleFile file) {
  Additions made;
  made.rules = std::move(file.rules);
  for (Rule& rule : made.rules) rule.only_adds = true;
  if (const std::size_t count = file.allowlists.size(); count > 0) {
    made.ignored.push_back(
        fmt::format("{} allowlist{} for every rule", count, count == 1 ? "" : "s"));
  }
  if (!file.disabled.empty()) {
    made.ignored.push_back(fmt::format("disabled_rules ({})", fmt::join(file.disabled, ", ")));
  }
  return made;
}

Result<std::unique_ptr<RuleSet>> RuleSet::with_builtin(RuleFile own, Additions added) {
  RuleFile builtin = TRY(read_rules(builtin_rules(), "rules.toml"));
  const auto has_id = [](const std::vector<Rule>& rules, const std::string& id) {
    return std::any_of(rules.begin(), rules.end(), [&](const Rule& r) { return r.id == id; });
  };
  for (const std::string& id : own.disabled) {
    if (has_id(builtin.rules, id)) continue;
    return not_found(fmt::format("no built-in rule '{}'", id),
                     "list them with 'spoor store redact rules'");
  }
  std::vector<Rule> rules = std::move(added.rules);
  rules.insert(rules.end(), own.rules.begin(), own.rules.end());
  for (Rule& rule : builtin.rules) {
    const bool is_disabled =
        std::find(own.disabled.begin(), own.disabled.end(), rule.id) != own.disabled.end();
    if (!is_disabled && !has_id(own.rules, rule.id)) rules.push_back(std::move(rule));
  }
  return std::make_unique<RuleSet>(std::move(rules), std::move(own.allowlists));
}

Result<void> RuleSet::compile() const {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (const auto& problem = matchers_[i]->problem()) {
      return invalid(fmt::format("rule '{}': {}", rules_[i].id, *problem));
    }
  }
  TRY(find({}));  // Compiles the common allowlists too.
  return {};
}

Result<std::vector<Finding>> RuleSet::find(std::string_view text, const Surroundings& where) const {
  std::call_once(keywords_->once, [this] {
    std::string problem;
    for (const auto& list : allowlists_) list->compile(problem);
    if (!problem.empty()) keywords_->problem = std::move(problem);
  });
  if (keywords_->problem) {
    return denied(fmt::format("cannot run an allowlist: {}", *keywords_->problem),
                  "correct the file of rules; check it with 'spoor store redact test FILE'");
  }

  std::vector<Triggers::Hit> hits;
  keywords_->triggers.find(text, hits);
  for (const std::size_t rule : keywords_->triggers.always())
    hits.push_back({rule, 0, text.size()});
  if (hits.empty()) return std::vector<Finding>();

  // Finds the parts of the text that each rule must examine.
  std::sort(hits.begin(), hits.end(), [](const Triggers::Hit& a, const Triggers::Hit& b) {
    return a.rule != b.rule ? a.rule < b.rule : a.begin < b.begin;
  });
  std::vector<Finding> found;
  std::vector<Span> spans;
  std::optional<bool> is_denied;  // Few texts have a keyword of a rule that guesses.
  const auto is_key_denied = [&] {
    if (!is_denied) is_denied = is_denied_key(where.key);
    return *is_denied;
  };
  for (std::size_t i = 0; i < hits.size();) {
    const std::size_t rule = hits[i].rule;
    const std::size_t reach = rules_[rule].reach == 0 ? text.size() : rules_[rule].reach;
    const auto begin_of = [&](const Triggers::Hit& hit) {
      return hit.begin - std::min(hit.begin, reach);
    };
    const auto end_of = [&](const Triggers::Hit& hit) {
      return text.size() - hit.end < reach ? text.size() : hit.end + reach;
    };
    const bool is_passed_over = rules_[rule].guesses && is_key_denied();
    Matcher& matcher = *matchers_[rule];
    if (!is_passed_over && matcher.problem()) {
      return denied(
          fmt::format("cannot run the redaction rule '{}': {}", rules_[rule].id,
                      *matcher.problem()),
          "nothing was written; check a file of rules with 'spoor store redact test FILE'");
    }
    Matcher::Progress progress;
    while (i < hits.size() && hits[i].rule == rule) {
      if (end_of(hits[i]) <= progress.searched) {
        ++i;
        continue;
      }
      Span window{begin_of(hits[i]), end_of(hits[i])};
      for (++i; i < hits.size() && hits[i].rule == rule && begin_of(hits[i]) <= window.end; ++i) {
        window.end = std::max(window.end, end_of(hits[i]));
      }
      if (is_passed_over) continue;
      spans.clear();
      matcher.find(text, window, where, allowlists_, progress, spans);
      for (const Span& span : spans) {
        found.push_back({span, rule});
        widen_to_characters(text, found.back());
      }
    }
  }
  if (found.empty()) return found;

  // Overlapping findings are merged, together with a placeholder that they touch. A placeholder
  // alone is not redacted.
  std::vector<Span> placeholders;  // Of our own rules: others are plain text.
  for (const Placeholder& each : placeholders_in(text)) {
    if (std::find(ids_.begin(), ids_.end(), each.rule) != ids_.end()) {
      placeholders.push_back(each.span);
    }
  }
  std::vector<Finding> kept;
  for (Finding& finding : found) {
    bool is_placeholder = false;
    for (const Span& span : placeholders) {
      if (span.end <= finding.begin || span.begin >= finding.end) continue;
      is_placeholder |= span.begin <= finding.begin && finding.end <= span.end;
      finding.begin = std::min(finding.begin, span.begin);
      finding.end = std::max(finding.end, span.end);
    }
    if (!is_placeholder) kept.push_back(finding);
  }
  std::sort(kept.begin(), kept.end(), [](const Finding& a, const Finding& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.rule < b.rule;
  });
  std::vector<Finding> merged;
  for (const Finding& finding : kept) {
    if (merged.empty() || finding.begin >= merged.back().end) {
      merged.push_back(finding);
      continue;
    }
    // After a password and an `@` comes a host, not the rest of a mail address.
    const std::size_t end = merged.back().end;
    const Rule& before = rules_[merged.back().rule];
    const bool is_host = rules_[finding.rule].guesses && !before.guesses && !before.only_adds &&
                         end < finding.end && text[end] == '@';
    if (is_host) continue;
    merged.back().end = std::max(merged.back().end, finding.end);
    merged.back().rule = std::min(merged.back().rule, finding.rule);
  }
  return merged;
}

Result<std::vector<ExampleFailure>> failing_examples(const RuleSet& rules) {
  std::vector<ExampleFailure> failures;
  for (const Rule& rule : rules.rules()) {
    const RuleSet alone(std::vector<Rule>{rule});
    for (const std::string& text : rule.positive) {
      const bool finds = !TRY(alone.find(text)).empty();
      if (!finds) failures.push_back({rule.id, text, "finds nothing"});
    }
    for (const std::string& text : rule.negative) {
      const bool finds = !TRY(alone.find(text)).empty();
      if (finds) failures.push_back({rule.id, text, "finds something"});
    }
  }
  return failures;
}

}  // namespace spoor::guard
