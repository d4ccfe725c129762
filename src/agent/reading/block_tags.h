#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spoor::agent::reading {

/// A tag in the text of a model: `<name a="b">` or `</name>`, in any case.
struct Tag {
  std::size_t begin = 0;  ///< of its `<`
  std::size_t end = 0;    ///< behind its `>`
  bool is_closing = false;
  bool is_cut = false;          ///< it opens, and the text ends within it
  std::string_view attributes;  ///< what stands behind the name of an opening tag
};

/// The first tag called `name` (lower case) at or behind `from`. `<names>` is another one. Neither
/// `<` nor `>` stands in a tag; a closing one may lack its `>`, an opening one only at the end of
/// the text.
std::optional<Tag> find_tag(std::string_view text, std::string_view name, std::size_t from);

/// The value of an attribute (`name` in lower case), the first if there are several, without quotes
/// and without white space around it: quoted, bare, or empty where there is none. Nothing when the
/// tag has no such attribute.
std::optional<std::string> attribute(const Tag& tag, std::string_view name);

}  // namespace spoor::agent::reading
