#include <nlohmann/json.hpp>

#include "agent/runs.h"
#include "api/command.h"
#include "base/json/reader.h"
#include "facade/access.h"
#include "llm/sent_prompt.h"
#include "report/debrief/graph_source.h"
#include "report/debrief/views.h"

namespace spoor {
namespace {

graph::Repository::Options inner(const Store::Options& options) {
  graph::Repository::Options inner;
  inner.author = options.author;
  inner.read_only = options.read_only;
  return inner;
}

Turn outer(const Id& id, const store::Commit& commit, const compile::Turn& turn) {
  Turn out;
  out.id = id;
  out.type = compile::kind_of(commit);
  out.text = turn.text;
  if (turn.fields.tool_calls) out.calls = spoor::outer(*turn.fields.tool_calls);
  out.call_id = turn.fields.call_id;
  if (commit.type == store::Type::tool) out.tool = turn.fields.name;
  out.is_error = turn.fields.is_error;
  out.author = commit.author;
  if (commit.time) {
    out.time = std::chrono::sys_time<std::chrono::microseconds>(
        std::chrono::microseconds(commit.time->micros));
  }
  out.metadata = turn.extra.metadata.empty() ? "{}" : turn.extra.metadata;
  out.parents = commit.parents;
  return out;
}

}  // namespace

Result<Store> Store::open(const std::string& path) { return open(path, Options()); }

Result<Store> Store::open(const std::string& path, const Options& options) {
  auto opened = TRY(graph::Repository::open(path, inner(options)));
  return Access::store(std::make_shared<Body>(std::move(opened), path));
}

Result<Store> Store::create(const std::string& path) { return create(path, Options()); }

Result<Store> Store::create(const std::string& path, const Options& options) {
  auto made = TRY(graph::Repository::create(path, inner(options)));
  return Access::store(std::make_shared<Body>(std::move(made), path));
}

Store Store::in_memory() {
  return Access::store(std::make_shared<Body>(graph::Repository::in_memory(), ""));
}

Branch Store::branch(std::string_view name) const { return Access::branch(body_, name); }

Result<std::vector<std::string>> Store::branches() const {
  constexpr std::string_view kHeads = "refs/heads/";
  std::vector<std::string> names;
  for (const store::Ref& ref : TRY(body_->workspace.store().refs(kHeads))) {
    names.push_back(ref.name.substr(kHeads.size()));
  }
  return names;
}

Result<Id> Store::resolve(std::string_view revision) const {
  return body_->workspace.resolve(revision);
}

Result<Turn> Store::turn(const Id& id) const {
  const store::Reader& reader = body_->workspace.reader();
  TRY(body_->repository().forget_erased());
  return outer(id, *TRY(reader.commit(id)), TRY(graph::read_turn(reader, id)));
}

Result<void> Store::log(const Id& from, const std::function<bool(const Turn&)>& visit) const {
  const store::Reader& reader = body_->workspace.reader();
  TRY(body_->repository().forget_erased());
  Result<void> read;
  TRY(reader.run(from, SIZE_MAX, [&](const store::NamedCommit& named) {
    const auto turn = graph::read_turn(reader, named.oid);
    if (!turn) read = turn.error();
    return turn && visit(outer(named.oid, *named.commit, *turn));
  }));
  return read;
}

Result<Prompt> Store::compile(const Id& commit, const CompileOptions& options) const {
  TRY(body_->repository().forget_erased());
  return Access::prompt(TRY(body_->repository().compile(commit, spoor::inner(options))));
}

Result<std::string> Store::sent_request(const Id& answer) const {
  TRY(body_->repository().forget_erased());
  llm::SentPrompt sent = TRY(llm::sent_prompt(body_->repository(), answer));
  switch (sent.verdict) {
    case llm::SentPrompt::Verdict::verified:
      return std::move(sent.body);
    case llm::SentPrompt::Verdict::differs:
      return corrupt("the request differs from the one that was sent: " + sent.why);
    case llm::SentPrompt::Verdict::copied:
    case llm::SentPrompt::Verdict::cannot_rebuild:
      break;
  }
  return unavailable("cannot rebuild the request: " + sent.why);
}

Result<std::string> Store::debrief(std::string_view run) const {
  TRY(body_->repository().forget_erased());
  const agent::RunName name = TRY(agent::find_run(body_->repository(), run));
  report::debrief::GraphOptions options;
  options.prices = &body_->prices;
  return report::debrief::tree_text(
      TRY(report::debrief::debrief_of(body_->repository(), name, options)));
}

Result<std::string> Store::call(std::string_view command, std::string_view arguments) const {
  const api::Command* found = api::find_command(command);
  if (found == nullptr) return not_found("no command '" + std::string(command) + "'");
  const json::Document given = TRY(json::parse(arguments));
  if (!given.root().is_object()) return invalid("the arguments are not a JSON object");
  TRY(body_->repository().forget_erased());
  api::Context context{body_->workspace, body_->prices, "", body_->repository().clock().now(), ""};
  const api::Arguments read =
      TRY(api::read_arguments(found->name, found->parameters, given.root()));
  std::string document;
  TRY(found->call(context, read, api::Command::Form::document, [&](std::string_view part) {
    document += part;
    return true;
  }));
  return document;
}

}  // namespace spoor
