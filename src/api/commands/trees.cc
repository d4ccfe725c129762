#include "api/commands/trees.h"

#include <array>
#include <utility>

#include "attempts/table.h"

namespace spoor::api {
namespace {

constexpr std::array kExamples = {
    Example{"spoor trees", "all trees, the newest first"},
    Example{"spoor trees --dataset slugs", "those of a data set"},
};

void add(const attempts::Variant& variant, TreeRow& row) {
  row.models.push_back(variant.model);
  row.attempts += variant.attempts;
  row.ended += variant.ended;
  row.judged += variant.judged;
  row.passes += variant.passes;
  row.tokens += variant.tokens;
  if (variant.cost) row.cost_usd = row.cost_usd.value_or(llm::Money()) + *variant.cost;
  row.is_complete = row.is_complete && variant.is_cost_complete;
}

Result<void> run(Context& context, const TreesQuery& query, const Sink<TreeRow>& sink) {
  const graph::Repository& repository = context.workspace.repository();
  const auto judgements = TRY(guard::check::read_evaluations(repository));
  std::uint64_t count = 0;
  for (attempts::Tree& tree : TRY(attempts::list_trees(repository))) {
    if (query.limit && count == *query.limit) break;
    if (!query.dataset.empty() && tree.plan.dataset != query.dataset) continue;
    const attempts::Filled filled[] = {
        TRY(attempts::fill(repository, std::move(tree), judgements, &context.prices))};
    const attempts::Plan& plan = filled[0].tree.plan;
    TreeRow row{.tree = filled[0].tree.id, .commit = filled[0].tree.commit, .base = plan.base};
    row.position = TRY(repository.reader().commit(plan.base))->depth;
    row.time = filled[0].tree.time;
    row.goal = plan.goal;
    row.dataset = plan.dataset;
    for (const auto& variant : attempts::variants_of(filled, {})) add(variant, row);
    if (row.attempts == 0) continue;  // All its branches were deleted.
    ++count;
    if (!sink(row)) break;
  }
  return {};
}

}  // namespace

constexpr Listing<TreesQuery, TreeRow> kTrees{
    .name = "trees",
    .summary = "List the trees of attempts",
    .rows = "trees",
    .group = Group::read,
    .details = "'spoor fork REV --n 8' makes a tree, and 'spoor compare --tree TREE' shows it.",
    .examples = kExamples,
    .run = run,
};

}  // namespace spoor::api
