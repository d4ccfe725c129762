#include <array>

#include <fmt/format.h>

#include "attempts/tree.h"
#include "attempts/verdict.h"
#include "base/files.h"
#include "base/json/writer.h"
#include "cli/agents/constraint_flags.h"
#include "cli/agents/run_flags.h"
#include "cli/agents/tool_flags.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/models/ask.h"
#include "cli/models/model_settings.h"
#include "cli/session.h"
#include "cli/trees/run_tree.h"
#include "cli/trees/tree_plan.h"
#include "cli/views/times.h"
#include "graph/refs.h"
#include "store/sha256.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    Option{"revision", "REV", "where to fork (default: HEAD)", 0, Takes::revision},
    Option{"--name", "NAME", "the new branch (default: fork/ and digits of the commit)"},
    Option{"--system", "FILE", "with this system prompt; - reads standard input", 0, Takes::path},
    Option{"--edit", "TURN=FILE", "with this text for an earlier turn; may be given again", 0,
           Takes::text, Count::many},
    Option{"--model", "PROVIDER/MODEL", "let this model answer; with --n also several", 0,
           Takes::text, Count::many},
    kAttempts,
    kParallel,
    kAnswers,
    kLiveTools,
    kRoot,
    kHost,
    kAllowNetwork,
    kAllowRead,
    kAllowWrite,
    kApproveTool,
    kTest,
    kExpect,
    kJudgeModel,
    kRubric,
    kConstraint,
    kConstraints,
    kTreeSteps,
    kTreeCost,
    kTreeTokens,
    kAttemptSteps,
    kAnswerTokens,
    kEffort,
    kTemperature,
    Option{"--no-run", "", "with --n: create the branches only"},
    Option{"--resume", "TREE", "run the attempts of a tree that are missing: an id, or latest"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor fork 57 --model openai/gpt-5", "let another model answer the last request"},
    Example{"spoor fork 9be01d77 --system terse.md",
            "the same history under another system prompt"},
    Example{"spoor fork 9be01d77 --n 8 --test 'grep -q 42'",
            "eight attempts from one turn, each judged by a command that reads its answer"},
    Example{"spoor fork --resume latest", "run what is missing of the newest tree"},
};

Result<std::string> free_name(Workspace& workspace, const Oid& base) {
  constexpr std::size_t kDigits = 8;
  const std::string name = "fork/" + base.hex(kDigits);
  std::string numbered = name;
  for (int number = 2; TRY(workspace.store().ref(store::branch_ref(numbered))); ++number) {
    numbered = fmt::format("{}-{}", name, number);
  }
  return numbered;
}

// Reads the changes to the history that the line asks for.
Result<attempts::Changes> read_changes(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  attempts::Changes changes;
  if (arguments.has("--system")) {
    const std::string path = arguments.text("--system");
    changes.system = path == "-" ? TRY(text_to_keep(session, "-")) : TRY(read_given_file(path));
  }
  for (const std::string& given : arguments.all("--edit")) {
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos || equals == 0) {
      return session.usage_error(fmt::format("--edit '{}' is not TURN=FILE", given),
                                 "try --edit 9be01d77=shorter.txt");
    }
    changes.edited.emplace_back(TRY(workspace.resolve(given.substr(0, equals))),
                                TRY(read_given_file(given.substr(equals + 1))));
  }
  return changes;
}

// Returns a text that is the same for the same changes; empty for none.
std::string digest_of(const attempts::Changes& changes) {
  if (changes.empty()) return {};
  std::vector<std::string> texts = {changes.system.value_or("")};
  for (const auto& [turn, text] : changes.edited) {
    texts.push_back(turn.hex());
    texts.push_back(text);
  }
  return store::sha256(json::write_strings(texts)).hex(16);
}

