#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/environment.h"
#include "agent/builtin/file_text.h"
#include "agent/builtin/folder_walk.h"
#include "agent/builtin/kept_output.h"
#include "agent/builtin/process.h"
#include "agent/builtin/protected_files.h"
#include "agent/builtin/sandbox.h"
#include "agent/builtin/test_run.h"
#include "base/json/writer.h"

namespace spoor::agent::builtin {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostShown = 10;  // How many changed protected files are listed.

constexpr std::string_view kParameters = R"json({
  "type": "object",
  "properties": {
    "argv": {"type": "array", "minItems": 1, "items": {"type": "string"},
      "description": "the program and its arguments, each by itself; no shell reads them"},
    "timeout_s": {"type": "number", "exclusiveMinimum": 0,
      "description": "seconds after which it is ended"},
    "cwd": {"type": "string",
      "description": "the folder to run in, relative to the root folder (default: the root folder)"
}
}
, "required" : ["argv"], "additionalProperties" : false
})json";

std::string seconds_of(milliseconds time) {
  return fmt::format("{} s", static_cast<double>(time.count()) / 1000);
}

// Returns 0 if the clock was set back meanwhile.
milliseconds between(Timestamp began, Timestamp ended) {
  return milliseconds(std::max<std::int64_t>(0, ended.micros - began.micros) / 1000);
}

// Describes the end, for the line before the output; empty for exit code 0.
std::string ending_of(const Ended& ended, milliseconds timeout) {
  if (ended.was_stopped) return "interrupted; it was ended";
  if (ended.was_late) return fmt::format("took longer than {} and was ended", seconds_of(timeout));
  if (ended.signal != 0) {
    return fmt::format("signal {} ended it ({})", ended.signal, ::strsignal(ended.signal));
  }
  return ended.exit_code == 0 ? "" : fmt::format("exit code {}", ended.exit_code);
}

void note_ending(compile::Facts& facts, const Ended& ended) {
  if (ended.signal != 0) {
    facts.set(fact::signal, ended.signal);
  } else {
    facts.set(fact::exit_code, ended.exit_code);
  }
  if (ended.was_late) facts.set(fact::timed_out, true);
  if (ended.was_stopped) facts.set(fact::was_stopped, true);
  facts.set(fact::duration_ms, ended.duration.count());
}

void note_tests(compile::Facts& facts, const TestRun& tests) {
  json::Object object;
  object.add_string("runner", tests.runner);
  object.add_string("unit", tests.unit);
  object.add_integer("passed", tests.passed);
  object.add_integer("failed", tests.failed);
  object.add_integer("skipped", tests.skipped);
  facts.set(fact::tests, object.write());
}

Result<std::unique_ptr<Sandbox>> open_sandbox(const Settings& settings) {
  return Sandbox::open({.root = settings.root,
                        .network = settings.has_network,
                        .readable = settings.readable,
                        .most = settings.most_confinement});
}

