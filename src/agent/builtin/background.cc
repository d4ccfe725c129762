#include "agent/builtin/background.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/kept_output.h"

namespace spoor::agent::builtin {
namespace {

using std::chrono::milliseconds;

constexpr double kMostWait = 60;  // Seconds of read_command.

constexpr std::string_view kStart = R"json({
  "type": "object",
  "properties": {
    "argv": {"type": "array", "minItems": 1, "items": {"type": "string"},
      "description": "the program and its arguments, each by itself; no shell reads them"},
    "cwd": {"type": "string",
      "description": "the folder to run in, relative to the root folder (default: the root folder)"}
  },
  "required": ["argv"],
  "additionalProperties": false
})json";

constexpr std::string_view kRead = R"json({
  "type": "object",
  "properties": {
    "id": {"type": "integer", "minimum": 1, "description": "the number that start_command gave"},
    "wait_s": {"type": "number", "minimum": 0, "maximum": 60,
      "description": "seconds to wait for output, or for the end (default 0)"}
  },
  "required": ["id"],
  "additionalProperties": false
})json";

constexpr std::string_view kStop = R"json({
  "type": "object",
  "properties": {
    "id": {"type": "integer", "minimum": 1, "description": "the number that start_command gave"}
  },
  "required": ["id"],
  "additionalProperties": false
})json";

}  // namespace

struct Background::Program {
  std::string unread;
  std::uint64_t left_out = 0;  // Bytes.
  bool has_started = false;
  std::optional<Ended> ended;
  std::optional<Error> error;  // Why it did not start.
  std::stop_source stop;
  std::jthread thread;
};

Background::~Background() {
  for (auto& [number, program] : programs_) program->stop.request_stop();
  for (auto& [number, program] : programs_) program->thread.join();
}

// Runs on the program's own thread: a program dies with the thread that started it.
void Background::run(Program& program, const std::vector<std::string>& argv,
                     const std::string& folder) {
  const auto take = [&](std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    program.unread += bytes;
    if (program.unread.size() > kMostUnread) {
      const std::size_t surplus = program.unread.size() - kMostUnread;
      program.left_out += surplus;
      program.unread.erase(0, surplus);
    }
    changed_.notify_all();
  };
  const auto started = [&] {
    const std::lock_guard lock(mutex_);
    program.has_started = true;
    changed_.notify_all();
  };
  const auto work = [&]() -> Result<Ended> {
    const Deadline deadline(program.stop.get_token(), milliseconds(0));
    const Descriptor opened = TRY(base_->root.folder(folder));
    const Confined::Entry entry = TRY(base_->confined->enter(*base_, deadline));
    const Process process{.argv = argv,
                          .environment = entry.environment,
                          .folder = opened.number(),
                          .jail = &entry.jail};
    return run_process(process, deadline, {.output = take, .errors = {}, .started = started});
  };
  const auto ended = work();
  const std::lock_guard lock(mutex_);
  if (ended) program.ended = *ended;
  if (!ended) program.error = ended.error();
  changed_.notify_all();
}

Result<int> Background::start(const std::vector<std::string>& argv, const std::string& folder,
                              const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  const auto running = std::count_if(programs_.begin(), programs_.end(), [](const auto& one) {
    return !one.second->ended && !one.second->error;
  });
  if (static_cast<std::size_t>(running) >= kMostRunning) {
    return denied(fmt::format("{} programs run already", kMostRunning), "stop one");
  }
  const int number = static_cast<int>(programs_.size()) + 1;
  const auto program = std::make_shared<Program>();  // Shared with those who look at it.
  programs_.emplace(number, program);
  program->thread =
      std::jthread([this, program = program.get(), argv, folder] { run(*program, argv, folder); });
  while (!program->has_started && !program->error && !program->ended) {
    if (const auto checked = deadline.check(); !checked) {
      program->stop.request_stop();
      return checked.error();
    }
    changed_.wait_for(lock, milliseconds(20));
  }
  if (program->error) return *program->error;
  return number;
}

Result<std::shared_ptr<Background::Program>> Background::find(int number) {
  const auto found = programs_.find(number);
  if (found != programs_.end() && !found->second->error) return found->second;
  return not_found(fmt::format("no program {} was started here", number),
                   "programs end with the process that started them");
}

