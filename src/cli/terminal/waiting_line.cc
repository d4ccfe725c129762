#include "cli/terminal/waiting_line.h"

#include <utility>

#include <fmt/format.h>

namespace spoor::cli {

using namespace std::chrono_literals;

WaitingLine::WaitingLine(Terminal& terminal, std::string label)
    : progress_(terminal, std::move(label)) {
  if (!terminal.is_tty(Stream::err)) return;
  updates_ = std::jthread([this](const std::stop_token& done) { show(done); });
}

WaitingLine::~WaitingLine() {
  if (!updates_.joinable()) return;
  updates_.request_stop();
  updates_.join();
}

void WaitingLine::note(std::string text) {
  const std::lock_guard lock(mutex_);
  note_ = std::move(text);
}

void WaitingLine::show(const std::stop_token& done) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, done, 110ms, [] { return false; }) && !done.stop_requested()) {
    const auto passed = std::chrono::steady_clock::now() - begin_;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
    std::string text = note_;
    if (seconds > 0) text += fmt::format("{}{} s", text.empty() ? "" : ", ", seconds);
    progress_.update(0, 0, text);
  }
}

}  // namespace spoor::cli
