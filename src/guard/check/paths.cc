#include "guard/check/paths.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "agent/builtin/glob.h"
#include "base/text.h"

namespace spoor::guard::check {
namespace {

// The names of a path without `.`; `..` removes the name before it, if there is one.
struct Names {
  std::vector<std::string_view> names;
  std::size_t above = 0;  // `..` without a name to remove.
};

void add(Names& to, std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      to.names.push_back(name);
    } else if (!to.names.empty()) {
      to.names.pop_back();
    } else {
      ++to.above;
    }
  }
}

std::string joined(const Names& names, std::string_view before) {
  std::string path(before);
  for (std::size_t i = 0; i < names.above; ++i) path += path.empty() ? ".." : "/..";
  for (const std::string_view name : names.names) {
    if (!path.empty() && path.back() != '/') path += '/';
    path += name;
  }
  return path.empty() ? "." : path;
}

std::vector<std::string_view> names_of(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) names.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return names;
}

// Returns true if a name can match both patterns. Takes the product of their lengths.
bool may_be_same(std::string_view a, std::string_view b) {
  std::vector<bool> reached(b.size() + 1, false);  // Lengths of `b`, for an empty `a`.
  reached[0] = true;
  const auto is_any = [](char c) { return c == '*'; };
  for (std::size_t j = 0; j < b.size(); ++j) reached[j + 1] = reached[j] && is_any(b[j]);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<bool> next(b.size() + 1, false);
    next[0] = reached[0] && is_any(a[i]);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const bool is_pair = a[i] == b[j] || a[i] == '?' || b[j] == '?';
      next[j + 1] = (reached[j] && is_pair) || (is_any(a[i]) && (reached[j + 1] || next[j])) ||
                    (is_any(b[j]) && (next[j] || reached[j + 1]));
      next[j + 1] = next[j + 1] || ((is_any(a[i]) || is_any(b[j])) && reached[j]);
    }
    reached = std::move(next);
  }
  return reached.back();
}

constexpr std::string_view kWild = "*?";

// Returns a word with `*` for each `[…]` and `{…}`.
std::string with_stars(std::string_view word) {
  std::string made;
  for (std::size_t at = 0; at < word.size(); ++at) {
    const bool opens = word[at] == '[' || word[at] == '{';
    const std::size_t end = opens ? word.find(word[at] == '[' ? ']' : '}', at + 1) : word.npos;
    made += opens ? '*' : word[at];
    if (end != std::string_view::npos) at = end;
  }
  return made;
}

// Compares single names: `given` is expanded by a shell.
Likely likely_same(std::string_view pattern, std::string_view given) {
  const std::string starred = with_stars(given);
  const std::string_view word = starred;
  const std::size_t wild = word.find_first_of(kWild);
  if (wild == std::string_view::npos) {
    return agent::builtin::matches_glob(pattern, word) ? Likely::yes : Likely::no;
  }
  // A wildcard does not match a dot at the beginning.
  if (wild == 0 && given.front() != '{' && pattern.starts_with('.')) return Likely::no;
  if (!may_be_same(pattern, word)) return Likely::no;
  const std::size_t open = pattern.find_first_of(kWild);
  if (wild > 0 && open > 0) return Likely::yes;
  const std::string_view end = word.substr(word.find_last_of(kWild) + 1);
  const bool is_plain = open == std::string_view::npos;
  if (!is_plain && open == 0 && end.ends_with(pattern.substr(pattern.find_last_of(kWild) + 1))) {
    return Likely::yes;
  }
  const bool says_nothing = word.find_first_not_of("*?.") == std::string_view::npos;
  const bool has_same_end = !is_plain && !end.empty() && pattern.ends_with(end);
  return is_plain || says_nothing || has_same_end ? Likely::maybe : Likely::no;
}

bool is_likely(std::string_view pattern, std::string_view word) {
  return likely_same(pattern, word) == Likely::yes;
}

bool is_maybe(std::string_view pattern, std::string_view word) {
  return likely_same(pattern, word) != Likely::no;
}

using SameName = bool (*)(std::string_view, std::string_view);

// Returns true if all of `patterns` can match the first names of `names`. Keeps which numbers of
// names the patterns so far can match, so it takes the product of the two.
bool matches_start(const std::vector<std::string_view>& patterns,
                   const std::vector<std::string_view>& names,
                   SameName is_same = agent::builtin::matches_glob) {
  std::vector<bool> reached(names.size() + 1, false);
  reached[0] = true;
  for (const std::string_view pattern : patterns) {
    std::vector<bool> next(names.size() + 1, false);
    bool any_before = false;
    for (std::size_t i = 0; i <= names.size(); ++i) {
      any_before = any_before || reached[i];
      if (pattern == "**") {
        next[i] = any_before;
      } else if (i > 0 && reached[i - 1]) {
        next[i] = is_same(pattern, names[i - 1]);
      }
    }
    reached = std::move(next);
  }
  // `a/**` matches everything in `a` but not `a`; any other pattern matches its path and all below
  // it.
  if (!patterns.empty() && patterns.back() == "**" && patterns.size() > 1) {
    std::vector<std::string_view> before(patterns.begin(), patterns.end() - 1);
    return !names.empty() &&
           matches_start(before, std::vector<std::string_view>(names.begin(), names.end() - 1),
                         is_same);
  }
  return std::find(reached.begin(), reached.end(), true) != reached.end();
}

// Returns the pattern in small letters; a pattern of a single name matches at any depth.
std::string anywhere(std::string_view pattern) {
  std::string small = lowered(pattern);
  while (small.ends_with('/')) small.pop_back();
  if (small.find('/') == std::string::npos && small != "**") small = "**/" + small;
  return small;
}

