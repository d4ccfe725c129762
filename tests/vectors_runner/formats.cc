#include "tests/vectors_runner/formats.h"

#include <array>
#include <fstream>

namespace spoor::vectors {

std::span<const Format* const> formats() {
  static constexpr std::array kFormats = {
      &kGraphFormat,
      &kPlannerFormat,
      &kRationaleFormat,
  };
  return kFormats;
}

std::vector<AnyVector> read_file(const std::string& path, const Reading& how) {
  std::ifstream in(path, std::ios::binary);
  if (!in.good()) throw BadVector(path + ": cannot be read");
  const Json file = Json::parse(in, nullptr, false);
  if (file.is_discarded()) throw BadVector(path + ": is no JSON");
  const Json name = file.is_object() ? file.value("format", Json()) : Json();
  for (const Format* format : formats()) {
    if (name == format->name) return format->read(file, path, how);
  }
  throw BadVector(path + ": unknown format " + shown(name));
}

}  // namespace spoor::vectors
