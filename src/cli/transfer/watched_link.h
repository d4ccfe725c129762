#pragma once

#include <cstdint>
#include <string>

#include "cli/terminal/progress.h"
#include "sync/message.h"

namespace spoor::cli {

/// Shows at a terminal how many bytes went over a link to a remote, until it is destroyed.
class WatchedLink final : public sync::Link {
 public:
  /// Borrows the link.
  WatchedLink(Terminal& terminal, const std::string& remote, sync::Link& link)
      : link_(link), progress_(terminal, remote) {}

  Result<sync::ByteSource> ask(
      const std::function<Result<void>(const sync::ByteSink&)>& write) override;

 private:
  void count(std::uint64_t bytes);

  sync::Link& link_;
  Progress progress_;
  std::uint64_t bytes_ = 0;
};

}  // namespace spoor::cli
