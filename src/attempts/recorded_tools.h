#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/planner.h"
#include "attempts/plan.h"
#include "graph/repository.h"

namespace spoor::attempts {

/// The results of the calls on a history, by tool and canonical arguments. Results of calls that
/// were refused, or whose effect is unknown, are left out.
struct RecordedResults {
  using Call = std::pair<std::string, std::string>;
  std::map<Call, std::vector<Oid>> after;  ///< after the fork, in their order
  std::map<Call, Oid> before;              ///< the last one before it
};

/// Reads the results of the history up to `line`, which forks at `base`.
Result<RecordedResults> recorded_results(const graph::Repository& repository, const Oid& base,
                                         const Oid& line);

/// Returns a definition of each tool that a history calls, as far as its calls show it: the names
/// and types of the arguments. For histories that do not record the definitions.
Result<std::vector<agent::ToolDefinition>> tools_called(const graph::Repository& repository,
                                                        const Oid& line);

/// Answers the calls of one attempt without running a tool: with recorded results, or with
/// refusals. The n-th identical call gets the n-th result that was recorded after the fork; a call
/// that was made only before the fork gets the last result from there.
///
/// For one run, in one process; a resumed run counts the calls of its earlier processes, too.
class RecordedTools final : public agent::Gate {
 public:
  /// `repository` and `results` must outlive this.
  RecordedTools(const graph::Repository& repository, const RecordedResults& results,
                Answers answers);

  /// Makes the tools that the attempt is offered. They call this.
  Result<void> make(const std::vector<agent::ToolDefinition>& tools, agent::Registry& registry);

  Verdict before(const agent::Tool& tool, std::string_view arguments) override;
  void after(std::string_view tool, std::string_view arguments,
             const agent::ToolResult& result) override;

  /// Returns the end of the attempt once a call had no recorded result: RunOptions::until.
  std::optional<agent::Stop> stop() const;

 private:
  agent::ToolResult answer(const std::string& tool, std::string_view arguments);

  const graph::Repository& repository_;
  const RecordedResults& results_;
  Answers answers_;
  std::map<RecordedResults::Call, std::size_t> used_;  // Calls with a result so far.
  bool has_left_ = false;
};

}  // namespace spoor::attempts