Result<Background::Look> Background::look(int number, const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  const auto program = TRY(find(number));
  while (program->unread.empty() && !program->ended && deadline.check()) {
    changed_.wait_for(lock, milliseconds(20));
  }
  Look look{.output = std::exchange(program->unread, {}), .ended = program->ended};
  if (program->left_out > 0) {
    look.output.insert(0, fmt::format("[{} bytes left out]\n", program->left_out));
    program->left_out = 0;
  }
  return look;
}

Result<Background::Look> Background::stop(int number) {
  {
    std::unique_lock lock(mutex_);
    const auto program = TRY(find(number));
    program->stop.request_stop();
    changed_.wait(lock, [&] { return program->ended.has_value(); });
  }
  return look(number, Deadline({}, milliseconds(0)));
}

namespace {

Result<int> number_in(const Arguments& arguments) {
  return static_cast<int>(TRY(arguments.whole_or("id", 0, 1, 1'000'000)));
}

Result<ToolResult> start(Background& background, std::string_view json,
                         const ToolContext& context) {
  const Arguments arguments = TRY(Arguments::parse(json));
  const std::vector<std::string> argv = TRY(arguments.command("argv"));
  const std::string folder = TRY(arguments.text_or("cwd", "."));
  const int number = TRY(background.start(argv, folder, Deadline(context)));
  ToolResult result = gave(fmt::format("started; its id is {}", number));
  result.facts.set(fact::artifact, "command");
  return result;
}

ToolResult shown(const Background::Look& look, std::size_t most) {
  ToolResult result;
  if (look.ended) {
    note_ending(result.facts, *look.ended);
    const std::string how = ending_of(*look.ended, milliseconds(0));
    result.text = how.empty() ? "ended with exit code 0\n" : how + '\n';
  } else {
    result.text = "running\n";
  }
  KeptOutput kept(most);
  kept.add(look.output);
  result.text += look.output.empty() ? "[it printed nothing more]" : kept.text(most);
  return result;
}

Result<ToolResult> read(Background& background, std::size_t most, std::string_view json,
                        const ToolContext& context) {
  const Arguments arguments = TRY(Arguments::parse(json));
  const double seconds = TRY(arguments.number_or("wait_s", 0, 0, kMostWait));
  const int number = TRY(number_in(arguments));
  const auto wait =
      milliseconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds * 1000)));
  return shown(TRY(background.look(number, Deadline(context.stop, wait))), most);
}

Result<ToolResult> stop(Background& background, std::size_t most, std::string_view json) {
  const Arguments arguments = TRY(Arguments::parse(json));
  return shown(TRY(background.stop(TRY(number_in(arguments)))), most);
}

}  // namespace

std::vector<Tool> make_background_tools(const SharedBase& base) {
  const auto background = std::make_shared<Background>(base);  // Shared by the three tools.
  const std::size_t most = base->settings.output_cap;
  std::vector<Tool> tools(3);
  tools[0].id = "start_command";
  tools[0].description =
      "Starts a program and goes on at once; read_command gives what it prints. There is no shell. "
      "It is ended with all it started when the work is done, at the latest.";
  tools[0].parameters = kStart;
  tools[0].run = [background](std::string_view json, const ToolContext& context) {
    return as_result(start(*background, json, context));
  };
  tools[1].id = "read_command";
  tools[1].description =
      "Gives what a started program printed since the last time, and whether it still runs.";
  tools[1].parameters = kRead;
  tools[1].run = [background, most](std::string_view json, const ToolContext& context) {
    return as_result(read(*background, most, json, context));
  };
  tools[2].id = "stop_command";
  tools[2].description = "Ends a started program, and gives its last output.";
  tools[2].parameters = kStop;
  tools[2].run = [background, most](std::string_view json, const ToolContext&) {
    return as_result(stop(*background, most, json));
  };
  for (Tool& tool : tools) {
    tool.tags = {"commands"};
    tool.annotations = {{"sandbox", "system"}};
  }
  return tools;
}

}  // namespace spoor::agent::builtin
