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

// Returns 0 if the clock was set back meanwhile.
milliseconds between(Timestamp began, Timestamp ended) {
  return milliseconds(std::max<std::int64_t>(0, ended.micros - began.micros) / 1000);
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

Result<ToolResult> run_command(const Base& base, std::string_view json,
                               const ToolContext& context) {
  const Settings& settings = base.settings;
  const Arguments arguments = TRY(Arguments::parse(json));
  Process process;
  process.argv = TRY(arguments.command("argv"));
  const double most = static_cast<double>(settings.most_command_timeout.count()) / 1000;
  const double usual = static_cast<double>(settings.command_timeout.count()) / 1000;
  const double seconds = TRY(arguments.number_or("timeout_s", usual, 0.001, most));
  const std::string folder_path = TRY(arguments.text_or("cwd", "."));
  const Descriptor folder = TRY(base.root.folder(folder_path));
  process.folder = folder.number();
  auto timeout = milliseconds(static_cast<std::int64_t>(seconds * 1000));
  if (context.timeout.count() > 0) timeout = std::min(timeout, context.timeout);
  const Deadline deadline(context.stop, timeout);
  const Confined::Entry entry = TRY(base.confined->enter(base, deadline));
  process.environment = entry.environment;
  process.jail = &entry.jail;
  KeptOutput output(settings.attach_cap);
  const auto began = settings.clock != nullptr ? settings.clock->now() : Timestamp{};
  const auto take = [&](std::string_view bytes) {
    output.add(bytes);
    if (context.output) context.output(bytes);
  };
  Ended ended = TRY(run_process(process, deadline, {.output = take, .errors = {}, .started = {}}));
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
  Confined::note_changes(result, base, entry);
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
  tool.run = [base = std::move(base)](std::string_view json, const ToolContext& context) {
    return as_result(run_command(*base, json, context));
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
