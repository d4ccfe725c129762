// dataset: turns with expectations, to be run again on other models.
#include <array>
#include <sstream>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "attempts/dataset.h"
#include "base/files.h"
#include "base/json/reader.h"
#include "base/text.h"
#include "cli/agents/constraint_flags.h"
#include "cli/agents/run_flags.h"
#include "cli/agents/run_lock.h"
#include "cli/agents/tool_flags.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/models/open_model.h"
#include "cli/session.h"
#include "cli/settings/prices.h"
#include "cli/terminal/untrusted.h"
#include "cli/trees/run_tree.h"
#include "cli/trees/tree_plan.h"
#include "cli/views/times.h"
#include "compile/turn.h"

namespace spoor::cli {
namespace {

using api::JsonWriter;
using attempts::Dataset;
using attempts::Item;

constexpr Option kName{"name", "NAME", "the data set", 0, Takes::text, Count::one};

constexpr std::array kAddOptions = {
    kName,
    Option{"revision", "REV", "the turn to go on from; an answer is answered anew", 0,
           Takes::revision},
    kTest,
    kExpect,
    kJudgeModel,
    kRubric,
    kConstraint,
    kConstraints,
    Option{"--from", "FILE", "add an item for each line of JSON; - reads standard input", 0,
           Takes::path},
    kJson,
};
constexpr std::array kListOptions = {
    Option{"name", "NAME", "list the items of this data set"},
    kJson,
};
constexpr std::array kRemoveOptions = {
    kName,
    Option{"item", "ITEM", "the item, or its turn", 0, Takes::revision, Count::one},
    kJson,
};
constexpr std::array kRunOptions = {
    kName,
    Option{"--model", "PROVIDER/MODEL", "run it on this model; may be given again", 0, Takes::text,
           Count::many},
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
    kTreeSteps,
    kTreeCost,
    kTreeTokens,
    kAttemptSteps,
    kAnswerTokens,
    kEffort,
    kTemperature,
    Option{"--again", "", "new attempts, although it was run on these models before"},
    kJson,
};

// Reads `{"turn": REV, "test": …, "text": …, "judge": …, "rubric": …}`, one a line.
Result<std::vector<Item>> read_items(Session& session, const std::string& path) {
  const Workspace& workspace = *TRY(session.workspace());
  const std::string text =
      path == "-" ? TRY(text_to_keep(session, "-")) : TRY(read_given_file(path));
  std::vector<Item> items;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (trimmed(line).empty()) continue;
    const auto document = json::parse(line);
    const std::string turn = document ? document->root().find("turn").text() : std::string();
    if (turn.empty()) {
      return invalid(fmt::format("line {} of '{}' is not an item", number, path),
                     R"(write {"turn": "9be01d77", "test": "grep -q 42"})");
    }
    const Oid commit = TRY(workspace.resolve(turn));
    const auto expects = attempts::read_expectation(document->root());
    if (!expects.is_whole()) {
      return invalid(fmt::format("line {} of '{}' has 'judge' or 'rubric' alone", number, path),
                     "they belong together");
    }
    items.push_back({.commit = {}, .turn = commit, .expects = expects});
  }
  return items;
}

Result<void> add(Session& session, const Arguments& arguments) {
  TRY(session.require_writing());
  Workspace& workspace = *TRY(session.workspace());
  std::vector<Item> items;
  if (arguments.has("--from")) {
    items = TRY(read_items(session, arguments.text("--from")));
  } else {
    if (!arguments.has("revision")) {
      return session.usage_error("'dataset add' needs a turn, or --from",
                                 "try 'spoor dataset add NAME HEAD --expect 42'");
    }
    items.push_back({.commit = {},
                     .turn = TRY(workspace.resolve(arguments.text("revision"))),
                     .expects = TRY(read_expectation_flags(session, arguments))});
  }
  for (const Item& item : items) TRY(check_base(workspace, item.turn));
  const std::string name = arguments.text("name");
  const auto added = TRY(attempts::add_items(workspace.repository(), name, items));
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().member("dataset", name).list("added");
    for (const Oid& item : added) json.value(item);
    session.out().verbatim(json.end().end().take());
    return {};
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    session.out().print(fmt::format("{}: item {} at {}, ", name, workspace.short_id(added[i]),
                                    workspace.short_id(items[i].turn)));
    session.out().print(describe(items[i].expects)).newline();
  }
  return {};
}