constexpr std::array kCi = {".github/workflows",
                            ".github/actions",
                            ".gitlab-ci.yml",
                            ".gitlab-ci.yaml",
                            ".gitlab/ci",
                            ".circleci",
                            "Jenkinsfile",
                            "jenkinsfile.*",
                            ".travis.yml",
                            "azure-pipelines.yml",
                            "azure-pipelines.yaml",
                            ".azure-pipelines",
                            ".buildkite",
                            ".drone.yml",
                            ".woodpecker",
                            ".woodpecker.yml",
                            "bitbucket-pipelines.yml",
                            "appveyor.yml",
                            ".appveyor.yml",
                            ".cirrus.yml",
                            "cloudbuild.yaml",
                            ".teamcity",
                            ".semaphore"};
constexpr std::array kInfra = {"*.tf",
                               "*.tfvars",
                               "*.tf.json",
                               "*.hcl",
                               "terraform",
                               ".terraform",
                               "Dockerfile",
                               "Dockerfile.*",
                               "*.dockerfile",
                               "docker-compose*.yml",
                               "docker-compose*.yaml",
                               "compose.yml",
                               "compose.yaml",
                               "helm",
                               "charts",
                               "k8s",
                               "kubernetes",
                               "kustomization.yaml",
                               "ansible",
                               "pulumi",
                               "pulumi.yaml",
                               "serverless.yml",
                               "infra",
                               "infrastructure",
                               "cloudformation",
                               "vagrantfile",
                               ".ebextensions",
                               "cdk.json",
                               "fly.toml",
                               "skaffold.yaml"};

}  // namespace

Location locate(std::string_view path, std::string_view folder, std::string_view root) {
  if (path.find('$') != std::string_view::npos || path.find('`') != std::string_view::npos) {
    return {Location::Kind::open, std::string(path)};
  }
  if (path.starts_with('~')) return {Location::Kind::outside, std::string(path)};
  if (path.starts_with('/')) {
    Names given;
    add(given, path);
    given.above = 0;  // `/..` is `/`.
    const std::string whole = joined(given, "/");
    if (root.empty()) return {Location::Kind::open, whole};
    Names base;
    add(base, root);
    const bool is_beneath = given.names.size() >= base.names.size() &&
                            std::equal(base.names.begin(), base.names.end(), given.names.begin());
    if (!is_beneath) return {Location::Kind::outside, whole};
    given.names.erase(given.names.begin(),
                      given.names.begin() + static_cast<std::ptrdiff_t>(base.names.size()));
    return {Location::Kind::inside, joined(given, "")};
  }
  if (!folder.empty()) {
    // Keeps the folder as written, because `..` may lead from an outer folder back in.
    const std::string both = std::string(folder) + '/' + std::string(path);
    return locate(both, "", root);
  }
  Names given;
  add(given, path);
  if (given.above > 0) {
    if (!root.empty()) return locate(std::string(root) + '/' + std::string(path), "", root);
    return {Location::Kind::outside, joined(given, "")};
  }
  return {Location::Kind::inside, joined(given, "")};
}

bool keeps_nothing(std::string_view path) {
  for (const std::string_view folder : {"/dev/", "/tmp/", "/var/tmp/", "/private/tmp/"}) {
    if (path.starts_with(folder)) return true;
  }
  return false;
}

bool is_of_project(const RunFile& file, std::string_view root) {
  const bool is_lost = file.folder == "?" && !file.path.starts_with('/');
  if (is_lost) return false;
  const Location location = locate(file.path, file.folder, root);
  if (location.kind == Location::Kind::inside) return true;
  if (location.kind == Location::Kind::outside) return false;
  // The root is not known: excludes folders in which any user may put a file, and separate home
  // folders.
  if (keeps_nothing(location.path) || location.path.starts_with("/proc/")) return false;
  return location.path.starts_with('/');
}

std::string why_unread(const RunFile& file) {
  return fmt::format(
      "it is unclear what '{}' does: it lies outside of the folder that is worked in", file.path);
}

bool matches_path(std::string_view pattern, std::string_view path) {
  const auto patterns = names_of(pattern);
  return !patterns.empty() && matches_start(patterns, names_of(path));
}

bool matches_anywhere(std::string_view pattern, std::string_view path) {
  return matches_path(anywhere(pattern), lowered(path));
}

Likely likely_anywhere(std::string_view pattern, std::string_view path) {
  const std::string small = anywhere(pattern);
  const std::string small_path = lowered(path);
  const auto patterns = names_of(small);
  if (patterns.empty()) return Likely::no;
  const auto names = names_of(small_path);
  if (matches_start(patterns, names, is_likely)) return Likely::yes;
  return matches_start(patterns, names, is_maybe) ? Likely::maybe : Likely::no;
}

bool may_match_beneath(std::string_view pattern, std::string_view path, bool is_pattern) {
  if (path == ".") return true;
  const std::string small = anywhere(pattern);
  const std::string small_path = lowered(path);
  auto patterns = names_of(small);
  const auto names = names_of(small_path);
  if (patterns.size() <= names.size() || patterns.front() == "**") return false;
  patterns.resize(names.size());
  return matches_start(patterns, names, is_pattern ? is_maybe : agent::builtin::matches_glob);
}

std::vector<std::string> expand_group(std::string_view pattern) {
  if (!pattern.starts_with('@')) return {std::string(pattern)};
  if (pattern == "@ci") return {kCi.begin(), kCi.end()};
  if (pattern == "@infra") return {kInfra.begin(), kInfra.end()};
  return {};
}

std::vector<std::string_view> groups() { return {"@ci", "@infra"}; }

}  // namespace spoor::guard::check
