#include "guard/check/programs.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "agent/builtin/environment.h"
#include "agent/builtin/process.h"
#include "base/descriptor.h"
#include "base/os/beneath.h"
#include "compile/turn.h"
#include "guard/check/event.h"
#include "guard/check/reply.h"

namespace spoor::guard::check {
namespace {

constexpr std::size_t kMostErrors = 4'096;

class ChildPrograms final : public Programs {
 public:
  ChildPrograms(std::string folder,
                const std::vector<std::pair<std::string, std::string>>& environment)
      : folder_(std::move(folder)),
        environment_(agent::builtin::command_environment(environment, {})) {}

  Result<std::string> run(const std::vector<std::string>& argv, std::string_view input,
                          std::chrono::milliseconds timeout) override {
    const Descriptor folder(::open(folder_.c_str(), os::kFolderFlags | O_CLOEXEC));
    if (!folder) {
      return io_error(
          fmt::format("cannot open the folder '{}': {}", folder_, std::strerror(errno)));
    }
    const Descriptor given = TRY(agent::builtin::memory_file(input));
    const agent::builtin::Process process{.argv = argv,
                                          .environment = environment_,
                                          .folder = folder.number(),
                                          .input = given.number()};
    std::string printed;
    std::string errors;
    bool is_too_long = false;
    const agent::builtin::Deadline deadline({}, timeout);
    const auto take = [&](std::string_view bytes) {
      is_too_long = is_too_long || printed.size() + bytes.size() > kMostReply;
      if (!is_too_long) printed += bytes;
    };
    const auto take_errors = [&](std::string_view bytes) {
      errors += bytes.substr(0, kMostErrors - errors.size());
    };
    const auto ended =
        TRY(run_process(process, deadline, {.output = take, .errors = take_errors, .started = {}}));
    const std::string& name = argv.front();
    if (ended.was_late) {
      return unavailable(
          fmt::format("'{}' took longer than {} ms and was ended", name, timeout.count()));
    }
    if (is_too_long) return unavailable(fmt::format("'{}' printed too much", name));
    if (ended.exit_code != 0) {
      const std::string said = compile::preview(errors.substr(0, errors.find('\n')));
      const std::string how = ended.signal != 0 ? fmt::format("by signal {}", ended.signal)
                                                : fmt::format("with {}", ended.exit_code);
      return unavailable(
          fmt::format("'{}' ended {}{}{}", name, how, said.empty() ? "" : ": ", said));
    }
    return printed;
  }

 private:
  const std::string folder_;
  const std::vector<std::pair<std::string, std::string>> environment_;
};

class CommandCheck final : public Check {
 public:
  CommandCheck(CommandRules rules, Programs& programs)
      : rules_(std::move(rules)), programs_(programs) {}

  Result<std::optional<CheckResult>> judge(const DecisionEvent& event) override {
    const std::string printed =
        TRY(programs_.run(rules_.argv, to_json(event) + '\n', rules_.timeout));
    return std::optional(TRY(read_reply(printed)));
  }

 private:
  const CommandRules rules_;
  Programs& programs_;
};

}  // namespace

std::unique_ptr<Programs> make_programs(
    std::string folder, const std::vector<std::pair<std::string, std::string>>& environment) {
  return std::make_unique<ChildPrograms>(std::move(folder), environment);
}

std::unique_ptr<Check> make_command(const CommandRules& rules, Programs& programs) {
  return std::make_unique<CommandCheck>(rules, programs);
}

}  // namespace spoor::guard::check
