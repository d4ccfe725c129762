#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/timestamp.h"
#include "graph/repository.h"
#include "llm/price.h"
#include "trace/edits.h"
#include "trace/step.h"

namespace spoor::trace {

/// Returns whether nothing is missing in a number: it is stated, or follows from what is stated.
constexpr bool is_whole(Trust trust) {
  return trust == Trust::reported || trust == Trust::estimated;
}

/// Tokens by kind as far as known, and how far their sum can be trusted.
struct TokenSum {
  std::optional<std::uint64_t> input;          ///< without tokens from caches
  std::optional<std::uint64_t> cached;         ///< read from a cache
  std::optional<std::uint64_t> cache_written;  ///< written to a cache
  std::optional<std::uint64_t> output;         ///< reasoning included
  Trust trust = Trust::unknown;  ///< partial if any part of the sum is, or an answer has no counts

  /// All tokens of requests: input, cached and cache_written.
  std::optional<std::uint64_t> sent() const;
  std::optional<std::uint64_t> all() const;
};

/// An amount of money, and how far it can be trusted.
struct CostSum {
  std::optional<llm::Money> money;
  Trust trust =
      Trust::unknown;  ///< partial if an answer has no cost or was priced by partial counts
};

/// The cost of an answer: as stated, else by list prices.
struct Priced {
  std::optional<llm::Money> money;
  Trust trust = Trust::unknown;
};
Priced price_of(const Message& message, const llm::PriceList* prices);
Priced price_of(const Compaction& compaction, const llm::PriceList* prices);

struct ToolUse {
  std::uint64_t calls = 0, failed = 0, refused = 0, explained = 0;
};

struct ModelUse {
  std::uint64_t answers = 0, failed = 0;  ///< failed: requests without an answer
  std::uint64_t unsettled = 0;  ///< requests begun and never settled; their cost is unknown
  TokenSum tokens;
  CostSum cost;
};

/// The counts of a session or a run. Every view prints these and counts nothing itself.
///
/// `tokens` and `cost` include those of an agent that it called, as recorded with the call's
/// result, or once by its own answers if its run is among the lines. The other counts are those of
/// the lines alone.
struct Totals {
  std::uint64_t turns = 0;     ///< messages of the conversation, as commits
  std::uint64_t requests = 0;  ///< of a user, not of a program
  std::uint64_t answers = 0;   ///< of models
  std::uint64_t failed_requests = 0;
  /// Requests to models that were begun and never settled: presumably sent, with no recorded answer
  /// or failure. Their cost is not known.
  std::uint64_t unsettled_requests = 0;
  std::uint64_t calls = 0;
  std::uint64_t failed = 0, refused = 0, unanswered = 0;  ///< of the calls
  std::uint64_t explained = 0;                            ///< calls with a reason
  std::uint64_t edits = 0;                                ///< changes of a file
  std::uint64_t uncounted_edits = 0;                      ///< of these, changes of unknown size
  std::uint64_t files = 0;                                ///< different paths
  std::int64_t added = 0, removed = 0;                    ///< lines, of the counted edits
  TokenSum tokens;
  CostSum cost;
  std::map<std::string, ToolUse> tools;
  std::map<std::string, ModelUse> models;  ///< by name; `unknown` if the source names none
  /// Runs by how they ended: the word of Stopped, or the reason of a planner's own.
  std::map<std::string, std::uint64_t> ends;
  std::optional<Timestamp> first, last;
};

/// Derives the steps of several lines and adds up each commit once: commits that lines share are
/// counted in the first. Returns the errors of derive().
Result<Totals> totals_of(const graph::Repository& repository, const std::vector<Oid>& tips,
                         const llm::PriceList* prices);

/// Adds requests that are begun and not settled (llm/open_requests.h). With one of them, no sum of
/// tokens or cost is complete.
void add_unsettled(Totals& totals, std::uint64_t requests);

/// Returns `2 requests begun and never settled (cost unknown)`; empty if there are none.
std::string unsettled_phrase(const Totals& totals);

/// Adds steps up. If `prices` is null, only stated costs count. For one thread.
class TotalsFold {
 public:
  explicit TotalsFold(const store::Reader& reader, const llm::PriceList* prices = nullptr)
      : reader_(reader), prices_(prices) {}

  Result<void> add(const Step& step);

  Totals totals() const;

 private:
  void add_answer(const Message& message);
  ModelUse& model(const std::string& name);
  void add_priced(const Message& message);
  void add_failed(const FailedRequest& failed);
  void add_spent(const std::string& name, const Spent& spent, const Priced& cost);
  void count_asked(const AskedCall& call);
  Result<void> add_call(const Call& call);
  void add_end(const std::string& run, const End& end);

  const store::Reader& reader_;
  const llm::PriceList* prices_;
  Totals totals_;
  std::set<std::string> paths_;
  std::map<std::string, std::string> ended_;  // The last end of each run.
  std::map<std::string, Spent> of_agents_;    // By their runs, as the calls' results have it.
  std::set<std::string> runs_;                // The runs of the steps.
};

}  // namespace spoor::trace