// Returns the newest tree that tries the same and has attempts that did not end, or are not judged.
Result<std::optional<attempts::Tree>> unfinished_tree(const graph::Repository& repository,
                                                      const attempts::Plan& plan) {
  for (attempts::Tree& tree : TRY(attempts::list_trees(repository))) {
    if (!tree.plan.tries_the_same(plan)) continue;
    const auto judgements = TRY(guard::check::read_evaluations(repository));
    for (const auto& attempt : TRY(attempts::attempts_of(repository, tree, nullptr))) {
      const bool is_unjudged = attempt.state == attempts::State::ended &&
                               attempts::lacks_judgement(attempt, judgements, plan.expects);
      if (attempt.is_due() || is_unjudged) return std::optional(std::move(tree));
    }
  }
  return std::optional<attempts::Tree>();
}

// Runs a tree and prints its table, also if it did not come to its end.
Result<void> run_and_print(Session& session, const Arguments& arguments,
                           const attempts::Tree& tree) {
  const auto limits = TRY(read_tree_limits(session, arguments, tree.plan.limits));
  TRY(print_thinking(session, tree));
  auto done = run_tree(session, tree, limits, parallel_of(arguments));
  Arguments shown;
  shown.add("--tree", tree.id);
  TRY(print_trees(session, std::move(shown), arguments.has("--json")));
  return done;
}

Result<void> fork_tree(Session& session, const Arguments& arguments, const Oid& commit) {
  if (arguments.has("--name")) {
    return session.usage_error("'--name' is for one branch; those of --n have numbers");
  }
  Workspace& workspace = *TRY(session.workspace());
  graph::Repository& repository = workspace.repository();
  const Oid base = TRY(tree_base(workspace, commit));
  const auto changes = TRY(read_changes(session, arguments));
  auto expects = TRY(read_expectation_flags(session, arguments));
  auto plan = TRY(make_plan(session, arguments, TRY(tree_models(session, arguments)), base));
  plan.expects = std::move(expects);
  plan.changes = digest_of(changes);
  for (const std::string& model : plan.models) {  // Its errors come before any write.
    if (!arguments.has("--no-run")) TRY(OpenModel::open(session, model));
  }
  auto tree = TRY(unfinished_tree(repository, plan));
  Output& err = session.err();
  if (tree) {
    err.print(fmt::format("tree {}: as before, continued\n", tree->id.substr(0, 8)));
  } else {
    tree = TRY(attempts::create_tree(repository, plan, changes));
    err.print(fmt::format("tree {}: {} at {} (undo: {})\n", tree->id.substr(0, 8),
                          counted(static_cast<std::uint64_t>(plan.attempts()), "attempt"),
                          workspace.short_id(base), session.typed("undo")));
  }
  err.flush();
  if (arguments.has("--no-run")) return print_thinking(session, *tree);
  return run_and_print(session, arguments, *tree);
}

Result<void> fork_one(Session& session, const Arguments& arguments, const Oid& commit) {
  Workspace& workspace = *TRY(session.workspace());
  const bool asks = arguments.has("--model");
  const Oid base = TRY(fork_base(workspace, commit, asks));
  const auto changes = TRY(read_changes(session, arguments));
  std::unique_ptr<OpenModel> model;  // Opened first: its errors come before any write.
  if (asks) model = TRY(OpenModel::open(session, arguments.text("--model")));
  const std::string name =
      arguments.has("--name") ? arguments.text("--name") : TRY(free_name(workspace, base));
  if (const std::string problem = graph::short_name_problem(name); !problem.empty()) {
    return invalid(fmt::format("'{}' is not a branch name: {}", name, problem));
  }
  const std::string ref = store::branch_ref(name);
  const auto turns =
      changes.system ? TRY(attempts::system_turns(workspace.reader(), base)) : std::vector<Oid>();
  const auto written = TRY(workspace.repository().transact(
      "fork", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
        if (TRY(draft.tip(ref))) {
          return conflict(fmt::format("the branch '{}' already exists", name),
                          "choose another name with --name");
        }
        TRY(draft.move(ref, base));
        return attempts::write_changes(draft, workspace.reader(), ref, changes, turns);
      }));
  TRY(workspace.set_head({name, std::nullopt}, written.operation));
  const bool as_json = arguments.has("--json");
  if (as_json && !asks) {
    const Oid tip = *TRY(workspace.store().ref(ref));
    print_made(session, workspace, {.branch = name, .before = {}, .after = tip}, true);
  }
  if (!as_json) {
    session.out().print(Style::branch, name).print(": made at " + workspace.short_id(base));
    if (base != commit) {
      session.out().print(fmt::format(", before the answer {}", workspace.short_id(commit)));
    }
    session.out().print(fmt::format(" (undo: {})\n", session.typed("undo"))).flush();
  }
  if (!asks) return {};
  OpenModel* const models[] = {model.get()};
  Asking asking;
  asking.options.reasoning = TRY(commits_reasoning(session));
  asking.as_json = as_json;
  auto answered = ask(session, models, std::nullopt, std::move(asking));
  if (answered) return {};
  Error error = answered.error();
  if (error.hint.empty()) error.hint = "the branch was created; remove it with 'spoor undo'";
  return error;
}

