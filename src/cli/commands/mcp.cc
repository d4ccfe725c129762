#include "cli/mcp/server.h"

#include <array>

#include "agent/mcp/channel.h"
#include "base/text.h"
#include "cli/command.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    Option{"--write", "", "offer the tool 'note', which adds a turn to the store"},
};

constexpr std::array kExamples = {
    Example{"claude mcp add spoor -- spoor mcp", "for Claude Code; 'spoor enable' does it, too"},
    Example{"spoor --store talk.spoor mcp --write", "one store, and notes are allowed"},
};

// Splits standard input into lines. A line that is longer than a message may be is given as one
// that is cut: it is no JSON, and its rest is passed over.
class Lines {
 public:
  explicit Lines(Session& session) : session_(session) {}

  // Returns the next line without its end; nullopt at the end of the input.
  Result<std::optional<std::string>> next() {
    std::size_t from = 0;
    while (true) {
      const std::size_t end = waiting_.find('\n', from);
      if (end != std::string::npos) {
        std::string line = waiting_.substr(0, end);
        waiting_.erase(0, end + 1);
        if (!std::exchange(is_passing_over_, false)) return std::optional(std::move(line));
        from = 0;
        continue;
      }
      if (is_passing_over_) waiting_.clear();
      if (waiting_.size() > agent::mcp::kMostMessage) {
        is_passing_over_ = true;
        return std::optional(std::exchange(waiting_, {}));
      }
      from = waiting_.size();
      std::array<char, 65'536> buffer;
      const std::size_t count = TRY(session_.read_input(buffer));
      if (count == 0)
        return std::exchange(is_passing_over_, false) || waiting_.empty()
                   ? std::optional<std::string>()
                   : std::optional(std::exchange(waiting_, {}));
      waiting_.append(buffer.data(), count);
    }
  }

 private:
  Session& session_;
  std::string waiting_;
  bool is_passing_over_ = false;
};

Result<void> run(Session& session, const Arguments& arguments) {
  session.use_own_store();  // Where 'spoor watch' and 'spoor import' put sessions.
  session.restrict_files(Session::Files::below_folder);  // An agent may be led to ask for others.
  mcp::Server server(session, {.may_write = arguments.has("--write"),
                               .why_not = "its owner can start it with 'spoor mcp --write'"});
  Lines lines(session);
  while (const auto line = TRY(lines.next())) {
    if (trimmed(*line).empty()) continue;
    const mcp::Reply reply = server.answer(*line);
    if (reply.text.empty()) continue;
    session.out().verbatim(reply.text).newline().flush();
    if (session.out().is_closed()) break;
  }
  return {};
}

}  // namespace

extern const Command kMcpCommand{
    .name = "mcp",
    .summary = "Answer coding agents that ask about their past sessions",
    .options = kOptions,
    .run = run,
    .group = Group::program,
    .details =
        "A server of the Model Context Protocol, revisions 2025-11-25 and 2026-07-28, on\n"
        "standard input and output: an agent starts it, and it ends with its input. Its\n"
        "tools are search, show, why, reasoning, compile, diff and sessions; each answer\n"
        "keeps to the tokens that the agent allows. It only reads, unless --write is given.\n"
        "It reads your own store, in which 'spoor watch' and 'spoor import' keep sessions,\n"
        "unless --store or SPOOR_STORE names another. docs/mcp.md lists the tools.\n"
        "'spoor serve' answers the same at /mcp.",
    .examples = kExamples,
    .is_callable = false,
};

}  // namespace spoor::cli
