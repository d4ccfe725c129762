#include "api/session.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "agent/runs.h"
#include "api/session_title.h"
#include "compile/facts_view.h"
#include "llm/open_requests.h"
#include "store/ancestry.h"
#include "store/sha256.h"
#include "trace/deriver.h"
#include "trace/totals.h"

namespace spoor::api {
namespace {

constexpr std::string_view kHeads = "refs/heads/";
constexpr int kFactsVersion = 6;  // Version of the facts in the cache.

// Puts the main line first: the importer's, else `main`; among several the one with the shortest
// name, since forks and sub-agents have a suffix.
void sort_lines(Session& session) {
  const auto rank = [&](const SessionLine& line) {
    const bool is_main = line.own_name.starts_with(session.agent + "/") || line.own_name == "main";
    return std::tuple(!is_main, line.branch.size(), line.branch);
  };
  std::ranges::sort(session.lines,
                    [&](const SessionLine& a, const SessionLine& b) { return rank(a) < rank(b); });
}

struct SourceSession {
  std::string agent, id;

  auto operator<=>(const SourceSession&) const = default;
};

// Returns the agent and its id of the session, as the commit states them; no agent if no importer
// made the commit.
Result<SourceSession> source_of(const store::Commit& commit) {
  compile::FactsView facts;
  TRY(facts.read(commit.meta));
  return SourceSession{facts.get(fact::source), facts.get(fact::session)};
}

// For a turn made by spoor, returns the session at the beginning of its history. A fork may begin
// with its own system prompt.
Result<SourceSession> session_of(const store::Reader& reader, const SessionLine& line) {
  constexpr std::string_view kOurs = "spoor";
  constexpr std::size_t kDigits = 16;
  const auto tip = TRY(reader.commit(line.head));
  SourceSession found = TRY(source_of(*tip));
  for (std::uint64_t depth = 0; found.agent.empty() && depth <= 1 && depth <= tip->depth; ++depth) {
    const Oid start = TRY(store::ancestor_at(reader, line.head, depth));
    found = TRY(source_of(*TRY(reader.commit(start))));
  }
  if (found.agent.empty()) {
    return SourceSession{std::string(kOurs),
                         TRY(store::ancestor_at(reader, line.head, 0)).hex(kDigits)};
  }
  if (found.id.empty()) found.id = line.own_name;
  return found;
}

// Among sessions with the same beginning, each later one leaves out the turns of the earlier ones.
Result<void> find_shared(const store::Reader& reader, std::vector<Session>& sessions) {
  std::unordered_map<Oid, std::vector<Session*>> by_root;
  for (Session& session : sessions) {
    const Oid head = session.lines.front().head;
    by_root[TRY(store::ancestor_at(reader, head, 0))].push_back(&session);
  }
  for (auto& [root, same] : by_root) {
    if (same.size() == 1) continue;
    std::map<std::pair<std::int64_t, std::string>, Session*> by_end;
    for (Session* session : same) {
      const auto head = TRY(reader.commit(session->lines.front().head));
      by_end[{head->time ? head->time->micros : 0, session->name()}] = session;
    }
    std::vector<Oid> heads;
    for (const auto& [end, session] : by_end) {
      session->shared = heads;
      for (const SessionLine& line : session->lines) heads.push_back(line.head);
    }
  }
  return {};
}

// Returns the branches, and those of other stores that are at commits of their own.
Result<std::vector<SessionLine>> all_branches(const store::Store& store) {
  constexpr std::string_view kRemotes = "refs/remotes/";
  std::vector<SessionLine> lines;
  std::unordered_set<Oid> heads;
  for (const store::Ref& ref : TRY(store.refs(kHeads))) {
    const std::string name = ref.name.substr(kHeads.size());
    lines.push_back({name, ref.target, name});
    heads.insert(ref.target);
  }
  for (const store::Ref& ref : TRY(store.refs(kRemotes))) {
    const std::string name = ref.name.substr(kRemotes.size());
    const std::string own = name.substr(std::min(name.find('/'), name.size() - 1) + 1);
    if (heads.insert(ref.target).second) lines.push_back({name, ref.target, own});
  }
  return lines;
}

// Returns sessions and their lines, without facts.
Result<std::vector<Session>> group_branches(const Context& context) {
  std::vector<Session> sessions;
  std::map<SourceSession, std::size_t> known;
  const store::Reader& reader = context.workspace.reader();
  std::vector<SessionLine> lines = TRY(all_branches(context.workspace.store()));
  // Those of importers first: a fork of a session without an id finds it by its beginning.
  const auto is_fork = [](const SessionLine& line) { return line.own_name.starts_with("fork/"); };
  std::stable_partition(lines.begin(), lines.end(),
                        [&](const SessionLine& line) { return !is_fork(line); });
  std::map<Oid, SourceSession> by_root;
  for (SessionLine& line : lines) {
    SourceSession source = TRY(session_of(reader, line));
    const bool has_own_name = source.id == line.own_name;
    if (has_own_name) {
      const Oid root = TRY(store::ancestor_at(reader, line.head, 0));
      const auto& first = by_root.try_emplace(root, source).first->second;
      if (is_fork(line) && first.agent == source.agent) source = first;
    }
    const auto [place, is_new] = known.try_emplace(source, sessions.size());
    if (is_new) sessions.push_back({.agent = source.agent, .id = source.id});
    sessions[place->second].lines.push_back(std::move(line));
  }
  for (Session& session : sessions) sort_lines(session);
  TRY(find_shared(reader, sessions));
  return sessions;
}

Outcome outcome_of_run(std::string_view stopped) {
  if (stopped == "goal_achieved") return Outcome::finished;
  return stopped == "interrupted" || stopped == "cancelled" ? Outcome::interrupted
                                                            : Outcome::failed;
}

std::string day_of(const std::optional<Timestamp>& time) {
  constexpr std::size_t kDateLength = 10;
  return time ? time->text().substr(0, kDateLength) : std::string();
}

// Reads the lines of one session.
class FactsFold {
 public:
  explicit FactsFold(const Context& context)
      : context_(context), totals_(reader(), &context.prices) {}

