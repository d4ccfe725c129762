#include "api/commands/lines.h"

#include <algorithm>
#include <array>

#include "api/session.h"
#include "store/ancestry.h"

namespace spoor::api {
namespace {

constexpr std::size_t kMostLines = 500;

constexpr std::array kExamples = {
    Example{"spoor lines 57", "the branches of session 57, and where they part"},
    Example{"spoor lines main fork/9be01d77", "how much the two share"},
};

struct Named {
  std::string name;
  Oid head;
};

// Returns the branches of each session, and each other revision by itself.
Result<std::vector<Named>> lines_of(const Context& context, const LinesQuery& query) {
  std::vector<Named> lines;
  const auto add = [&](std::string name, const Oid& head) {
    const bool is_known =
        std::ranges::any_of(lines, [&](const Named& each) { return each.name == name; });
    if (!is_known && lines.size() < kMostLines) lines.push_back({std::move(name), head});
  };
  for (const std::string& word : query.revisions) {
    const auto session = find_session(context, word);
    // A branch of a session stands for itself if others are named, too.
    if (session && (query.revisions.size() == 1 || session->name() != word)) {
      const bool is_branch = std::ranges::any_of(
          session->lines, [&](const SessionLine& each) { return each.branch == word; });
      if (query.revisions.size() == 1 || !is_branch) {
        for (const SessionLine& each : session->lines) add(each.branch, each.head);
        continue;
      }
    }
    add(word, TRY(context.workspace.resolve(word)));
  }
  return lines;
}

Result<void> run(Context& context, const LinesQuery& query, const Sink<LineRow>& sink) {
  const store::Reader& reader = context.workspace.reader();
  const std::vector<Named> lines = TRY(lines_of(context, query));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto head = TRY(reader.commit(lines[i].head));
    LineRow row{.name = lines[i].name, .head = lines[i].head, .length = head->depth + 1};
    for (std::size_t before = 0; before < i; ++before) {
      const auto shared = TRY(store::shared_length(reader, lines[i].head, lines[before].head));
      if (shared <= row.parts_at) continue;
      row.parts_at = shared;
      row.parts_from = lines[before].name;
    }
    row.own = row.length - row.parts_at;
    if (row.parts_at > 0) {
      row.base = TRY(store::ancestor_at(reader, row.head, row.parts_at - 1));
    }
    row.ended = head->time;
    if (row.own > 0) {
      row.started =
          TRY(reader.commit(TRY(store::ancestor_at(reader, row.head, row.parts_at))))->time;
    }
    if (!sink(row)) break;
  }
  return {};
}

}  // namespace

constexpr Listing<LinesQuery, LineRow> kLineList{
    .name = "lines",
    .summary = "List the branches of a session and where they part",
    .rows = "lines",
    .group = Group::read,
    .details =
        "Each branch is compared with those before it: what they share, and from which\n"
        "position on it goes its own way. The first is the session's main line.",
    .examples = kExamples,
    .run = run,
};

}  // namespace spoor::api
