#pragma once

#include "api/operations/operations.h"
#include "cli/command.h"
#include "cli/session.h"
#include "proxy/recorder.h"

namespace spoor::cli::batch {

/// Returns the command that a program can run by this name: one that prints a JSON document, and is
/// marked as callable. Null if there is none.
const Command* find_callable(std::string_view name);

/// The commands of the shell, as operations. A command runs with `--json`, with the members of the
/// request as its parameters (`include_reasoning` is `--include-reasoning`). It cannot read
/// standard input, which holds the requests. `record` is one more operation: it takes an exchange
/// with a provider, as spoor_record() of the C interface does.
class ShellCommands final : public api::operations::Host {
 public:
  explicit ShellCommands(Session& session) : session_(session) {}

  Result<api::Context> listing_context() override { return session_.context(); }
  std::vector<std::string_view> names() const override;
  bool can_run(std::string_view name) const override {
    return name == kRecord || find_callable(name) != nullptr;
  }
  Result<std::string> run(const api::operations::Context& context, std::string_view name,
                          const json::Value& request) override;
  std::optional<Error> refusal(std::string_view name) const override;

 private:
  static constexpr std::string_view kRecord = "record";

  Result<std::string> record(const api::operations::Context& context, const json::Value& request);

  Session& session_;
  std::optional<proxy::Recorder> recorder_;  // Since the first exchange.
};

}  // namespace spoor::cli::batch
