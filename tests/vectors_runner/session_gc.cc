#include "tests/vectors_runner/session.h"

namespace spoor::vectors {

Result<Json> Session::gc(const Json& op) {
  constexpr std::int64_t kThirtyDays = 30LL * 24 * 60 * 60;
  const std::int64_t seconds =
      op.contains("retention_s") ? op["retention_s"].get<std::int64_t>() : kThirtyDays;
  store::GcOptions options;
  options.keep_since = {clock_->now().micros - seconds * 1'000'000};
  options.actor = repository_->author();
  options.roots = [this]() -> Result<std::vector<store::Oid>> {
    std::vector<store::Oid> roots;
    if (const auto head = TRY(this->head())) roots.push_back(*head);
    return roots;
  };
  const auto garbage = TRY(repository_->gc(options));
  return Json{{"removed", garbage.commits.size()}};
}

}  // namespace spoor::vectors
