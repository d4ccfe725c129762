#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "api/turns/history.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/settings/store_path.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"

namespace spoor::cli {

using api::Head;
using api::HistoryQuery;
using api::HistoryStep;
using api::JsonWriter;
using api::TokenCount;

namespace {

constexpr std::array kOptions = {kJson};

constexpr std::uint64_t kRecent = 3;

struct Status {
  Head head;
  std::optional<Oid> commit;
  std::uint64_t depth = 0;
  compile::Prompt prompt;
  std::optional<std::uint64_t> token_limit;
  std::vector<TurnView> recent;
};

Result<Status> read_status(const Workspace& workspace) {
  Status status;
  status.head = TRY(workspace.head());
  status.commit = TRY(workspace.head_commit());
  status.prompt = TRY(workspace.repository().compile(status.commit));
  status.token_limit = TRY(workspace.repository().token_limit());
  if (!status.commit) return status;
  status.depth = TRY(workspace.reader().commit(*status.commit))->depth + 1;
  HistoryQuery query;
  query.tips = {*status.commit};
  query.limit = kRecent;
  TRY(walk(workspace, query, [&](const HistoryStep& step) {
    status.recent.push_back(step.view);
    return true;
  }));
  return status;
}

void print_json(Session& session, const Workspace& workspace, const Status& status) {
  JsonWriter json;
  json.object()
      .member("store", shown_store(workspace.path()))
      .member_or_null("branch", status.head.branch);
  json.member("detached", status.head.is_detached()).member("head", status.commit);
  json.member("commits", status.depth).list("recent");
  for (const TurnView& view : status.recent) json.value(view.oid);
  json.end().member("messages", static_cast<std::uint64_t>(status.prompt.messages.size()));
  json.member("tokens", status.prompt.tokens);
  json.member("tokens_estimated", status.prompt.tokens_estimated);
  json.member("token_limit", status.token_limit);
  json.member("conflicts", static_cast<std::uint64_t>(status.prompt.conflicts.size())).end();
  session.out().verbatim(json.take());
}

void print_recent(Output& out, const Workspace& workspace, const Status& status) {
  for (const TurnView& view : status.recent) {
    const ListedId id = listed_id(out, workspace, view.oid);
    const std::string kind = view.is_reasoning() ? "[reasoning]" : std::string(view.kind());
    std::string summary = visible_line(view.summary());
    if (out.is_tty()) summary = truncated(summary, std::max(out.width() - id.width() - 16, 8));
    out.print("  ");
    print_id(out, workspace, id);
    out.print(" ");
    out.print(style_of(view), padded(kind, 11)).print(" ");
    out.print(view.is_reasoning() ? Style::reasoning : Style::plain, summary).newline();
  }
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  const Status status = TRY(read_status(workspace));
  if (arguments.has("--json")) {
    print_json(session, workspace, status);
    return {};
  }
  Output& out = session.out();
  if (status.head.is_detached()) {
    out.print(Style::head, "HEAD detached").print(" at ");
    out.print(Style::commit, workspace.short_id(*status.commit)).newline();
  } else {
    out.print("On branch ").print(Style::branch, status.head.branch).newline();
  }
  if (!status.commit) {
    out.print("no commits yet\n");
    return {};
  }
  out.print(counted(status.depth, "commit") + ", the newest:\n");
  print_recent(out, workspace, status);

  const TokenCount tokens{status.prompt.tokens, status.prompt.tokens_estimated};
  out.print("prompt: " + counted(status.prompt.messages.size(), "message") + ", " + tokens.text());
  if (const auto limit = status.token_limit) {
    out.print(fmt::format(" of {} allowed", grouped(*limit)));
  }
  out.newline();
  if (!status.prompt.conflicts.empty()) {
    out.print(Style::warning, counted(status.prompt.conflicts.size(), "unresolved conflict"));
    out.print(": edit or annotate the turn to resolve one\n");
  }
  return {};
}

}  // namespace

extern const Command kStatus{
    .name = "status",
    .summary = "Show where HEAD is and the size of its prompt",
    .options = kOptions,
    .run = run,
    .group = Group::read,
};

}  // namespace spoor::cli