// Returns a usage error for an option that only trees have.
Result<void> check_single(Session& session, const Arguments& arguments) {
  for (const Option& option :
       {kParallel, kAnswers, kLiveTools, kTest, kExpect, kJudgeModel, kRubric, kConstraint,
        kConstraints, kTreeSteps, kTreeCost, kTreeTokens, kAttemptSteps}) {
    if (arguments.has(option.name)) {
      return session.usage_error(fmt::format("'{}' needs '--n'", option.name),
                                 "--n 1 makes one attempt");
    }
  }
  return {};
}

// Returns a usage error for what a tree has settled when it was made.
Result<void> check_resumed(Session& session, const Arguments& arguments) {
  for (const Option& option : kOptions) {
    const std::string_view name = option.name;
    const bool is_allowed = name == "--resume" || name == kParallel.name || name == "--json" ||
                            name == kTreeSteps.name || name == kTreeCost.name ||
                            name == kTreeTokens.name;
    if (is_allowed || !arguments.has(name)) continue;
    return session.usage_error(fmt::format("'{}' cannot be combined with '--resume'", name),
                               "a tree keeps its plan; 'spoor judge --tree' judges it otherwise");
  }
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  TRY(session.require_writing());
  Workspace& workspace = *TRY(session.workspace());
  if (arguments.has("--resume")) {
    TRY(check_resumed(session, arguments));
    const auto tree = TRY(attempts::find_tree(workspace.repository(), arguments.text("--resume")));
    return run_and_print(session, arguments, tree);
  }
  const bool is_tree = arguments.has("--n") || arguments.all("--model").size() > 1;
  if (!is_tree) TRY(check_single(session, arguments));
  const Oid commit = TRY(workspace.resolve(arguments.text("revision", workspace.here())));
  return is_tree ? fork_tree(session, arguments, commit) : fork_one(session, arguments, commit);
}

}  // namespace

extern const Command kFork{
    .name = "fork",
    .summary = "Go on from a commit with another system prompt or model",
    .options = kOptions,
    .run = run,
    .group = Group::history,
    .details =
        "Creates a branch at the commit and moves HEAD there. With --model, that model\n"
        "answers at once; if the commit is an answer, the new answer replaces it on the\n"
        "branch. The original history does not change: 'spoor compare' and 'spoor diff'\n"
        "show the differences.\n"
        "\n"
        "With --n, each model makes N attempts, each an agent's run on a branch of its own,\n"
        "and HEAD stays. Their tool calls get the recorded result of an identical call; a\n"
        "call without one ends the attempt. With --tools live the tools run, with deny every\n"
        "call is refused. The limits are for all attempts together. If it is interrupted,\n"
        "the same command continues, as does --resume (docs/trees.md).",
    .examples = kExamples,
};

}  // namespace spoor::cli
