#include <array>

#include <unistd.h>

#include "cli/common_options.h"
#include "cli/peer.h"
#include "cli/session.h"
#include "cli/store_path.h"
#include "sync/streams.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    Option{"path", "PATH", "the store, or its folder (default: the nearest)", 0, Takes::path},
    Option{"--stdio", "", "answer on standard input and output"},
};

Result<void> run(Session& session, const Arguments& arguments) {
  if (!arguments.has("--stdio")) {
    return session.usage_error("'spoor serve' needs --stdio", "it is run by ssh: ssh://HOST/PATH");
  }
  const Environment& environment = session.environment();
  const std::string path =
      find_store(environment, arguments.text("path", arguments.text("--store")));
  if (path.empty()) return not_found("no store here", "name one: spoor serve --stdio PATH");
  const auto served = TRY(ServedStore::open(session, path));
  sync::Streams streams(STDIN_FILENO, STDOUT_FILENO);
  return sync::answer_stream(streams,
                             [&](const sync::ByteSource& request, const sync::ByteSink& answer) {
                               return served->answer(request, answer);
                             });
}

}  // namespace

extern const Command kServe{
    .name = "serve",
    .summary = "Answer other stores that fetch and push",
    .options = kOptions,
    .run = run,
    .group = Group::care,
    .details =
        "For ssh://HOST/PATH, ssh runs this command on the other machine, where spoor must be in\n"
        "PATH. A store that its user there does not trust can only be fetched from.",
    .is_callable = false,
};

}  // namespace spoor::cli
