#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/vectors_runner/json.h"

namespace spoor::vectors {

/// One vector of a file.
struct Vector {
  std::string name;
  Json ops;
  Json expect;
};

/// Reads the vectors of a file of format `spoor-graph-1`; `where` names it in messages. Throws
/// BadVector when it is none, or when any of it is not in the format: an unknown op, field,
/// expectation key or suffix is an error, not something to pass over.
std::vector<Vector> parse_vectors(const Json& file, const std::string& where);

/// Does this field of an op hold revisions, in which references are replaced?
bool takes_references(const Json& op, std::string_view field);

/// `entries[0].parent` as its steps: a field is a string, an index a number.
/// Throws BadVector when it is no such path.
std::vector<Json> parse_path(std::string_view path);

/// An expectation's key taken apart.
struct Key {
  std::string path;    ///< `c.contents`, `head`, `exists.$x`
  std::string suffix;  ///< empty: equal
};

/// Splits a known suffix off; the path is not looked at.
Key parse_key(const std::string& key);

}  // namespace spoor::vectors
