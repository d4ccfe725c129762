#include "compile/reasoning.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "store/ancestry.h"

namespace spoor::compile {

Result<std::vector<Oid>> reasoning_of(const store::Reader& reader, const Oid& answer) {
  const auto commit = TRY(reader.commit(answer));
  if (commit->type != Type::assistant) {
    return store::invalid(fmt::format("{} is no assistant commit", answer.hex(12)),
                          "find an answer with 'spoor log --type assistant'");
  }
  // Of a message that came in several records, results may stand between them; behind
  // such a one only what is of the same message belongs to the answer.
  const std::string message = message_id_of(*commit);
  bool is_apart = false;
  std::vector<Oid> run;
  TRY(reader.run(answer, std::numeric_limits<std::size_t>::max(),
                 [&](const store::NamedCommit& named) {
                   const Commit& at = *named.commit;
                   if (named.oid == answer || is_bookkeeping(at)) return true;
                   const bool is_same = !message.empty() && message_id_of(at) == message;
                   if (at.type == Type::reasoning && (is_same || !is_apart)) {
                     run.push_back(named.oid);
                     return true;
                   }
                   is_apart = true;
                   return is_same || (!message.empty() && at.type == Type::tool);
                 }));
  std::reverse(run.begin(), run.end());
  return run;
}

Result<std::optional<Oid>> answer_of(const store::Reader& reader, const Oid& tip,
                                     const Oid& reasoning) {
  if (!TRY(store::is_on_line(reader, reasoning, tip))) return std::optional<Oid>();
  const std::uint64_t end = TRY(reader.commit(tip))->depth;
  for (std::uint64_t next = TRY(reader.commit(reasoning))->depth + 1; next <= end; ++next) {
    const Oid oid = TRY(store::ancestor_at(reader, tip, next));
    const auto commit = TRY(reader.commit(oid));
    if (commit->type == Type::assistant && commit->op == store::Op::append) {
      return std::optional(oid);
    }
    if (!is_bookkeeping(*commit) && commit->type != Type::reasoning) break;
  }
  return std::optional<Oid>();
}

}  // namespace spoor::compile
