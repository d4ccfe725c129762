#include "import/answers.h"

#include <utility>

namespace spoor::import {

using graph::Repository;
using store::Oid;

Result<std::optional<Answer>> Answers::find(const Repository& repository, const std::string& tool,
                                            std::string_view message_id) {
  auto known = tools_.find(tool);
  if (known == tools_.end()) {
    Lines all;
    for (const store::Ref& ref : TRY(repository.store().refs(store::branch_ref(tool + "/")))) {
      TRY(read(repository, ref.name, ref.target, all));
    }
    known = tools_.emplace(tool, std::move(all)).first;
  }
  const Lines& lines = known->second;
  const auto found = lines.places.find(RecordKey::of(message_id));
  if (found == lines.places.end()) return std::optional<Answer>();
  return std::optional<Answer>(Answer{found->second.turn, lines.refs[found->second.ref]});
}

Result<void> Answers::add(const Repository& repository, const std::string& tool,
                          const std::string& ref, const Oid& tip) {
  const auto lines = tools_.find(tool);
  if (lines == tools_.end()) return {};
  return read(repository, ref, tip, lines->second);
}

/// Reads a line down to an answer that is known: what stands before that was read with it.
Result<void> Answers::read(const Repository& repository, const std::string& ref, const Oid& tip,
                           Lines& lines) {
  std::unordered_map<RecordKey, Oid> last;  // Turns of the answers that were come across.
  bool is_named = false;
  for (std::optional<Oid> at = tip; at;) {
    const auto commit = TRY(repository.reader().commit(*at));
    if (const std::string name = compile::message_id_of(*commit); !name.empty()) {
      const RecordKey key = RecordKey::of(name);
      const Oid turn = last.try_emplace(key, *at).first->second;
      const auto known = lines.places.find(key);
      if (known == lines.places.end()) {
        if (!std::exchange(is_named, true)) lines.refs.push_back(ref);
        lines.places.emplace(key, Place{turn, lines.refs.size() - 1});
      } else if (known->second.turn == *at) {
        if (turn == *at) return {};
        if (!std::exchange(is_named, true))
          lines.refs.push_back(ref);  // It has grown, on this line.
        known->second = Place{turn, lines.refs.size() - 1};
        return {};
      }
    }
    at = commit->parents.empty() ? std::nullopt : std::optional<Oid>(commit->parents.front());
  }
  return {};
}

}  // namespace spoor::import
