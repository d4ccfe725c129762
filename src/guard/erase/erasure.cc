#include "guard/erase/erasure.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/words.h"
#include "compile/fold.h"
#include "compile/stream_texts.h"
#include "compile/turn.h"
#include "graph/undo.h"
#include "guard/erase/text_forms.h"
#include "store/ancestry.h"
#include "store/bundle.h"
#include "store/erased.h"
#include "store/operation_walk.h"
#include "store/rope.h"
#include "store/signature.h"
#include "store/tag.h"
#include "store/tombstone.h"

namespace spoor::guard {
namespace {

using graph::Repository;
using store::Commit;
using store::Kind;
using store::Oid;
using store::Op;
using store::Type;
using Why = Occurrence::Why;

constexpr std::array kWords = {std::pair{Why::named, std::string_view("named")},
                               std::pair{Why::same_text, std::string_view("same_text")},
                               std::pair{Why::edit, std::string_view("edit")},
                               std::pair{Why::summary, std::string_view("summary")},
                               std::pair{Why::about, std::string_view("about")},
                               std::pair{Why::request, std::string_view("request")},
                               std::pair{Why::holds, std::string_view("holds")}};

// Members in which records of sessions name their call, in any agent's form.
constexpr std::array<std::string_view, 6> kCallKeys = {
    "toolUseID", "parentToolUseID", "tool_use_id", "tool_call_id", "call_id", "callID"};

using Index = std::size_t;  // Index of a commit in the survey.

constexpr std::size_t kLeastTold = 4;  // Shorter texts such as "ok" are common.

struct KnownBundle {
  Oid oid;
  store::Bundle bundle;
};

struct KnownTag {
  Oid oid;
  store::Tag tag;
};

// All commits of a store, and which of them show a content or refer to a commit.
struct Survey {
  std::vector<Oid> names;
  std::vector<Commit> commits;
  std::vector<KnownBundle> bundles;
  std::vector<KnownTag> tags;
  std::unordered_map<Oid, Index> by_name;
  std::unordered_map<Oid, std::vector<Index>> shown_by;    // By content.
  std::unordered_map<Oid, std::vector<Index>> applied_by;  // By target, or by subject.
  std::vector<Index> digests;
  std::unordered_set<Oid> reasons;   // Contents of the reasons of earlier erasures.
  std::unordered_set<Oid> no_texts;  // Contents that list commits, and parts of longer ones.
  std::unordered_map<Oid, std::vector<Oid>> lists_of;  // By part: the lists and ropes that name it.
};

// Returns the contents that carry information in a commit.
std::vector<Oid> contents_of(const Commit& commit) {
  std::vector<Oid> all;
  if (commit.content) all.push_back(commit.content->oid);
  if (commit.fields) all.push_back(*commit.fields);
  for (const store::Content& item : commit.raw) all.push_back(item.oid);
  if (commit.extra) all.push_back(*commit.extra);
  for (const store::Content& item : commit.attach) all.push_back(item.oid);
  return all;
}

Result<void> add_commit(const Repository& repository, const store::StoredObject& stored,
                        Survey& survey) {
  Commit commit = TRY(store::parse_commit(stored.object.body));
  const Index index = survey.commits.size();
  for (const Oid& content : contents_of(commit)) survey.shown_by[content].push_back(index);
  if (commit.targets) survey.no_texts.insert(*commit.targets);
  if (commit.op == Op::edit || commit.op == Op::annotate || commit.op == Op::compress) {
    for (const Oid& target : TRY(compile::targets_of(repository.reader(), commit))) {
      survey.applied_by[target].push_back(index);
    }
  }
  for (const Oid& about : commit.about) survey.applied_by[about].push_back(index);
  if (commit.op == Op::merge && commit.content) survey.digests.push_back(index);
  commit.meta.clear();
  survey.names.push_back(stored.oid);
  survey.by_name.emplace(stored.oid, index);
  survey.commits.push_back(std::move(commit));
  return {};
}

Result<void> scan(const Repository& repository,
                  const std::function<Result<void>(const store::StoredObject&)>& visit) {
  Result<void> problem;
  TRY(repository.store().scan([&](const store::StoredObject& stored) {
    problem = visit(stored);
    return static_cast<bool>(problem);
  }));
  return problem;
}

Result<Survey> survey_of(const Repository& repository) {
  Survey survey;
  TRY(scan(repository, [&](const store::StoredObject& stored) -> Result<void> {
    switch (stored.object.kind) {
      case Kind::commit:
        return add_commit(repository, stored, survey);
      case Kind::bundle: {
        store::Bundle bundle = TRY(store::parse_bundle(stored.object.body));
        survey.bundles.push_back({stored.oid, std::move(bundle)});
        return {};
      }
      case Kind::tag: {
        store::Tag tag = TRY(store::parse_tag(stored.object.body));
        survey.tags.push_back({stored.oid, std::move(tag)});
        return {};
      }
      case Kind::chunks: {
        const store::ChunkList list = TRY(store::parse_chunks(stored.object.body));
        survey.no_texts.insert(list.parts.begin(), list.parts.end());
        for (const Oid& part : list.parts) survey.lists_of[part].push_back(stored.oid);
        return {};
      }
      case Kind::rope: {
        const store::Rope rope = TRY(store::parse_rope(stored.object.body));
        for (const store::RopePiece& piece : rope.pieces) {
          survey.lists_of[piece.oid].push_back(stored.oid);
        }
        return {};
      }
      case Kind::tombstone: {
        const store::Tombstone stone = TRY(store::parse_tombstone(stored.object.body));
        if (stone.reason) survey.reasons.insert(*stone.reason);
        return {};
      }
      case Kind::blob:
      case Kind::attest:
        return {};
    }
    return {};
  }));
  return survey;
}

class Planner {
 public:
  Planner(const Repository& repository, const Survey& survey)
      : repository_(repository), reader_(repository.reader()), survey_(survey) {
    for (const KnownBundle& known : survey.bundles) {
      if (known.bundle.stored) stored_.insert(*known.bundle.stored);
    }
  }

