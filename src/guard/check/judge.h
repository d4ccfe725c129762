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

/// Where the questions to models that judge, and their answers, are: turns behind each other.
constexpr const char* kJudgeRef = "refs/notes/judge";

/// Asks a model whether a rule was kept. A port.
class Judges {
 public:
  virtual ~Judges() = default;

  struct Answer {
    std::string text;
    std::optional<Oid> commit;  ///< of the answer, where it is recorded
  };

  /// `model` as JudgeRules has it.
  virtual Result<Answer> ask(const std::string& model, const std::string& system,
                             const std::string& question) = 0;
};

/// Models that are asked through llm::generate, so that each call is a turn, with its bundle, on
/// kJudgeRef. Of that chain a model is shown the system prompt and its question, and nothing else.
/// `open` gives the model of a name; it, the repository and `options` outlive this.
/// Code::conflict where somebody else's question came in between: nothing is judged then.
std::unique_ptr<Judges> make_judges(
    graph::Repository& repository,
    std::function<Result<llm::Candidate>(const std::string& model)> open,
    const llm::GenerateOptions& options);

/// A check by a model: it is told the rule and the event, and has to answer what read_reply_in()
/// reads. `judges` outlives it. The text that it judges is somebody's, and may try to persuade it:
/// a judge is no gate.
std::unique_ptr<Check> make_judge(const JudgeRules& rules, const Constraint& constraint,
                                  Judges& judges);

}  // namespace spoor::guard::check
