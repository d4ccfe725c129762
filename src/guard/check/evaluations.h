#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/repository.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

using store::Oid;

/// Where judgements are: notes behind each other, of which none is ever changed or taken away.
constexpr const char* kEvaluationRef = "refs/notes/evaluation";

/// The name that a person's own judgement has among results.
constexpr const char* kPerson = "person";

/// One judgement of one commit: what checks found, or what a person said.
struct Judgement {
  Oid commit;  ///< that is judged
  std::vector<CheckResult> results;
  bool is_persons = false;   ///< one result, of the check `person`
  bool is_override = false;  ///< a person's: it takes the place of all before it

  // Of one that was read:
  Oid note;
  std::string author;
  std::optional<Timestamp> time;
};

/// What a person says of a commit. `words` may be empty.
Judgement persons_judgement(const Oid& commit, CheckStatus status, std::string words,
                            bool is_override);

/// Writes judgements as notes of type `evaluation` on kEvaluationRef, each `about` its commit and,
/// where a model was asked, about its answer; all in one transaction, by `command`. Gives the notes
/// in their order. Code::not_found for a commit that there is not, Code::invalid
/// for one that is a judgement.
Result<std::vector<Oid>> record(graph::Repository& repository,
                                const std::vector<Judgement>& judgements, std::string_view command);

/// All judgements by the commit that they are of, each list oldest first. One walk of the chain,
/// and one read of its contents. One that was erased, or of which only a commitment is kept, has
/// the results that its meta tells, and no violations.
Result<std::map<Oid, std::vector<Judgement>>> read_evaluations(const graph::Repository& repository);

/// Do two judgements have the same results, by the same?
bool says_the_same(const Judgement& a, const Judgement& b);

/// What judgements of a commit come to, in their order: of each check its newest result counts; a
/// person's overriding word takes the place of all that came before it. Format, scope, style and
/// other constraints are alignment, as are persons; quality is quality, safety is policy.
Evaluation evaluation_of(const std::vector<Judgement>& judgements);

/// The same, of results alone.
Evaluation evaluation_of_results(const std::vector<CheckResult>& results);

/// The worst of results; `unknown` of none.
CheckStatus status_of(const std::vector<CheckResult>& results);

}  // namespace spoor::guard::check
