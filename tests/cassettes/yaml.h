#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cassettes {

struct YamlMember;

/// A node of a YAML document. A mapping keeps its keys (as texts) in order.
struct Yaml {
  enum class Kind { none, scalar, sequence, mapping };

  Kind kind = Kind::none;
  std::string text;                 ///< of a scalar; of one tagged `!!binary` the decoded bytes
  bool is_plain = false;            ///< a scalar without quotes: may be a number, a boolean or null
  bool is_binary = false;           ///< it was tagged `!!binary`
  std::vector<Yaml> items;          ///< of a sequence
  std::vector<YamlMember> members;  ///< of a mapping

  /// The value of `key`; a node of kind `none` if there is none.
  const Yaml& find(std::string_view key) const;
};

struct YamlMember {
  std::string key;
  Yaml value;
};

/// The first document of `text`. Throws std::runtime_error where libyaml finds it wrong.
Yaml read_yaml(std::string_view text);

/// The node as JSON: plain scalars that look like JSON's words and numbers are such.
std::string to_json(const Yaml& node);

}  // namespace cassettes
