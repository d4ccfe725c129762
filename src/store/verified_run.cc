#include "store/verified_run.h"

#include <fmt/format.h>

namespace spoor::store {

Result<std::size_t> verified_run(const Store& store, const Oid& from, std::size_t count,
                                 const Reader::Visitor& visit) {
  std::optional<Error> problem;
  std::size_t seen = 0;
  TRY(store.run(from, count, false, [&](const Store::RunStep& step) {
    if (object_name(Kind::commit, step.body) != step.oid) {
      problem = corrupt(
          fmt::format("the stored bytes of commit {} do not match their name", step.oid.hex(12)),
          "see 'spoor fsck'");
      return false;
    }
    auto parsed = parse_commit(step.body);
    if (!parsed) {
      problem = std::move(parsed).error();
      return false;
    }
    ++seen;
    return visit({step.oid, std::make_shared<const Commit>(std::move(parsed).value())});
  }));
  if (problem) return *problem;
  return seen;
}

}  // namespace spoor::store
