#include "cli/git/ref_names.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace spoor::cli::git {
namespace {

bool is_refused_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7f ||
         std::string_view("~^:?*[\\").find(c) != std::string_view::npos;
}

bool is_git_component(std::string_view part) {
  return !part.empty() && part.front() != '.' && !part.ends_with(".lock");
}

// Replaces the characters that git refuses in each part of a name.
std::string repaired(std::string_view name) {
  std::string fixed;
  while (true) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    std::string part(name.substr(0, slash));
    std::replace_if(part.begin(), part.end(), is_refused_byte, '_');
    for (std::size_t at = 0; (at = part.find("..")) != std::string::npos;) part[at] = '_';
    for (std::size_t at = 0; (at = part.find("@{")) != std::string::npos;) part[at + 1] = '_';
    if (part.empty()) part = "_";
    if (part.front() == '.') part.front() = '_';
    if (part.ends_with(".lock")) part[part.size() - 5] = '_';
    fixed += part;
    if (slash == name.size()) break;
    fixed += '/';
    name.remove_prefix(slash + 1);
  }
  if (fixed.back() == '.') fixed.back() = '_';
  return fixed;
}

}  // namespace

bool is_git_ref(std::string_view name) {
  if (!name.starts_with("refs/") || name.back() == '.' ||
      name.find("..") != std::string_view::npos || name.find("@{") != std::string_view::npos ||
      std::any_of(name.begin(), name.end(), is_refused_byte)) {
    return false;
  }
  while (true) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    if (!is_git_component(name.substr(0, slash))) return false;
    if (slash == name.size()) return true;
    name.remove_prefix(slash + 1);
  }
}

std::map<std::string, std::string> git_names(std::vector<std::string> refs) {
  const std::set<std::string> all(refs.begin(), refs.end());
  const auto is_fine = [&all](const std::string& name) {
    bool lies_in_a_ref = false;
    for (std::size_t slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
      lies_in_a_ref = lies_in_a_ref || all.contains(name.substr(0, slash));
    }
    return is_git_ref(name) && !lies_in_a_ref;
  };
  // Refs that can keep their names come first, before others take those.
  std::sort(refs.begin(), refs.end(), [&](const std::string& a, const std::string& b) {
    const bool a_is_fine = is_fine(a);
    const bool b_is_fine = is_fine(b);
    if (a_is_fine != b_is_fine) return a_is_fine;
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  std::map<std::string, std::string> names;
  std::set<std::string> taken;    // Names used as refs.
  std::set<std::string> folders;  // Folders of these refs.
  const auto is_free = [&](const std::string& name) {
    return !taken.contains(name) && !folders.contains(name);
  };
  for (const std::string& ref : refs) {
    std::string name = is_git_ref(ref) ? ref : repaired(ref);
    for (std::size_t slash = name.find('/', 5); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
      if (taken.contains(name.substr(0, slash))) name[slash] = '_';
    }
    const std::string wanted = name;
    for (int n = 2; !is_free(name); ++n) name = fmt::format("{}-{}", wanted, n);
    taken.insert(name);
    for (std::size_t slash = name.rfind('/'); slash != std::string::npos;
         slash = name.rfind('/', slash - 1)) {
      folders.insert(name.substr(0, slash));
    }
    names.emplace(ref, name);
  }
  return names;
}

}  // namespace spoor::cli::git
