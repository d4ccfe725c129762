#include "tests/vectors_runner/format.h"
#include "tests/vectors_runner/formats.h"
#include "tests/vectors_runner/play.h"
#include "tests/vectors_runner/rename.h"

namespace spoor::vectors {
namespace {

std::vector<AnyVector> read_graph(const Json& file, const std::string& where, const Reading& how) {
  std::vector<AnyVector> all;
  for (Vector& vector : parse_vectors(file, where)) {
    if (how.rename) vector = renamed(vector);
    const std::string name = vector.name;
    all.push_back({.name = name,
                   .needs_store = true,
                   .play = [vector = std::move(vector)](testing::Backend* backend) {
                     return play(*backend, vector);
                   }});
  }
  return all;
}

}  // namespace

const Format kGraphFormat{"spoor-graph-1", read_graph};

}  // namespace spoor::vectors
