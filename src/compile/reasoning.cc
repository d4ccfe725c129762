#include "compile/reasoning.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace spoor::compile {

Result<std::vector<Oid>> reasoning_of(const store::Reader& reader, const Oid& answer) {
  if (TRY(reader.commit(answer))->type != Type::assistant) {
    return store::invalid(fmt::format("{} is no assistant commit", answer.hex(12)),
                          "find an answer with 'spoor log --type assistant'");
  }
  std::vector<Oid> run;
  TRY(reader.run(answer, std::numeric_limits<std::size_t>::max(),
                 [&](const store::NamedCommit& named) {
                   if (named.oid == answer || is_bookkeeping(*named.commit)) return true;
                   if (named.commit->type != Type::reasoning) return false;
                   run.push_back(named.oid);
                   return true;
                 }));
  std::reverse(run.begin(), run.end());
  return run;
}

}  // namespace spoor::compile