  Result<SessionFacts> facts_of(const Session& session) {
    std::vector<Oid> heads;
    for (const SessionLine& line : session.lines) heads.push_back(line.head);
    const Oid main = heads.front();
    TRY(trace::derive(context_.workspace.repository(), {}, main,
                      [this](const trace::Step& step) { return see_end(step); }));
    TRY(trace::derive_lines(context_.workspace.repository(), heads, session.shared,
                            [this](const trace::Step& step) { return add(step); }));
    return finish(session, main);
  }

 private:
  const store::Reader& reader() const { return context_.workspace.repository().reader(); }

  Result<void> add(const trace::Step& step) {
    TRY(totals_.add(step));
    const auto* decision = std::get_if<trace::Decision>(&step.what);
    if (decision != nullptr && decision->word == "run-started") runs_.push_back(step.run);
    const std::string day = day_of(step.at.commit->time);
    const auto found = days_.try_emplace(day, reader(), &context_.prices).first;
    return found->second.add(step);
  }

  // Notes how the main line ends, and the folder it worked in.
  Result<void> see_end(const trace::Step& step) {
    if (const auto* message = std::get_if<trace::Message>(&step.what)) {
      open_ += message->calls.size();
      const bool is_whole = message->cut_off.empty();
      end_ = open_ == 0 && is_whole ? Outcome::finished : Outcome::interrupted;
    } else if (const auto* call = std::get_if<trace::Call>(&step.what)) {
      if (open_ > 0) --open_;
      if (call->outcome != trace::Outcome::unanswered || call->answer) end_ = Outcome::interrupted;
    } else if (const auto* request = std::get_if<trace::Request>(&step.what)) {
      if (!request->is_injected && !is_command(step)) end_ = Outcome::interrupted;
    } else if (std::holds_alternative<trace::FailedRequest>(step.what)) {
      end_ = Outcome::failed;
    } else if (const auto* end = std::get_if<trace::End>(&step.what)) {
      end_ = outcome_of_run(end->stopped);
    }
    return {};
  }

