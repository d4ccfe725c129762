#include "cli/terminal/typed_line.h"

#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace spoor::cli {
namespace {

// While it lives, the terminal does not show what is typed.
class NoEcho {
 public:
  NoEcho() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    is_set_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) == 0;
  }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;
  ~NoEcho() {
    if (is_set_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }

 private:
  termios before_{};
  bool is_set_ = false;
};

// Reads up to a line feed, which is not returned; nullopt at the end of the input.
Result<std::optional<std::string>> read_line(Session& session) {
  constexpr std::size_t kMost = 64U << 10U;
  std::string line;
  std::array<char, 4096> block{};
  while (line.find('\n') == std::string::npos && line.size() < kMost) {
    const std::size_t count = TRY(session.read_input(block));
    if (count == 0 && line.empty()) return std::optional<std::string>();
    if (count == 0) break;
    line.append(block.data(), count);
  }
  line.resize(std::min(line.find('\n'), line.size()));
  if (line.ends_with('\r')) line.pop_back();
  return std::optional(std::move(line));
}

}  // namespace

Result<std::string> read_typed_line(Session& session, std::string_view question) {
  // Earlier typing does not answer the question.
  if (session.can_ask()) ::tcflush(STDIN_FILENO, TCIFLUSH);
  session.err().print(question).flush();
  auto line = TRY(read_line(session));
  if (!line) return interrupted("the input ended");
  return *std::move(line);
}

Result<std::string> read_hidden_line(Session& session, std::string_view question) {
  const bool is_person = session.input_is_tty();
  std::optional<NoEcho> quiet;
  if (is_person) {
    session.err().print(question).flush();
    quiet.emplace();
  }
  auto line = TRY(read_line(session));
  quiet.reset();
  if (is_person) session.err().newline();
  if (!line || line->empty()) return invalid("nothing was typed");
  return *std::move(line);
}

}  // namespace spoor::cli
