#include <array>
#include <charconv>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "api/turns/turn_view.h"
#include "cli/common_options.h"
#include "cli/recording/child.h"
#include "cli/session.h"
#include "cli/terminal/interrupt.h"
#include "cli/views/times.h"
#include "cli/views/turn_card.h"
#include "graph/bisect.h"
#include "llm/wire/anthropic.h"
#include "llm/wire/openai_chat.h"
#include "llm/wire/plain_text.h"

namespace spoor::cli {

using api::JsonWriter;
using api::read_view;

namespace {

constexpr int kCannotTell = 125;

constexpr std::array kOptions = {
    Option{"command", "COMMAND", "the command that tests a prompt, after --", 0, Takes::text,
           Count::some},
    Option{"--good", "REV", "a commit whose prompt is good", 0, Takes::revision},
    Option{"--bad", "REV", "a later one whose prompt is bad (default: HEAD)", 0, Takes::revision},
    Option{"--scan", "", "test every commit in order, for a claim that may come and go"},
    Option{"--votes", "K/N", "test each up to N times; K bad results make it bad"},
    Option{"--to", "SHAPE", "the format of the prompt on standard input (default: text)", 0,
           Takes::choice, Count::optional, "openai|anthropic|text"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor bisect --good main~40 -- grep -q 8080",
            "the first commit whose prompt no longer contains 8080"},
    Example{"spoor bisect --good v1 --bad main --votes 2/3 -- ./ask-the-model.sh",
            "a test that may err, up to three times each"},
    Example{"spoor bisect --good main~9 -- sh -c '! grep -q secret'",
            "the first prompt that contains it"},
};

Result<graph::BisectOptions> read_options(Session& session, const Arguments& arguments) {
  graph::BisectOptions options;
  options.scan = arguments.has("--scan");
  if (!arguments.has("--votes")) return options;
  const std::string text = arguments.text("--votes");
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, options.votes);
  const bool has_slash = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  const auto second = has_slash ? std::from_chars(first.ptr + 1, end, options.ballots) : first;
  if (!has_slash || second.ec != std::errc() || second.ptr != end || options.votes == 0 ||
      options.votes > options.ballots) {
    return session.usage_error(fmt::format("'--votes {}' is not a majority", text),
                               "write K/N, for example 2/3");
  }
  return options;
}

Result<std::string> shaped(const Workspace& workspace, const compile::Prompt& prompt,
                           const std::string& shape) {
  if (shape == "text") return llm::wire::plain_text(prompt);
  const auto pictures = TRY(llm::wire::Pictures::read(prompt, workspace.reader()));
  return shape == "openai" ? llm::wire::openai_chat_messages(prompt, pictures)
                           : llm::wire::anthropic_body(prompt, pictures);
}

// Runs the command for a verdict, and prints the verdict on standard error.
class CommandJudge {
 public:
  CommandJudge(Session& session, const Workspace& workspace, const Arguments& arguments)
      : session_(session),
        workspace_(workspace),
        words_(arguments.all("command")),
        shape_(arguments.text("--to", "text")) {}

  Result<graph::Verdict> operator()(const Oid& commit, const compile::Prompt& prompt) {
    if (is_interrupted()) return interrupted("interrupted");
    session_.out().flush();
    session_.err().flush();
    const auto view = TRY(read_view(workspace_.reader(), commit));
    const int status = TRY(run_program(words_, TRY(shaped(workspace_, prompt, shape_)),
                                       {{"SPOOR_COMMIT", commit.hex()},
                                        {"SPOOR_TYPE", std::string(view.kind())},
                                        {"SPOOR_PROMPT_HASH", prompt.hash.hex()},
                                        {"SPOOR_STORE", workspace_.path()}}));
    // The shell's statuses for a command that could not run or was killed, which are not a verdict.
    if (status == 126 || status == 127 || status >= 128) {
      return invalid(fmt::format("'{}' ended with status {}", words_.front(), status),
                     "0 is good, 125 is unknown, 1 to 124 is bad");
    }
    const graph::Verdict verdict = status == 0             ? graph::Verdict::good
                                   : status == kCannotTell ? graph::Verdict::skip
                                                           : graph::Verdict::bad;
    say(commit, verdict);
    return verdict;
  }

 private:
  void say(const Oid& commit, graph::Verdict verdict) {
    Output& err = session_.err();
    const bool is_good = verdict == graph::Verdict::good;
    const bool is_bad = verdict == graph::Verdict::bad;
    err.print(is_good  ? Style::added
              : is_bad ? Style::removed
                       : Style::muted,
              is_good  ? "good"
              : is_bad ? "bad "
                       : "skip");
    err.print(" ").print(Style::commit, workspace_.short_id(commit)).newline().flush();
  }

  Session& session_;
  const Workspace& workspace_;
  const std::vector<std::string>& words_;
  std::string shape_;
};

void print_json(Session& session, const Oid& good, const Oid& bad, const graph::Bisected& found) {
  JsonWriter json;
  json.object().member("good", good).member("bad", bad).member("first_bad", found.first);
  json.member("tests", static_cast<std::uint64_t>(found.tests)).list("skipped");
  for (const Oid& skipped : found.skipped) json.value(skipped);
  json.end().end();
  session.out().verbatim(json.take());
}

Result<void> run(Session& session, const Arguments& arguments) {
  if (!arguments.has("--good")) {
    return session.usage_error("'bisect' needs '--good'",
                               "name a commit whose prompt is still good");
  }
  const graph::BisectOptions options = TRY(read_options(session, arguments));
  const Workspace& workspace = *TRY(session.workspace());
  const Oid good = TRY(workspace.resolve(arguments.text("--good")));
  const Oid bad = TRY(workspace.resolve(arguments.text("--bad", workspace.here())));
  CommandJudge judge(session, workspace, arguments);
  const graph::Bisected found =
      TRY(graph::bisect(workspace.repository(), good, bad, std::ref(judge), options));
  if (arguments.has("--json")) {
    print_json(session, good, bad, found);
    return {};
  }
  Output& out = session.out();
  if (found.skipped.empty()) {
    out.print("the first bad commit:\n");
  } else {
    out.print("the first bad commit is this one, or a skipped one before it:\n");
    for (const Oid& skipped : found.skipped) {
      out.print("  skipped ").print(Style::commit, workspace.short_id(skipped)).newline();
    }
  }
  TRY(print_turn_card(session, workspace, found.first));
  out.print(Style::muted, counted(found.tests, "commit") + " judged").newline();
  return {};
}

}  // namespace

extern const Command kBisect{
    .name = "bisect",
    .summary = "Find the first commit whose prompt fails a test command",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .details =
        "Searches the commits between a good and a bad one by halving the range. The two\n"
        "ends are not tested. The command runs without a shell. It receives the prompt on\n"
        "standard input and SPOOR_COMMIT (the full id), SPOOR_TYPE, SPOOR_PROMPT_HASH and\n"
        "SPOOR_STORE in its environment, so 'spoor' within it uses the same store. Status 0\n"
        "means good, 125 means unknown, any other up to 124 means bad; 126 and above end\n"
        "the search. Its output is printed on standard error.\n"
        "\n"
        "Halving finds a single change. If a claim may come and go, --scan tests commit\n"
        "after commit from the good one on and stops at the first bad one. If a command may\n"
        "err, such as a question to a model, repeat it with --votes.",
    .examples = kExamples,
};

}  // namespace spoor::cli