  // Returns true for a command to the agent's own program, such as /exit, which asks the model for
  // nothing.
  bool is_command(const trace::Step& step) const {
    if (!step.at.commit->content) return false;
    const auto text = reader().content(step.at.commit->content->oid);
    return text && text.value() != nullptr && is_command_text(*text.value());
  }

  Result<SessionFacts> finish(const Session& session, const Oid& main) {
    const trace::Totals totals = totals_.totals();
    SessionFacts facts;
    facts.title = TRY(title_of(context_.workspace.repository(), session));
    facts.project = TRY(project_of(main));
    facts.outcome = name_of(end_);
    facts.started = totals.first;
    facts.ended = totals.last;
    facts.turns = totals.turns;
    facts.requests = totals.requests;
    facts.answers = totals.answers;
    facts.calls = totals.calls;
    facts.failed_calls = totals.failed + totals.refused;
    facts.files = totals.files;
    facts.lines_added = totals.added;
    facts.lines_removed = totals.removed;
    facts.runs = std::move(runs_);
    for (const auto& [day, fold] : days_) {
      const trace::Totals of_day = fold.totals();
      for (const auto& [model, use] : of_day.models) {
        facts.spendings.push_back(spending(day, model, use));
      }
    }
    return facts;
  }

  static Spending spending(const std::string& day, const std::string& model,
                           const trace::ModelUse& use) {
    const bool took_any = use.answers > 0 || use.tokens.all() || use.cost.money;
    return {.day = day,
            .model = model,
            .answers = use.answers,
            .input_tokens = use.tokens.input,
            .cache_read_tokens = use.tokens.cached,
            .cache_write_tokens = use.tokens.cache_written,
            .output_tokens = use.tokens.output,
            .cost_usd = use.cost.money,
            .is_complete = use.unsettled == 0 && (!took_any || (trace::is_whole(use.tokens.trust) &&
                                                                trace::is_whole(use.cost.trust)))};
  }

  // Returns the folder in the newest turn that names one: agents that change folders name the new
  // one.
  Result<std::string> project_of(const Oid& main) const {
    constexpr int kMostTurns = 50;
    compile::FactsView facts;
    std::optional<Oid> at = main;
    for (int i = 0; at && i < kMostTurns; ++i) {
      const auto commit = TRY(reader().commit(*at));
      TRY(facts.read(commit->meta));
      if (std::string folder = facts.get(fact::cwd); !folder.empty()) return folder;
      at = commit->parents.empty() ? std::nullopt : std::optional(commit->parents.front());
    }
    return std::string();
  }

