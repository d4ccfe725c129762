#include "tests/vectors_runner/fields.h"

namespace spoor::vectors {

void require(bool claim, const std::string& problem) {
  if (!claim) throw BadVector(problem);
}

void check_keys(const Json& object, const Names& required, const Names& optional,
                const std::string& where) {
  require(object.is_object(), where + " is no object");
  for (const std::string& key : required) {
    require(object.contains(key), where + " lacks '" + key + "'");
  }
  for (const auto& [key, value] : object.items()) {
    require(required.contains(key) || optional.contains(key),
            where + " has an unknown field '" + key + "'");
  }
}

}  // namespace spoor::vectors
