#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/repository.h"
#include "import/names.h"

namespace spoor::import {

using store::Result;

/// Where an answer stands that its source gave a name.
struct Answer {
  store::Oid turn;  ///< its last one
  std::string ref;  ///< full name of the line
};

/// Which answers the lines of an importer hold: of the branches there are when it is first asked,
/// and of those it is told of. Kept over the sources of one run, so that each line is read once.
/// About 100 bytes an answer, and none until somebody asks. For one thread.
class Answers {
 public:
  /// The answer that its source calls `message_id`. Where several lines of `tool` hold it, it is
  /// the first one's, by name.
  Result<std::optional<Answer>> find(const graph::Repository& repository, const std::string& tool,
                                     std::string_view message_id);

  /// A branch that was made, or that grew. Nothing until `tool` was asked for.
  Result<void> add(const graph::Repository& repository, const std::string& tool,
                   const std::string& ref, const store::Oid& tip);

 private:
  struct Place {
    store::Oid turn;
    std::size_t ref = 0;
  };
  struct Lines {
    std::vector<std::string> refs;
    std::unordered_map<RecordKey, Place> places;  // By the answer's name.
  };
  static Result<void> read(const graph::Repository& repository, const std::string& ref,
                           const store::Oid& tip, Lines& lines);

  std::map<std::string, Lines> tools_;
};

}  // namespace spoor::import
