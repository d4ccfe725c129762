#include "api/session_title.h"

#include <array>

#include "api/session.h"
#include "base/json/reader.h"
#include "compile/facts_view.h"
#include "compile/turn.h"

namespace spoor::api {
namespace {

using json::Value;

constexpr std::size_t kTitleColumns = 100;
constexpr std::size_t kMostRecords = 5'000;  // Records of a session to read.

/// A record type in which an agent keeps the title, and its position. A higher rank wins, then the
/// newer record.
struct TitleRecord {
  std::string_view agent;
  std::string_view type;    // `type` of the record; empty: any
  std::string_view holder;  // the member that contains the title; empty: the record itself
  std::string_view member;
  int rank;
};

// Claude Code 2.x, Codex (rollout and its items), OpenCode, Pi and Gemini CLI.
constexpr std::array kTitleRecords = {
    TitleRecord{"claude-code", "custom-title", "", "customTitle", 3},
    TitleRecord{"claude-code", "ai-title", "", "aiTitle", 2},
    TitleRecord{"codex", "event_msg", "payload", "thread_name", 2},
    TitleRecord{"opencode", "", "info", "title", 2},
    TitleRecord{"opencode", "", "", "title", 1},
    TitleRecord{"pi", "session_info", "", "name", 2},
    TitleRecord{"gemini-cli", "", "", "summary", 1},
};

// Returns true for a placeholder that agents write before they know a title.
bool is_placeholder(std::string_view title) {
  return title.empty() || title.starts_with("New session - ") || title.starts_with("[trimmed");
}

std::optional<std::pair<int, std::string>> title_in(std::string_view agent, Value record) {
  for (const TitleRecord& each : kTitleRecords) {
    if (each.agent != agent) continue;
    if (!each.type.empty() && !record.find("type").equals(each.type)) continue;
    const Value holder = each.holder.empty() ? record : record.find(each.holder);
    const std::string title = holder.find(each.member).text();
    if (!is_placeholder(title)) return std::pair(each.rank, title);
  }
  return std::nullopt;
}

// A summary by Claude Code, which names the last turn of the conversation that it summarizes. That
// turn may be in another session.
struct Summary {
  std::string last_turn, text;
};

// Returns true if the turn with this id, given by its source, is on the line.
Result<bool> has_turn(const graph::Repository& repository, const Oid& head,
                      const std::string& uuid) {
  bool is_found = false;
  compile::FactsView facts;
  const auto depth = TRY(repository.reader().commit(head))->depth + 1;
  TRY(repository.reader().run(
      head, depth,
      [&](const store::NamedCommit& each) {
        is_found = facts.read(each.commit->meta) && facts.says(fact::uuid, uuid);
        return !is_found;
      },
      store::Reader::keep_for(depth)));
  return is_found;
}

// Walks the records newest first.
Result<std::string> agents_title(const graph::Repository& repository, const Session& session) {
  int best = 0;
  std::string title;
  std::vector<Summary> summaries;
  for (const store::Ref& ref : TRY(source_refs(repository, session))) {
    std::vector<Oid> contents;
    TRY(repository.reader().run(ref.target, kMostRecords, [&](const store::NamedCommit& each) {
      if (each.commit->content) contents.push_back(each.commit->content->oid);
      return true;
    }));
    for (const Oid& oid : contents) {
      const auto text = TRY(repository.reader().contents(std::span(&oid, 1))).front();
      if (text == nullptr) continue;
      const auto record = json::parse(*text);
      const auto found = record ? title_in(session.agent, record.value().root()) : std::nullopt;
      if (found && found->first > best) std::tie(best, title) = *found;
      const Value root = record ? record.value().root() : Value();
      if (root.find("type").equals("summary") && root.find("leafUuid").is_string()) {
        summaries.push_back({root.find("leafUuid").text(), root.find("summary").text()});
      }
    }
  }
  for (const Summary& each : summaries) {
    if (!title.empty()) break;
    if (TRY(has_turn(repository, session.lines.front().head, each.last_turn))) title = each.text;
  }
  return title;
}

// Returns the first request of a person. A command to the agent's program is used only if there is
// no other.
Result<std::string> first_request(const graph::Repository& repository, const Oid& head) {
  std::vector<Oid> users;  // Contents, newest first.
  const auto depth = TRY(repository.reader().commit(head))->depth + 1;
  compile::FactsView facts;
  TRY(repository.reader().run(
      head, depth,
      [&](const store::NamedCommit& each) {
        const bool is_request = each.commit->type == store::Type::user && each.commit->content;
        if (!is_request) return true;
        const bool is_injected = facts.read(each.commit->meta) && facts.get(fact::injected);
        if (!is_injected) users.push_back(each.commit->content->oid);
        return true;
      },
      store::Reader::keep_for(depth)));
  std::string fallback;
  for (auto each = users.rbegin(); each != users.rend(); ++each) {
    const auto text = TRY(repository.reader().contents(std::span(&*each, 1))).front();
    if (text == nullptr) continue;
    if (!is_command_text(*text)) return *text;
    if (fallback.empty()) fallback = *text;
  }
  return fallback;
}

}  // namespace

bool is_command_text(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.empty() || text.starts_with('<') ||
         text.starts_with("[Request interrupted by user") ||
         text.starts_with("# AGENTS.md instructions") ||
         (text.starts_with('/') && text.find_first_of(" \n/", 1) == std::string_view::npos);
}

Result<std::vector<store::Ref>> source_refs(const graph::Repository& repository,
                                            const Session& session) {
  constexpr std::string_view kSources = "refs/sources/";
  const std::string& branch = session.lines.front().own_name;
  std::vector<store::Ref> refs = TRY(repository.store().refs(std::string(kSources) + branch));
  // Keeps also files that an agent wrote later for the same session: `ID-2`. Other ids may have the
  // same beginning.
  std::erase_if(refs, [&](const store::Ref& ref) {
    std::string_view id = std::string_view(ref.name).substr(ref.name.rfind('/') + 1);
    if (session.id.ends_with(id)) return false;
    const std::size_t number = id.find_last_not_of("0123456789");
    const bool has_number = number != std::string_view::npos && id[number] == '-';
    return !has_number || !session.id.ends_with(id.substr(0, number));
  });
  return refs;
}

Result<std::string> title_of(const graph::Repository& repository, const Session& session) {
  std::string title = TRY(agents_title(repository, session));
  if (title.empty()) title = TRY(first_request(repository, session.lines.front().head));
  return compile::preview(title, kTitleColumns);
}

}  // namespace spoor::api
