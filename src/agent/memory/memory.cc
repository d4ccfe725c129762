#include "agent/memory/memory.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "agent/numbers.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"

namespace spoor::agent::memory {
namespace {

using compile::Turn;

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : lowered(text) + ' ') {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0;
    if (is_word) {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  return words;
}

Turn turn_of(const Memory& memory) {
  Turn turn{.type = compile::Type::note, .text = memory.content};
  json::Object object;
  if (!memory.topic.empty()) object.add_string("topic", memory.topic);
  if (!memory.scope.empty()) object.add_string("scope", memory.scope);
  if (!memory.agent.empty()) object.add_string("agent", memory.agent);
  if (memory.confidence) object.add_raw_token("confidence", fmt::format("{}", *memory.confidence));
  if (!object.empty()) turn.extra.metadata = object.write();
  turn.facts.set(fact::kind, "memory");
  return turn;
}

Memory memory_of(const Turn& turn) {
  Memory memory{.content = turn.text};
  const auto document = json::parse(turn.extra.metadata);
  if (!document) return memory;  // Only the content was given.
  memory.topic = document->root().find("topic").text();
  memory.scope = document->root().find("scope").text();
  memory.agent = document->root().find("agent").text();
  memory.confidence = number_of(document->root().find("confidence"));
  return memory;
}

bool is_same(const Memory& a, const Memory& b) {
  return a.content == b.content && a.topic == b.topic && a.scope == b.scope;
}

// Returns how many of `words` the memory contains; nullopt if it does not match `recall`.
std::optional<std::size_t> fit_of(const Memory& memory, const Recall& recall,
                                  const std::set<std::string>& words) {
  const bool is_of_topic = recall.topic.empty() || lowered(memory.topic) == lowered(recall.topic);
  if (!is_of_topic) return std::nullopt;
  if (!recall.scope.empty() && !memory.scope.empty() && memory.scope != recall.scope) {
    return std::nullopt;
  }
  if (words.empty()) return 0;
  const auto own = words_of(memory.content + ' ' + memory.topic);
  const auto shared = static_cast<std::size_t>(std::count_if(
      words.begin(), words.end(), [&](const std::string& word) { return own.contains(word); }));
  return shared == 0 ? std::nullopt : std::optional(shared);
}

}  // namespace

std::string shared_ref() { return "refs/memory/shared"; }
std::string private_ref(std::string_view agent) {
  return fmt::format("refs/memory/private/{}", agent);
}

Store::Store(graph::Repository& repository, std::string agent)
    : repository_(repository), agent_(std::move(agent)) {}

Result<std::vector<Remembered>> Store::all_on(const std::string& ref) const {
  std::vector<Remembered> found;
  const auto tip = TRY(repository_.store().ref(ref));
  if (!tip) return found;
  std::vector<Oid> commits;
  TRY(repository_.reader().run(*tip, std::numeric_limits<std::size_t>::max(),
                               [&](const store::NamedCommit& commit) {
                                 commits.push_back(commit.oid);
                                 return true;
                               }));
  for (const Oid& commit : commits) {
    const Turn turn = TRY(graph::read_turn(repository_.reader(), commit));
    if (turn.type != compile::Type::note || turn.facts.get(fact::kind) != "memory") continue;
    found.push_back({commit, memory_of(turn)});
  }
  return found;
}

Result<Oid> Store::learn(const Memory& memory, bool is_private) {
  if (trimmed(memory.content).empty()) {
    return invalid("there is nothing to remember", "give a content");
  }
  if (memory.confidence && !(*memory.confidence >= 0 && *memory.confidence <= 1)) {
    return invalid("a confidence is a number from 0 to 1");
  }
  if (is_private && agent_.empty()) {
    return invalid("whose memory it is, is not known", "name the agent, or share it");
  }
  const std::string ref = is_private ? private_ref(agent_) : shared_ref();
  for (const Remembered& known : TRY(all_on(ref))) {
    if (is_same(known.memory, memory)) return known.commit;
  }
  Memory signed_memory = memory;
  if (signed_memory.agent.empty()) signed_memory.agent = agent_;
  return graph::Branch::on_ref(repository_, ref).commit(turn_of(signed_memory));
}

Result<std::vector<Remembered>> Store::recall(const Recall& recall) const {
  std::vector<Remembered> all;
  if (!agent_.empty()) all = TRY(all_on(private_ref(agent_)));
  std::vector<Remembered> shared = TRY(all_on(shared_ref()));
  std::move(shared.begin(), shared.end(), std::back_inserter(all));

  const auto words = words_of(recall.context);
  std::vector<std::pair<std::size_t, Remembered>> fitting;
  for (Remembered& remembered : all) {
    if (const auto fit = fit_of(remembered.memory, recall, words)) {
      fitting.emplace_back(*fit, std::move(remembered));
    }
  }
  std::stable_sort(fitting.begin(), fitting.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    return a.second.memory.confidence.value_or(0.5) > b.second.memory.confidence.value_or(0.5);
  });
  std::vector<Remembered> best;
  for (auto& [fit, remembered] : fitting) {
    if (best.size() == recall.limit) break;
    best.push_back(std::move(remembered));
  }
  return best;
}

}  // namespace spoor::agent::memory
