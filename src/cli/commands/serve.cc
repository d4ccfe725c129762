#include <array>
#include <mutex>

#include <unistd.h>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/common_options.h"
#include "cli/mcp/server.h"
#include "cli/recording/serving.h"
#include "cli/session.h"
#include "cli/settings/store_path.h"
#include "cli/terminal/memory_terminal.h"
#include "cli/transfer/peer.h"
#include "cli/views/times.h"
#include "serve/http_server.h"
#include "sync/streams.h"

namespace spoor::cli {
namespace {

using api::JsonWriter;
using serve::Token;
using sync::ByteSink;
using sync::ByteSource;

constexpr std::string_view kAddress = "127.0.0.1:7411";

constexpr std::array kOptions = {
    Option{"path", "PATH", "the store, or its folder (default: the nearest)", 0, Takes::path},
    Option{"--listen", "ADDRESS", "where others ask (default: 127.0.0.1:7411)"},
    Option{"--stdio", "", "answer on standard input and output, for ssh"},
};

constexpr std::array kAllowOptions = {
    Option{"name", "NAME", "who gets the token: the actor of their pushes", 0, Takes::text,
           Count::one},
    Option{"--may", "RIGHT", "read, append or admin (default: append)"},
    Option{"--prefix", "TEXT", "may push only branches and tags whose names begin so"},
};

constexpr std::array kRevokeOptions = {
    Option{"name", "NAME", "whose token is taken back", 0, Takes::text, Count::one},
};

constexpr std::array kTokensOptions = {kJson};

Result<void> serve_stdio(Session& session, const std::string& path) {
  const auto served = TRY(ServedStore::open(session, path));
  sync::Streams streams(STDIN_FILENO, STDOUT_FILENO);
  return sync::answer_stream(streams, [&](const ByteSource& request, const ByteSink& answer) {
    return served->answer(request, answer);
  });
}

// Answers the agents of one connection: a session with the store of its own.
class Agents {
 public:
  Agents(Session& session, const std::string& path, const Token& token)
      : session_({terminal_, session.environment(), session.clock()}),
        server_(session_, {.may_write = token.right != serve::Right::read,
                           .why_not = "the token may only read",
                           .author = token.name,
                           .branch_prefix = token.prefix}) {
    session_.use_store(path);
    session_.restrict_files(Session::Files::none);  // Those of another machine's owner.
  }

  serve::MessageAnswer answer(const serve::PostedMessage& message) {
    const mcp::Headers headers{message.version, message.method, message.name};
    mcp::Reply reply = server_.answer(message.body, &headers);
    session_.err().flush();
    terminal_.errors.clear();  // Said to a person.
    return {reply.status, std::move(reply.text)};
  }

 private:
  MemoryTerminal terminal_;
  Session session_;
  mcp::Server server_;
};

// Lets in those who have a token of the store.
class Door {
 public:
  Door(Session& session, std::string path, std::unique_ptr<ServedStore> list)
      : session_(session), path_(std::move(path)), list_(std::move(list)) {}

  Result<serve::Admitted> admit(std::string_view secret) {
    const std::scoped_lock lock(mutex_);  // The session is for one thread.
    const auto token = TRY(serve::token_with(list_->store(), secret));
    if (!token) return denied("the token is not known");
    std::shared_ptr<ServedStore> served = TRY(ServedStore::open(session_, path_, token));
    const auto check = [served, token, secret = std::string(secret)]() -> Result<void> {
      if (TRY(serve::token_with(served->store(), secret)) == token) return {};
      return denied("the token was taken back");
    };
    serve::Admitted admitted{.name = token->name, .answer = {}, .answer_message = {}};
    admitted.answer = [=](const ByteSource& request, const ByteSink& answer) -> Result<void> {
      TRY(check());
      return served->answer(request, answer);
    };
    const auto agents = std::make_shared<Agents>(session_, path_, *token);
    admitted.answer_message =
        [=](const serve::PostedMessage& message) -> Result<serve::MessageAnswer> {
      TRY(check());
      return agents->answer(message);
    };
    return admitted;
  }

