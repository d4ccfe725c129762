#include "tests/vectors_runner/formats.h"

#include <array>
#include <fstream>

#include "tests/vectors_runner/fields.h"

namespace spoor::vectors {

std::span<const Format* const> formats() {
  static constexpr std::array kFormats = {
      &kGraphFormat,
      &kPlannerFormat,
      &kRationaleFormat,
  };
  return kFormats;
}

std::vector<AnyVector> read_each(const Json& file, const std::string& where, const Reading& how,
                                 AnyVector (*read)(const Json& vector)) {
  require(!how.rename, where + ": its vectors bind no names");
  check_keys(file, {"format", "area", "vectors"}, {}, where);
  std::vector<AnyVector> all;
  for (const Json& json : file["vectors"]) {
    try {
      all.push_back(read(json));
    } catch (const BadVector& problem) {
      const Json name = json.is_object() ? json.value("name", Json()) : Json();
      throw BadVector(where + ": " + shown(name) + ": " + problem.what());
    }
  }
  return all;
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