  Result<ErasurePlan> run(std::span<const Oid> named) {
    for (const Oid& oid : named) {
      const auto found = survey_.by_name.find(oid);
      if (found == survey_.by_name.end()) {
        TRY(reader_.commit(oid));  // Fails if it is not a commit.
        return unavailable("another process wrote to the store during the search", "try again");
      }
      if (is_root_.contains(found->second)) continue;  // Named twice.
      TRY(check_may_go(oid));
      plan_.named.push_back(oid);
      add_root(found->second, Why::named, {});
    }
    for (std::size_t i = 0; i < roots_.size(); ++i) TRY(follow(i));
    TRY(follow_digests());
    TRY(take_derived());
    TRY(take_attachments());
    TRY(take_what_is_about());
    TRY(take_requests());
    TRY(learn_literals());
    TRY(look_for_literals());
    TRY(take_parts());
    list_roots();
    list_others();
    list_elsewhere();
    return finished();
  }

  Result<ErasurePlan> run(std::string_view phrase) {
    plan_.phrase = std::string(phrase);
    if (!plan_.texts.add(phrase, kLeastPhrase)) {
      return invalid(fmt::format("the phrase has fewer than {} bytes", kLeastPhrase),
                     "name the commits instead: spoor store erase COMMIT...");
    }
    TRY(look_for_literals());
    for (const store::Ref& ref : TRY(repository_.store().refs(""))) {
      if (plan_.texts.is_in(ref.name)) plan_.obstacles.push_back({"the name of " + ref.name});
    }
    TRY(take_parts());
    list_others();
    return finished();
  }

 private:
  ErasurePlan finished() {
    std::sort(plan_.objects.begin(), plan_.objects.end());
    const auto rank = [](const Occurrence& place) { return std::pair(place.why, place.object); };
    std::stable_sort(plan_.places.begin(), plan_.places.end(), [&](const auto& a, const auto& b) {
      return a.why != Why::named && rank(a) < rank(b);
    });
    return std::move(plan_);
  }

