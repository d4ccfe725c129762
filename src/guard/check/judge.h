#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "graph/repository.h"
#include "guard/check/check.h"
#include "guard/check/constraints.h"
#include "llm/generate.h"

namespace spoor::guard::check {

using store::Oid;

/// The ref of the questions to models that judge, and of their answers: a chain of turns.
constexpr const char* kJudgeRef = "refs/notes/judge";

/// Asks a model whether a rule was kept. A port.
class Judges {
 public:
  virtual ~Judges() = default;

  struct Answer {
    std::string text;
    std::optional<Oid> commit;  ///< of the answer, if it is recorded
  };

  /// Asks `model`, in the form of JudgeRules.
  virtual Result<Answer> ask(const std::string& model, const std::string& system,
                             const std::string& question) = 0;
};

/// Returns models that are asked through llm::generate, so that each call is a turn, with its
/// bundle, on kJudgeRef. From that chain a model sees only the system prompt and its question.
/// `open` returns the model of a name; it, the repository and `options` must outlive the result.
/// ask() returns Code::conflict if another writer's question came in between; then nothing is
/// judged.
std::unique_ptr<Judges> make_judges(
    graph::Repository& repository,
    std::function<Result<llm::Candidate>(const std::string& model)> open,
    const llm::GenerateOptions& options);

/// Returns a check by a model, which gets the rule and the event and must answer in the form of
/// read_reply_in(). `judges` must outlive the check. The judged text may try to persuade the model:
/// a judge is not a gate.
std::unique_ptr<Check> make_judge(const JudgeRules& rules, const Constraint& constraint,
                                  Judges& judges);

}  // namespace spoor::guard::check
