#pragma once

#include <string>
#include <utility>

#include "store/fsck.h"

namespace spoor::store::check {

/// Adds problems to a report, which must outlive it.
class Findings {
 public:
  explicit Findings(FsckReport& report) : report_(report) {}

  void add(Rule rule, std::string subject, std::string message) {
    if (++report_.problem_count > FsckReport::kMaxProblems) return;
    report_.problems.push_back({std::move(subject), rule, std::move(message)});
  }
  void add(Rule rule, const Oid& subject, std::string message) {
    add(rule, subject.hex(), std::move(message));
  }

 private:
  FsckReport& report_;
};

}  // namespace spoor::store::check
