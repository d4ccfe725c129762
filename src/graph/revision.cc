#include "graph/revision.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "graph/asking.h"
#include "graph/reasoning.h"
#include "graph/search.h"
#include "store/ancestry.h"

namespace spoor::graph {

using compile::Extra;
using compile::extra_of;
using compile::kind_of;
using store::Commit;
using store::Oid;
using store::Type;

namespace {

using store::NamedCommit;

// Returns the newest commit of a history that `fits`, if any.
Result<std::optional<Oid>> newest(const store::Reader& reader, const std::vector<Oid>& tips,
                                  const std::function<Result<bool>(const Commit&)>& fits) {
  std::optional<Oid> found;
  std::optional<Error> failure;
  TRY(store::walk_history(reader, tips, [&](const NamedCommit& named) {
    const auto answer = fits(*named.commit);
    if (!answer) failure = answer.error();
    if (answer && answer.value()) found = named.oid;
    return !failure && !found;
  }));
  if (failure) return *failure;
  return found;
}

// Returns the tips of all branches and tags.
Result<std::vector<Oid>> all_tips(const store::Reader& reader) {
  std::vector<Oid> tips;
  for (const char* prefix : {"refs/heads/", "refs/tags/"}) {
    for (const store::Ref& ref : TRY(reader.store().refs(prefix))) {
      tips.push_back(TRY(reader.peel(ref.target)));
    }
  }
  return tips;
}

bool is_kind_word(std::string_view word) {
  return store::type_from(word) || (store::op_from(word) && word != "append");
}

class Finder {
 public:
  Finder(const store::Reader& reader, std::optional<Oid> head) : reader_(reader), head_(head) {}

  Result<Oid> by_name(std::string_view name) const {
    const std::string_view word = name.substr(name.find_first_of(":/") + 1);
    if (name.starts_with(":/")) {
      const std::string_view text = name.substr(2);
      return somewhere(fmt::format("no turn contains '{}'", text),
                       [this, text](const std::vector<Oid>& tips) { return say(tips, text); });
    }
    if (name.starts_with("type:")) return of_type(word);
    return somewhere(fmt::format("no tag named '{}', and no turn with that word", word),
                     [this, word](const std::vector<Oid>& tips) {
                       return newest(reader_, tips,
                                     [&](const Commit& commit) { return has_word(commit, word); });
                     });
  }

  Result<Oid> inside(const Oid& from, std::string_view word) const {
    if (word == "reasoning") return reasoning_before(from);
    if (word == "answer") return answer_after(from);
    if (word.starts_with('/') && word.size() > 1) {
      if (const auto found = TRY(say({from}, word.substr(1)))) return *found;
      return not_found(fmt::format("no turn up to {} contains '{}'", from.hex(12), word.substr(1)),
                       "the text is matched exactly; ':/TEXT' searches all branches");
    }
    return invalid(fmt::format("'^{{{}}}' is unknown", word),
                   "use ^{answer}, ^{reasoning} or ^{/TEXT}");
  }

 private:
  using Search = std::function<Result<std::optional<Oid>>(const std::vector<Oid>& tips)>;

  // Searches HEAD's history, then that of all branches and tags.
  Result<Oid> somewhere(std::string problem, const Search& search) const {
    if (head_) {
      if (const auto found = TRY(search({*head_}))) return *found;
    }
    if (const auto found = TRY(search(TRY(all_tips(reader_))))) return *found;
    return not_found(std::move(problem), "list all turns with 'spoor log --all'");
  }

  Result<std::optional<Oid>> say(const std::vector<Oid>& tips, std::string_view text) const {
    return search_newest(reader_, tips, text);
  }

  Result<Oid> of_type(std::string_view word) const {
    if (!is_kind_word(word)) {
      return invalid(fmt::format("unknown type '{}'", word),
                     "use user, assistant, reasoning, tool, edit or another type");
    }
    return somewhere(fmt::format("no turn of type {}", word),
                     [this, word](const std::vector<Oid>& tips) {
                       return newest(reader_, tips, [word](const Commit& commit) -> Result<bool> {
                         return kind_of(commit) == word;
                       });
                     });
  }

  Result<bool> has_word(const Commit& commit, std::string_view word) const {
    if (!commit.extra) return false;
    const Extra extra = TRY(extra_of(reader_, commit));
    return std::find(extra.tags.begin(), extra.tags.end(), word) != extra.tags.end();
  }

  // Returns the answer that makes the call of a tool result; any other turn unchanged.
  Result<Oid> answer_of_result(const Oid& from) const {
    const auto asking = TRY(asking_of(reader_, from));
    return asking ? asking->answer : from;
  }

  Result<Oid> reasoning_before(const Oid& turn) const {
    const Oid from = TRY(answer_of_result(turn));
    if (TRY(reader_.commit(from))->type == Type::reasoning) return from;
    const std::vector<Oid> run = TRY(reasoning_of(reader_, from));
    if (!run.empty()) return run.back();
    return not_found(fmt::format("no reasoning before {}", from.hex(12)),
                     "list reasoning with 'spoor log --type reasoning'");
  }

  Result<Oid> answer_after(const Oid& turn) const {
    const Oid from = TRY(answer_of_result(turn));
    const auto commit = TRY(reader_.commit(from));
    if (commit->type == Type::assistant) return from;
    if (commit->type != Type::reasoning) {
      return invalid(fmt::format("{} is not a reasoning turn", from.hex(12)),
                     "list reasoning with 'spoor log --type reasoning'");
    }
    if (head_) {
      if (const auto answer = TRY(answer_of(reader_, *head_, from))) return *answer;
    }
    std::vector<Oid> answers;
    for (const Oid& tip : TRY(all_tips(reader_))) {
      const auto answer = TRY(answer_of(reader_, tip, from));
      if (answer && std::find(answers.begin(), answers.end(), *answer) == answers.end()) {
        answers.push_back(*answer);
      }
    }
    if (answers.size() == 1) return answers.front();
    if (answers.empty()) {
      return not_found(fmt::format("no answer came after {}", from.hex(12)),
                       "the thought may be the last turn, or not on a branch");
    }
    std::string hint = "it could be";
    for (const Oid& answer : answers) hint += "\n  " + answer.hex(12);
    return ambiguous(fmt::format("{} led to {} answers", from.hex(12), answers.size()),
                     std::move(hint));
  }

  const store::Reader& reader_;
  std::optional<Oid> head_;
};

}  // namespace

store::RevisionContext with_insides(const store::Reader& reader, store::RevisionContext context) {
  const Finder finder(reader, context.head);
  context.find = [finder](std::string_view name) { return finder.by_name(name); };
  context.inside = [finder](const Oid& from, std::string_view word) {
    return finder.inside(from, word);
  };
  return context;
}

}  // namespace spoor::graph
