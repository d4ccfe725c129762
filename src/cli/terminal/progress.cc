#include "cli/terminal/progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"

namespace spoor::cli {
namespace {

using std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::milliseconds(100);
constexpr std::uint64_t kBarCells = 20;

}  // namespace

std::string progress_line(std::string_view label, std::uint64_t done, std::uint64_t total,
                          std::string_view note, int columns) {
  std::string line(label);
  if (total > 0) {
    const std::uint64_t part = std::min(done, total);
    const auto cells = static_cast<std::size_t>(part * kBarCells / total);
    line += " [";
    for (std::size_t i = 0; i < kBarCells; ++i) line += i < cells ? "#" : "-";
    line += fmt::format("] {:3}%", part * 100 / total);
  }
  if (!note.empty()) line.append("  ").append(visible_line(note));
  return truncated(line, std::max(columns - 1, 1));
}

Progress::Progress(Terminal& terminal, std::string label)
    : terminal_(terminal), label_(std::move(label)), next_(steady_clock::now() + kPatience) {}

void Progress::update(std::uint64_t done, std::uint64_t total, std::string_view note) {
  if (!terminal_.is_tty(Stream::err)) return;
  const auto now = steady_clock::now();
  if (now < next_) return;
  next_ = now + kPatience;
  shown_ = true;
  terminal_.write(Stream::err,
                  "\r" + progress_line(label_, done, total, note, terminal_.width()) + "\x1b[K");
}

void Progress::clear() {
  if (shown_) terminal_.write(Stream::err, "\r\x1b[K");
  shown_ = false;
}

}  // namespace spoor::cli
