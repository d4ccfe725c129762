#include "agent/debrief/run_debrief.h"

#include "agent/debrief/graph_state.h"

namespace spoor::agent::debrief {
namespace {

constexpr std::uint64_t kLong = 4'096;  // So many commits are worth a write.

std::string key_of(const RunName& run) { return "debrief " + run.root.hex(); }

// A state is kept for what a debrief keeps by default.
bool is_default(const GraphOptions& options) {
  return options.most == GraphOptions().most && !options.summary;
}

}  // namespace

Result<Debrief> debrief_of(compile::Repository& repository, const RunName& run,
                           GraphOptions options) {
  store::Store& store = repository.store();
  const bool may_keep = is_default(options);
  std::optional<std::string> kept;
  // A summary of a long run is had from its state as well, for less than counting again.
  if (may_keep || options.summary) kept = TRY(store.cached(key_of(run)));
  if (kept && options.summary) options.most = GraphOptions().most;
  GraphSource source(repository, run, options);
  if (kept) TRY(source.go_on_from(*kept, run.head, run.critic));
  Debrief debrief = TRY(source.read(run.head, run.critic));
  // Where it cannot be kept, on a full disk for one, the next process reads it all again.
  if (may_keep && source.taken() >= kLong) {
    static_cast<void>(store.put_cached(key_of(run), source.state()));
  }
  return debrief;
}

Result<std::vector<RunName>> stale_states(const compile::Repository& repository) {
  std::vector<RunName> stale;
  for (const RunName& run : TRY(list_runs(repository))) {
    const auto kept = TRY(repository.store().cached(key_of(run)));
    if (!kept || !is_current(*kept)) continue;
    const auto state = unpack(*kept, GraphOptions().most);
    GraphSource source(repository, run);
    const bool is_read = state && state->reached && source.read(*state->reached, state->critic);
    if (!is_read || source.state() != *kept) stale.push_back(run);
  }
  return stale;
}

}  // namespace spoor::agent::debrief
