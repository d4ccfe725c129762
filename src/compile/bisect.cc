#include "compile/bisect.h"

#include <fmt/format.h>

#include "store/ancestry.h"

namespace spoor::compile {

Result<Bisected> bisect(const Repository& repository, const Oid& good, const Oid& bad,
                        const std::function<bool(const Prompt&)>& is_bad) {
  const store::Reader& reader = repository.reader();
  std::uint64_t last_good = TRY(reader.commit(good))->depth;
  std::uint64_t first_bad = TRY(reader.commit(bad))->depth;
  if (last_good >= first_bad || TRY(store::ancestor_at(reader, bad, last_good)) != good) {
    return store::invalid(fmt::format("{} does not lie before {}", good.hex(12), bad.hex(12)),
                          "give an older commit as good, a newer one of its line as bad");
  }
  Bisected result{bad, 0};
  while (first_bad - last_good > 1) {
    const std::uint64_t middle = last_good + (first_bad - last_good) / 2;
    const Oid candidate = TRY(store::ancestor_at(reader, bad, middle));
    ++result.tests;
    if (is_bad(TRY(repository.compile(candidate)))) {
      first_bad = middle;
      result.first = candidate;
    } else {
      last_good = middle;
    }
  }
  return result;
}

}  // namespace spoor::compile
