#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "cli/child.h"
#include "cli/common_options.h"
#include "cli/diff_lines.h"
#include "cli/files.h"
#include "cli/hook_text.h"
#include "cli/repl/words.h"
#include "cli/session.h"
#include "graph/unified_diff.h"
#include "import/agent_folders.h"
#include "store/sha256.h"

namespace spoor::cli {
namespace {

namespace fs = std::filesystem;
using import::AgentHooks;
using import::KnownAgent;

constexpr std::array kEnableOptions = {
    Option{"agent", "AGENT",
           "claude, codex, gemini, pi, cursor-agent or droid (default: those you have)", 0,
           Takes::text, Count::many},
    Option{"--yes", "", "write without asking", 'y'},
};
constexpr std::array kDisableOptions = {
    Option{"agent", "AGENT", "as for 'spoor enable' (default: all that are enabled)", 0,
           Takes::text, Count::many},
};
constexpr std::array kEnableExamples = {
    Example{"spoor enable", "show what would be written, and ask"},
    Example{"spoor enable claude --yes", "record Claude Code from now on"},
};
constexpr std::array kDisableExamples = {
    Example{"spoor disable", "all agents' files as they were"},
};

Result<std::string> own_path() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return io_error(fmt::format("cannot find this program: {}", error.message()));
  return program.string();
}

// The command that an agent runs: this program, with a path that a shell reads.
std::string watch_command(const std::string& program) {
  const bool is_plain = program.find_first_of(" '\"\\$`&;()<>|*?[]#~!{}") == std::string::npos;
  return (is_plain ? program : in_quotes(program)) + " watch --background";
}

std::string filled(std::string_view text, const std::string& command) {
  const std::string quoted = json::write_string(command);
  return replaced(std::string(text), "{command}",
                  std::string_view(quoted).substr(1, quoted.size() - 2));
}

// A change for one agent, kept in the state folder.
struct Change {
  std::string path;
  std::optional<std::string> before;  // nullopt: the file was made.
  std::string after;                  // The digest of what was written.
  std::string command;
};

class Changes {
 public:
  explicit Changes(const Environment& environment)
      : folder_(state_home(environment) + "/enabled") {}

  Result<std::optional<Change>> find(const KnownAgent& agent) const {
    const auto text = TRY(read_file(name_of(agent)));
    if (!text) return std::optional<Change>();
    const auto document = json::parse(*text);
    if (!document || !document->root().find("path").is_string()) {
      return corrupt(fmt::format("'{}' is damaged", name_of(agent)), "remove it");
    }
    const json::Value root = document->root();
    Change change{root.find("path").text(), std::nullopt, root.find("after").text(),
                  root.find("command").text()};
    change.before = TRY(read_file(name_of(agent) + ".before"));
    return std::optional(std::move(change));
  }

  Result<void> put(const KnownAgent& agent, const Change& change) const {
    json::Object object;
    object.add_string("path", change.path);
    object.add_string("after", change.after);
    object.add_string("command", change.command);
    if (change.before) TRY(write_file(name_of(agent) + ".before", *change.before, 0600));
    return write_file(name_of(agent), object.write() + "\n", 0600);
  }

  void forget(const KnownAgent& agent) const {
    ::unlink((name_of(agent) + ".before").c_str());
    ::unlink(name_of(agent).c_str());
  }

 private:
  std::string name_of(const KnownAgent& agent) const {
    return folder_ + "/" + std::string(agent.name);
  }

