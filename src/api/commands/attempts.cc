#include "api/commands/attempts.h"

#include <algorithm>
#include <string>

#include "attempts/dataset.h"
#include "attempts/table.h"

namespace spoor::api {
namespace {

namespace tried = spoor::attempts;

AttemptRow row_of(const tried::Tree& tree, const tried::Row& row) {
  const tried::Attempt& attempt = row.attempt;
  AttemptRow made{.tree = tree.id,
                  .number = static_cast<std::uint64_t>(attempt.number),
                  .branch = attempt.branch,
                  .run = {},
                  .state = std::string(name_of(attempt.state)),
                  .stopped = attempt.stopped,
                  .by = attempt.by,
                  .verdict = std::string(name_of(row.verdict)),
                  .end = attempt.end,
                  .answer = attempt.answer,
                  .steps = attempt.steps,
                  .tokens = attempt.tokens(),
                  .cost_usd = attempt.totals.cost.money};
  if (attempt.run) made.run = attempt.run->id;
  return made;
}

VariantRow row_of(const tried::Variant& variant, const std::vector<tried::Filled>& trees) {
  VariantRow row{.model = variant.model,
                 .tasks = variant.tasks,
                 .attempts = variant.attempts,
                 .ended = variant.ended,
                 .judged = variant.judged,
                 .passes = variant.passes,
                 .pass_at_k = {},
                 .tokens = variant.tokens,
                 .cost_usd = variant.cost,
                 .is_complete = variant.is_cost_complete,
                 .cost_per_pass_usd = variant.cost_per_pass,
                 .rows = {}};
  for (const tried::Estimate& each : variant.estimates) {
    row.pass_at_k.push_back({each.k, each.value, each.interval.low, each.interval.high});
  }
  for (const tried::Filled& tree : trees) {
    for (const tried::Row& each : tree.rows) {
      if (each.attempt.model == variant.model) row.rows.push_back(row_of(tree.tree, each));
    }
  }
  return row;
}

// Returns the asked k; without any, 1 and the number of attempts of each model.
Result<std::vector<std::uint64_t>> ks_of(const CompareQuery& query,
                                         const std::vector<tried::Filled>& trees) {
  std::vector<std::uint64_t> ks;
  for (const std::string& k : query.k) ks.push_back(std::stoull(k));
  if (ks.empty()) {
    std::uint64_t most = 1;
    for (const tried::Filled& tree : trees) {
      most = std::max(most, static_cast<std::uint64_t>(tree.tree.plan.count));
    }
    ks = {1};
    if (most > 1) ks.push_back(most);
  }
  std::ranges::sort(ks);
  ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
  return ks;
}

Result<std::vector<tried::Tree>> trees_of(const graph::Repository& repository,
                                          const CompareQuery& query) {
  std::vector<tried::Tree> trees;
  for (const std::string& name : query.tree) {
    trees.push_back(TRY(tried::find_tree(repository, name)));
  }
  if (query.dataset.empty()) return trees;
  TRY(tried::read_dataset(repository, query.dataset));
  for (tried::Tree& tree : TRY(tried::list_trees(repository))) {
    if (tree.plan.dataset == query.dataset) trees.push_back(std::move(tree));
  }
  if (!trees.empty()) return trees;
  return not_found("the data set '" + query.dataset + "' was not run yet",
                   "run it with 'spoor dataset run " + query.dataset + " --model PROVIDER/MODEL'");
}

Result<void> run(Context& context, const CompareQuery& query, const Sink<VariantRow>& sink) {
  const graph::Repository& repository = context.workspace.repository();
  const auto judgements = TRY(guard::check::read_evaluations(repository));
  std::vector<tried::Filled> trees;
  for (tried::Tree& tree : TRY(trees_of(repository, query))) {
    trees.push_back(TRY(tried::fill(repository, std::move(tree), judgements, &context.prices)));
  }
  const auto ks = TRY(ks_of(query, trees));
  for (const tried::Variant& variant : tried::variants_of(trees, ks)) {
    if (!sink(row_of(variant, trees))) break;
  }
  return {};
}

Result<void> call(Context& context, const Arguments& arguments, Command::Form form,
                  const Command::Print& print) {
  return compares_attempts(arguments)
             ? detail::Erased<kCompareTree>::call(context, arguments, form, print)
             : detail::Erased<kCompare>::call(context, arguments, form, print);
}

// Writes the schema of a document with a list of rows.
template <class Row>
void write_document(JsonWriter& json, const char* rows) {
  json.object().member("type", "object").key("properties").object().key(rows);
  write_schema<std::vector<Row>>(json);
  json.end().list("required").value(rows).end().end();
}

// One document has `calls`, the other, with --tree or --dataset, `variants`.
std::string schema() {
  JsonWriter json;
  json.object().member("$schema", "https://json-schema.org/draft/2020-12/schema").list("anyOf");
  write_document<ComparedRow>(json, kCompare.rows);
  write_document<VariantRow>(json, kCompareTree.rows);
  json.end().end();
  return json.take();
}

}  // namespace

constexpr Listing<CompareQuery, VariantRow> kCompareTree{
    .name = "compare",
    .summary = "Compare the models of a tree of attempts",
    .rows = "variants",
    .group = Group::read,
    .run = run,
};

bool compares_attempts(const Arguments& arguments) {
  return arguments.has("--tree") || arguments.has("--dataset");
}

Command compare_command() {
  return {kCompare.name, kCompare.summary, kCompare.group, parameters_of<CompareQuery>(), call,
          schema};
}

}  // namespace spoor::api
