#include "cli/export/conversation_export.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/runs.h"
#include "api/json_writer.h"
#include "attempts/table.h"
#include "cli/export/exported_sessions.h"
#include "cli/export/output_file.h"
#include "compile/facts_view.h"
#include "report/export/atif.h"
#include "report/export/chat_lines.h"
#include "report/export/inspect_log.h"
#include "report/export/sts.h"

namespace spoor::cli {
namespace {

using attempts::Verdict;
using report::ChatForm;
using report::Conversation;

ChatForm form_of(const Arguments& arguments) {
  return arguments.text("--to") == "trl" ? ChatForm::trl : ChatForm::openai;
}

void print_line(Session& session, const std::string& line) {
  Output& out = session.out();
  out.verbatim(out.is_raw() ? line : api::harmless_json(line)).newline();
}

Error nothing_exported(const Session& session, bool is_of_trees) {
  return not_found("nothing to export",
                   is_of_trees ? "list attempts and their verdicts with '" +
                                     session.typed("compare --tree latest --all") + "'"
                               : "list sessions with '" + session.typed("sessions") + "'");
}

Error one_session(Session& session, const Arguments& arguments, const char* form,
                  std::size_t count) {
  return session.usage_error(fmt::format("{} takes one session, and {} {}", form, count,
                                         arguments.has("revision") ? "are named" : "match"),
                             fmt::format("name one, such as: spoor export 1 {}", form));
}

Result<std::uint64_t> export_sft(Session& session, const Arguments& arguments,
                                 ExportedSessions& sessions) {
  std::uint64_t count = 0;
  for (const ExportedLine& line : TRY(sessions.lines())) {
    if (session.out().is_closed()) break;
    const auto conversation = TRY(sessions.read(line));
    if (!conversation) continue;
    sessions.left_out().add(report::left_out::kBranches, line.others.size());
    const auto text = report::sft_line(*conversation, form_of(arguments), sessions.left_out());
    if (!text) continue;
    print_line(session, *text);
    ++count;
  }
  return count;
}

Result<std::uint64_t> export_sts(Session& session, const Arguments& arguments,
                                 ExportedSessions& sessions) {
  const auto lines = TRY(sessions.lines());
  if (lines.empty()) return 0;
  if (lines.size() > 1) return one_session(session, arguments, "--sts", lines.size());
  const auto conversation = TRY(sessions.read(lines.front()));
  if (!conversation) return 0;
  sessions.left_out().add(report::left_out::kBranches, lines.front().others.size());
  std::string text = report::sts_lines(*conversation, sessions.left_out());
  text.pop_back();  // The line end.
  print_line(session, text);
  return 1;
}

// An attempt of a tree that was judged.
struct JudgedAttempt {
  Conversation conversation;
  std::vector<Oid> judgements;
};

std::vector<Oid> notes_about(const attempts::Attempt& attempt,
                             const attempts::Judgements& judgements) {
  std::vector<Oid> notes;
  for (const auto& judgement : attempts::judgements_of(attempt, judgements))
    notes.push_back(judgement.note);
  return notes;
}

// The attempts of one tree that pass, and those that fail.
struct Sides {
  std::vector<JudgedAttempt> passing, failing;
};

Result<Sides> sides_of(ExportedSessions& sessions, const attempts::Filled& filled,
                       const attempts::Judgements& judgements) {
  Sides sides;
  for (const attempts::Row& row : filled.rows) {
    if (row.verdict == Verdict::unjudged) {
      sessions.left_out().add("attempts without a judgement");
      continue;
    }
    auto& side = row.verdict == Verdict::pass ? sides.passing : sides.failing;
    side.push_back({TRY(sessions.read_whole({.head = *row.attempt.end})),
                    notes_about(row.attempt, judgements)});
  }
  return sides;
}

Result<std::vector<attempts::Tree>> trees_of(const graph::Repository& repository,
                                             const Arguments& arguments) {
  std::vector<attempts::Tree> trees;
  for (const std::string& name : arguments.all("--tree")) {
    trees.push_back(TRY(attempts::find_tree(repository, name)));
  }
  if (!trees.empty()) return trees;
  trees = TRY(attempts::list_trees(repository));
  std::reverse(trees.begin(), trees.end());
  return trees;
}

// The n-th attempt of a tree that passes is paired with the n-th that fails, so that each attempt
// is in one pair at most.
Result<std::uint64_t> export_dpo(Session& session, const Arguments& arguments,
                                 ExportedSessions& sessions) {
  const graph::Repository& repository = TRY(session.workspace())->repository();
  const auto judgements = TRY(guard::check::read_evaluations(repository));
  std::uint64_t count = 0;
  for (const attempts::Tree& tree : TRY(trees_of(repository, arguments))) {
    if (!TRY(sessions.is_covered(tree.commit))) {
      sessions.left_out().add("trees that record less than --coverage");
      continue;
    }
    const auto filled = TRY(attempts::fill(repository, tree, judgements, nullptr));
    const Sides sides = TRY(sides_of(sessions, filled, judgements));
    const std::size_t shared = TRY(repository.compile(tree.commit)).messages.size();
    const std::size_t pairs = std::min(sides.passing.size(), sides.failing.size());
    sessions.left_out().add("passing attempts without a failing one next to them",
                            sides.passing.size() - pairs);
    sessions.left_out().add("failing attempts without a passing one next to them",
                            sides.failing.size() - pairs);
    for (std::size_t i = 0; i < pairs; ++i) {
      const auto text =
          report::dpo_line({sides.passing[i].conversation, sides.passing[i].judgements},
                           {sides.failing[i].conversation, sides.failing[i].judgements}, tree.id,
                           shared, form_of(arguments), sessions.left_out());
      if (!text) continue;
      print_line(session, *text);
      ++count;
    }
  }
  return count;
}

Result<void> write_document(Session& session, const std::string& path,
                            const std::string& document) {
  if (path != "-") return write_output(session, path, document + '\n');
  print_line(session, document);
  return {};
}

// Returns the conversations of the agents that `line` called: sidechains of its session, and runs.
Result<std::vector<report::SubAgent>> agents_of(Session& session, ExportedSessions& sessions,
                                                const ExportedLine& line,
                                                const Conversation& conversation) {
  const graph::Repository& repository = TRY(session.workspace())->repository();
  std::vector<report::SubAgent> agents;
  std::uint64_t branches = 0;
  for (const api::SessionLine& other : line.others) {
    const auto head = TRY(repository.reader().commit(other.head));
    compile::FactsView facts;
    TRY(facts.read(head->meta));
    const bool is_agent = other.own_name.find("-agent-") != std::string::npos;  // By an importer.
    if (!is_agent && facts.get(fact::agent).empty()) {
      ++branches;
      continue;
    }
    agents.push_back({other.branch, TRY(sessions.read_whole({.head = other.head})), {}});
  }
  sessions.left_out().add(report::left_out::kBranches, branches);
  for (const auto& message : conversation.messages) {
    if (message.child_run.empty()) continue;
    const auto run = agent::find_run(repository, message.child_run);
    if (!run) continue;
    agents.push_back({"run-" + message.child_run, TRY(sessions.read_whole({.head = run->head})),
                      message.child_run});
  }
  return agents;
}

Result<std::uint64_t> export_atif(Session& session, const Arguments& arguments,
                                  ExportedSessions& sessions) {
  const auto lines = TRY(sessions.lines());
  if (lines.empty()) return 0;
  if (lines.size() > 1) return one_session(session, arguments, "--atif", lines.size());
  const auto conversation = TRY(sessions.read(lines.front()));
  if (!conversation || conversation->messages.empty()) return 0;
  const auto agents = TRY(agents_of(session, sessions, lines.front(), *conversation));
  TRY(write_document(session, arguments.text("--atif"),
                     report::atif_document(*conversation, agents, sessions.left_out())));
  return 1;
}

Result<void> add_attempts(ExportedSessions& sessions, const graph::Repository& repository,
                          const attempts::Tree& tree, const attempts::Judgements& judgements,
                          report::InspectLog& log) {
  if (!TRY(sessions.is_covered(tree.commit))) {
    sessions.left_out().add("trees that record less than --coverage");
    return {};
  }
  const auto filled = TRY(attempts::fill(repository, tree, judgements, nullptr));
  for (const attempts::Row& row : filled.rows) {
    if (!row.attempt.end) {
      sessions.left_out().add("attempts that have not ended");
      continue;
    }
    const auto conversation = TRY(sessions.read_whole({.head = *row.attempt.end}));
    log.add(conversation, tree.id, row.attempt.number,
            attempts::judgements_of(row.attempt, judgements));
  }
  return {};
}

Result<std::uint64_t> export_inspect(Session& session, const Arguments& arguments,
                                     ExportedSessions& sessions) {
  const graph::Repository& repository = TRY(session.workspace())->repository();
  const auto judgements = TRY(guard::check::read_evaluations(repository));
  report::InspectLog log(sessions.left_out());
  if (arguments.has("--tree")) {
    for (const attempts::Tree& tree : TRY(trees_of(repository, arguments))) {
      TRY(add_attempts(sessions, repository, tree, judgements, log));
    }
  } else {
    for (const ExportedLine& line : TRY(sessions.lines())) {
      const auto conversation = TRY(sessions.read(line));
      if (!conversation) continue;
      sessions.left_out().add(report::left_out::kBranches, line.others.size());
      attempts::Attempt ended;
      ended.end = line.head;
      if (!conversation->messages.empty()) ended.answer = conversation->messages.back().commit;
      if (ended.answer == ended.end) ended.answer.reset();
      log.add(*conversation, conversation->id, 1, attempts::judgements_of(ended, judgements));
    }
  }
  if (log.size() == 0) return 0;
  TRY(write_document(session, arguments.text("--inspect"), log.document()));
  return log.size();
}

}  // namespace

Result<void> export_conversations(Session& session, const Arguments& arguments) {
  const auto sessions = TRY(ExportedSessions::make(session, arguments));
  std::uint64_t count = 0;
  std::string_view unit = "conversation";
  if (arguments.has("--sft")) {
    count = TRY(export_sft(session, arguments, *sessions));
  } else if (arguments.has("--sts")) {
    count = TRY(export_sts(session, arguments, *sessions));
  } else if (arguments.has("--atif")) {
    count = TRY(export_atif(session, arguments, *sessions));
  } else if (arguments.has("--inspect")) {
    count = TRY(export_inspect(session, arguments, *sessions));
    unit = "sample";
  } else {
    count = TRY(export_dpo(session, arguments, *sessions));
    unit = "pair";
  }
  session.out().flush();
  sessions->print_left_out(count, unit);
  if (count == 0) {
    return nothing_exported(session, arguments.has("--dpo") || arguments.has("--tree"));
  }
  return {};
}

}  // namespace spoor::cli
