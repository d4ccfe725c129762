#pragma once

#include <functional>
#include <thread>

#include "sync/streams.h"

namespace spoor::sync {

/// A link to a store of this machine: a thread answers.
class LocalLink final : public Link {
 public:
  /// `answer` is called in the thread, one request at a time.
  static Result<std::unique_ptr<LocalLink>> open(AnswerRequest answer,
                                                 std::function<bool()> is_cancelled = {});
  ~LocalLink() override;

  Result<ByteSource> ask(const std::function<Result<void>(const ByteSink&)>& write) override {
    return link_->ask(write);
  }

 private:
  LocalLink() = default;

  std::unique_ptr<SocketLink> link_;
  std::thread thread_;
};

}  // namespace spoor::sync
