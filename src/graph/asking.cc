#include "graph/asking.h"

#include <vector>

#include "graph/searched_text.h"

namespace spoor::graph {

Result<std::optional<Asking>> asking_of(const store::Reader& reader, const store::Oid& result) {
  constexpr std::size_t kMostTurns = 200;
  using Found = std::optional<Asking>;
  const auto commit = TRY(reader.commit(result));
  if (commit->type != store::Type::tool || !commit->fields) return Found();
  const auto fields = TRY(reader.contents(std::span(&*commit->fields, 1))).front();
  if (fields == nullptr) return Found();
  const std::string id = TRY(compile::read_fields(*fields)).call_id;
  if (id.empty()) return Found();
  std::vector<store::NamedCommit> answers;
  TRY(reader.run(result, kMostTurns, [&](const store::NamedCommit& each) {
    if (each.commit->type == store::Type::assistant) answers.push_back(each);
    return true;
  }));
  for (const store::NamedCommit& answer : answers) {
    const std::vector<SearchedText> said = TRY(searched_texts(reader, std::span(&answer, 1)));
    for (const ToolCall& call : said.front().calls) {
      if (call.id == id) return Found(Asking{answer.oid, call});
    }
  }
  return Found();
}

}  // namespace spoor::graph
