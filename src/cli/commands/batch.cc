#include "cli/batch/batch.h"

#include "cli/command.h"

namespace spoor::cli {
namespace {

Result<void> run(Session& session, const Arguments& /*arguments*/) {
  return batch::run_batch(session);
}

}  // namespace

extern const Command kBatch{
    .name = "batch",
    .summary = "Answer JSON requests, one per line, for other programs",
    .options = {},
    .run = run,
    .group = Group::program,
    .details =
        "Reads one JSON request a line from standard input and prints one JSON answer a line,\n"
        "in order, each flushed before the next request is read. A request that fails is\n"
        "answered with {\"error\": {code, message, hint}} and does not end the stream.\n"
        "docs/batch.md lists the operations.",
};

}  // namespace spoor::cli
