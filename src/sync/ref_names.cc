#include "sync/ref_names.h"

#include <fmt/format.h>

#include "base/text.h"
#include "store/operation.h"
#include "sync/journal.h"

namespace spoor::sync {

Result<std::string> name_objection(const store::Store& with, const std::string& ref) {
  constexpr std::size_t kShortest = 4;  // A hash written by its beginning.
  constexpr std::size_t kLongest = 64;
  std::string name;
  for (const std::string_view folder : {kHeads, kTags}) {
    if (ref.starts_with(folder)) name = ref.substr(folder.size());
  }
  if (name.empty()) return std::string();
  if (std::string problem = store::ref_name_problem(name); !problem.empty()) return problem;
  const std::string digits = lowered(name);
  const bool may_be_hash = name.size() >= kShortest && name.size() <= kLongest &&
                           digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (may_be_hash && !TRY(with.find(digits, store::Kind::commit, 1)).empty()) {
    return fmt::format("'{}' is also the beginning of a commit's hash", name);
  }
  return std::string();
}

}  // namespace spoor::sync
