#include "compile/entry_part.h"

#include <utility>

namespace spoor::compile {

std::string_view role_of(const Entry& entry) {
  if (entry.type == Type::system && entry.fields && entry.fields->role == "developer") {
    return "developer";
  }
  return role_of(entry.type);
}

Part part_of(const Entry& entry, std::shared_ptr<const std::string> text) {
  return {.commit = entry.commit,
          .type = entry.type,
          .priority = entry.priority,
          .is_explicit = entry.is_explicit,
          .is_edited = entry.is_edited,
          .content = entry.content,
          .text = std::move(text),
          .fields = entry.fields,
          .raw = entry.is_edited ? nullptr : entry.raw,
          .attach = entry.attach,
          .tokens = 0};
}

}  // namespace spoor::compile
