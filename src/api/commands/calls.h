#pragma once

#include "api/session.h"

namespace spoor::api {

/// The parameters of `spoor calls`.
struct CallsQuery {
  std::vector<std::string> sessions;
  std::vector<std::string> tools;
  std::string match;
  bool failed = false;
  bool brief = false;
  std::optional<Timestamp> since;
  std::string project, agent;
  std::optional<std::uint64_t> limit;

  template <class Visit>
  static void parameters(Visit&& visit) {
    visit(Parameter{"session", "SESSION", "only these sessions (default: all)", 0, Takes::revision,
                    Count::many},
          &CallsQuery::sessions);
    visit(Parameter{"--tool", "NAME", "only calls of this tool; may be given again", 0, Takes::text,
                    Count::many},
          &CallsQuery::tools);
    visit(Parameter{"--match", "REGEX", "only calls whose arguments match this expression"},
          &CallsQuery::match);
    visit(Parameter{"--failed", "", "only calls that failed, were refused or have no result"},
          &CallsQuery::failed);
    visit(Parameter{"--since", "TIME", "only calls at or after this time", 0, Takes::time},
          &CallsQuery::since);
    visit(Parameter{"--project", "TEXT", "only sessions whose folder contains this"},
          &CallsQuery::project);
    visit(Parameter{"--agent", "NAME", "only sessions of this agent"}, &CallsQuery::agent);
    visit(Parameter{"--limit", "N", "at most N calls", 'n', Takes::number}, &CallsQuery::limit);
    visit(Parameter{"--brief", "", "without the arguments, and with the beginning of the target"},
          &CallsQuery::brief);
  }
};

/// A row of `spoor calls`.
struct CallRow {
  std::uint64_t number = 0;
  std::string session, project, tool, target, outcome, arguments;
  std::optional<Timestamp> time;
  std::optional<std::int64_t> exit_code, duration_ms;
  std::optional<Oid> answer, result;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("number", &CallRow::number, "the number of the session");
    visit("session", &CallRow::session, "the branch of the session");
    visit("project", &CallRow::project, "the folder the session worked in");
    visit("time", &CallRow::time, "when the call was asked for");
    visit("tool", &CallRow::tool, "the tool, as the agent names it");
    visit("target", &CallRow::target, "the command, path, address or query it is about");
    visit("outcome", &CallRow::outcome, "ok, failed, refused or unanswered");
    visit("exit_code", &CallRow::exit_code, "exit code of a command, where it is known");
    visit("duration_ms", &CallRow::duration_ms, "milliseconds it took, where they are known");
    visit("arguments", &CallRow::arguments,
          "the arguments as the model wrote them; none with --brief");
    visit("answer", &CallRow::answer, "the first commit of the answer that asks for the call");
    visit("result", &CallRow::result, "the commit of its result");
  }
};

/// Lists tool calls: sessions newest first, the calls of each newest first.
extern const Listing<CallsQuery, CallRow> kCalls;

}  // namespace spoor::api