  struct About {
    Index commit;
    Oid of;
  };

  // Adds a commit whose texts are removed, or a later version or a summary of one.
  void add_root(Index index, Why why, const std::optional<Oid>& of) {
    if (!is_root_.insert(index).second) return;
    roots_.push_back(index);
    root_places_.push_back({survey_.names[index], Kind::commit, why, of});
  }

  // Returns an error for a record of an erasure: it states why texts were removed and contains none
  // of them.
  Result<void> check_may_go(const Oid& named) const {
    const auto commit = TRY(reader_.commit(named));
    const bool is_note = commit->type == Type::note;
    if (!is_note || TRY(compile::read_facts(commit->meta)).text("tombstone").empty()) return {};
    return denied(fmt::format("{} is the note of an erasure and cannot be erased", named.hex(12)),
                  "it contains the reason for the erasure, not the erased text");
  }

  // Returns true if a commit's `fields` contain more than names and ids.
  Result<bool> tells(const std::optional<Oid>& fields) const {
    if (!fields) return false;
    const auto text = TRY(reader_.content(*fields));
    if (store::is_erasure_text(*text)) return false;
    const compile::Fields read = TRY(compile::read_fields(*text));
    const bool has_calls = read.tool_calls && !read.tool_calls->empty();
    return has_calls || !read.rationale.empty() || !read.set.empty();
  }

  // Follows the root at index `at`.
  Result<void> follow(std::size_t at) {
    const Index index = roots_[at];
    const Commit& commit = survey_.commits[index];
    const Oid& name = survey_.names[index];
    const Why why = root_places_[at].why;
    if (why == Why::named || why == Why::same_text) {
      if (commit.content) TRY(take_shared(commit.content->oid, name));
      if (TRY(tells(commit.fields))) TRY(take_shared(*commit.fields, name));
      for (const store::Content& item : commit.raw) TRY(take(item.oid));
    }
    if (why == Why::named) TRY(learn_ids(name));
    if (commit.extra) abouts_.push_back({index, name});  // Labels may be shared.
    const auto applied = survey_.applied_by.find(name);
    if (applied == survey_.applied_by.end()) return {};
    for (const Index other : applied->second) {
      const Commit& by = survey_.commits[other];
      if (by.op == Op::edit) {
        add_root(other, Why::edit, name);
      } else if (by.op == Op::compress) {
        add_root(other, Why::summary, name);
      } else {
        abouts_.push_back({other, name});
      }
    }
    return {};
  }

  // Takes a content, and adds the other commits that show it.
  Result<void> take_shared(const Oid& content, const Oid& of) {
    if (!TRY(take(content))) return {};
    for (const Index other : survey_.shown_by.at(content)) add_root(other, Why::same_text, of);
    return {};
  }

  // Follows digests, which are made from the other side of their merge.
  Result<void> follow_digests() {
    for (std::size_t before = 0; before != roots_.size();) {
      before = roots_.size();
      for (const Index digest : survey_.digests) {
        const auto& parents = survey_.commits[digest].parents;
        for (std::size_t i = 0; i < before && !is_root_.contains(digest); ++i) {
          const Oid& root = survey_.names[roots_[i]];
          const bool is_there = TRY(store::is_ancestor(reader_, root, parents[1]));
          if (is_there && !TRY(store::is_ancestor(reader_, root, parents[0]))) {
            add_root(digest, Why::summary, root);
          }
        }
      }
      for (std::size_t i = before; i < roots_.size(); ++i) TRY(follow(i));
    }
    return {};
  }

  // Takes the texts of edits and summaries, unless an independent commit has the same text: "ok" is
  // not the secret because a secret was edited into it.
  Result<void> take_derived() {
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      const Why why = root_places_[i].why;
      if (why == Why::named || why == Why::same_text) continue;
      const Commit& commit = survey_.commits[roots_[i]];
      std::vector<Oid> all;
      if (commit.content) all.push_back(commit.content->oid);
      if (TRY(tells(commit.fields))) all.push_back(*commit.fields);
      for (const store::Content& item : commit.raw) all.push_back(item.oid);
      for (const Oid& content : all) {
        if (is_said_only_by(content, is_root_)) TRY(take(content));
      }
    }
    return {};
  }

