#include "import/known_turns.h"

#include <algorithm>
#include <utility>

#include "base/json/writer.h"
#include "base/text.h"
#include "store/ancestry.h"
#include "store/commit.h"

namespace spoor::import {
namespace {

using compile::Turn;
using compile::Type;
using graph::Repository;
using store::Oid;

// If the first answer comes later, other captures are not searched for.
constexpr std::uint64_t kMostFront = 64;

/// Normalises arguments: another export may write other white space, or an empty object for no
/// arguments.
std::string canonical(const std::string& arguments) {
  if (trimmed(arguments).empty()) return "{}";
  const auto document = json::parse(arguments);
  if (!document) return arguments;
  std::string written;
  json::append_canonical(written, document.value().root());
  return written;
}

struct ReadTurn {
  Turn turn;
  RecordKey key;
};

/// Returns a commit's turn and its key if it is a turn that can be read. An unreadable commit is
/// reported by fsck and matches nothing.
std::optional<ReadTurn> read_key(const Repository& repository, const Oid& oid) {
  const auto commit = repository.reader().commit(oid);
  if (!commit) return std::nullopt;
  const bool compresses = commit.value()->op == store::Op::compress;
  if (!compresses && commit.value()->op != store::Op::append) return std::nullopt;
  auto turn = graph::read_turn(repository.reader(), oid);
  if (!turn) return std::nullopt;
  const RecordKey key = turn_key(turn.value(), compresses);
  return ReadTurn{std::move(turn).value(), key};
}

std::optional<Oid> first_parent(const store::Commit& commit) {
  return commit.parents.empty() ? std::nullopt : std::optional<Oid>(commit.parents.front());
}

/// Returns the entry of `known` for a tool. If it is new, first calls `add` with each of the tool's
/// branches.
template <class Map, class Add>
Result<typename Map::mapped_type*> lines_of(const graph::Draft& draft, const std::string& tool,
                                            Map& known, const Add& add) {
  const auto found = known.find(tool);
  if (found != known.end()) return &found->second;
  typename Map::mapped_type all;
  for (const store::Ref& ref : TRY(draft.refs(store::branch_ref(tool + "/")))) {
    TRY(add(all, ref));
  }
  return &known.emplace(tool, std::move(all)).first->second;
}

}  // namespace

RecordKey turn_key(const Turn& turn, bool is_compress) {
  std::string said = is_compress ? "compress " : "";
  said += store::name_of(turn.type);
  const auto add = [&](const std::string& text) {
    said += ' ';
    json::append_string(said, text);
  };
  add(turn.text);
  add(turn.fields.call_id);
  if (turn.fields.tool_calls) {
    for (const compile::ToolCall& call : *turn.fields.tool_calls) {
      add(call.id);
      add(call.name);
      add(canonical(call.arguments));
    }
  }
  // A thought without readable text is identified by its provider's item.
  if (turn.type == compile::Type::reasoning && turn.text.empty()) {
    for (const compile::Item& item : turn.raw) add(RecordKey::of(item.bytes).hex(32));
  }
  for (const compile::Item& item : turn.attach) {
    if (item.media_type == "application/json") continue;  // Values stored outside of the content.
    add(item.media_type);
    add(RecordKey::of(item.bytes).hex(32));
  }
  return RecordKey::of(said);
}

RecordKey longer_front(const RecordKey& front, const RecordKey& turn, bool is_reasoning) {
  if (is_reasoning) return front;
  return RecordKey::of(front.hex(32) + turn.hex(32));
}

bool is_answer(const Turn& turn) {
  if (turn.type != compile::Type::assistant) return false;
  const bool calls = turn.fields.tool_calls && !turn.fields.tool_calls->empty();
  return calls || !turn.text.empty();
}

// --- KnownLines -------------------------------------------------------------

Result<std::vector<std::string>> KnownLines::find_front(const Repository& repository,
                                                        const graph::Draft& draft,
                                                        const std::string& tool,
                                                        const RecordKey& front) {
  const auto add = [&](Fronts& fronts, const store::Ref& ref) -> Result<void> {
    add_front(repository, fronts, ref.name, ref.target);
    return {};
  };
  const Fronts& fronts = *TRY(lines_of(draft, tool, fronts_, add));
  const auto found = fronts.refs.find(front);
  if (found == fronts.refs.end()) return std::vector<std::string>();
  return std::vector<std::string>(found->second.begin(), found->second.end());
}

void KnownLines::forget() {
  constexpr std::size_t kMost = 1U << 16U;
  fronts_.clear();
  answers_.clear();
  if (front_by_tip_.size() > kMost) front_by_tip_.clear();
  if (keys_.size() > kMost) keys_.clear();
  if (met_.size() > kMost) met_.clear();
}

/// Returns null for a commit that is not a turn or cannot be read.
const KnownLines::KeyOfCommit* KnownLines::key_of(const Repository& repository, const Oid& commit) {
  const auto known = keys_.find(commit);
  if (known != keys_.end()) return &known->second;
  const auto read = read_key(repository, commit);
  if (!read) return nullptr;
  const KeyOfCommit found{read->key, is_answer(read->turn), read->turn.type == Type::reasoning};
  return &keys_.emplace(commit, found).first->second;
}

std::optional<RecordKey> KnownLines::read_front(const Repository& repository, const Oid& tip) {
  const auto last = repository.reader().commit(tip);
  if (!last) return std::nullopt;
  RecordKey front;
  for (std::uint64_t depth = 0; depth <= std::min(last.value()->depth, kMostFront); ++depth) {
    const auto at = store::ancestor_at(repository.reader(), tip, depth);
    const KeyOfCommit* turn = at ? key_of(repository, at.value()) : nullptr;
    if (turn == nullptr) return std::nullopt;
    front = longer_front(front, turn->key, turn->is_reasoning);
    if (turn->is_answer) return front;
  }
  return std::nullopt;
}

std::optional<RecordKey> KnownLines::front_of(const Repository& repository, const Oid& tip) {
  const auto [at, is_new] = front_by_tip_.try_emplace(tip);
  if (is_new) at->second = read_front(repository, tip);
  return at->second;
}

Result<std::optional<Answer>> KnownLines::find_answer(const Repository& repository,
                                                      const graph::Draft& draft,
                                                      const std::string& tool,
                                                      std::string_view message_id) {
  const auto add = [&](Answers& answers, const store::Ref& ref) {
    return add_answers(repository, answers, ref.name, ref.target);
  };
  const Answers& answers = *TRY(lines_of(draft, tool, answers_, add));
  const auto found = answers.places.find(RecordKey::of(message_id));
  if (found == answers.places.end()) return std::optional<Answer>();
  return std::optional<Answer>(Answer{found->second.turn, answers.refs[found->second.ref]});
}

Result<void> KnownLines::add(const Repository& repository, const std::string& tool,
                             const std::string& ref, const Oid& tip) {
  const auto fronts = fronts_.find(tool);
  if (fronts != fronts_.end()) add_front(repository, fronts->second, ref, tip);
  const auto answers = answers_.find(tool);
  if (answers != answers_.end()) TRY(add_answers(repository, answers->second, ref, tip));
  return {};
}

void KnownLines::add_front(const Repository& repository, Fronts& fronts, const std::string& ref,
                           const Oid& tip) {
  if (fronts.seen.contains(ref)) return;
  const auto front = front_of(repository, tip);
  if (!front) return;  // It may get one as it grows.
  fronts.seen.insert(ref);
  fronts.refs[*front].insert(ref);
}

/// Reads a line back to a known answer. Everything before that was already read.
Result<void> KnownLines::add_answers(const Repository& repository, Answers& answers,
                                     const std::string& ref, const Oid& tip) {
  std::unordered_map<RecordKey, Oid> last;  // The last turn of each answer on this line.
  bool is_named = false;
  for (std::optional<Oid> at = tip; at;) {
    const auto commit = TRY(repository.reader().commit(*at));
    if (const std::string name = compile::message_id_of(*commit); !name.empty()) {
      const RecordKey key = RecordKey::of(name);
      const Oid turn = last.try_emplace(key, *at).first->second;
      const auto known = answers.places.find(key);
      const bool is_here = known != answers.places.end() && known->second.turn == *at;
      if (is_here && turn == *at) return {};
      if (is_here || known == answers.places.end()) {  // It has grown on this line, or is new.
        if (!std::exchange(is_named, true)) answers.refs.push_back(ref);
        answers.places.insert_or_assign(key, Answers::AnswerPlace{turn, answers.refs.size() - 1});
      }
      if (is_here) return {};
    }
    at = first_parent(*commit);
  }
  return {};
}

// --- KnownTurns -------------------------------------------------------------

Result<void> KnownTurns::add_line(const Oid& tip) {
  std::optional<Oid> at = tip;
  while (at && known_.insert(*at).second) {
    const auto parent = first_parent(*TRY(repository_.reader().commit(*at)));
    after(parent).unread.push_back(*at);
    at = parent;
  }
  return {};
}

void KnownTurns::add(const std::optional<Oid>& parent, const Oid& turn, const RecordKey& key,
                     bool is_reasoning) {
  if (!known_.insert(turn).second) return;
  Children& children = after(parent);
  children.by_key[key].push_back(turn);
  if (is_reasoning) children.reasoning.push_back(turn);
}

// Returns the known turns after `parent`; null if there are none.
KnownTurns::Children* KnownTurns::read_after(const std::optional<Oid>& parent) {
  if (parent && !has_after(*parent)) return nullptr;
  Children& children = after(parent);
  for (const Oid& each : std::exchange(children.unread, {})) {
    const auto read = read_key(repository_, each);
    if (!read) continue;
    children.by_key[read->key].push_back(each);
    if (read->turn.type == Type::reasoning) children.reasoning.push_back(each);
  }
  return &children;
}

std::vector<Oid> KnownTurns::find(const std::optional<Oid>& parent, const RecordKey& key) {
  const Children* children = read_after(parent);
  return children == nullptr ? std::vector<Oid>() : free_of(*children, key);
}

std::vector<Oid> KnownTurns::find_after_reasoning(const std::optional<Oid>& parent,
                                                  const RecordKey& key) {
  std::vector<Oid> all;
  const Children* children = read_after(parent);
  if (children == nullptr) return all;
  std::vector<Oid> open = children->reasoning;
  while (!open.empty()) {
    const Oid thought = open.back();
    open.pop_back();
    const Children* next = read_after(thought);
    if (next == nullptr) continue;
    for (const Oid& each : free_of(*next, key)) all.push_back(each);
    open.insert(open.end(), next->reasoning.begin(), next->reasoning.end());
  }
  return all;
}

// Returns those with a key that are not used yet.
std::vector<Oid> KnownTurns::free_of(const Children& children, const RecordKey& key) const {
  std::vector<Oid> all;
  const auto found = children.by_key.find(key);
  if (found == children.by_key.end()) return all;
  for (const Oid& each : found->second) {
    if (!given_.contains(each)) all.push_back(each);
  }
  return all;
}

}  // namespace spoor::import
