#include <array>

#include <fmt/format.h>

#include "base/percent.h"
#include "cli/common_options.h"
#include "cli/page/page_assets.h"
#include "cli/page/page_stores.h"
#include "cli/recording/serving.h"
#include "cli/session.h"
#include "cli/settings/store_path.h"
#include "proxy/loopback.h"
#include "serve/http_server.h"
#include "serve/page_server.h"

namespace spoor::cli {
namespace {

constexpr std::string_view kAddress = "127.0.0.1:0";

constexpr std::array kOptions = {
    Option{"revision", "REV", "what to open: a session, a branch, a commit (default: all sessions)",
           0, Takes::revision},
    Option{"--listen", "ADDRESS", "where the page is (default: 127.0.0.1:0, any free port)"},
    Option{"--write", "", "let the page fork, pin, skip, edit, summarise, merge and undo"},
};

constexpr std::array kExamples = {
    Example{"spoor open", "all sessions, in a browser"},
    Example{"spoor open 57", "session 57"},
    Example{"spoor open --listen 127.0.0.1:7412", "at a port that 'ssh -L' forwards"},
};

// Returns the part of the page's address that names what to show.
Result<std::string> route_of(Session& session, const Arguments& arguments) {
  const std::string revision = arguments.text("revision");
  if (revision.empty()) return std::string();
  TRY(TRY(session.workspace())->resolve(revision));
  return "/session/" + percent_encoded(revision, "/@:");
}

Result<void> run(Session& session, const Arguments& arguments) {
  TRY(require_shell(session));
  const std::string path = find_store(session.environment(), arguments.text("--store"));
  if (path.empty()) return not_found("no store here", "make one: spoor import");
  session.use_store(path);
  TRY(session.workspace());
  if (arguments.has("--write")) TRY(session.require_writing());
  const std::string listen = arguments.text("--listen", std::string(kAddress));
  TRY(proxy::read_listener(listen));
  const std::string route = TRY(route_of(session, arguments));
  const std::string token = TRY(serve::new_page_token());
  serve::Listener listener = TRY(serve::listen_at(listen));
  const page::PageAssets assets;
  page::PageStores stores(session, path, arguments.has("--write"));
  serve::PageServerOptions options{.assets = assets.all(), .token = token};
  options.answer = [&](std::string_view request) { return stores.answer(request); };
  options.follow = [&](const auto& put, const auto& is_over) {
    return stores.follow(put, is_over);
  };
  serve::PageServer server(std::move(listener.socket), std::move(options));
  serve_until_signal(session, server, fmt::format("{}/#{}{}", listener.url, token, route));
  return {};
}

}  // namespace

extern const Command kOpen{
    .name = "open",
    .summary = "Show sessions in a browser: turns, prompts, costs, branches",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .details =
        "Prints the address of a page on this machine, and serves it until Ctrl-C. The\n"
        "address has a token that ends with the command: whoever has it can read the store.\n"
        "Other machines cannot ask; 'ssh -L PORT:127.0.0.1:PORT HOST' brings the page of\n"
        "another one here. The page asks nobody but this command for anything.\n"
        "\n"
        "It only reads, unless --write is given. It follows agents that are running.",
    .examples = kExamples,
    .is_callable = false,
};

}  // namespace spoor::cli
