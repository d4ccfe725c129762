#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/repository.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

using store::Oid;

/// The ref of judgements: a chain of notes, which are never changed or removed.
constexpr const char* kEvaluationRef = "refs/notes/evaluation";

/// The check name of a person's own judgement among results.
constexpr const char* kPerson = "person";

/// One judgement of one commit, by checks or by a person.
struct Judgement {
  Oid commit;  ///< the judged commit
  std::vector<CheckResult> results;
  bool is_persons = false;   ///< one result, of the check `person`
  bool is_override = false;  ///< by a person: it replaces all before it

  // Only in judgements that were read:
  Oid note;
  std::string author;
  std::optional<Timestamp> time;
};

/// Returns a person's judgement of a commit. `words` may be empty.
Judgement persons_judgement(const Oid& commit, CheckStatus status, std::string words,
                            bool is_override);

/// Writes judgements as notes of type `evaluation` on kEvaluationRef, each `about` its commit and,
/// if a model was asked, about its answer; all in one transaction, by `command`. Returns the notes
/// in their order. Returns Code::not_found for a commit that does not exist, Code::invalid for a
/// commit that is a judgement.
Result<std::vector<Oid>> record(graph::Repository& repository,
                                const std::vector<Judgement>& judgements, std::string_view command);

/// Returns all judgements by their commit, each list oldest first. Walks the chain once and reads
/// its contents once. A judgement that was erased, or kept only as a commitment, has the results in
/// its meta and no violations.
Result<std::map<Oid, std::vector<Judgement>>> read_evaluations(const graph::Repository& repository);

/// Returns true if two judgements have the same results, from the same checks.
bool says_the_same(const Judgement& a, const Judgement& b);

/// Returns the results that count: the newest of each check. A person's override replaces all
/// results before it. `judgements` are in their order.
std::vector<CheckResult> in_force(const std::vector<Judgement>& judgements);

/// Combines the judgements of a commit, in their order: the newest result of each check counts, and
/// a person's override replaces everything before it. Format, scope, style, other constraints and
/// persons count as alignment, quality as quality, safety as policy.
Evaluation evaluation_of(const std::vector<Judgement>& judgements);

/// Combines results in the same way.
Evaluation evaluation_of_results(const std::vector<CheckResult>& results);

/// Returns the worst of the statuses; `unknown` if there are none.
CheckStatus status_of(const std::vector<CheckResult>& results);

}  // namespace spoor::guard::check
