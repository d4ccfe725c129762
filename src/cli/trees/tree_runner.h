#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/planner.h"
#include "attempts/recorded_tools.h"
#include "attempts/tree.h"
#include "cli/agents/agent_setup.h"
#include "cli/session.h"
#include "cli/trees/judging.h"
#include "llm/price.h"

namespace spoor::cli {

/// Runs and judges the attempts of one tree; see run_tree(). For one thread, which starts others.
class TreeRunner {
 public:
  TreeRunner(Session& session, Workspace& workspace, const attempts::Tree& tree,
             const attempts::Limits& limits, const llm::PriceList& prices);
  ~TreeRunner();

  /// Runs what is due, `parallel` attempts at a time. With more than one, a line is printed for
  /// each attempt that has ended, and a call that needs approval waits.
  Result<void> run(std::size_t parallel);

  /// Judges the ended attempts. `again`: also those that were judged before. Returns how many.
  Result<std::size_t> judge_all(const attempts::Expectation& expects, bool again);

 private:
  struct Job;
  class Ledger;

  Result<void> read_attempts();
  Result<std::unique_ptr<Job>> prepare(const attempts::Attempt& attempt);
  Result<std::unique_ptr<AgentSetup>> open_setup(const attempts::Attempt& attempt,
                                                 ToolSettings& kept);
  Result<ToolSettings> live_tools(const attempts::Attempt& attempt, ToolSettings& kept);
  Result<std::string> folder_of(const attempts::Attempt& attempt) const;
  Result<const attempts::RecordedResults*> results();
  Result<agent::PlanResult> run_shown_to_person(Job& job);
  Result<void> run_in_order();
  Result<void> run_side_by_side(std::size_t parallel);
  Result<void> take(const Job& job, const agent::PlanResult& result);
  Result<void> judge(const attempts::Attempt& attempt, const attempts::Expectation& expects);
  Result<void> judge_ended();
  Result<void> outcome() const;
  Error limit_error(const std::string& limit) const;
  std::string reached() const;
  void print_begin(const attempts::Attempt& attempt, const char* after);
  bool is_live() const { return tree_.plan.answers == attempts::Answers::live; }
  graph::Repository& repository() const { return workspace_.repository(); }

  Session& session_;
  Workspace& workspace_;
  const attempts::Tree& tree_;
  const attempts::Limits limits_;
  const llm::PriceList& prices_;
  const std::string resume_;  // The command that continues, as a person types it.
  Judging judging_;
  std::vector<attempts::Attempt> attempts_;
  attempts::Judgements judgements_;
  std::size_t failed_ = 0;
  std::optional<Error> waits_;  // An attempt waits for a person.
  std::optional<attempts::RecordedResults> results_;
};

}  // namespace spoor::cli
