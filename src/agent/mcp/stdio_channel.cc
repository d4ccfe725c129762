#include "agent/mcp/stdio_channel.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "agent/builtin/base.h"
#include "agent/builtin/kept_output.h"
#include "agent/builtin/launch.h"
#include "base/json/writer.h"
#include "compile/turn.h"

namespace spoor::agent::mcp {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostWaiting = 1'000;  // Messages that the server has not read.
constexpr std::size_t kMostErrors = 4'096;   // Bytes kept of what it prints for people.
constexpr milliseconds kLook{20};            // How often to check a deadline.

class StdioChannel final : public Channel {
 public:
  StdioChannel(builtin::SharedBase base, Listener listener)
      : base_(std::move(base)), listener_(std::move(listener)) {}

  ~StdioChannel() override {
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    changed_.notify_all();
    if (writer_.joinable()) writer_.join();  // Closes the server's input.
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kExitGrace, [&] { return has_ended_; });
    lock.unlock();
    stop_.request_stop();
    if (reader_.joinable()) reader_.join();
  }

  Result<void> start(const ServerProgram& program) {
    builtin::Pipe pipe = TRY(builtin::make_pipe());
    input_ = std::move(pipe.in);
    Descriptor theirs = std::move(pipe.out);
    if (::fcntl(input_.number(), F_SETFL, O_NONBLOCK) != 0) return io_error("cannot use a pipe");
    // The thread that starts a program must outlive it: the program dies with its starter.
    reader_ = std::jthread([this, program, theirs = std::move(theirs)]() mutable {
      serve(program, std::move(theirs));
    });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return has_started_ || has_ended_; });
    if (!has_started_) return gone_;
    writer_ = std::jthread([this] { write_all(); });
    return {};
  }

  Result<Answer> ask(const Request& request, const Deadline& deadline) override {
    std::unique_lock lock(mutex_);
    const std::int64_t id = ++last_id_;
    waiting_.try_emplace(id);
    TRY(enqueue(write_request(std::to_string(id), request.method, request.params)));
    while (true) {
      if (auto& answer = waiting_.at(id)) {
        Answer taken = std::move(*answer);
        waiting_.erase(id);
        return taken;
      }
      if (has_ended_ || is_broken_) return gone_;
      if (const auto checked = deadline.check(); !checked) {
        waiting_.erase(id);
        json::Object params;
        params.add_integer("requestId", id);
        params.add_string("reason", checked.error().message);
        (void)enqueue(write_request("", "notifications/cancelled", params.write()));
        return late(checked.error());
      }
      changed_.wait_for(lock, kLook);
    }
  }

  Result<void> tell(std::string_view method, std::string_view params) override {
    const std::lock_guard lock(mutex_);
    return enqueue(write_request("", method, params));
  }

  void listen(const Request& request) override {
    const std::lock_guard lock(mutex_);
    (void)enqueue(write_request(std::to_string(++last_id_), request.method, request.params));
  }

  void speak(std::string_view) override {}
  bool is_http() const override { return false; }

  bool is_alive() const override {
    const std::lock_guard lock(mutex_);
    return !has_ended_ && !is_broken_;
  }

 private:
  // ---- The reading thread ----

  void serve(const ServerProgram& program, Descriptor theirs) {
    auto ended = run(program, std::move(theirs));
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    if (!is_broken_) {
      const std::string how =
          !ended ? ended.error().message
                 : fmt::format("the server ended ({})",
                               ended->signal != 0 ? fmt::format("signal {}", ended->signal)
                                                  : fmt::format("exit code {}", ended->exit_code));
      gone_ = {ended ? Error::Code::unavailable : ended.error().code, how, printed()};
    }
    changed_.notify_all();
  }

  Result<builtin::Ended> run(const ServerProgram& program, Descriptor theirs) {
    const Deadline deadline(stop_.get_token(), milliseconds(0));
    builtin::Confined::Entry entry = TRY(base_->confined->enter(*base_, deadline));
    const Descriptor folder = TRY(base_->root.folder("."));
    builtin::Process process{.argv = program.argv,
                             .environment = std::move(entry.environment),
                             .folder = folder.number(),
                             .input = theirs.number(),
                             .jail = &entry.jail};
    process.environment.insert(process.environment.end(), program.environment.begin(),
                               program.environment.end());
    return run_process(process, deadline,
                       {.output = [this](std::string_view bytes) { take(bytes); },
                        .errors =
                            [this](std::string_view bytes) {
                              const std::lock_guard lock(mutex_);
                              errors_.add(bytes);
                            },
                        .started =
                            [this, &theirs] {
                              theirs.close();  // Else our writer would not notice its end.
                              const std::lock_guard lock(mutex_);
                              has_started_ = true;
                              changed_.notify_all();
                            }});
  }

  void take(std::string_view bytes) {
    while (!bytes.empty() && !stop_.stop_requested()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view part = bytes.substr(0, end);
      if (line_.size() + part.size() > kMostMessage) {
        return break_off(
            fmt::format("the server sent a message of more than {} MiB", kMostMessage >> 20U));
      }
      line_ += part;
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
      take_line(std::exchange(line_, {}));
    }
  }

  void take_line(const std::string& line) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) return;
    const auto document = json::parse(line);
    const json::Value message = document ? document->root() : json::Value();
    const json::Value id = message.find("id");
    const json::Value method = message.find("method");
    if (method.is_string() && id) {
      const Answer answer = listener_.asked(method.text());
      const std::lock_guard lock(mutex_);
      (void)enqueue(write_answer(id.raw(), answer));
    } else if (method.is_string()) {
      listener_.notified(method.text(), message.find("params"));
    } else if (auto answer = read_answer(message)) {
      const std::lock_guard lock(mutex_);
      const auto found = id.integer() ? waiting_.find(*id.integer()) : waiting_.end();
      const bool is_first = found != waiting_.end() && !found->second;
      if (is_first) found->second = std::move(*answer);
      changed_.notify_all();
    } else {
      const std::lock_guard lock(mutex_);
      garbage_ = compile::preview(line);
      if (++garbage_count_ > kMostGarbage) {
        end(fmt::format("the server prints lines that are not messages, such as '{}'", garbage_));
      }
    }
  }

  void break_off(const std::string& why) {
    const std::lock_guard lock(mutex_);
    end(why);
  }

  // Ends the server for what it did. Needs mutex_.
  void end(const std::string& why) {
    is_broken_ = true;
    gone_ = unavailable(why, printed());
    stop_.request_stop();
    changed_.notify_all();
  }

  // ---- The writing thread ----

  // Needs mutex_.
  Result<void> enqueue(std::string message) {
    if (has_ended_ || is_broken_) return gone_;
    if (queue_.size() >= kMostWaiting) {
      end("the server does not read its input");
      return gone_;
    }
    queue_.push_back(std::move(message) + '\n');
    changed_.notify_all();
    return {};
  }

  void write_all() {
    // A server that closes its input must not end this process. Pending signals end with the
    // thread.
    sigset_t pipes;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipes, nullptr);
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return is_over() || !queue_.empty(); });
      if (queue_.empty() || has_ended_ || is_broken_) break;
      const std::string message = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      const bool is_written = write(message);
      lock.lock();
      if (!is_written) break;
    }
    input_.close();
  }

  bool is_over() const { return is_closing_ || has_ended_ || is_broken_; }

  bool write(std::string_view bytes) {
    const auto begun = Deadline::Clock::now();
    while (!bytes.empty()) {
      const ssize_t count = ::write(input_.number(), bytes.data(), bytes.size());
      if (count > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(count));
        continue;
      }
      if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
      pollfd wanted{input_.number(), POLLOUT, 0};
      ::poll(&wanted, 1, static_cast<int>(kLook.count()));
      const std::lock_guard lock(mutex_);
      const bool is_late = Deadline::Clock::now() - begun > kExitGrace;
      if (has_ended_ || is_broken_ || (is_closing_ && is_late)) return false;
    }
    return true;
  }

  // ---- Errors. They need mutex_. ----

  std::string printed() const {
    const std::string said = compile::preview(errors_.text(kMostErrors), 500);
    return said.empty() ? "" : "it printed: " + said;
  }

  Error late(Error error) const {
    error.hint = printed();
    if (error.hint.empty() && !garbage_.empty()) {
      error.hint = fmt::format("it printed lines that are not messages, such as '{}'", garbage_);
    }
    return error;
  }

  const builtin::SharedBase base_;  // Shared with the tools of the run.
  const Listener listener_;
  Descriptor input_;  // Used by the writing thread, once it runs.
  std::string line_;  // An incomplete line; used by the reading thread.

  mutable std::mutex mutex_;  // Guards all below.
  std::condition_variable changed_;
  std::map<std::int64_t, std::optional<Answer>> waiting_;
  std::deque<std::string> queue_;
  std::int64_t last_id_ = 0;
  builtin::KeptOutput errors_{kMostErrors};
  std::string garbage_;
  int garbage_count_ = 0;
  bool has_started_ = false;
  bool has_ended_ = false;
  bool is_broken_ = false;
  bool is_closing_ = false;
  Error gone_ = unavailable("the server ended");

  std::stop_source stop_;
  std::jthread reader_;
  std::jthread writer_;
};

}  // namespace

Result<std::unique_ptr<Channel>> start_server(const ServerProgram& program,
                                              const builtin::SharedBase& base, Listener listener) {
  auto channel = std::make_unique<StdioChannel>(base, std::move(listener));
  TRY(channel->start(program));
  return std::unique_ptr<Channel>(std::move(channel));
}

}  // namespace spoor::agent::mcp
