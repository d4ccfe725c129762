#include "receive/prompt_recorder.h"

#include <utility>

#include "proxy/spool.h"
#include "receive/otlp.h"
#include "receive/repeated_request.h"

namespace spoor::receive {
namespace {

constexpr std::chrono::seconds kAnswerPatience{60};

}  // namespace

void PromptRecorder::add(const std::string& post, const json::Value& document,
                         Clock::time_point now) {
  std::size_t count = 0;
  for_each_record(Signal::traces, document, [&](const json::Value& span) {
    if (!repeats_request(span)) return;
    waiting_.push_back({exchange_of(span), post, now});
    ++count;
  });
  posts_.open(post, count);
}

Result<bool> PromptRecorder::record_one(const Waiting& waiting, Clock::time_point now,
                                        bool is_final) {
  if (!is_final && now - waiting.came < kQuiet) return false;
  // Never as the last try: what led to no turn is left to those that saw the request itself.
  const auto recorded = recorder_.record(waiting.exchange, false);
  if (!recorded && proxy::may_pass(recorded.error())) return recorded.error();
  const bool is_later = recorded && recorded->reason == proxy::kLater;
  if (is_later && !is_final && now - waiting.came < kAnswerPatience) return false;
  posts_.close(waiting.post, !recorded);
  if (recorded && recorded->reason.empty() && !recorded->is_known) ++written_;
  return true;
}

Result<void> PromptRecorder::record(Clock::time_point now, bool is_final) {
  if (!is_final && now < next_) return {};
  const auto start = Clock::now();
  std::vector<Waiting> later;
  Result<void> problem;
  for (Waiting& each : waiting_) {
    const auto done = problem ? record_one(each, now, is_final) : Result<bool>(false);
    if (!done) problem = done.error();
    if (!done || !done.value()) later.push_back(std::move(each));
  }
  waiting_ = std::move(later);
  const auto end = Clock::now();
  next_ = end + kShare * (end - start);
  return problem;
}

}  // namespace spoor::receive