Result<void> list_items(Session& session, const Dataset& dataset, bool as_json) {
  Workspace& workspace = *TRY(session.workspace());
  JsonWriter json;
  if (as_json) json.object().member("dataset", dataset.name).list("items");
  for (const Item& item : dataset.items) {
    if (as_json) {
      json.object().member("item", item.commit).member("turn", item.turn);
      json.member_or_null("test", item.expects.test).member_or_null("text", item.expects.text);
      json.member_or_null("judge", item.expects.judge);
      json.member_or_null("rubric", item.expects.rubric);
      json.member_or_null("constraints", item.expects.constraints).end();
      continue;
    }
    const auto commit = workspace.reader().commit(item.turn);
    std::string text = "(not in this store)";
    if (commit) {
      const auto content = TRY(compile::text_of(workspace.reader(), **commit));
      text = content ? compile::preview(*content) : "";
    }
    session.out().print(Style::commit, workspace.short_id(item.commit));
    session.out().print(fmt::format("  {}  {}\n", workspace.short_id(item.turn), text));
    session.out().print(fmt::format("          {}\n", visible_line(describe(item.expects))));
  }
  if (as_json) session.out().verbatim(json.end().end().take());
  return {};
}

Result<void> list(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const bool as_json = arguments.has("--json");
  if (arguments.has("name")) {
    const auto dataset =
        TRY(attempts::read_dataset(workspace.repository(), arguments.text("name")));
    return list_items(session, dataset, as_json);
  }
  JsonWriter json;
  if (as_json) json.object().list("datasets");
  const auto datasets = TRY(attempts::list_datasets(workspace.repository()));
  for (const Dataset& dataset : datasets) {
    if (as_json) {
      json.object().member("dataset", dataset.name);
      json.member("items", std::uint64_t{dataset.items.size()}).end();
    } else {
      session.out().print(fmt::format("{}  {}\n", visible_line(dataset.name),
                                      counted(dataset.items.size(), "item")));
    }
  }
  if (as_json) {
    session.out().verbatim(json.end().end().take());
  } else if (datasets.empty()) {
    session.err().print("no data sets yet\n");
  }
  return {};
}

Result<void> remove(Session& session, const Arguments& arguments) {
  TRY(session.require_writing());
  Workspace& workspace = *TRY(session.workspace());
  const Oid item = TRY(workspace.resolve(arguments.text("item")));
  const std::string name = arguments.text("name");
  const Oid note = TRY(attempts::remove_item(workspace.repository(), name, item));
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().member("dataset", name).member("removed", item).member("note", note).end();
    session.out().verbatim(json.take());
    return {};
  }
  session.out().print(fmt::format("{}: removed {} (note {})\n", name, workspace.short_id(item),
                                  workspace.short_id(note)));
  return {};
}

// Returns the newest tree that tries the same.
Result<std::optional<attempts::Tree>> earlier_tree(const graph::Repository& repository,
                                                   const attempts::Plan& plan) {
  for (attempts::Tree& tree : TRY(attempts::list_trees(repository))) {
    if (tree.plan.tries_the_same(plan)) return std::optional(std::move(tree));
  }
  return std::optional<attempts::Tree>();
}

// Takes what the attempts of a tree have spent from what may be spent.
Result<attempts::Limits> without(const graph::Repository& repository, const attempts::Tree& tree,
                                 const llm::PriceList& prices, attempts::Limits limits) {
  for (const auto& attempt : TRY(attempts::attempts_of(repository, tree, &prices))) {
    if (limits.max_cost) {
      limits.max_cost = std::max(llm::Money(), *limits.max_cost - attempt.cost());
    }
    if (limits.max_tokens) *limits.max_tokens -= std::min(*limits.max_tokens, attempt.tokens());
    if (limits.max_steps) {
      limits.max_steps =
          std::max<std::int64_t>(0, *limits.max_steps - static_cast<std::int64_t>(attempt.steps));
    }
  }
  return limits;
}