  bool is_said_only_by(const Oid& content, const std::unordered_set<Index>& those) const {
    const auto& owners = survey_.shown_by.at(content);
    return std::all_of(owners.begin(), owners.end(),
                       [&](Index owner) { return those.contains(owner); });
  }

  // Learns the ids by which a session's records name a turn and its calls.
  Result<void> learn_ids(const Oid& name) {
    const auto commit = TRY(reader_.commit(name));
    const auto learn = [this](std::string id) {
      if (!id.empty()) ids_.insert(std::move(id));
    };
    learn(TRY(compile::read_facts(commit->meta)).text("uuid"));
    const compile::Fields fields = TRY(compile::fields_of(reader_, *commit));
    learn(fields.call_id);
    for (const compile::ToolCall& call :
         fields.tool_calls.value_or(std::vector<compile::ToolCall>())) {
      learn(call.id);
    }
    return {};
  }

  // A commit that only shares a text with a named commit may show a file that others show too.
  Result<void> take_attachments() {
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      const bool is_named = i < plan_.named.size();
      for (const store::Content& item : survey_.commits[roots_[i]].attach) {
        if (is_named || is_said_only_by(item.oid, is_root_)) TRY(take(item.oid));
      }
    }
    return {};
  }

  // Lists the named commits, and the other roots that lose contents.
  void list_roots() {
    std::vector<Occurrence> places;
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      const std::vector<Oid> contents = contents_of(survey_.commits[roots_[i]]);
      const bool loses = std::any_of(contents.begin(), contents.end(),
                                     [&](const Oid& oid) { return taken_.contains(oid); });
      if (loses || root_places_[i].why == Why::named) places.push_back(root_places_[i]);
    }
    plan_.places.insert(plan_.places.begin(), places.begin(), places.end());
  }

  // Lists every commit that shows a removed content.
  void list_others() {
    std::unordered_set<Oid> listed;
    for (const Occurrence& place : plan_.places) listed.insert(place.object);
    for (const Oid& content : plan_.objects) {
      const auto shown = survey_.shown_by.find(content);
      if (shown == survey_.shown_by.end()) continue;
      for (const Index index : shown->second) {
        const Oid& name = survey_.names[index];
        if (!listed.insert(name).second) continue;
        plan_.places.push_back({name, Kind::commit, Why::same_text, std::nullopt});
      }
    }
  }

  // Lists the commits that show a kept content with a part of a removed text.
  void list_elsewhere() {
    std::unordered_set<Oid> listed;
    for (const Occurrence& place : plan_.places) listed.insert(place.object);
    for (const Oid& content : telling_) {
      if (taken_.contains(content) || survey_.reasons.contains(content)) continue;
      const auto shown = survey_.shown_by.find(content);
      if (shown == survey_.shown_by.end()) {
        if (listed.insert(content).second) plan_.told_elsewhere.push_back(content);
        continue;
      }
      for (const Index index : shown->second) {
        const Oid& name = survey_.names[index];
        if (listed.insert(name).second) plan_.told_elsewhere.push_back(name);
      }
    }
    std::sort(plan_.told_elsewhere.begin(), plan_.told_elsewhere.end());
  }

  // Takes reasons, notes and labels unless another commit has the same text: "noise" fits many
  // turns.
  Result<void> take_what_is_about() {
    std::unordered_set<Index> inside(is_root_.begin(), is_root_.end());
    for (const About& about : abouts_) inside.insert(about.commit);
    std::unordered_set<Index> listed;
    for (const About& about : abouts_) {
      const Commit& commit = survey_.commits[about.commit];
      if (commit.content && survey_.reasons.contains(commit.content->oid)) {
        continue;  // The note of an erasure is kept.
      }
      std::vector<Oid> words;
      if (commit.extra) words.push_back(*commit.extra);
      if (!is_root_.contains(about.commit)) {
        words = contents_of(commit);
        const bool has_words = TRY(tells(commit.fields));
        if (commit.fields && !has_words) std::erase(words, *commit.fields);
      }
      bool is_taken = false;
      for (const Oid& content : words) {
        if (is_said_only_by(content, inside) && TRY(take(content))) is_taken = true;
      }
      if (is_taken && !is_root_.contains(about.commit) && listed.insert(about.commit).second) {
        plan_.places.push_back({survey_.names[about.commit], Kind::commit, Why::about, about.of});
      }
    }
    for (const KnownTag& known : survey_.tags) {
      const auto target = survey_.by_name.find(known.tag.target);
      const bool is_about = target != survey_.by_name.end() && is_root_.contains(target->second);
      if (!is_about || !known.tag.note || !TRY(take(*known.tag.note))) continue;
      plan_.places.push_back({known.oid, Kind::tag, Why::about, known.tag.target});
    }
    return {};
  }

  // Takes kept request bodies, which contain the whole prompt.
  Result<void> take_requests() {
    for (const KnownBundle& known : survey_.bundles) {
      if (!known.bundle.stored && !known.bundle.hook) continue;
      for (const Index root : roots_) {
        const Oid& name = survey_.names[root];
        if (!TRY(store::is_ancestor(reader_, name, known.bundle.commit))) continue;
        bool is_taken = known.bundle.stored && TRY(take(*known.bundle.stored));
        if (known.bundle.hook && TRY(take(*known.bundle.hook))) is_taken = true;
        if (is_taken) plan_.places.push_back({known.oid, Kind::bundle, Why::request, name});
        break;
      }
    }
    return {};
  }

  // Learns the removed texts of the roots, to search for them in everything else.
  Result<void> learn_literals() {
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      if (root_places_[i].why == Why::same_text) continue;  // The named commit has the same text.
      const Commit& commit = survey_.commits[roots_[i]];
      const bool is_named = root_places_[i].why == Why::named;
      if (commit.content) TRY(learn_text(commit.content->oid, is_named));
      for (const store::Content& item : commit.attach) {
        TRY(learn_text(item.oid, is_named));
        TRY(learn_json(item.oid));
      }
      for (const store::Content& item : commit.raw) TRY(learn_json(item.oid));
      if (!commit.fields || !taken_.contains(*commit.fields)) continue;
      const compile::Fields fields = TRY(compile::fields_of(reader_, commit));
      for (const compile::ToolCall& call :
           fields.tool_calls.value_or(std::vector<compile::ToolCall>())) {
        for (const std::string& text : texts_in(call)) plan_.texts.add(text);
        if (!is_named) continue;
        for (const std::string& word : TRY(identifying_words(call.arguments))) {
          parts_.add(word, kLeastTold);
        }
      }
    }
    return {};
  }

  Result<void> learn_text(const Oid& content, bool is_named) {
    if (!taken_.contains(content)) return {};
    const auto text = TRY(reader_.content(content));
    for (const std::string& form : forms_of_text(*text)) {
      if (plan_.texts.add(form) || !is_named) continue;
      ++plan_.too_short;
      parts_.add(form, kLeastTold);
    }
    if (!is_named) return {};
    for (const std::string& word : TRY(identifying_words(*text))) parts_.add(word, kLeastTold);
    return {};
  }

  Result<void> learn_json(const Oid& content) {
    if (!taken_.contains(content)) return {};
    const auto bytes = TRY(reader_.content(content));
    for (const std::string& text : texts_in_json(*bytes)) plan_.texts.add(text);
    return {};
  }

  // Returns true for a record, shown only by notes, of a removed turn or the progress of its call.
  bool is_record_about(const Oid& content, std::string_view text) const {
    const bool says_one = std::any_of(ids_.begin(), ids_.end(), [text](const std::string& id) {
      return text.find(id) != std::string_view::npos;
    });
    if (!says_one) return false;
    const auto shown = survey_.shown_by.find(content);
    if (shown == survey_.shown_by.end()) return false;
    for (const Index index : shown->second) {
      if (survey_.commits[index].type != Type::note) return false;
    }
    const auto record = json::parse(text);
    if (!record) return false;
    return is_about(record->root()) || ids_.contains(record->root().find("uuid").text());
  }

  // Returns true if a value names its call, at any depth.
  bool is_about(const json::Value& value) const {
    for (const json::Value& element : value.elements()) {
      if (is_about(element)) return true;
    }
    for (const json::Member& member : value.members()) {
      const std::string key = member.key.text();
      const bool is_call = std::find(kCallKeys.begin(), kCallKeys.end(), key) != kCallKeys.end();
      if (is_call && ids_.contains(member.value.text())) return true;
      if (is_about(member.value)) return true;
    }
    return false;
  }

  Result<void> look_for_literals() {
    const LiteralFinder& texts = plan_.texts;
    if (texts.empty() && ids_.empty() && parts_.empty()) return {};
    std::vector<std::pair<Oid, Why>> hits;
    const auto look = [&](const Oid& oid, std::string_view text) {
      if (texts.is_in(text) || is_in_stream(text)) {
        hits.emplace_back(oid, Why::holds);
      } else if (is_record_about(oid, text)) {
        hits.emplace_back(oid, Why::about);
      } else if (parts_.is_in(text)) {
        telling_.push_back(oid);
      }
    };
    TRY(scan(repository_, [&](const store::StoredObject& stored) -> Result<void> {
      const auto& [oid, object] = stored;
      switch (object.kind) {
        case Kind::blob:
          if (taken_.contains(oid) || survey_.no_texts.contains(oid)) return {};
          look(oid, TRY(store::blob_content(object.body)));
          return {};
        case Kind::chunks:
          if (!taken_.contains(oid)) look(oid, *TRY(reader_.content(oid)));
          return {};
        case Kind::rope:
          if (!taken_.contains(oid)) TRY(look_across_pieces(oid, hits));
          return {};
        case Kind::commit:
        case Kind::tag:
        case Kind::bundle:
          if (texts.is_in(object.body)) {
            plan_.obstacles.push_back(
                {fmt::format("{} {}", store::name_of(object.kind), oid.hex(12))});
          }
          return {};
        case Kind::tombstone:
        case Kind::attest:
          return {};
      }
      return {};
    }));
    for (const auto& [content, why] : hits) TRY(take_hit(content, why));
    return store::walk_operations(
        repository_.store(), [&](const store::LoggedOperation& logged) -> Result<bool> {
          if (texts.is_in(logged.body)) {
            plan_.obstacles.push_back({fmt::format("operation {}", logged.number)});
          }
          return true;
        });
  }

  // Whether a captured response, which was streamed in pieces, tells one of the texts.
  bool is_in_stream(std::string_view text) const {
    const bool is_stream = text.starts_with("event:") || text.starts_with("data:") ||
                           text.find("\ndata:") != std::string_view::npos;
    if (!is_stream || plan_.texts.empty()) return false;
    const auto joined = compile::joined_texts(text);
    return std::any_of(joined.begin(), joined.end(),
                       [&](const auto& each) { return plan_.texts.is_in(each.second); });
  }

  // Finds texts that begin in one piece of a rope and end in another, and adds these pieces. A text
  // within one piece is found there.
  Result<void> look_across_pieces(const Oid& rope, std::vector<std::pair<Oid, Why>>& hits) const {
    const LiteralFinder& texts = plan_.texts;
    const std::vector<store::RopePiece> pieces = TRY(reader_.leaves(rope));
    std::vector<Oid> names;
    names.reserve(pieces.size());
    for (const store::RopePiece& piece : pieces) names.push_back(piece.oid);
    std::vector<std::string> parts;
    for (const auto& text : TRY(reader_.stored_contents(names))) {
      parts.push_back(text && !texts.is_in(*text) ? *text : std::string());
    }
    const auto is_in = [&](std::size_t from, std::size_t to) {
      std::string joined;
      for (std::size_t i = from; i < to; ++i) joined += parts[i];
      return texts.is_in(joined);
    };
    while (is_in(0, parts.size())) {
      // The first end of such a text, and then its last beginning.
      std::size_t end = parts.size();
      for (std::size_t low = 0; low < end;) {
        const std::size_t middle = low + (end - low) / 2;
        if (is_in(0, middle)) {
          end = middle;
        } else {
          low = middle + 1;
        }
      }
      std::size_t begin = 0;
      for (std::size_t high = end; begin + 1 < high;) {
        const std::size_t middle = begin + (high - begin) / 2;
        if (is_in(middle, end)) {
          begin = middle;
        } else {
          high = middle;
        }
      }
      for (std::size_t i = begin; i < end; ++i) {
        hits.emplace_back(names[i], Why::holds);
        parts[i].clear();
      }
    }
    return {};
  }

  // Takes a content that contains the text, or a record; lists it by the commits that show it.
  Result<void> take_hit(const Oid& content, Why why) {
    if (!TRY(take(content))) return {};
    bool has_owner = false;
    const auto list = [&](const Oid& owner, Kind kind) {
      has_owner = true;
      plan_.places.push_back({owner, kind, why, std::nullopt});
    };
    if (const auto shown = survey_.shown_by.find(content); shown != survey_.shown_by.end()) {
      for (const Index index : shown->second) {
        has_owner = true;
        if (!is_root_.contains(index) && holders_.insert(index).second) {
          list(survey_.names[index], Kind::commit);
        }
      }
    }
    const std::unordered_set<Oid> users = with_users(content);
    for (const KnownBundle& known : survey_.bundles) {
      const store::Bundle& bundle = known.bundle;
      for (const auto& part :
           {bundle.options, bundle.tools, bundle.params, bundle.hook, bundle.stored}) {
        if (part && users.contains(*part)) list(known.oid, Kind::bundle);
      }
    }
    for (const KnownTag& known : survey_.tags) {
      if (known.tag.note == content) list(known.oid, Kind::tag);
    }
    if (!has_owner) list(content, Kind::blob);
    return {};
  }

  // Returns a content, and all lists and ropes that it is a part of.
  std::unordered_set<Oid> with_users(const Oid& content) const {
    std::unordered_set<Oid> all = {content};
    for (std::vector<Oid> open = {content}; !open.empty();) {
      const auto users = survey_.lists_of.find(open.back());
      open.pop_back();
      if (users == survey_.lists_of.end()) continue;
      for (const Oid& user : users->second) {
        if (all.insert(user).second) open.push_back(user);
      }
    }
    return all;
  }

  // Adds a content; take_parts() adds the parts of a long one. Returns false if it is empty,
  // already removed or already added.
  Result<bool> take(const Oid& content) {
    if (taken_.contains(content)) return false;
    const auto object = TRY(repository_.store().get(std::array{content}))[0];
    if (!object) return false;
    TRY(store::verify(content, *object));
    const bool is_blob = object->kind == Kind::blob;
    if (is_blob && TRY(store::blob_content(object->body)).empty()) return false;
    const bool is_list = object->kind == Kind::chunks;  // A rope's pieces count for themselves.
    add_object(content, is_blob   ? object->body.size() - sizeof(store::Salt)
                        : is_list ? TRY(store::parse_chunks(object->body)).size
                                  : 0);
    return true;
  }

  // Takes the parts of removed long contents, except parts that a kept content uses. A rope that
  // goes may leave another without a user.
  Result<void> take_parts() {
    for (bool is_new = true; is_new;) {
      std::vector<Oid> parts;
      for (const auto& [part, lists] : survey_.lists_of) {
        const bool all_go = std::all_of(lists.begin(), lists.end(),
                                        [&](const Oid& list) { return taken_.contains(list); });
        const bool is_shown = survey_.shown_by.contains(part) || stored_.contains(part);
        if (all_go && !is_shown && !taken_.contains(part)) parts.push_back(part);
      }
      is_new = false;
      const auto is_here = TRY(repository_.store().has(parts));
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!is_here[i]) continue;
        add_object(parts[i], 0);
        is_new = true;
      }
    }
    return {};
  }

  void add_object(const Oid& oid, std::uint64_t size) {
    if (!taken_.insert(oid).second) return;
    plan_.objects.push_back(oid);
    plan_.bytes += size;
  }

  const Repository& repository_;
  const store::Reader& reader_;
  const Survey& survey_;
  ErasurePlan plan_;
  std::unordered_set<Oid> taken_;
  std::unordered_set<Oid> stored_;  // Bodies that a bundle names.
  LiteralFinder parts_;       // Parts of the removed texts: short texts, and identifying words.
  std::vector<Oid> telling_;  // Contents with such parts but without the texts.
  std::vector<Index> roots_;  // In the order found.
  std::vector<Occurrence> root_places_;  // The place of each root.
  std::unordered_set<std::string> ids_;
  std::unordered_set<Index> is_root_;
  std::unordered_set<Index> holders_;
  std::vector<About> abouts_;
};

