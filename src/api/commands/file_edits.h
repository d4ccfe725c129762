#pragma once

#include "api/session.h"

namespace spoor::api {

/// The parameters of `spoor file`.
struct FileQuery {
  std::string path;
  std::vector<std::string> sessions;
  std::optional<Timestamp> since;
  std::string project, agent;
  std::optional<std::uint64_t> limit;

  template <class Visit>
  static void parameters(Visit&& visit) {
    visit(Parameter{"path", "PATH", "the file: its whole path, or the end of it", 0, Takes::path,
                    Count::one},
          &FileQuery::path);
    visit(Parameter{"--session", "SESSION", "only this session; may be given again", 0,
                    Takes::revision, Count::many},
          &FileQuery::sessions);
    visit(Parameter{"--since", "TIME", "only edits at or after this time", 0, Takes::time},
          &FileQuery::since);
    visit(Parameter{"--project", "TEXT", "only sessions whose folder contains this"},
          &FileQuery::project);
    visit(Parameter{"--agent", "NAME", "only sessions of this agent"}, &FileQuery::agent);
    visit(Parameter{"--limit", "N", "at most N edits", 'n', Takes::number}, &FileQuery::limit);
  }
};

/// A row of `spoor file`: one edit.
struct EditRow {
  std::uint64_t number = 0;
  std::string session, path, tool, why, request, diff;
  std::optional<Timestamp> time;
  std::optional<std::int64_t> lines_added, lines_removed;
  std::optional<Oid> answer, result;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("number", &EditRow::number, "the number of the session");
    visit("session", &EditRow::session, "the branch of the session");
    visit("time", &EditRow::time, "when the edit was asked for");
    visit("path", &EditRow::path, "the file, as the call names it");
    visit("tool", &EditRow::tool, "the tool, as the agent names it");
    visit("lines_added", &EditRow::lines_added, "lines it added, where they are known");
    visit("lines_removed", &EditRow::lines_removed, "lines it removed, where they are known");
    visit("why", &EditRow::why, "the reason: stated, thought or written before the call");
    visit("request", &EditRow::request, "the beginning of the request that led to it");
    visit("diff", &EditRow::diff, "lines of a unified diff; empty if nothing shows the change");
    visit("answer", &EditRow::answer, "the commit that asks for the edit");
    visit("result", &EditRow::result, "the commit of its result");
  }
};

/// Lists the edits of a file in all sessions: sessions newest first, the edits of each newest
/// first.
extern const Listing<FileQuery, EditRow> kFile;

}  // namespace spoor::api
