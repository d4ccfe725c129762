#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "base/files.h"
#include "cli/common_options.h"
#include "cli/recording/child.h"
#include "cli/recording/recording.h"
#include "cli/recording/redirect.h"
#include "cli/recording/serving.h"
#include "cli/session.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "import/known_agents.h"
#include "proxy/spooling_relay.h"
#include "store/store.h"

namespace spoor::cli {
namespace {

using proxy::Station;

// A provider's API, and how its clients are sent elsewhere: by a variable that they read.
struct Api {
  std::string_view option;
  import::AgentProvider provider;
};
constexpr std::array kApis = {
    Api{"--anthropic", {"anthropic", "https://api.anthropic.com", "ANTHROPIC_BASE_URL"}},
    Api{"--openai", {"openai", "https://api.openai.com/v1", "OPENAI_BASE_URL"}},
    Api{"--google",
        {"gemini", "https://generativelanguage.googleapis.com", "GOOGLE_GEMINI_BASE_URL"}},
    Api{"--ollama", {"ollama", "http://127.0.0.1:11434", "OLLAMA_HOST"}},
};

constexpr std::array kWithOptions = {
    Option{"command", "AGENT",
           "claude, codex, gemini, opencode or pi; or any command, with the API that it speaks", 0,
           Takes::text, Count::some},
    Option{"--anthropic", "", "the command asks Anthropic's API (ANTHROPIC_BASE_URL)"},
    Option{"--openai", "", "the command asks an API like OpenAI's (OPENAI_BASE_URL)"},
    Option{"--google", "", "the command asks Google's Gemini API (GOOGLE_GEMINI_BASE_URL)"},
    Option{"--ollama", "", "the command asks Ollama (OLLAMA_HOST)"},
};

constexpr std::array kWithExamples = {
    Example{"spoor with claude -- -p 'fix the test'", "run Claude Code, and record it"},
    Example{"spoor with --openai -- python3 agent.py", "record any program"},
};

constexpr std::array kProxyOptions = {
    Option{"--listen", "ADDRESS", "where clients ask (default: 127.0.0.1 and any free port)"},
    Option{"--upstream", "URL", "the provider's address; NAME=URL for one of several, at /NAME", 0,
           Takes::text, Count::some},
};

constexpr std::array kProxyExamples = {
    Example{"spoor proxy --upstream https://api.anthropic.com", "record what is sent there"},
};

constexpr int kNotFound = 127;                     // As shells say it.
constexpr std::chrono::milliseconds kGrace{2000};  // For exchanges that outlive their agent.

Result<std::unique_ptr<Station>> start_station(Session& session, const std::string& listen,
                                               const std::vector<proxy::Route>& routes,
                                               const std::string& agent,
                                               std::optional<std::chrono::milliseconds> grace,
                                               const std::string& certificates, const Pipe& said) {
  TRY(proxy::Relay::check(routes));
  const std::string folder = TRY(spool_folder(session, "spool"));
  return Station::start({.listen = listen,
                         .spool = folder,
                         .serve =
                             [routes, agent, certificates](int socket, const proxy::Spool& spool) {
                               return proxy::make_spooling_relay(socket, routes, agent, spool,
                                                                 {.ca_file = certificates});
                             },
                         .grace = grace,
                         .record = [&](const proxy::Spool& spool, int finish) -> int {
                           const auto recording = record_all(session, spool, finish);
                           if (!recording) return failed_recorder(session, recording.error());
                           said.say(write_recording(recording.value()));
                           return kExitOk;
                         }});
}

// Prints "recorded claude-code/1f3a: 12 requests, 34,100 tokens in, 2,300 out, $0.41".
void print_recording(Session& session, const std::optional<Recording>& recording,
                     const proxy::Spool::Dropped& dropped) {
  Output& out = session.err();
  const std::string lost = fmt::format("could not be recorded ({})",
                                       dropped.reason);  // One of the list in docs/proxy.md.
  if (!recording) {
    out.print("spoor: not everything is recorded yet; the next 'spoor with' goes on\n");
    return;
  }
  if (recording->requests == 0) {
    out.print(dropped.count == 0
                  ? "spoor: nothing was recorded: no question to a model came to spoor's proxy\n"
                  : fmt::format("spoor: {} {}\n", counted(dropped.count, "request"), lost));
    return;
  }
  std::string ref = recording->ref;
  const std::string heads = store::branch_ref("");
  if (ref.starts_with(heads)) ref.erase(0, heads.size());
  out.print(fmt::format("spoor: recorded {}: {}, {} tokens in, {} out", ref,
                        counted(recording->requests, "request"), grouped(recording->input),
                        grouped(recording->output)));
  out.print(", " + recording->cost);
  if (dropped.count > 0) out.print(fmt::format("; {} {}", grouped(dropped.count), lost));
  out.print("\n").flush();
}

// Returns the status that a shell gives a process that ended.
int shell_status(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

volatile std::sig_atomic_t agent_running = 0;  // Its process; 0: none.

// Passes on what a process sent. What the terminal sends, it sends to the agent, too.
void pass_on(int signal, siginfo_t* info, void*) {
  const bool is_of_terminal = info->si_code > 0 && (signal == SIGINT || signal == SIGQUIT);
  if (agent_running > 0 && !is_of_terminal) ::kill(agent_running, signal);
}

void pass_on_signals() {
  struct sigaction passing {};
  passing.sa_sigaction = pass_on;
  passing.sa_flags = SA_SIGINFO;
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) {
    ::sigaction(signal, &passing, nullptr);
  }
}

// Runs the agent as a shell would: the terminal's signals are its own, others are passed on to it,
// and if it is stopped, so are we.
Result<void> run_agent(Session& session, const std::vector<std::string>& words,
                       const std::vector<std::pair<std::string, std::string>>& variables,
                       Station* station) {
  ::signal(SIGCHLD, SIG_DFL);
  pass_on_signals();
  const auto agent = start_program(words, environment_with(variables), STDIN_FILENO, STDOUT_FILENO);
  if (!agent) {
    session.report(agent.error());
    session.exit_with(kNotFound);
    return {};
  }
  agent_running = agent.value();
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(-1, &status, WUNTRACED);
    if (ended < 0 && errno != EINTR) break;
    if (ended > 0 && WIFSTOPPED(status)) {
      if (ended == agent.value()) ::kill(::getpid(), SIGSTOP);
      continue;
    }
    if (ended == agent.value()) break;
    if (ended > 0 && station != nullptr) station->ended(ended);
  }
  agent_running = 0;
  session.exit_with(shell_status(status));
  return {};
}

// Returns how the command is sent to the proxy; nullopt if that is not known. `apis` gets the APIs
// that are named, which must live as long as the result.
std::optional<import::AgentRedirect> redirect_of(const Arguments& arguments,
                                                 const import::KnownAgent* agent,
                                                 std::vector<import::AgentProvider>& apis) {
  for (const Api& each : kApis) {
    if (arguments.has(std::string(each.option))) apis.push_back(each.provider);
  }
  if (!apis.empty()) return import::AgentRedirect{.providers = apis};
  return agent != nullptr ? std::optional(agent->redirect) : std::nullopt;
}

// A folder for the files of one run; removed with it.
class RunFolder {
 public:
  explicit RunFolder(const Session& session)
      : path_(fmt::format("{}/with/{}", home_of(session.environment()), ::getpid())) {}
  ~RunFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  // Gemini CLI wants folders that only the user writes, which the session's own are.
  static std::string home_of(const Environment& environment) {
    const auto runtime = environment.variable("XDG_RUNTIME_DIR");
    return runtime && !runtime->empty() ? *runtime + "/spoor" : state_home(environment);
  }

