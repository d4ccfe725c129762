#include "agent/builtin/tool_command.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/environment.h"
#include "agent/builtin/file_text.h"
#include "agent/builtin/kept_output.h"
#include "base/json/reader.h"
#include "base/os/beneath.h"
#include "compile/turn.h"
#include "llm/schema.h"

namespace spoor::agent::builtin {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::size_t kMostDescribed = 256 * 1024;  // Bytes.
constexpr std::size_t kMostErrors = 8 * 1024;       // Bytes that a model sees.
constexpr const char* kAnyObject = R"({"type": "object"})";

// An empty folder, removed with this object.
class EmptyFolder {
 public:
  static Result<EmptyFolder> make() {
    std::error_code problem;
    std::string path = (fs::temp_directory_path(problem) / "spoor-ask-XXXXXX").string();
    if (problem || ::mkdtemp(path.data()) == nullptr) {
      return io_error(fmt::format("cannot make a temporary folder: {}", std::strerror(errno)));
    }
    return EmptyFolder(std::move(path));
  }
  EmptyFolder(EmptyFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  EmptyFolder& operator=(EmptyFolder&&) = delete;
  ~EmptyFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  explicit EmptyFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// The path to start: a link's target, since a program sees only what it may read.
std::string program_of(const ToolCommand& command) {
  if (command.program.find('/') == std::string::npos) return command.program;
  std::error_code problem;
  const fs::path real = fs::canonical(command.program, problem);
  return problem ? command.program : real.string();
}

// Returns what a program prints that is asked to describe itself; empty if it does not.
Result<std::string> ask(const ToolCommand& command, const Base& base) {
  const EmptyFolder empty = TRY(EmptyFolder::make());
  Sandbox::Settings settings{.root = empty.path(),
                             .network = false,
                             .readable = base.settings.readable,
                             .most = base.settings.most_confinement};
  settings.readable.push_back(base.settings.root);
  const auto sandbox = TRY(Sandbox::open(settings));
  TRY(base.root.closed().store.check_outside(sandbox->readable()));
  const Jail jail = TRY(sandbox->jail({}));
  const Descriptor folder(::open(empty.path().c_str(), os::kFolderFlags | O_CLOEXEC));
  const Process process{
      .argv = {program_of(command), "--describe"},
      .environment = command_environment(base.settings.environment, base.settings.pass_variables,
                                         sandbox->temporary()),
      .folder = folder.number(),
      .jail = &jail};
  std::string printed;
  const auto take = [&](std::string_view bytes) {
    printed += bytes.substr(0, kMostDescribed - printed.size());
  };
  const auto ended = TRY(run_process(process, Deadline({}, kDescribeTimeout),
                                     {.output = take, .errors = [](auto) {}, .started = {}}));
  return ended.exit_code == 0 ? printed : std::string();
}

Result<ToolDefinition> read_description(const ToolCommand& command, std::string_view printed) {
  ToolDefinition definition{
      .id = command.name,
      .description = fmt::format("Runs the program '{}' with these arguments and gives what it "
                                 "prints.",
                                 fs::path(command.program).filename().string()),
      .parameters = kAnyObject};
  const auto document = json::parse(printed);
  const json::Value root = document ? document->root() : json::Value();
  if (const json::Value text = root.find("description"); text.is_string()) {
    definition.description = beginning_of(text.text(), kMostErrors);
  }
  definition.read_only = root.find("read_only").is_true();
  for (const char* key : {"inputSchema", "input_schema"}) {
    if (const json::Value schema = root.find(key)) definition.parameters = schema.raw();
  }
  const auto schema = llm::Schema::parse(definition.parameters);
  if (!schema || !schema->root().is_object()) {
    return invalid(
        fmt::format("'{} --describe' prints an 'input_schema' that is not the JSON Schema "
                    "of an object",
                    command.program),
        schema ? "" : schema.error().message);
  }
  return definition;
}

Result<ToolResult> run(const ToolCommand& command, const Base& base, std::string_view arguments,
                       const ToolContext& context) {
  const Settings& settings = base.settings;
  milliseconds timeout = settings.command_timeout;
  if (context.timeout.count() > 0) timeout = std::min(timeout, context.timeout);
  const Deadline deadline(context.stop, timeout);
  const Descriptor folder = TRY(base.root.folder("."));
  const Descriptor input = TRY(memory_file(std::string(arguments) + '\n'));
  const Confined::Entry entry = TRY(base.confined->enter(base, deadline));
  const Process process{.argv = {program_of(command)},
                        .environment = entry.environment,
                        .folder = folder.number(),
                        .input = input.number(),
                        .jail = &entry.jail};
  KeptOutput output(settings.attach_cap);
  KeptOutput errors(kMostErrors);
  const auto take_errors = [&](std::string_view bytes) {
    errors.add(bytes);
    if (context.output) context.output(bytes);
  };
  const auto ended = TRY(run_process(process, deadline,
                                     {.output = [&](std::string_view bytes) { output.add(bytes); },
                                      .errors = take_errors,
                                      .started = {}}));
  ToolResult result;
  note_time(result.facts, ended);
  const std::string ending = ending_of(ended, timeout);
  result.is_error = !ending.empty();
  if (result.is_error) {
    result.text = ending + '\n' + errors.text(kMostErrors);
    if (errors.total() > 0 && output.total() > 0 && !result.text.ends_with('\n'))
      result.text += '\n';
  }
  result.text += output.text(settings.output_cap);
  if (output.total() == 0 && errors.total() == 0) result.text += "[it printed nothing]";
  if (output.total() > settings.output_cap) {
    result.facts.set(fact::output_bytes, static_cast<std::int64_t>(output.total()));
    result.attach.push_back({output.text(settings.attach_cap), "text/plain"});
  }
  Confined::note_changes(result, base, entry);
  if (!result.is_error && output.total() <= settings.output_cap) {
    const auto document = json::parse(result.text);
    result.is_json = document && (document->root().is_object() || document->root().is_array());
  }
  return result;
}

}  // namespace

Result<ToolDefinition> describe_command(const ToolCommand& command, const SharedBase& base) {
  auto printed = ask(command, *base);
  if (!printed) {
    Error error = printed.error();
    error.message = fmt::format("the tool '{}': {}", command.name, error.message);
    if (error.code == Error::Code::not_found) {
      error.hint = "name a program in PATH, or a path such as ./tools/look";
    }
    return error;
  }
  return read_description(command, *printed);
}

Tool make_tool_command(const ToolCommand& command, const ToolDefinition& definition,
                       SharedBase base) {
  Tool tool = make_tool(definition, [command, base = std::move(base)](std::string_view arguments,
                                                                      const ToolContext& context) {
    return as_result(run(command, *base, arguments, context));
  });
  tool.tags = {std::string(kProgramTag)};
  tool.annotations = {{"sandbox", "system"}, {"program", command.program}};
  return tool;
}

}  // namespace spoor::agent::builtin
