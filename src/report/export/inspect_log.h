#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "guard/check/evaluations.h"
#include "report/export/conversation.h"

namespace spoor::report {

/// Writes conversations as a log of Inspect, version 2, one JSON document: each is a sample.
/// Sources: inspect.aisi.org.uk/eval-logs.html, and `inspect_ai.log.EvalLog` of inspect_ai 0.3.285.
///
/// Each answer also has a model event with its usage, whose `input` is empty. Judgements are scores
/// with Inspect's values: `C` for pass, `P` for a warning, `I` for fail, `N` for unknown. Arguments
/// of calls are objects, as the format requires. The role `developer` becomes `system`, and tools
/// are left out. For one thread.
class InspectLog {
 public:
  explicit InspectLog(LeftOut& left_out) : left_out_(left_out) {}

  /// Adds a sample. The same id and epoch again get the next free epoch.
  void add(const Conversation& conversation, const std::string& id, std::int64_t epoch,
           const std::vector<guard::check::Judgement>& judgements);

  std::size_t size() const { return samples_.size(); }

  /// Returns the document, on one line. The same samples give the same bytes.
  std::string document() const;

 private:
  struct Tally {
    double sum = 0;
    std::size_t count = 0;
  };
  std::string scores_of(const std::vector<guard::check::Judgement>& judgements);
  std::string results() const;

  LeftOut& left_out_;
  std::vector<std::string> samples_;
  std::set<std::pair<std::string, std::int64_t>> names_;
  std::map<std::string, Tally> tallies_;     // By check.
  std::map<std::string, llm::Usage> usage_;  // By model.
  std::string heads_;
  std::string model_, licence_;
  std::optional<Timestamp> first_, last_;
};

}  // namespace spoor::report
