#include "receive/event_recorder.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/json/reader.h"
#include "proxy/spool.h"
#include "receive/otlp.h"
#include "store/commit.h"
#include "store/sha256.h"

namespace spoor::receive {
namespace {

using compile::Oid;
using compile::Turn;
using compile::Type;

constexpr std::chrono::seconds kPatience{60};  // How long an event waits for its turn.

// The keys of a session's turns by each kind of id, in the order in which they are asked.
std::optional<Oid> find_turn(const std::unordered_map<std::string, Oid>& turns,
                             const Event& event) {
  const std::array<std::pair<std::string_view, const std::string*>, 5> ids = {
      {{"result ", &event.call},
       {"call ", &event.call},
       {"uuid ", &event.message},
       {"request ", &event.request},
       {"prompt ", &event.prompt}}};
  const bool is_prompt = event.name.ends_with(".user_prompt");
  for (const auto& [kind, id] : ids) {
    if (id->empty() || (kind == "prompt " && !is_prompt)) continue;
    const auto found = turns.find(std::string(kind) + *id);
    if (found != turns.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace

void EventRecorder::add(const std::string& post, const json::Value& document,
                        Clock::time_point now) {
  std::size_t count = 0;
  for_each_record(Signal::logs, document, [&](const json::Value& record) {
    auto event = read_event(record);
    if (!event) return;
    const Place place(event->agent, event->session);
    waiting_[place].push_back({std::move(*event), post, now});
    ++count;
  });
  posts_.open(post, count);
}

Result<EventRecorder::Turns> EventRecorder::turns_of(const Place& place) const {
  constexpr std::size_t kDigits = 8;
  Turns turns;
  const store::Reader& reader = repository_.reader();
  const std::string lines = store::branch_ref(place.first + "/" + place.second.substr(0, kDigits));
  for (const store::Ref& ref : TRY(repository_.store().refs(lines))) {
    std::vector<store::NamedCommit> commits;
    TRY(reader.run(
        ref.target, std::numeric_limits<std::size_t>::max(),
        [&](const store::NamedCommit& commit) {
          commits.push_back(commit);
          return true;
        },
        store::Reader::Keep::nothing));
    for (const auto& [oid, commit] : commits) {  // The newest first, which is an answer's end.
      const compile::Facts facts = TRY(compile::read_facts(commit->meta));
      const auto add = [&, name = oid](std::string_view kind, const std::string& id) {
        if (!id.empty()) turns.emplace(std::string(kind) + id, name);
      };
      add("uuid ", facts.get(fact::uuid));
      add("request ", facts.get(fact::request_id));
      if (commit->type == Type::user) {
        const std::string prompt = facts.get(fact::prompt_id);
        if (!prompt.empty()) turns.insert_or_assign("prompt " + prompt, oid);  // The first.
      }
      if (!commit->fields) continue;
      const auto fields = compile::read_fields(*TRY(reader.content(*commit->fields)));
      if (!fields) continue;
      if (commit->type == Type::tool) add("result ", fields->call_id);
      if (!fields->tool_calls) continue;
      for (const compile::ToolCall& call : *fields->tool_calls) add("call ", call.id);
    }
  }
  return turns;
}

// The names of the notes' contents on a ref: as they are stored, which may be hashes of texts.
Result<std::unordered_set<Oid>> EventRecorder::contents_on(const std::string& ref) const {
  std::unordered_set<Oid> contents;
  const auto tip = TRY(repository_.store().ref(ref));
  if (!tip) return contents;
  TRY(repository_.reader().run(
      *tip, std::numeric_limits<std::size_t>::max(),
      [&](const store::NamedCommit& note) {
        if (note.commit->content) contents.insert(note.commit->content->oid);
        return true;
      },
      store::Reader::Keep::nothing));
  return contents;
}

Result<void> EventRecorder::write(const Place& place, std::vector<Waiting>& waiting,
                                  Clock::time_point now, bool is_final) {
  const import::KnownAgent* agent = import::find_agent(place.first);
  const bool has_file = import_ && agent != nullptr && !agent->folders.empty();
  if (has_file) {
    const auto& begun = waiting.front().event.time;
    TRY(import_(*agent, begun ? *begun : SystemClock().now()));
  }
  const Turns turns = TRY(turns_of(place));
  const std::string ref = "refs/events/" + place.first + "/" + store::sha256(place.second).hex(16);
  std::unordered_set<Oid> known = TRY(contents_on(ref));
  const auto names = repository_.draft();  // Never written.
  std::vector<Waiting> later;
  std::vector<std::string> written;  // The posts of events that are done.
  std::vector<Turn> notes;
  std::uint64_t joined = 0;
  for (const Waiting& each : waiting) {
    const std::optional<Oid> turn = find_turn(turns, each.event);
    if (!turn && has_file && !is_final && now - each.came < kPatience) {
      later.push_back(each);
      continue;
    }
    written.push_back(each.post);
    // An event that comes again may find its turn only now, or no longer.
    const Oid text = TRY(names->put_content(compile::Slot::text, each.event.text));
    const Oid facts = TRY(names->put_content(compile::Slot::text, each.event.facts));
    const bool is_known = known.contains(text) || known.contains(facts);
    known.insert({text, facts});
    if (is_known) continue;
    Turn note{.type = Type::note,
              .text = turn ? each.event.facts : each.event.text,
              .media_type = "application/json"};
    if (turn) note.about.push_back(*turn);
    note.author = place.first;
    note.time = each.event.time;
    joined += turn ? 1U : 0U;
    notes.push_back(std::move(note));
  }
  if (!notes.empty()) {
    TRY(repository_.transact("receive", graph::OnConflict::reparent,
                             [&](graph::Draft& draft) -> Result<void> {
                               for (const Turn& note : notes) TRY(draft.append(ref, note));
                               return {};
                             }));
  }
  sums_.events += notes.size();
  sums_.joined += joined;
  for (const std::string& post : written) posts_.close(post);
  waiting = std::move(later);
  return {};
}

Result<void> EventRecorder::record(Clock::time_point now, bool is_final) {
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    auto& [place, waiting] = *each;
    const auto next = next_.find(place);
    const bool is_due = is_final || (now - waiting.front().came >= kQuiet &&
                                     (next == next_.end() || now >= next->second));
    if (!is_due) {
      ++each;
      continue;
    }
    const auto start = Clock::now();
    const auto done = write(place, waiting, now, is_final);
    if (!done && proxy::may_pass(done.error())) return done.error();
    if (!done) {
      for (const Waiting& event : waiting) posts_.close(event.post, true);
      waiting.clear();
    }
    const auto end = Clock::now();
    next_[place] = end + kShare * (end - start);
    each = waiting.empty() ? waiting_.erase(each) : std::next(each);
  }
  std::erase_if(next_, [&](const auto& entry) { return entry.second <= now; });
  return {};
}

}  // namespace spoor::receive
