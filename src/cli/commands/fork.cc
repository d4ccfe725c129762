#include <array>

#include <fmt/format.h>

#include "base/files.h"
#include "cli/common_options.h"
#include "cli/models/ask.h"
#include "cli/models/model_settings.h"
#include "cli/moves.h"
#include "cli/session.h"
#include "graph/reasoning.h"
#include "graph/refs.h"
#include "graph/rewrite.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    Option{"revision", "REV", "where to fork (default: HEAD)", 0, Takes::revision},
    Option{"--name", "NAME", "the new branch (default: fork/ and digits of the commit)"},
    Option{"--system", "FILE", "with this system prompt; - reads standard input", 0, Takes::path},
    Option{"--model", "PROVIDER/MODEL", "let this model answer"},
};

constexpr std::array kExamples = {
    Example{"spoor fork 57 --model openai/gpt-5", "let another model answer the last request"},
    Example{"spoor fork 9be01d77 --system terse.md",
            "the same history under another system prompt"},
};

/// Returns the base of a fork: the commit, or, if it is an answer and another is wanted, its
/// parent.
Result<Oid> base_of(const Workspace& workspace, const Oid& commit, bool asks) {
  const store::Reader& reader = workspace.reader();
  const auto parsed = TRY(reader.commit(commit));
  if (!asks || parsed->type != store::Type::assistant) return commit;
  const std::vector<Oid> thoughts = TRY(graph::reasoning_of(reader, commit));
  const auto first = thoughts.empty() ? parsed : TRY(reader.commit(thoughts.front()));
  return first->parents.empty() ? commit : first->parents.front();
}

Result<std::string> free_name(Workspace& workspace, const Oid& base) {
  constexpr std::size_t kDigits = 8;
  const std::string name = "fork/" + base.hex(kDigits);
  std::string numbered = name;
  for (int number = 2; TRY(workspace.store().ref(store::branch_ref(numbered))); ++number) {
    numbered = fmt::format("{}-{}", name, number);
  }
  return numbered;
}

// Returns the system turns on the way to `base`, oldest first.
Result<std::vector<Oid>> system_turns(const Workspace& workspace, const Oid& base) {
  std::vector<Oid> turns;
  const auto depth = TRY(workspace.reader().commit(base))->depth + 1;
  TRY(workspace.reader().run(
      base, depth,
      [&](const store::NamedCommit& each) {
        if (each.commit->type == store::Type::system && each.commit->content) {
          turns.insert(turns.begin(), each.oid);
        }
        return true;
      },
      store::Reader::keep_for(depth)));
  return turns;
}

// Gives the text to the first system turn and skips the others. Without any, copies the history
// onto a new system turn, since a system prompt comes first.
Result<void> put_system(graph::Draft& draft, const store::Reader& reader, const std::string& ref,
                        const std::vector<Oid>& turns, const std::string& text) {
  if (turns.empty()) {
    const compile::Turn turn{.type = store::Type::system, .text = text};
    TRY(graph::rebase(draft, reader, ref, TRY(draft.append_to(std::nullopt, turn))));
    return {};
  }
  graph::Edit edit;
  edit.text = text;
  TRY(draft.edit(ref, turns.front(), edit, {}));
  for (std::size_t i = 1; i < turns.size(); ++i) {
    TRY(draft.annotate(ref, turns[i], store::Priority::skip, "another system prompt", {}));
  }
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  TRY(session.require_writing());
  Workspace& workspace = *TRY(session.workspace());
  const bool asks = arguments.has("--model");
  const Oid commit = TRY(workspace.resolve(arguments.text("revision", workspace.here())));
  const Oid base = TRY(base_of(workspace, commit, asks));
  std::optional<std::string> system;
  if (arguments.has("--system")) {
    const std::string path = arguments.text("--system");
    system = path == "-" ? TRY(text_to_keep(session, "-")) : TRY(read_given_file(path));
  }
  std::unique_ptr<OpenModel> model;  // Opened first: its errors come before any write.
  if (asks) model = TRY(OpenModel::open(session, arguments.text("--model")));
  const std::string name =
      arguments.has("--name") ? arguments.text("--name") : TRY(free_name(workspace, base));
  if (const std::string problem = graph::short_name_problem(name); !problem.empty()) {
    return invalid(fmt::format("'{}' is not a branch name: {}", name, problem));
  }
  const std::string ref = store::branch_ref(name);
  const auto turns = system ? TRY(system_turns(workspace, base)) : std::vector<Oid>();
  const auto written = TRY(workspace.repository().transact(
      "fork", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
        if (TRY(draft.tip(ref))) {
          return conflict(fmt::format("the branch '{}' already exists", name),
                          "choose another name with --name");
        }
        TRY(draft.move(ref, base));
        return system ? put_system(draft, workspace.reader(), ref, turns, *system) : Result<void>();
      }));
  TRY(workspace.set_head({name, std::nullopt}, written.operation));
  session.out().print(Style::branch, name).print(": made at " + workspace.short_id(base));
  if (base != commit) {
    session.out().print(fmt::format(", before the answer {}", workspace.short_id(commit)));
  }
  session.out().print(fmt::format(" (undo: {})\n", session.typed("undo"))).flush();
  if (!asks) return {};
  OpenModel* const models[] = {model.get()};
  Asking asking;
  asking.options.reasoning = TRY(commits_reasoning(session));
  auto answered = ask(session, models, std::nullopt, std::move(asking));
  if (answered) return {};
  Error error = answered.error();
  if (error.hint.empty()) error.hint = "the branch was created; remove it with 'spoor undo'";
  return error;
}

}  // namespace

extern const Command kFork{
    .name = "fork",
    .summary = "Go on from a commit with another system prompt or model",
    .options = kOptions,
    .run = run,
    .group = Group::history,
    .details =
        "Creates a branch at the commit and moves HEAD there. With --model, that model\n"
        "answers at once; if the commit is an answer, the new answer replaces it on the\n"
        "branch. The original history does not change: 'spoor compare' and 'spoor diff'\n"
        "show the differences.",
    .examples = kExamples,
};

}  // namespace spoor::cli
