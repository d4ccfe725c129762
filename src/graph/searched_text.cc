#include "graph/searched_text.h"

#include <algorithm>

#include "graph/call_text.h"

namespace spoor::graph {

using compile::read_fields;
using store::Oid;
using store::Type;

namespace {

using Text = std::shared_ptr<const std::string>;

std::vector<ToolCall> calls_in(const std::string& fields) {
  // Most fields belong to a tool result and have no calls of their own.
  if (fields.find("\"tool_calls\"") == std::string::npos) return {};
  auto read = read_fields(fields);
  if (!read || !read->tool_calls) return {};
  return std::move(*read->tool_calls);
}

}  // namespace

bool SearchedText::says(std::string_view phrase) const {
  if (text && text->find(phrase) != std::string::npos) return true;
  return std::any_of(calls.begin(), calls.end(),
                     [phrase](const ToolCall& call) { return graph::says(call, phrase); });
}

bool is_searched(const Commit& commit, LookIn where) {
  if (commit.op == store::Op::annotate || commit.type == Type::config) return false;
  return commit.content || (where == LookIn::texts_and_calls && commit.fields);
}

Result<std::vector<SearchedText>> searched_texts(const store::Reader& reader,
                                                 std::span<const store::NamedCommit> commits,
                                                 LookIn where) {
  std::vector<Oid> names;
  for (const store::NamedCommit& named : commits) {
    if (named.commit->content) names.push_back(named.commit->content->oid);
    if (named.commit->fields && where == LookIn::texts_and_calls) {
      names.push_back(*named.commit->fields);
    }
  }
  const std::vector<Text> texts = TRY(reader.stored_contents(names, store::Reader::Keep::nothing));
  std::vector<SearchedText> all(commits.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < commits.size(); ++i) {
    if (commits[i].commit->content) all[i].text = texts[next++];
    if (commits[i].commit->fields && where == LookIn::texts_and_calls) {
      if (const Text& fields = texts[next++]) all[i].calls = calls_in(*fields);
    }
  }
  return all;
}

}  // namespace spoor::graph