// Opens the sandbox for the first command; other tools do not need one.
class SandboxOnDemand {
 public:
  Result<const Sandbox*> get(const Settings& settings) {
    const std::lock_guard lock(mutex_);
    if (!sandbox_) sandbox_ = TRY(open_sandbox(settings));
    return sandbox_.get();
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<Sandbox> sandbox_;  // Guarded by mutex_ until it is set.
};

Result<ProtectedFiles> protected_in(const Base& base, const Sandbox& sandbox,
                                    const Deadline& deadline) {
  // Read-only mounts cannot change inside.
  const auto extent = sandbox.confinement().namespaces ? Extent::outermost : Extent::whole;
  return find_protected(base.root, extent, deadline);
}

// Commands are given whole folders, so a store's files in them cannot be hidden.
Result<Jail> jail_for(const Base& base, const Sandbox& sandbox, const ProtectedFiles& files) {
  TRY(base.root.closed().store.check_outside(sandbox.readable()));
  std::vector<std::string> frozen;
  for (const auto& [path, file] : files) {
    if (file.is_store && !sandbox.confinement().namespaces) {
      return denied(
          fmt::format("'{}' belongs to a spoor store, and a command could write it here", path),
          "name a folder without it with --root, or allow it with --allow-write");
    }
    frozen.push_back(path);
  }
  if (!sandbox.confinement().namespaces) frozen.clear();
  return sandbox.jail(frozen);
}

// Reports the protected files that changed: those that a command made and, without read-only
// mounts, those that it wrote.
void note_changes(ToolResult& result, const Base& base, const Sandbox& sandbox,
                  const ProtectedFiles& before) {
  const auto after = protected_in(base, sandbox, Deadline({}, milliseconds(0)));
  if (!after) {
    result.text += fmt::format("\n[{}]", after.error().message);
    return;
  }
  std::vector<std::string> changed = changed_paths(before, after.value());
  if (changed.empty()) return;
  const std::size_t count = changed.size();
  changed.resize(std::min(count, kMostShown));
  std::string shown;
  for (const std::string& path : changed) {
    shown += fmt::format("{}{}", shown.empty() ? "" : ", ", shown_path(path));
  }
  if (count > kMostShown) shown += fmt::format(" and {} more", count - kMostShown);
  result.text += fmt::format("\n[write-protected files were changed or made meanwhile: {}]", shown);
  result.facts.set(fact::protected_changed, json::write_strings(changed));
}

Result<ToolResult> run_command(const Base& base, SandboxOnDemand& sandboxes, std::string_view json,
                               const ToolContext& context) {
  const Settings& settings = base.settings;
  const Arguments arguments = TRY(Arguments::parse(json));
  Process process;
  process.argv = TRY(arguments.texts("argv"));
  const double most = static_cast<double>(settings.most_command_timeout.count()) / 1000;
  const double usual = static_cast<double>(settings.command_timeout.count()) / 1000;
  const double seconds = TRY(arguments.number_or("timeout_s", usual, 0.001, most));
  const std::string folder_path = TRY(arguments.text_or("cwd", "."));
  if (process.argv.empty() || process.argv.front().empty()) {
    return invalid("'argv' names no program");
  }
  for (const std::string& word : process.argv) {
    if (word.find('\0') != std::string::npos) {
      return invalid("'argv' has a NUL byte in it");
    }
  }
  const Descriptor folder = TRY(base.root.folder(folder_path));
  process.folder = folder.number();
  const Sandbox& sandbox = *TRY(sandboxes.get(settings));
  process.environment =
      command_environment(settings.environment, settings.pass_variables, sandbox.temporary());

  auto timeout = milliseconds(static_cast<std::int64_t>(seconds * 1000));
  if (context.timeout.count() > 0) timeout = std::min(timeout, context.timeout);
  const Deadline deadline(context.stop, timeout);
  TRY(deadline.check());
  ProtectedFiles files = TRY(protected_in(base, sandbox, deadline));
  if (sandbox.confinement().namespaces) TRY(make_logs(base.root, files));
  const Jail jail = TRY(jail_for(base, sandbox, files));
  process.jail = &jail;
  KeptOutput output(settings.attach_cap);
  const auto began = settings.clock != nullptr ? settings.clock->now() : Timestamp{};
  Ended ended =
      TRY(run_process(process, deadline, [&](std::string_view bytes) { output.add(bytes); }));
  if (settings.clock != nullptr) ended.duration = between(began, settings.clock->now());

  const std::string kept = output.text(settings.attach_cap);
  std::optional<TestRun> tests;
  if (!ended.was_stopped) tests = read_test_run(process.argv, kept);
  ToolResult result;
  result.facts.set(fact::artifact, tests ? "test_run" : "command");
  note_ending(result.facts, ended);
  if (tests) note_tests(result.facts, *tests);

  const std::string ending = ending_of(ended, timeout);
  result.is_error = !ending.empty();
  if (result.is_error) {
    result.text = ending;
    if (tests) result.text += fmt::format("; {}: {}", tests->runner, tests->text());
    result.text += '\n';
  }
  result.text += output.text(settings.output_cap);
  if (output.total() == 0) result.text += "[it printed nothing]";
  if (output.total() > settings.output_cap) {
    result.facts.set(fact::output_bytes, static_cast<std::int64_t>(output.total()));
    result.attach.push_back({kept, "text/plain"});
  }
  note_changes(result, base, sandbox, files);
  return result;
}

}  // namespace

Tool make_run_command(SharedBase base) {
  Tool tool;
  tool.id = "run_command";
  tool.description = fmt::format(
      "Runs a program with its arguments and gives what it printed, output and errors together, "
      "and its exit code where that is not 0. There is no shell: no pipes, no globs, no variables. "
      "It reads nothing and is ended with all it started after {} unless timeout_s says otherwise.",
      seconds_of(base->settings.command_timeout));
  tool.parameters = kParameters;
  tool.tags = {"commands"};
  tool.annotations = {{"sandbox", "system"}};
  tool.run = [base = std::move(base), sandboxes = std::make_shared<SandboxOnDemand>()](
                 std::string_view json, const ToolContext& context) {
    return as_result(run_command(*base, *sandboxes, json, context));
  };
  return tool;
}

Result<Confinement> find_confinement(const Settings& settings) {
  const auto sandbox = TRY(open_sandbox(settings));
  TRY(StoreGuard(settings.store).check_outside(sandbox->readable()));
  return sandbox->confinement();
}

Result<Confinement> find_confinement() {
  Settings settings;
  settings.root = "/usr";
  return find_confinement(settings);
}

}  // namespace spoor::agent::builtin
