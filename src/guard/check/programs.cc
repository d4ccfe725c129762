#include "guard/check/programs.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "agent/builtin/environment.h"
#include "agent/builtin/process.h"
#include "base/descriptor.h"
#include "compile/turn.h"
#include "guard/check/event.h"
#include "guard/check/reply.h"

namespace spoor::guard::check {
namespace {

constexpr std::size_t kMostErrors = 4'096;

Error cannot(std::string_view what) {
  return io_error(fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

// Makes a file in memory, without a name, so that no part of an event reaches a disk.
Result<Descriptor> memory_file(std::string_view bytes) {
  Descriptor made(::memfd_create("spoor-check", MFD_CLOEXEC));
  if (!made) return cannot("make a file in memory");
  // Above the standard descriptors, which the child replaces.
  Descriptor file(::fcntl(made.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!file) return cannot("make a file in memory");
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot("write to a file in memory");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::lseek(file.number(), 0, SEEK_SET) < 0) return cannot("read a file in memory");
  return file;
}

std::string first_line_of(const Descriptor& file) {
  std::string text(kMostErrors, '\0');
  const ssize_t count = ::pread(file.number(), text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return compile::preview(text.substr(0, text.find('\n')));
}

class ChildPrograms final : public Programs {
 public:
  ChildPrograms(std::string folder,
                const std::vector<std::pair<std::string, std::string>>& environment)
      : folder_(std::move(folder)),
        environment_(agent::builtin::command_environment(environment, {})) {}

  Result<std::string> run(const std::vector<std::string>& argv, std::string_view input,
                          std::chrono::milliseconds timeout) override {
    const Descriptor folder(::open(folder_.c_str(), O_DIRECTORY | O_PATH | O_CLOEXEC));
    if (!folder) return cannot(fmt::format("open the folder '{}'", folder_));
    const Descriptor given = TRY(memory_file(input));
    const Descriptor errors = TRY(memory_file({}));
    const agent::builtin::Process process{.argv = argv,
                                          .environment = environment_,
                                          .folder = folder.number(),
                                          .input = given.number(),
                                          .errors = errors.number()};
    std::string printed;
    bool is_too_long = false;
    const agent::builtin::Deadline deadline({}, timeout);
    const auto ended = TRY(run_process(process, deadline, [&](std::string_view bytes) {
      is_too_long = is_too_long || printed.size() + bytes.size() > kMostReply;
      if (!is_too_long) printed += bytes;
    }));
    const std::string& name = argv.front();
    if (ended.was_late) {
      return unavailable(
          fmt::format("'{}' took longer than {} ms and was ended", name, timeout.count()));
    }
    if (is_too_long) return unavailable(fmt::format("'{}' printed too much", name));
    if (ended.exit_code != 0) {
      const std::string said = first_line_of(errors);
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