Result<void> run(Session& session, const Arguments& arguments) {
  TRY(session.require_writing());
  Workspace& workspace = *TRY(session.workspace());
  graph::Repository& repository = workspace.repository();
  const auto dataset = TRY(attempts::read_dataset(repository, arguments.text("name")));
  if (dataset.items.empty()) {
    return not_found(
        fmt::format("the data set '{}' has no items", dataset.name),
        fmt::format("add one with 'spoor dataset add {} REV --test COMMAND'", dataset.name));
  }
  const auto models = TRY(tree_models(session, arguments));
  for (const std::string& model : models)
    TRY(OpenModel::open(session, model));  // Before any write.
  RunLock lock(workspace.files());
  TRY(lock.take_dataset(dataset.name, models));
  attempts::Limits limits = TRY(read_tree_limits(session, arguments));
  const llm::PriceList prices(TRY(read_prices(session.environment())));
  Arguments shown;
  Result<void> done;
  for (const Item& item : dataset.items) {
    const Oid base = TRY(tree_base(workspace, item.turn));
    auto plan = TRY(make_plan(session, arguments, models, base));
    plan.expects = item.expects;
    plan.dataset = dataset.name;
    plan.item = item.commit;
    std::optional<attempts::Tree> tree;
    if (!arguments.has("--again")) tree = TRY(earlier_tree(repository, plan));
    const bool is_new = !tree;
    if (is_new) tree = TRY(attempts::create_tree(repository, plan, {}));
    session.err().print(fmt::format("item {}: tree {}{}\n", workspace.short_id(item.commit),
                                    tree->id.substr(0, 8), is_new ? "" : ", as before"));
    session.err().flush();
    TRY(print_thinking(session, *tree));
    shown.add("--tree", tree->id);
    done = run_tree(session, *tree, limits, parallel_of(arguments));
    // An error of a model does not keep the other items from being run.
    if (!done && done.error().code != Error::Code::unavailable) break;
    limits = TRY(without(repository, *tree, prices, limits));
  }
  TRY(print_trees(session, shown, arguments.has("--json")));
  return done;
}

constexpr std::array kAddExamples = {
    Example{"spoor dataset add totals 9be01d77 --expect 20.74",
            "an item: the answer to this turn must contain 20.74"},
    Example{"spoor dataset add totals HEAD --judge openai/gpt-5 --rubric 'it names the bug'",
            "an item that a model judges"},
};
constexpr std::array kRunExamples = {
    Example{"spoor dataset run totals --model openai/gpt-5 --n 4",
            "four attempts at each item, and a table"},
};

}  // namespace

extern const Command kDataset{
    .name = "dataset",
    .summary = "List the data sets, or the items of one",
    .options = kListOptions,
    .run = list,
    .group = Group::history,
    .details =
        "A data set is a list of turns, each with what an answer to it must be. It is kept in\n"
        "the store as notes on refs/datasets/NAME (docs/trees.md).",
};

extern const Command kDatasetAdd{
    .name = "dataset add",
    .summary = "Add a turn and an expectation to a data set",
    .options = kAddOptions,
    .run = add,
    .group = Group::history,
    .details =
        "A file has one JSON object a line: {\"turn\": REV} with \"test\", \"text\", or \"judge\"\n"
        "and \"rubric\".",
    .examples = kAddExamples,
};

extern const Command kDatasetList{
    .name = "dataset list",
    .summary = "List the data sets, or the items of one",
    .options = kListOptions,
    .run = list,
    .group = Group::history,
};

extern const Command kDatasetRemove{
    .name = "dataset remove",
    .summary = "Remove an item from a data set",
    .options = kRemoveOptions,
    .run = remove,
    .group = Group::history,
    .details = "Adds a note about the item: what was run with it stays as it is.",
};

extern const Command kDatasetRun{
    .name = "dataset run",
    .summary = "Make attempts at each item of a data set, and judge them",
    .options = kRunOptions,
    .run = run,
    .group = Group::history,
    .details =
        "Makes a tree of attempts for each item, as 'spoor fork --n' does, and prints a table of\n"
        "the models. The limits are for all items together. Run again with the same models, it\n"
        "continues where it stopped, and makes no attempt twice; with --again, new ones.",
    .examples = kRunExamples,
};

}  // namespace spoor::cli
