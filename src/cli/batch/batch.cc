#include "cli/batch/batch.h"

#include <array>
#include <chrono>
#include <vector>

#include "api/operations/line.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/batch/verbs.h"

namespace spoor::cli::batch {

using api::operations::Context;
using api::operations::Line;

namespace {

// Answers lines that arrived together.
class Answerer {
 public:
  Answerer(Session& session, Context& context) : session_(session), context_(context) {}

  void answer(const std::vector<Line>& lines) {
    for (std::size_t i = 0; i < lines.size();) {
      const std::size_t alone = i + 1;
      if (lines[i].is_short_write() && alone < lines.size() && lines[alone].is_short_write()) {
        i = answer_in_one_turn(lines, i);
      } else {
        say(answer_one(lines[i++]));
      }
    }
  }

 private:
  // Writes the lines from `first` on in one turn of the writer's lock, for kTurn at most: handing
  // the lock to another process and back costs more than a commit. The answers are printed after
  // the turn, because a slow reader of them would block all writers. Returns the next line's index.
  std::size_t answer_in_one_turn(const std::vector<Line>& lines, std::size_t first) {
    constexpr std::chrono::milliseconds kTurn{2};
    std::string answers;
    std::size_t next = first;
    const auto turn = context_.workspace.store().exclusive([&]() -> Result<void> {
      TRY(session_.refresh_capture());  // No other process changes the settings during the turn.
      const auto end = std::chrono::steady_clock::now() + kTurn;
      do {
        answers += lines[next++].answer(context_);
      } while (next < lines.size() && lines[next].is_short_write() &&
               std::chrono::steady_clock::now() < end);
      return {};
    });
    if (!turn) answers = lines[next++].failure(turn.error());
    say(answers);
    return next;
  }

  std::string answer_one(const Line& line) {
    const auto refreshed = session_.refresh_capture();  // The settings may have changed.
    return refreshed ? line.answer(context_) : line.failure(refreshed.error());
  }

  void say(std::string_view answers) {
    session_.out().verbatim(answers);
    session_.out().flush();
  }

  Session& session_;
  Context& context_;
};

}  // namespace

Result<void> run_batch(Session& session) {
  ShellCommands commands(session);
  Context context{*TRY(session.workspace()), TRY(session.author()), {}, &commands};
  TRY(session.forget_originals());  // These texts are sent to no model.
  const std::uint64_t most = 2 * TRY(session.read_limits()).text;  // Twice, for escapes in JSON.
  Answerer answerer(session, context);
  std::string waiting;
  std::array<char, 65'536> buffer;
  while (!session.out().is_closed()) {
    const std::size_t count = TRY(session.read_input(buffer));
    std::vector<Line> lines;
    const auto take = [&lines](std::string_view line) {
      if (!trimmed(line).empty()) lines.emplace_back(line);
    };
    if (count == 0) {
      take(waiting);
      answerer.answer(lines);
      return {};
    }
    // Only new bytes can contain a line end, so a long line is searched once.
    std::size_t from = waiting.size();
    waiting.append(buffer.data(), count);
    if (waiting.size() > most) return too_long("a line of standard input", most);
    std::size_t begin = 0;
    for (std::size_t end = waiting.find('\n', from); end != std::string::npos;
         end = waiting.find('\n', from)) {
      take(std::string_view(waiting).substr(begin, end - begin));
      begin = from = end + 1;
    }
    answerer.answer(lines);
    waiting.erase(0, begin);
  }
  return {};
}

}  // namespace spoor::cli::batch
