#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agent/planner.h"
#include "llm/scripted.h"
#include "tests/support/ports.h"

namespace spoor::agent::testing {

/// A model that answers from a list, for native and written calls.
class ListModel final : public llm::Provider {
 public:
  explicit ListModel(std::vector<llm::Reply> replies) : replies_(std::move(replies)) {
    profile_.name = "list";
  }

  const llm::Profile& profile() const override { return profile_; }

  llm::Reply complete(const llm::Request& request, const llm::OnEvent&) override {
    requests.push_back(request.body);
    if (next_ < replies_.size()) return replies_[next_++];
    return llm::fail({.kind = llm::Failure::Kind::invalid_request, .message = "no reply is left"});
  }

  /// Skips what an earlier process was answered.
  void start_at(std::size_t number) { next_ = number; }
  std::size_t next() const { return next_; }

  std::vector<std::string> requests;

 private:
  const std::vector<llm::Reply> replies_;
  std::size_t next_ = 0;
  llm::Profile profile_;
};

/// A reply that makes calls: name and arguments, with ids `c1`, `c2`, … from `first` on.
inline llm::Reply calls(const std::vector<std::pair<std::string, std::string>>& wanted,
                        std::string text = {}, int first = 1) {
  llm::Reply reply;
  if (!text.empty()) {
    reply.pieces.push_back({.kind = llm::Piece::Kind::text, .text = std::move(text)});
  }
  for (const auto& [name, arguments] : wanted) {
    llm::Piece piece{.kind = llm::Piece::Kind::call};
    piece.call = {"c" + std::to_string(first++), name, arguments};
    reply.pieces.push_back(std::move(piece));
  }
  reply.finish_reason = "tool_calls";
  return reply;
}

/// One JSON step in a fence.
inline llm::Reply step(const std::string& json) { return llm::say("```json\n" + json + "\n```"); }

/// The value of what must not fail; else a test ends here, and says why.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

/// A repository in memory, with a clock that is moved by hand.
struct Stage {
  std::shared_ptr<spoor::testing::ManualClock> clock =
      std::make_shared<spoor::testing::ManualClock>();
  std::unique_ptr<graph::Repository> repository = make();
  Session session{*repository, "main"};
  Registry registry;
  llm::CostTracker tracker;
  RunOptions options = make_options();

  /// A tool that gives what `run` gives.
  void add(std::string id, std::function<ToolResult(std::string_view)> run,
           std::string parameters = {}) {
    Tool tool;
    tool.id = std::move(id);
    tool.description = "for a test";
    tool.parameters = std::move(parameters);
    tool.run = [run = std::move(run)](std::string_view arguments, const ToolContext&) {
      return run(arguments);
    };
    add(std::move(tool));
  }

  void add(Tool tool) {
    if (!registry.add(std::move(tool))) throw std::logic_error("a test's tool is none");
  }

  /// The commits of the branch, oldest first.
  std::vector<compile::Turn> turns() {
    std::vector<compile::Turn> all;
    const auto walked = session.branch().log([&](const store::NamedCommit& commit) {
      all.insert(all.begin(), graph::read_turn(repository->reader(), commit.oid).value());
      return true;
    });
    if (!walked) throw std::logic_error(walked.error().message);
    return all;
  }

  /// Those of them that are decisions of this word.
  std::vector<compile::Turn> decisions(const std::string& word) {
    std::vector<compile::Turn> found;
    for (compile::Turn& turn : turns()) {
      if (turn.facts.text("decision") == word) found.push_back(std::move(turn));
    }
    return found;
  }

 private:
  std::unique_ptr<graph::Repository> make() {
    graph::Repository::Options opened;
    opened.author = "agent/test";
    opened.clock = clock;
    return graph::Repository::in_memory(std::move(opened));
  }

  RunOptions make_options() {
    RunOptions made;
    made.registry = &registry;
    made.tracker = &tracker;
    return made;
  }
};

/// Runs the goal "find it" on the stage to its end; an error ends the test.
inline PlanResult find_it(Stage& stage, ListModel& model, Strategy strategy = Strategy::react) {
  auto result = run(strategy, "find it", {&model, "m", {}, {}}, stage.session, stage.options);
  if (!result) throw std::logic_error(result.error().message);
  return std::move(result).value();
}

}  // namespace spoor::agent::testing