  const std::string path_;
};

// Returns the file of the certificates that the agent trusts; empty: the system's. Node's variable
// adds to the others (https://nodejs.org/api/cli.html), so both are written to `folder`.
Result<std::string> certificates_of(const Environment& environment, const std::string& folder) {
  constexpr std::size_t kMost = 16U << 20U;
  constexpr std::array kSystems = {"/etc/ssl/certs/ca-certificates.crt",
                                   "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                                   "/etc/ssl/cert.pem"};
  const std::string own = environment.variable("SSL_CERT_FILE").value_or("");
  const std::string more = environment.variable("NODE_EXTRA_CA_CERTS").value_or("");
  const auto added = more.empty() ? std::nullopt : TRY(read_file(more, kMost));
  if (!added) return own;
  std::optional<std::string> all;
  if (!own.empty()) all = TRY(read_file(own, kMost));
  for (const char* system : kSystems) {
    if (!all) all = TRY(read_file(system, kMost));
  }
  const std::string path = folder + "/certificates.pem";
  TRY(write_file(path, all.value_or("") + "\n" + *added, 0600));
  return path;
}

Result<void> run_with(Session& session, const Arguments& arguments) {
  TRY(require_shell(session));
  std::vector<std::string> words = arguments.all("command");
  const import::KnownAgent* agent =
      import::find_agent(std::filesystem::path(words.front()).filename().string());
  std::vector<import::AgentProvider> apis;
  const auto how = redirect_of(arguments, agent, apis);
  if (!how || how->providers.empty()) {
    return session.usage_error(
        fmt::format("'{}' is not an agent that spoor knows", words.front()),
        "say which API it speaks: --anthropic, --openai, --google or --ollama");
  }
  if (words.size() > 1 &&
      std::ranges::find(how->own_commands, words[1]) != how->own_commands.end()) {
    return run_agent(session, words, {}, nullptr);
  }
  const Pipe said = TRY(Pipe::make());
  const RunFolder folder(session);
  Redirected redirected;
  const auto start = [&]() -> Result<std::unique_ptr<Station>> {
    const Redirect redirect = TRY(Redirect::make(*how, session.environment()));
    auto station = TRY(start_station(
        session, "127.0.0.1:0", redirect.routes(), agent != nullptr ? std::string(agent->name) : "",
        kGrace, TRY(certificates_of(session.environment(), folder.path())), said));
    redirected = TRY(redirect.to(station->address(), folder.path()));
    return station;
  };
  auto station = start();
  if (!station) {  // The agent runs all the same.
    session.report(station.error());
    session.err().print("spoor: nothing is recorded\n").flush();
    return run_agent(session, words, {}, nullptr);
  }
  words.insert(words.begin() + 1, redirected.words.begin(), redirected.words.end());
  const auto ran = run_agent(session, words, redirected.variables, station.value().get());
  ::signal(SIGINT, SIG_DFL);  // The rest is written without us, too.
  ::signal(SIGQUIT, SIG_DFL);
  station.value()->finish();
  TRY(ran);
  print_recording(session, read_recording(said.heard()), station.value()->dropped());
  return {};
}

// Reads `URL` and `NAME=URL`.
Result<std::vector<proxy::Route>> read_routes(Session& session, const Arguments& arguments) {
  std::vector<proxy::Route> routes;
  for (const std::string& each : arguments.all("--upstream")) {
    const std::size_t equals = each.find('=');
    const bool has_name = equals < each.find("://");
    const std::string name = has_name ? each.substr(0, equals) : std::string();
    if (has_name && (name.empty() || name.find_first_of("/?# ") != name.npos)) {
      return session.usage_error(fmt::format("'{}' cannot name a provider", name));
    }
    routes.push_back({has_name ? "/" + name : "", has_name ? each.substr(equals + 1) : each});
  }
  // The one without a name gets what no other does.
  std::stable_partition(routes.begin(), routes.end(),
                        [](const proxy::Route& route) { return !route.prefix.empty(); });
  TRY(proxy::Relay::check(routes));
  return routes;
}

Result<void> run_proxy(Session& session, const Arguments& arguments) {
  TRY(require_shell(session));
  const auto routes = TRY(read_routes(session, arguments));
  if (routes.empty()) return session.usage_error("'spoor proxy' needs --upstream URL");
  const Pipe said = TRY(Pipe::make());
  const auto station =
      TRY(start_station(session, arguments.text("--listen", "127.0.0.1:0"), routes, "", {},
                        session.environment().variable("SSL_CERT_FILE").value_or(""), said));
  serve_until_signal(session, *station);
  station->finish();
  print_recording(session, read_recording(said.heard()), station->dropped());
  return {};
}

}  // namespace

extern const Command kWith{
    .name = "with",
    .summary = "Run an agent and record every request that it sends",
    .options = kWithOptions,
    .run = run_with,
    .group = Group::start,
    .details =
        "Starts a proxy on this machine, tells the agent to ask it, and runs the agent as\n"
        "without spoor: the same terminal, and its own exit status. The proxy passes\n"
        "everything on as it comes. Each request is recorded byte for byte ('spoor prompt'\n"
        "prints it), with its response and its turns, in your own store. Keys are never\n"
        "written.\n"
        "\n"
        "If the agent already asks another address, by its settings or a variable, requests\n"
        "go there.\n"
        "What could not be recorded stays in the folder spool of spoor's state, and the\n"
        "next 'spoor with' records it.",
    .examples = kWithExamples,
    .is_callable = false,
};

extern const Command kProxy{
    .name = "proxy",
    .summary = "Record the requests that programs send to a provider",
    .options = kProxyOptions,
    .run = run_proxy,
    .group = Group::start,
    .details =
        "Prints the address to use in place of the provider's, and passes on and records\n"
        "what is sent there, as 'spoor with' does. Ctrl-C ends it, after what is open has\n"
        "ended and is written.",
    .examples = kProxyExamples,
    .is_callable = false,
};

}  // namespace spoor::cli