  const Context& context_;
  trace::TotalsFold totals_;
  std::map<std::string, trace::TotalsFold> days_;
  std::vector<std::string> runs_;
  std::size_t open_ = 0;  // Calls without a result.
  Outcome end_ = Outcome::interrupted;
};

// Returns a key of everything that the facts depend on.
Result<std::string> cache_key(const Context& context, const Session& session) {
  std::string text = fmt::format("{}\n", context.prices_id);
  for (const SessionLine& line : session.lines) text += line.head.hex() + '\n';
  for (const Oid& head : session.shared) text += "without " + head.hex() + '\n';
  for (const store::Ref& ref : TRY(source_refs(context.workspace.repository(), session))) {
    text += ref.target.hex() + '\n';
  }
  return fmt::format("session/{}/{}", kFactsVersion, store::sha256(text).hex());
}

Result<SessionFacts> facts_of(const Context& context, const Session& session) {
  const store::KeptCache& cache = context.workspace.repository().kept_cache();
  const std::string key = TRY(cache_key(context, session));
  SessionFacts facts;
  if (const auto kept = cache.find(key)) {
    const auto document = json::parse(*kept);
    if (document && deserialize(document.value().root(), facts)) return facts;
  }
  facts = TRY(FactsFold(context).facts_of(session));
  JsonWriter json(true);
  serialize(json, facts);
  cache.put(key, json.take_value());
  return facts;
}

// Returns the session of a run, or of the run that called it; null if there is none.
Session* session_with(const graph::Repository& repository, std::vector<Session>& sessions,
                      std::string run) {
  constexpr int kMostLevels =
      16;  // A store may contain any runs, such as two that call each other.
  for (int level = 0; level < kMostLevels && !run.empty(); ++level) {
    for (Session& session : sessions) {
      if (std::ranges::find(session.facts.runs, run) != session.facts.runs.end()) return &session;
    }
    const auto found = agent::find_run(repository, run);
    if (!found) return nullptr;
    run = found->caller;
  }
  return nullptr;
}

// Notes the requests that are begun and not settled. No commit on a line tells of them, so they are
// no facts to keep.
Result<void> note_open_requests(const graph::Repository& repository,
                                std::vector<Session>& sessions) {
  for (const llm::OpenRequest& request : TRY(llm::open_requests(repository))) {
    Session* const session = session_with(repository, sessions, request.run);
    if (session == nullptr) continue;
    const std::string day = day_of(TRY(repository.reader().commit(request.commit))->time);
    auto& all = session->facts.spendings;
    auto found = std::ranges::find_if(
        all, [&](const Spending& each) { return each.day == day && each.model == request.model; });
    if (found == all.end()) found = all.insert(found, Spending{.day = day, .model = request.model});
    found->is_complete = false;
  }
  return {};
}

std::int64_t start_of(const Session& session) {
  return session.facts.started ? session.facts.started->micros : 0;
}

bool is_number(std::string_view word, std::uint64_t& number) {
  if (word.starts_with('0')) return false;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::finished:
      return "finished";
    case Outcome::interrupted:
      return "interrupted";
    case Outcome::failed:
      return "failed";
  }
  return "";
}

Result<std::vector<Session>> list_sessions(const Context& context) {
  std::vector<Session> sessions = TRY(group_branches(context));
  for (Session& session : sessions) session.facts = TRY(facts_of(context, session));
  TRY(note_open_requests(context.workspace.repository(), sessions));
  std::ranges::sort(sessions, [](const Session& a, const Session& b) {
    return std::pair(start_of(a), a.name()) > std::pair(start_of(b), b.name());
  });
  std::uint64_t number = sessions.size();
  for (Session& session : sessions) session.number = number--;
  return sessions;
}

Result<Session> find_session(const Context& context, std::string_view word) {
  constexpr std::size_t kShortestId = 4;
  std::vector<Session> sessions = TRY(list_sessions(context));
  std::uint64_t number = 0;
  std::vector<Session*> found;
  for (Session& session : sessions) {
    for (const SessionLine& line : session.lines) {
      if (line.branch == word) return std::move(session);
    }
    const bool is_id = word.size() >= kShortestId && session.id.starts_with(word);
    const bool has_number = is_number(word, number) && session.number == number;
    if (is_id || has_number) found.push_back(&session);
  }
  if (found.size() == 1) return std::move(*found.front());
  if (found.empty()) {
    return not_found(fmt::format("no session '{}'", word), sessions.empty()
                                                               ? "import some with 'spoor import'"
                                                               : "list them with 'spoor sessions'");
  }
  return ambiguous(fmt::format("'{}' names {} sessions", word, found.size()),
                   fmt::format("such as '{}' and '{}'", found[0]->name(), found[1]->name()));
}

}  // namespace spoor::api
