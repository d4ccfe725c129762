#include "cli/trees/judging.h"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/builtin/environment.h"
#include "agent/builtin/process.h"
#include "base/descriptor.h"
#include "base/json/writer.h"
#include "base/os/beneath.h"
#include "cli/agents/agent_setup.h"
#include "cli/models/model_settings.h"
#include "compile/turn.h"
#include "guard/check/checks.h"
#include "guard/check/programs.h"
#include "guard/check/run_constraints.h"
#include "report/event/projection.h"

namespace spoor::cli {
namespace {

constexpr std::chrono::minutes kTestTime{10};
constexpr std::size_t kKept = 2'000;  // Bytes of a test's output.

}  // namespace

Judging::Judging(Session& session, Workspace& workspace)
    : session_(session), workspace_(workspace) {}

Judging::~Judging() = default;

Result<llm::Candidate> Judging::open(const std::string& name) {
  TRY(session_.require_trust());
  const std::string full = TRY(model_name(session_, name));
  auto found = models_.find(full);
  if (found == models_.end()) {
    found = models_.emplace(full, TRY(OpenModel::open(session_, full))).first;
  }
  return found->second->candidate();
}

Result<attempts::TestEnd> Judging::run_test(const attempts::Attempt& attempt,
                                            const std::string& command, const std::string& answer,
                                            const std::string& folder) {
  TRY(session_.require_trust());  // The command may come from the store.
  const Descriptor opened(::open(folder.c_str(), os::kFolderFlags | O_CLOEXEC));
  if (!opened) {
    return io_error(fmt::format("cannot open the folder '{}': {}", folder, std::strerror(errno)));
  }
  const Descriptor input = TRY(agent::builtin::memory_file(answer));
  auto variables = command_variables(session_.environment());
  variables.emplace_back("SPOOR_ATTEMPT", attempt.branch);
  variables.emplace_back("SPOOR_COMMIT", attempt.end->hex());
  variables.emplace_back("SPOOR_STORE", session_.store_path());
  const agent::builtin::Process process{.argv = {"/bin/sh", "-c", command},
                                        .environment = std::move(variables),
                                        .folder = opened.number(),
                                        .input = input.number()};
  attempts::TestEnd end;
  const auto take = [&](std::string_view bytes) {
    end.output += bytes;
    if (end.output.size() > 2 * kKept) end.output.erase(0, end.output.size() - kKept);
  };
  const auto ended =
      TRY(agent::builtin::run_process(process, agent::builtin::Deadline({}, kTestTime),
                                      {.output = take, .errors = {}, .started = {}}));
  if (end.output.size() > kKept) end.output.erase(0, end.output.size() - kKept);
  end.exit_code = ended.exit_code;
  end.how = ended.was_late      ? "took longer than 10 minutes"
            : ended.signal != 0 ? fmt::format("ended by signal {}", ended.signal)
                                : fmt::format("exit status {}", ended.exit_code);
  return end;
}

guard::check::Judges& Judging::judges() {
  if (!judges_) {
    judges_ = guard::check::make_judges(
        workspace_.repository(), [this](const std::string& name) { return open(name); }, options_);
  }
  return *judges_;
}

// Checks all actions of an attempt.
Result<attempts::Judgement> Judging::check(const attempts::Attempt& attempt,
                                           const attempts::Expectation& expects,
                                           const std::string& folder) {
  TRY(session_.require_trust());  // A constraint may name a program.
  const auto constraints = guard::check::read_run_constraints(
      json::write_object("caller", json::write_object("constraints", expects.constraints)));
  const auto programs =
      guard::check::make_programs(folder, command_variables(session_.environment()));
  const guard::check::CheckPorts ports{
      .root = folder, .programs = programs.get(), .judges = &judges()};
  auto checks = TRY(guard::check::Checks::make(TRY(constraints.rules()), ports));
  std::vector<trace::CheckResult> results;
  TRY(report::project(workspace_.repository(), attempt.run, attempt.run->head, {.bundles = false},
                      [&](trace::DecisionEvent&& event) -> Result<void> {
                        for (auto& result : checks.judge(event))
                          results.push_back(std::move(result));
                        checks.observe(event);
                        return {};
                      }));
  return attempts::checked(*attempt.end, expects.constraints, results);
}

Result<attempts::Verdict> Judging::judge(const attempts::Tree& tree,
                                         const attempts::Attempt& attempt,
                                         const attempts::Expectation& expects,
                                         const std::string& folder, attempts::Judgements& known) {
  graph::Repository& repository = workspace_.repository();
  const auto commit = TRY(repository.reader().commit(*attempt.end));
  const auto text = TRY(compile::text_of(repository.reader(), *commit));
  const std::string answer = text ? *text : std::string();
  std::vector<attempts::Judgement> made;
  if (!expects.test.empty()) {
    const auto end = TRY(run_test(attempt, expects.test, answer, folder));
    made.push_back(attempts::tested(*attempt.end, expects.test, end));
  }
  if (!expects.text.empty()) {
    made.push_back(attempts::compared(*attempt.end, expects.text, answer));
  }
  if (!expects.constraints.empty()) made.push_back(TRY(check(attempt, expects, folder)));
  if (!expects.judge.empty()) {
    made.push_back(
        TRY(attempts::judged_by_model(*attempt.end, expects, tree.plan.goal, answer, judges())));
  }
  TRY(guard::check::record(repository, made, "judge"));
  auto& all = known[*attempt.end];
  all.insert(all.end(), made.begin(), made.end());
  return attempts::verdict_of(attempt, known);
}

}  // namespace spoor::cli
