#include "compile/search.h"

#include <algorithm>
#include <span>

#include "store/ancestry.h"

namespace spoor::compile {
namespace {

constexpr std::size_t kBatch = 256;  // Texts read with one call to the store.

bool has_text(const Commit& commit) {
  return commit.content && commit.op != store::Op::annotate && commit.type != Type::config;
}

}  // namespace

Result<std::vector<Oid>> search(const store::Reader& reader, const std::vector<Oid>& tips,
                                std::string_view needle) {
  std::vector<Oid> commits;
  std::vector<Oid> contents;
  TRY(store::walk_history(reader, tips, [&](const store::NamedCommit& named) {
    if (has_text(*named.commit)) {
      commits.push_back(named.oid);
      contents.push_back(named.commit->content->oid);
    }
    return true;
  }));

  std::vector<Oid> found;
  for (std::size_t from = 0; from < contents.size(); from += kBatch) {
    const std::size_t count = std::min(kBatch, contents.size() - from);
    const auto texts = TRY(reader.contents(std::span(contents).subspan(from, count)));
    for (std::size_t i = 0; i < count; ++i) {
      if (texts[i]->find(needle) != std::string::npos) found.push_back(commits[from + i]);
    }
  }
  return found;
}

}  // namespace spoor::compile
