#pragma once

#include <map>
#include <memory>
#include <string>

#include "attempts/verdict.h"
#include "cli/models/open_model.h"
#include "cli/session.h"

namespace spoor::cli {

/// Judges attempts: runs test commands, compares texts, asks judge models. Records each judgement
/// as a note when it is made. For one thread.
class Judging {
 public:
  Judging(Session& session, Workspace& workspace);
  ~Judging();

  /// Judges an attempt that ended, by all that `expects` asks for. `folder`: where its test runs.
  /// Adds the judgements to `known`, which has the earlier ones, and returns the verdict.
  Result<attempts::Verdict> judge(const attempts::Tree& tree, const attempts::Attempt& attempt,
                                  const attempts::Expectation& expects, const std::string& folder,
                                  attempts::Judgements& known);

 private:
  Result<attempts::TestEnd> run_test(const attempts::Attempt& attempt, const std::string& command,
                                     const std::string& answer, const std::string& folder);
  Result<attempts::Judgement> check(const attempts::Attempt& attempt,
                                    const attempts::Expectation& expects,
                                    const std::string& folder);
  Result<llm::Candidate> open(const std::string& name);
  guard::check::Judges& judges();

  Session& session_;
  Workspace& workspace_;
  std::map<std::string, std::unique_ptr<OpenModel>> models_;
  const llm::GenerateOptions options_;
  std::unique_ptr<guard::check::Judges> judges_;
};

}  // namespace spoor::cli