// Returns the commits that lose contents.
std::vector<Oid> commits_of(const ErasurePlan& plan) {
  std::vector<Oid> all;
  for (const Occurrence& place : plan.places) {
    if (place.kind == Kind::commit) all.push_back(place.object);
  }
  return all;
}

}  // namespace

std::string_view name_of(Why why) { return word_in(kWords, why); }

Result<ErasurePlan> plan_erasure(const Repository& repository, std::span<const Oid> named) {
  const Survey survey = TRY(survey_of(repository));
  return Planner(repository, survey).run(named);
}

Result<ErasurePlan> plan_phrase_erasure(const Repository& repository, std::string_view phrase) {
  const Survey survey = TRY(survey_of(repository));
  return Planner(repository, survey).run(phrase);
}

Result<Erased> erase(Repository& repository, const ErasurePlan& plan, std::string_view reason,
                     std::string_view signing_key) {
  if (reason.empty()) return invalid("an erasure needs a reason", "add --reason TEXT");
  if (!plan.obstacles.empty() && plan.phrase.empty()) {
    return denied(
        fmt::format("the text is in {}, where it cannot be erased", plan.obstacles[0].where),
        "names, machine labels and the log are kept: start a new store without the text");
  }
  if (plan.is_empty()) return invalid("there is nothing to erase");
  if (plan.texts.is_in(reason)) {
    return invalid("the reason contains text that is to be erased", "use other words");
  }
  Erased erased;
  TRY(repository.store().exclusive([&]() -> Result<void> {
    repository.drop_caches();
    const ErasurePlan now = TRY(plan.phrase.empty() ? plan_erasure(repository, plan.named)
                                                    : plan_phrase_erasure(repository, plan.phrase));
    if (now.objects != plan.objects) {
      return conflict("another process changed what is to be erased", "run the command again");
    }
    const auto written = TRY(repository.transact(
        graph::kErase, graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
          erased.tombstone = TRY(draft.erase(plan.objects, std::string(reason), {}));
          if (!signing_key.empty()) {
            const auto attest = TRY(store::sign(signing_key, erased.tombstone));
            erased.attest = draft.put_attest(attest);
          }
          compile::Turn note{.type = Type::note, .text = std::string(reason)};
          note.facts.set(fact::tombstone, erased.tombstone.hex());
          note.about = plan.phrase.empty() ? plan.named : commits_of(plan);
          const Timestamp now_is = repository.clock().now();
          TRY(draft.append(kErasuresRef,
                           graph::stamped(std::move(note), repository.author(), now_is)));
          return {};
        }));
    erased.operation = written.operation;
    return {};
  }));
  repository.drop_caches();
  return erased;
}

Result<bool> is_erasure_unfinished(const Repository& repository) {
  return TRY(repository.store().property(store::kUnfinishedErasure)).has_value();
}

Result<void> finish_erasure(Repository& repository) { return repository.store().compact(); }

}  // namespace spoor::guard
