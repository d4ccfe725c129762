#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::agent::project {

/// A text file with fields before its body, as skills and descriptions of agents have them: a first
/// line `---`, fields, and a line `---`. A value.
///
/// The fields are the part of YAML that such files use: `key: value` with plain or quoted values,
/// `[a, b]`, lists of `- value` lines, and texts after `|` or `>`. Other lines are skipped.
struct Frontmatter {
  std::map<std::string, std::vector<std::string>> fields;  ///< a single value is a list of one
  std::string body;                                        ///< the text after the fields

  /// Returns a field as one text; empty if there is none.
  std::string text(const std::string& key) const;

  /// Returns a field as a list; a single text is split at commas. Nullopt if there is none.
  std::optional<std::vector<std::string>> list(const std::string& key) const;
};

/// Parses a file. Without a first line `---` all of it is the body.
Frontmatter parse_frontmatter(std::string_view file);

}  // namespace spoor::agent::project
