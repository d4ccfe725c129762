#include "graph/reasoning.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include <fmt/format.h>

#include "store/ancestry.h"

namespace spoor::graph {

using compile::Fields;
using compile::is_bookkeeping;
using compile::message_id_of;
using compile::read_fields;
using compile::ToolCall;
using store::Commit;
using store::Type;

Result<std::vector<Oid>> reasoning_of(const store::Reader& reader, const Oid& answer) {
  const auto commit = TRY(reader.commit(answer));
  if (commit->type != Type::assistant) {
    return invalid(fmt::format("{} is not an assistant commit", answer.hex(12)),
                   "find an answer with 'spoor log --type assistant'");
  }
  // Results of its own calls may be between the records of a message (message_numbers.h). Before
  // such a result, only records of the same message belong to the answer, once its call is found.
  const std::string message = message_id_of(*commit);
  bool is_apart = false;
  std::unordered_set<std::string> open;  // Results passed whose call is not yet found.
  std::vector<Oid> run;
  std::vector<Oid> behind_open;
  std::optional<Error> failure;
  const auto visit = [&](const store::NamedCommit& named) -> Result<bool> {
    const Commit& at = *named.commit;
    if (named.oid == answer || is_bookkeeping(at)) return true;
    const bool is_same = !message.empty() && message_id_of(at) == message;
    if (at.type == Type::reasoning && (is_same || !is_apart)) {
      (open.empty() ? run : behind_open).push_back(named.oid);
      return true;
    }
    is_apart = true;
    if (message.empty() || (!is_same && at.type != Type::tool)) return false;
    const Fields fields = at.fields ? TRY(read_fields(*TRY(reader.content(*at.fields)))) : Fields();
    if (at.type == Type::tool) {
      open.insert(fields.call_id);
    } else if (fields.tool_calls) {
      for (const ToolCall& call : *fields.tool_calls) open.erase(call.id);
    }
    if (open.empty()) run.insert(run.end(), behind_open.begin(), behind_open.end());
    if (open.empty()) behind_open.clear();
    return true;
  };
  TRY(reader.run(answer, std::numeric_limits<std::size_t>::max(),
                 [&](const store::NamedCommit& named) {
                   const auto goes_on = visit(named);
                   if (!goes_on) failure = goes_on.error();
                   return goes_on && *goes_on;
                 }));
  if (failure) return *failure;
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

}  // namespace spoor::graph
