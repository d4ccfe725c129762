#include "import/data_url.h"

#include <string>

#include "compile/base64.h"
#include "store/commit.h"

namespace spoor::import {

std::optional<compile::Item> picture_in(std::string_view data_url) {
  constexpr std::string_view kScheme = "data:";
  constexpr std::string_view kBase64 = ";base64,";
  if (!data_url.starts_with(kScheme)) return std::nullopt;
  data_url.remove_prefix(kScheme.size());
  const std::size_t end = data_url.find(kBase64);
  if (end == std::string_view::npos) return std::nullopt;
  return picture_of(data_url.substr(0, end), data_url.substr(end + kBase64.size()));
}

std::optional<compile::Item> picture_of(std::string_view media_type, std::string_view base64) {
  if (!media_type.starts_with("image/") || !store::is_media_type(media_type)) return std::nullopt;
  auto bytes = compile::decode_base64(base64);
  if (!bytes) return std::nullopt;
  return compile::Item{std::move(*bytes), std::string(media_type)};
}

}  // namespace spoor::import
