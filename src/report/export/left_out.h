#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace spoor::report {

/// Counts what an export leaves out or changes, by reason. A reason is a short phrase for people.
class LeftOut {
 public:
  void add(std::string_view reason, std::uint64_t count = 1) {
    if (count > 0) counts_[std::string(reason)] += count;
  }

  bool empty() const { return counts_.empty(); }
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  std::map<std::string, std::uint64_t> counts_;
};

/// The reasons that several formats share.
namespace left_out {
inline constexpr std::string_view kThinking = "thoughts (--include-reasoning adds them)";
inline constexpr std::string_view kSealedThinking = "thoughts without a readable text";
inline constexpr std::string_view kSkipped = "turns that a priority skips";
inline constexpr std::string_view kDirective = "system prompts that a later one replaces";
inline constexpr std::string_view kWindow = "turns before --window";
inline constexpr std::string_view kBudget = "turns over --budget";
inline constexpr std::string_view kSummarised = "turns that a summary replaces";
inline constexpr std::string_view kPictures = "pictures";
inline constexpr std::string_view kUnanswered = "messages after the last answer";
inline constexpr std::string_view kOrphans = "results whose call is not in the prompt";
inline constexpr std::string_view kWrapped = "arguments that are not an object, put into 'input'";
inline constexpr std::string_view kNumbered = "calls without an id, which are numbered";
inline constexpr std::string_view kCoverage = "sessions that record less than --coverage";
inline constexpr std::string_view kBranches = "other branches of the sessions";
inline constexpr std::string_view kOwnTools = "tools of the provider itself";
inline constexpr std::string_view kRequests =
    "system prompts and tools of requests before a change of their turns";
inline constexpr std::string_view kNoAnswer = "sessions without an answer";
}  // namespace left_out

}  // namespace spoor::report