 private:
  Session& session_;
  const std::string path_;
  const std::unique_ptr<ServedStore> list_;
  std::mutex mutex_;
};

Result<void> serve_http(Session& session, const std::string& path, const std::string& address) {
  TRY(require_shell(session));
  auto list = TRY(ServedStore::open(session, path));
  if (TRY(serve::tokens_of(list->store())).empty()) {
    return invalid("there is no token for this store", "make one: spoor serve allow NAME");
  }
  serve::Listener listener = TRY(serve::listen_at(address));
  Door door(session, path, std::move(list));
  serve::HttpServer server(std::move(listener.socket),
                           {.admit = [&](std::string_view token) { return door.admit(token); }});
  serve_until_signal(session, server, listener.url);
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  const std::string path =
      find_store(session.environment(), arguments.text("path", arguments.text("--store")));
  if (path.empty()) return not_found("no store here", "name one: spoor serve PATH");
  if (arguments.has("--stdio")) return serve_stdio(session, path);
  return serve_http(session, path, arguments.text("--listen", std::string(kAddress)));
}

Result<void> allow(Session& session, const Arguments& arguments) {
  TRY(session.require_writing());
  Workspace& workspace = *TRY(session.workspace());
  Token token{.name = arguments.text("name"), .prefix = arguments.text("--prefix")};
  const std::string may = arguments.text("--may", "append");
  const auto right = serve::right_named(may);
  if (!right) {
    return session.usage_error(fmt::format("'{}' is not a right", may),
                               "give read, append or admin");
  }
  token.right = *right;
  token.made = session.clock().now();
  const std::string secret = TRY(serve::add_token(workspace.store(), std::move(token)));
  session.out().print(secret).newline();
  if (session.terminal().is_tty(Stream::out)) {
    session.out().flush();
    session.err().print("spoor: it is shown once; for its owner: spoor remote login URL\n");
  }
  return {};
}

Result<void> revoke(Session& session, const Arguments& arguments) {
  TRY(session.require_writing());
  Workspace& workspace = *TRY(session.workspace());
  const std::string name = arguments.text("name");
  TRY(serve::remove_token(workspace.store(), name));
  session.out().print(fmt::format("{}: the token is not accepted any more\n", name));
  return {};
}

Result<void> list_tokens(Session& session, const Arguments& arguments) {
  const auto tokens = TRY(serve::tokens_of(TRY(session.workspace())->store()));
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().list("tokens");
    for (const Token& each : tokens) {
      json.object().member("name", each.name).member("may", name_of(each.right));
      json.member("prefix", each.prefix).member("made", each.made.text()).end();
    }
    session.out().verbatim(json.end().end().take());
    return {};
  }
  for (const Token& each : tokens) {
    session.out().print(Style::branch, each.name).print(fmt::format(" {}", name_of(each.right)));
    if (!each.prefix.empty()) session.out().print(" " + each.prefix);
    session.out().print(Style::muted, " since " + each.made.text()).newline();
  }
  return {};
}

constexpr std::array kExamples = {
    Example{"spoor serve", "for this machine, or behind a proxy that has a certificate"},
    Example{"spoor serve allow ben --prefix ben/", "a token for Ben"},
};

}  // namespace

extern const Command kServe{
    .name = "serve",
    .summary = "Answer other stores that fetch and push, and coding agents",
    .options = kOptions,
    .run = run,
    .group = Group::care,
    .details =
        "Prints its address, and answers over HTTP/1.1 those who have a token ('spoor serve\n"
        "allow NAME'), until Ctrl-C. It does not encrypt: other machines need a web server\n"
        "with a certificate in front of it, and refuse to send their token without one.\n"
        "\n"
        "For ssh://HOST/PATH, ssh runs 'spoor serve --stdio' on the other machine, where spoor\n"
        "must be in PATH. A store that its user there does not trust can only be fetched from.\n"
        "\n"
        "At /mcp it answers coding agents as 'spoor mcp' does; the tool 'note' needs a token\n"
        "that may append.",
    .examples = kExamples,
    .is_callable = false,
};

extern const Command kServeAllow{
    .name = "serve allow",
    .summary = "Make a token that 'spoor serve' accepts",
    .options = kAllowOptions,
    .run = allow,
    .group = Group::care,
    .details =
        "Prints the token once; the store keeps its hash. With 'read' one may fetch; with\n"
        "'append' also make branches and tags and move them forward; with 'admin' move and\n"
        "remove them. No push erases, or changes settings or HEAD.",
};

extern const Command kServeRevoke{
    .name = "serve revoke",
    .summary = "Take a token back, at once",
    .options = kRevokeOptions,
    .run = revoke,
    .group = Group::care,
};

extern const Command kServeTokens{
    .name = "serve tokens",
    .summary = "List the tokens that 'spoor serve' accepts",
    .options = kTokensOptions,
    .run = list_tokens,
    .group = Group::care,
};

}  // namespace spoor::cli
