#pragma once

#include <memory>
#include <vector>

#include "agent/planner.h"
#include "facade/access.h"

namespace spoor {

agent::Strategy inner(Strategy strategy);

/// The options of a run as src/agent takes them, with the tools and functions that they borrow.
/// `options`, `store` and `model` must outlive it. Does not move: `inner` points into it.
class RunSetup {
 public:
  /// Makes the options of a run on `branch`, and those of its sub-agents. Code::invalid and
  /// Code::conflict for tools that cannot be registered.
  static Result<std::unique_ptr<RunSetup>> make(const RunOptions& options, const Model& model,
                                                const std::shared_ptr<Store::Body>& store,
                                                const std::string& branch);

  agent::RunOptions inner;

 private:
  explicit RunSetup(const RunOptions& options) : hooks_(options) {}

  Result<void> add_tools(const RunOptions& options, const std::shared_ptr<Store::Body>& store,
                         const std::string& branch);
  Result<void> add_agent(const SubAgent& agent, const std::shared_ptr<Store::Body>& store,
                         const std::string& branch);

  /// The functions around each call.
  class Hooks final : public agent::Gate {
   public:
    explicit Hooks(const RunOptions& options) : options_(options) {}
    Verdict before(const agent::Tool& tool, std::string_view arguments) override;
    void after(std::string_view tool, std::string_view arguments,
               const agent::ToolResult& result) override;

   private:
    const RunOptions& options_;
  };

  Hooks hooks_;
  agent::Registry registry_;
  std::vector<std::unique_ptr<RunSetup>> agents_;
};

}  // namespace spoor
