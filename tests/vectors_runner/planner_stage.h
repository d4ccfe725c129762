#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/planner.h"
#include "llm/provider.h"
#include "tests/support/ports.h"
#include "tests/vectors_runner/json.h"

namespace spoor::vectors {

/// What a planner vector is played with: a clock, a tracker, and notes of all that happened.
struct PlannerStage {
  std::shared_ptr<testing::ManualClock> clock = std::make_shared<testing::ManualClock>();
  llm::CostTracker tracker;
  std::string purpose;                  ///< that the planner stated for the next call
  std::vector<std::string> tool_calls;  ///< ids of the tools that ran
  std::int64_t llm_calls = 0;
  std::int64_t critic_calls = 0;
  std::int64_t callable_calls = 0;
  std::vector<std::string> problems;  ///< what a vector must not do
};

/// Moves the clock and books a cost, as a reply of a model or a tool says.
void pass(PlannerStage& stage, const Json& reply, const std::string& who);

/// A model that answers with the replies of a vector, each for the purpose that it names.
class PlannerModel final : public llm::Provider {
 public:
  PlannerModel(PlannerStage& stage, Json replies);

  const llm::Profile& profile() const override { return profile_; }
  llm::Reply complete(const llm::Request& request, const llm::OnEvent& on_event) override;

  std::size_t left() const { return replies_.size() - next_; }

 private:
  PlannerStage& stage_;
  const Json replies_;
  std::size_t next_ = 0;
  llm::Profile profile_;
};

/// Registers the tools of a vector.
void add_tools(PlannerStage& stage, const Json& tools, agent::Registry& registry);

}  // namespace spoor::vectors
