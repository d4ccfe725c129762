#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spoor::agent::reading {

/// A tag in the text of a model: `<name a="b">` or `</name>`, in any case.
struct Tag {
  std::size_t begin = 0;  ///< position of its `<`
  std::size_t end = 0;    ///< position after its `>`
  bool is_closing = false;
  bool is_cut = false;          ///< an opening tag that the end of the text cuts off
  std::string_view attributes;  ///< the text after the name of an opening tag
};

/// Finds the first tag `name` (lower case) at or after `from`. `<names>` is a different tag. A tag
/// contains neither `<` nor `>`. A closing tag may lack its `>`; an opening tag may lack it only at
/// the end of the text.
std::optional<Tag> find_tag(std::string_view text, std::string_view name, std::size_t from);

/// Returns the value of an attribute (`name` in lower case), without quotes and surrounding white
/// space; the first if there are several. The value may be quoted, bare or missing (empty). Returns
/// nullopt if the tag does not have the attribute.
std::optional<std::string> attribute(const Tag& tag, std::string_view name);

}  // namespace spoor::agent::reading
