#include "report/event/history_base.h"

#include <utility>

#include "agent/runs.h"
#include "base/json/reader.h"
#include "guard/check/run_constraints.h"
#include "report/event/event.h"
#include "report/event/ids.h"

namespace spoor::report {

namespace {

using Environment = EventSession::Environment;

constexpr int kMostCallers = 64;  // In a chain of agents that called each other.

std::string known(const std::string& text) { return text.empty() ? kUnknown : valid_utf8(text); }

void read_options(std::string_view text, HistoryBase& base) {
  const auto document = json::parse(text);
  if (!document || !document->root().is_object()) return;
  const json::Value root = document->root();
  const json::Value caller = root.find("caller");
  for (const json::Value& from : {root, caller}) {
    const auto environment = trace::environment_from(from.find("environment").text());
    const bool is_said = environment && *environment != Environment::unknown;
    if (is_said) base.session.environment = *environment;
  }
  base.request.constraints = guard::check::constraints_in(text);
  if (caller.find("builtin").is_array()) base.request.channel = "cli";
  const json::Value context = caller.find("context");
  const auto learn = [&context](const char* key, std::string& to) {
    if (const std::string said = context.find(key).text(); !said.empty()) to = valid_utf8(said);
  };
  learn("version", base.session.agent_version);
  learn("channel", base.request.channel);
  learn("ticket_id", base.request.ticket_id);
  learn("repo", base.request.repo);
  learn("branch", base.request.branch);
}

// Returns the root of the run at the start of the chain of callers.
Result<Oid> first_root(const graph::Repository& repository, const Oid& root, std::string caller) {
  Oid first = root;
  for (int i = 0; i < kMostCallers && !caller.empty(); ++i) {
    const auto run = agent::find_run(repository, caller);
    if (!run) {
      if (run.error().code == Error::Code::not_found) break;
      return run.error();
    }
    first = run->root;
    const auto commit = TRY(repository.reader().commit(first));
    compile::FactsView facts;
    TRY(facts.read(commit->meta));
    caller = facts.get(fact::caller_run);
  }
  return first;
}

}  // namespace

Result<HistoryBase> base_of_run(const graph::Repository& repository, const TurnSeen& root) {
  const store::Reader& reader = repository.reader();
  const compile::FactsView& facts = *root.facts;
  HistoryBase base;
  base.is_run = true;
  const std::string caller = facts.get(fact::caller_run);
  base.trace_id = trace_id_of(TRY(first_root(repository, root.oid, caller)));
  base.span = run_span_id(root.oid);
  if (!caller.empty() && !root.commit->about.empty()) {
    base.parent_span =
        call_span_id(root.commit->about.front(), root.facts->get(fact::caller_call).value_or(0));
  }
  base.session.run_id = root.oid.hex(16);
  base.session.session_id = known(facts.get(fact::session));
  base.session.agent_id = root.commit->author.starts_with("agent/")
                              ? valid_utf8(root.commit->author)
                              : "spoor/" + known(facts.get(fact::planner));
  base.request.request_id = root.oid.hex();
  base.request.user_request_raw = content_of(TRY(text_of(reader, root)), root);
  if (!root.commit->attach.empty()) {
    const auto options = TRY(bytes_of(reader, root.commit->attach.front().oid));
    if (options) read_options(*options, base);
  }
  return base;
}

HistoryBase base_of_history(const Oid& root) {
  HistoryBase base;
  base.trace_id = trace_id_of(root);
  base.span = run_span_id(root);
  base.session.run_id = root.hex(16);
  base.session.session_id = kUnknown;
  base.request.request_id = kUnknown;
  return base;
}

void learn_context(const TurnSeen& turn, HistoryBase& base) {
  const auto learn = [&turn](const fact::Text& key, std::string& to) {
    if (const std::string word = turn.facts->get(key); !word.empty()) to = valid_utf8(word);
  };
  learn(fact::session, base.session.session_id);
  learn(fact::agent_version, base.session.agent_version);
  learn(fact::cwd, base.request.repo);
  learn(fact::git_branch, base.request.branch);
  learn(fact::entrypoint, base.request.channel);
  const std::string source = turn.facts->get(fact::source);
  const std::string agent = turn.facts->get(fact::agent);
  if (!source.empty()) {
    base.session.agent_id = valid_utf8(agent.empty() ? source : source + '/' + agent);
  }
}

}  // namespace spoor::report
