#include <array>
#include <cctype>
#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "base/os/signals.h"
#include "cli/common_options.h"
#include "cli/page/page_assets.h"
#include "cli/page/page_stores.h"
#include "cli/serving.h"
#include "cli/session.h"
#include "cli/store_path.h"
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
    Option{"--write", "", "let the page fork, pin, skip, edit and undo"},
};

constexpr std::array kExamples = {
    Example{"spoor open", "all sessions, in a browser"},
    Example{"spoor open 57", "session 57"},
    Example{"spoor open --listen 127.0.0.1:7412", "at a port that 'ssh -L' forwards"},
};

// Returns a revision as the fragment of an address may have it (RFC 3986).
std::string in_fragment(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_plain = (std::isalnum(static_cast<unsigned char>(c)) != 0) ||
                          std::string_view("-._~/@:").find(c) != std::string_view::npos;
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// Returns the part of the page's address that names what to show.
Result<std::string> route_of(Session& session, const Arguments& arguments) {
  const std::string revision = arguments.text("revision");
  if (revision.empty()) return std::string();
  TRY(TRY(session.workspace())->resolve(revision));
  return "/session/" + in_fragment(revision);
}

Result<void> serve_page(Session& session, serve::PageServer& server, const std::string& address) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread worker([&] { server.run(); });
  session.out().print(address + "\n").flush();
  int signal = 0;
  ::sigwait(&set, &signal);
  server.stop();
  // A second signal does not wait for answers.
  std::jthread hurry([&](const std::stop_token& ended) {
    while (!ended.stop_requested()) {
      if (os::take_signal(set, std::chrono::milliseconds(100)) > 0) server.abandon();
    }
  });
  worker.join();
  return {};
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
  return serve_page(session, server, fmt::format("{}/#{}{}", listener.url, token, route));
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