  const std::string folder_;
};

std::string digest(std::string_view text) { return store::sha256(text).hex(64); }

std::string path_of(const KnownAgent& agent, const Environment& environment) {
  const auto variable = [&](const char* name) { return environment.variable(name); };
  return import::path_of(agent.hooks.file, environment.variable("HOME").value_or(""), variable);
}

// Returns the file that a path leads to, also where it is not there yet.
std::string behind_links(fs::path path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path.string();
}

// Writes a file where a link may lead elsewhere, with the mode that it has.
Result<void> replace(const std::string& path, std::string_view text) {
  struct stat found {};
  const bool is_there = ::stat(path.c_str(), &found) == 0;
  return write_file(behind_links(path), text, is_there ? found.st_mode & 07777U : 0600);
}

bool has_hooks(const KnownAgent& agent) { return agent.hooks.file.in_home[0] != '\0'; }

// Whether the agent's folder is there: that of its settings, or the one above it.
bool is_there(const KnownAgent& agent, const Environment& environment) {
  std::error_code error;
  fs::path folder = fs::path(path_of(agent, environment)).parent_path();
  if (!agent.hooks.whole.empty()) folder = folder.parent_path();
  return fs::is_directory(folder, error);
}

Result<std::vector<const KnownAgent*>> asked_agents(Session& session, const Arguments& arguments,
                                                    bool all) {
  std::vector<const KnownAgent*> agents;
  for (const std::string& word : arguments.all("agent")) {
    const KnownAgent* agent = import::find_agent(word);
    if (agent == nullptr || !has_hooks(*agent)) {
      return session.usage_error(fmt::format("'{}' cannot be enabled", word),
                                 "claude, codex, gemini, pi, cursor-agent and droid can; 'spoor "
                                 "with' records others");
    }
    agents.push_back(agent);
  }
  if (arguments.has("agent")) return agents;
  for (const KnownAgent& agent : import::known_agents()) {
    if (has_hooks(agent) && (all || is_there(agent, session.environment()))) {
      agents.push_back(&agent);
    }
  }
  return agents;
}

struct Planned {
  const KnownAgent* agent = nullptr;
  Change change;
  std::string text;  // To be written.
};

// nullopt: it is enabled already.
Result<std::optional<Planned>> plan(const KnownAgent& agent, const Environment& environment,
                                    const Changes& changes, const std::string& command) {
  Planned planned{&agent, {path_of(agent, environment), {}, {}, command}, {}};
  Change& change = planned.change;
  change.before = TRY(read_file(change.path));
  const auto earlier = TRY(changes.find(agent));
  if (earlier && earlier->path != change.path) {
    return conflict(fmt::format("{} is enabled in '{}'", agent.title, earlier->path),
                    "'spoor disable' takes that back first");
  }
  const bool is_ours = earlier && change.before && digest(*change.before) == earlier->after;
  if (is_ours && earlier->command == command) return std::optional<Planned>();
  const AgentHooks& hooks = agent.hooks;
  if (!hooks.whole.empty()) {
    if (change.before && !is_ours) {
      return conflict(fmt::format("'{}' exists, and is not spoor's", change.path), "move it away");
    }
    planned.text = filled(hooks.whole, command);
  } else {
    std::string text = change.before.value_or("");
    if (trimmed(text).empty()) text = std::string(hooks.begun) + "\n";
    if (earlier) text = without_hooks(text, hooks.events, filled(hooks.entry, earlier->command));
    if (earlier && !is_ours && change.before) change.before = text;  // Edited since.
    auto made = with_hooks(std::move(text), hooks.events, filled(hooks.entry, command));
    if (!made) {
      return invalid(fmt::format("cannot change '{}': {}", change.path, made.error().message),
                     made.error().hint);
    }
    planned.text = std::move(made).value();
  }
  if (is_ours) change.before = earlier->before;  // As it was before spoor.
  change.after = digest(planned.text);
  return std::optional(std::move(planned));
}

Result<void> run_enable(Session& session, const Arguments& arguments) {
  const Environment& environment = session.environment();
  TRY(require_state_home(environment));
  const auto agents = TRY(asked_agents(session, arguments, false));
  if (agents.empty()) {
    return not_found("no agent that can be enabled is in your home folder",
                     "claude, codex, gemini, pi, cursor-agent and droid can");
  }
  const Changes changes(environment);
  const std::string program = TRY(own_path());
  const std::string command = watch_command(program);
  Output& out = session.out();
  std::vector<Planned> all;
  for (const KnownAgent* agent : agents) {
    auto made = plan(*agent, environment, changes, command);
    if (!made) {  // The others are enabled all the same.
      session.report(made.error());
      session.exit_with(kExitFailed);
      continue;
    }
    auto& planned = made.value();
    if (!planned) {
      out.print(fmt::format("{} is enabled already\n", agent->title));
      continue;
    }
    const std::string before = TRY(read_file(planned->change.path)).value_or("");
    out.print(Style::strong, planned->change.path).newline();
    print_diff_lines(out, graph::unified_diff(before, planned->text), "  ");
    all.push_back(std::move(*planned));
  }
  if (all.empty()) return {};
  if (!arguments.has("--yes")) {
    if (!session.input_is_tty()) {
      return denied("nothing was written", "'spoor enable --yes' writes without asking");
    }
    if (!TRY(session.agrees("Write this?"))) return {};
  }
  for (const Planned& planned : all) {
    TRY(changes.put(*planned.agent, planned.change));  // First, so that it can be taken back.
    TRY(replace(planned.change.path, planned.text));
    out.print(fmt::format("enabled {}\n", planned.agent->title));
    if (!planned.agent->hooks.asks.empty()) {
      out.print("  ").print(planned.agent->hooks.asks).print("\n");
    }
  }
  out.flush();
  TRY(run_program({program, "watch", "--background"}, {}, {}));
  out.print(
      "'spoor watch' runs; 'spoor log --follow' shows what comes, 'spoor disable' takes it back\n");
  return {};
}

// Returns what was done, for people.
Result<std::string> take_back(const KnownAgent& agent, const Change& change) {
  const auto now = TRY(read_file(change.path));
  if (!now) return std::string("its file is gone");
  if (digest(*now) == change.after) {
    if (change.before) {
      TRY(replace(change.path, *change.before));
      return std::string("its file is as it was");
    }
    if (::unlink(behind_links(change.path).c_str()) != 0) {
      return io_error(fmt::format("cannot remove '{}': {}", change.path, std::strerror(errno)));
    }
    return std::string("its file, which spoor made, is removed");
  }
  if (!agent.hooks.whole.empty()) {
    return conflict(fmt::format("'{}' was changed since", change.path), "remove it yourself");
  }
  const std::string entry = filled(agent.hooks.entry, change.command);
  const std::string without = without_hooks(*now, agent.hooks.events, entry);
  if (without.find(filled("{command}", change.command)) != std::string::npos) {
    return conflict(fmt::format("'{}' was changed since, and still names spoor", change.path),
                    "take '" + change.command + "' out of it");
  }
  if (without != *now) TRY(replace(change.path, without));
  return std::string("its file was changed since: only spoor's part was taken out");
}

Result<void> run_disable(Session& session, const Arguments& arguments) {
  const Changes changes(session.environment());
  bool any = false;
  Result<void> problem;
  for (const KnownAgent* agent : TRY(asked_agents(session, arguments, true))) {
    const auto change = TRY(changes.find(*agent));
    if (!change) continue;
    any = true;
    const auto done = take_back(*agent, *change);
    if (!done) {
      session.report(done.error());
      problem = done.error();
      continue;
    }
    changes.forget(*agent);
    session.out().print(fmt::format("disabled {}: {}\n", agent->title, done.value()));
  }
  if (!any) session.err().print("nothing is enabled\n");
  if (!problem) session.exit_with(kExitFailed);  // It was reported.
  return {};
}

}  // namespace

extern const Command kEnable{
    .name = "enable",
    .summary = "Have your agents recorded whenever they run",
    .options = kEnableOptions,
    .run = run_enable,
    .group = Group::start,
    .details =
        "Adds a hook to the settings of each agent that you have: when a session begins, it\n"
        "runs 'spoor watch --background', which imports each turn as it is written. Shows\n"
        "what it writes, and asks. 'spoor disable' takes it back, byte for byte.",
    .examples = kEnableExamples,
    .is_callable = false,
};

extern const Command kDisable{
    .name = "disable",
    .summary = "Take back what 'spoor enable' wrote",
    .options = kDisableOptions,
    .run = run_disable,
    .group = Group::start,
    .details =
        "Each file gets the bytes that it had. If it was changed since, only spoor's part is\n"
        "taken out; a file where that is not possible is named and left.",
    .examples = kDisableExamples,
    .is_callable = false,
};

}  // namespace spoor::cli
