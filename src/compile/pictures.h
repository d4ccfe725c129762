#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "store/commit.h"

namespace spoor::compile {

inline bool is_picture(const store::Content& content) {
  return content.media_type.starts_with("image/");
}

/// The pictures among what is attached to a turn, in their order. Null: nothing is attached.
inline std::vector<store::Content> pictures_in(const std::vector<store::Content>* attached) {
  std::vector<store::Content> pictures;
  if (attached == nullptr) return pictures;
  std::copy_if(attached->begin(), attached->end(), std::back_inserter(pictures), is_picture);
  return pictures;
}

/// What stands for a picture where only texts can: `[image/png 731ad7bd]`, its type as stored.
inline std::string picture_mark(const store::Content& picture) {
  return "[" + picture.media_type + " " + picture.oid.hex(8) + "]";
}

}  // namespace spoor::compile
