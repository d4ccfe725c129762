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

/// Returns the pictures among a turn's attachments, in order. Null: no attachments.
inline std::vector<store::Content> pictures_in(const std::vector<store::Content>* attached) {
  std::vector<store::Content> pictures;
  if (attached == nullptr) return pictures;
  std::copy_if(attached->begin(), attached->end(), std::back_inserter(pictures), is_picture);
  return pictures;
}

/// Returns the text that represents a picture in plain text: `[image/png 731ad7bd]`, with the
/// stored type.
inline std::string picture_mark(const store::Content& picture) {
  return "[" + picture.media_type + " " + picture.oid.hex(8) + "]";
}

}  // namespace spoor::compile
