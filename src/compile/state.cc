#include "compile/state.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json/writer.h"
#include "store/sha256.h"

namespace spoor::compile {
namespace {

const Directives& directives_of(const Entry& entry) {
  static const Directives kNone;
  return entry.directives ? *entry.directives : kNone;
}

// Changes the directives of an entry. States share directives, so they are copied first unless only
// this state uses them: repeated edits of a message then cost one edit each.
template <class Change>
void change_directives(Entry& entry, Change&& change) {
  if (entry.directives.use_count() != 1) {
    entry.directives = std::make_shared<Directives>(directives_of(entry));
  } else {
    const auto after_the_last_reader = entry.directives;  // Orders us after its release.
  }
  change(*entry.directives);
}

// Returns the indexes of the elements of `all` that are not in `known`. Each list names a directive
// once, and they usually have a common prefix.
std::vector<std::size_t> news_in(const std::vector<Oid>& all, const std::vector<Oid>& known) {
  const auto parting = std::mismatch(all.begin(), all.end(), known.begin(), known.end());
  const std::unordered_set<Oid> others(parting.second, known.end());
  std::vector<std::size_t> news;
  for (auto at = parting.first; at != all.end(); ++at) {
    if (!others.contains(*at)) news.push_back(static_cast<std::size_t>(at - all.begin()));
  }
  return news;
}

// Returns the last element of `ours` that is not in `theirs`; nullopt if all are.
std::optional<Oid> last_unknown(const std::vector<Oid>& ours, const std::vector<Oid>& theirs) {
  const auto news = news_in(ours, theirs);
  if (news.empty()) return std::nullopt;
  return ours[news.back()];
}

bool same_content(const Entry& a, const Entry& b) {
  const auto* calls_a = a.calls();
  const auto* calls_b = b.calls();
  const bool same_calls =
      (calls_a == nullptr) == (calls_b == nullptr) && (calls_a == nullptr || *calls_a == *calls_b);
  return a.content == b.content && same_calls;
}

void take_content(Entry& ours, const Entry& theirs) {
  ours.content = theirs.content;
  ours.fields = theirs.fields;
  ours.is_edited = theirs.is_edited;
  ours.digest = theirs.digest;
}

constexpr std::string_view kErasedArguments = R"({"erased":true})";

// How far back to search for the answer with the call of a result.
constexpr int kNearestEntries = 256;

// True if the fields were erased: no writer stores empty fields.
bool are_erased(const Entry& entry) {
  return entry.type == Type::assistant && !entry.is_edited && entry.fields &&
         *entry.fields == Fields{};
}

// Restores an erased call. If the calls of an answer were erased, its results still contain their
// ids. The call is added again without its arguments, so that every result has a call. The answer's
// digest does not change.
void give_back_erased_call(const Entry& result, std::uint32_t last, std::vector<Entry>& entries) {
  if (!result.fields || result.fields->call_id.empty()) return;
  const std::string& id = result.fields->call_id;
  Entry* erased = nullptr;
  std::uint32_t at = last;
  for (int i = 0; i < kNearestEntries && at != State::kEnd; ++i, at = entries[at].prev) {
    Entry& entry = entries[at];
    if (entry.type == Type::user) break;
    if (const auto* calls = entry.calls()) {
      for (const ToolCall& call : *calls) {
        if (call.id == id) return;
      }
    }
    if (erased == nullptr && has_erased_calls(entry)) erased = &entry;
  }
  if (erased == nullptr) return;
  auto fields = std::make_shared<Fields>(*erased->fields);
  if (!fields->tool_calls) fields->tool_calls.emplace();
  const std::string& name = result.fields->name;
  fields->tool_calls->push_back(
      {id, name.empty() ? "erased" : name, std::string(kErasedArguments)});
  erased->fields = std::move(fields);
}

}  // namespace

void seal(Entry& entry, const std::optional<Oid>& fields) {
  std::string seen(store::name_of(entry.type));
  seen += entry.is_edited ? " edited " : " ";
  seen += entry.content.view();
  if (fields) seen.append(" fields ").append(fields->view());
  const auto add = [&seen](std::string_view key, const auto& items) {
    if (!items) return;
    for (const store::Content& item : *items) {
      seen.append(key).append(item.media_type).append(" ").append(item.oid.view());
    }
  };
  if (!entry.is_edited) add(" raw ", entry.raw);
  add(" attach ", entry.attach);
  entry.digest = store::sha256(seen);
}

bool has_erased_calls(const Entry& entry) {
  if (are_erased(entry)) return true;
  const auto* calls = entry.calls();
  return calls != nullptr && std::any_of(calls->begin(), calls->end(), [](const ToolCall& call) {
           return call.arguments == kErasedArguments;
         });
}

bool is_source(const Entry& entry) {
  return entry.priority == Priority::normal || (entry.type == Type::summary && !entry.is_explicit);
}

const Entry* State::find(const Oid& commit) const {
  const auto found = index_.find(commit);
  return found ? &entries_[*found] : nullptr;
}

std::map<std::string, std::string> State::config() const {
  std::map<std::string, std::string> config;
  for (const auto& [key, setting] : settings_) {
    if (!setting.json.empty()) config.emplace(key, setting.json);
  }
  return config;
}

std::vector<std::uint32_t> State::positions() const {
  std::vector<std::uint32_t> positions(entries_.size());
  std::uint32_t position = 0;
  for (std::uint32_t i = first_; i != kEnd; i = entries_[i].next) positions[i] = position++;
  return positions;
}

std::vector<Conflict> State::conflicts(std::uint32_t version) const {
  std::vector<Conflict> sorted;
  for (const Listed& listed : conflicts_) {
    if (version == 1 || !listed.is_settled) sorted.push_back(listed.conflict);
  }
  if (sorted.empty()) return sorted;
  const auto positions = this->positions();
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Conflict& a, const Conflict& b) {
    return positions[*index_.find(a.target)] < positions[*index_.find(b.target)];
  });
  return sorted;
}

Result<std::uint32_t> State::place_of(const Oid& target) const {
  const auto found = index_.find(target);
  if (found) return *found;
  return corrupt(fmt::format("a directive names {}, which is not a prompt entry of its history",
                             target.hex(12)),
                 "run 'spoor store fsck'");
}

Result<std::vector<std::uint32_t>> State::places_of(const std::vector<Oid>& targets) const {
  std::vector<std::uint32_t> places;
  places.reserve(targets.size());
  for (const Oid& target : targets) places.push_back(TRY(place_of(target)));
  return places;
}

void State::append(Entry entry) {
  if (entry.type == Type::tool) give_back_erased_call(entry, last_, entries_);
  const auto place = static_cast<std::uint32_t>(entries_.size());
  entry.prev = last_;
  entry.next = kEnd;
  (last_ == kEnd ? first_ : entries_[last_].next) = place;
  last_ = place;
  index_.intern(entry.commit);
  entries_.push_back(std::move(entry));
}

void State::insert_before(std::uint32_t at, Entry entry) {
  const auto place = static_cast<std::uint32_t>(entries_.size());
  entry.prev = entries_[at].prev;
  entry.next = at;
  (entry.prev == kEnd ? first_ : entries_[entry.prev].next) = place;
  entries_[at].prev = place;
  index_.intern(entry.commit);
  entries_.push_back(std::move(entry));
}

Result<void> State::edit(const Oid& target, const Oid& by, const std::optional<Oid>& content,
                         const std::optional<std::vector<ToolCall>>& calls) {
  Entry& entry = entries_[TRY(place_of(target))];
  std::shared_ptr<const Fields> fields = entry.fields;
  if (calls) {
    auto changed = std::make_shared<Fields>(fields ? *fields : Fields{});
    changed->tool_calls = *calls;
    if (calls->empty()) changed->tool_calls.reset();
    fields = std::move(changed);
  }
  std::optional<Oid> fields_hash;
  if (fields) fields_hash = store::sha256(TRY(write_fields(*fields)));
  if (content) entry.content = *content;
  entry.fields = std::move(fields);
  entry.is_edited = true;
  seal(entry, fields_hash);
  change_directives(entry, [&](Directives& d) { d.edits.push_back(by); });
  settle_all(Conflict::Kind::edit, target);
  return {};
}

Result<void> State::annotate(const std::vector<Oid>& targets, const Oid& by, Priority priority) {
  for (const std::uint32_t place : TRY(places_of(targets))) {
    Entry& entry = entries_[place];
    entry.priority = priority;
    entry.is_explicit = true;
    change_directives(entry, [&](Directives& d) {
      d.annotations.push_back(by);
      d.priorities.push_back(priority);
    });
    settle_all(Conflict::Kind::priority, entry.commit);
  }
  return {};
}

Result<void> State::compress(const std::vector<Oid>& targets, Entry summary) {
  std::optional<std::uint32_t> first;
  std::optional<std::uint32_t> first_source;
  summary.is_of_thoughts = true;
  for (const std::uint32_t place : TRY(places_of(targets))) {
    Entry& entry = entries_[place];
    if (entry.is_compressed()) continue;
    if (!first) first = place;
    const bool is_thought = entry.type == Type::reasoning || entry.is_of_thoughts;
    if (!is_thought || entry.is_explicit) summary.is_of_thoughts = false;
    if (!first_source && is_source(entry)) first_source = place;
    change_directives(entry, [&](Directives& d) { d.compressed_by = summary.commit; });
  }
  if (!first) {
    summary.is_of_thoughts = false;
    append(std::move(summary));
  } else {
    insert_before(first_source.value_or(*first), std::move(summary));
  }
  return {};
}

Result<void> State::set(const Oid& by, std::string_view settings) {
  if (settings.empty()) {
    setters_.insert(by);
    return {};
  }
  const json::Document document = TRY(json::parse(settings));
  setters_.insert(by);
  for (const json::Member member : document.root().members()) {
    Setting& setting = settings_[member.key.text()];
    setting = {{}, by};
    if (!member.value.is(json::Type::null)) json::append_canonical(setting.json, member.value);
  }
  return {};
}

void State::settle(Conflict::Kind kind, const Oid& target) {
  std::erase_if(conflicts_, [&](const Listed& listed) {
    return listed.conflict.kind == kind && listed.conflict.target == target;
  });
}

// Settles both conflicts of a target after a directive of `kind`. Version 1 still lists the
// conflict of the other kind.
void State::settle_all(Conflict::Kind kind, const Oid& target) {
  settle(kind, target);
  for (Listed& listed : conflicts_) {
    if (listed.conflict.target == target) listed.is_settled = true;
  }
}

// For entries that neither side changed: the conflict is settled if either side has settled it.
void State::adopt_settled(const State& theirs, Conflict::Kind kind, const Oid& target) {
  const auto is_it = [&](const Listed& listed) {
    return listed.conflict.kind == kind && listed.conflict.target == target;
  };
  const auto mine = std::find_if(conflicts_.begin(), conflicts_.end(), is_it);
  if (mine == conflicts_.end()) return;
  const auto& others = theirs.conflicts_;
  const auto found = std::find_if(others.begin(), others.end(), is_it);
  if (found != others.end() && found->is_settled) mine->is_settled = true;
}

void State::adopt_conflict(const State& theirs, Conflict::Kind kind, const Oid& target) {
  settle(kind, target);
  for (const Listed& listed : theirs.conflicts_) {
    const Conflict& conflict = listed.conflict;
    if (conflict.kind == kind && conflict.target == target) conflicts_.push_back(listed);
  }
}

// Joins the content of one entry from both sides. A side changed it if it has a directive that the
// other side does not have. An entry has at most one conflict of each kind:
//
//   neither changed it       unchanged, settled if one side has settled it
//   only we changed it       keeps our content, settled or not
//   only they changed it     takes their content, settled or not
//   both, differently        a conflict, which replaces any older one
//   both, the same           no conflict
void State::join_content(Entry& ours, const Entry& theirs, const State& other) {
  const Directives& mine = directives_of(ours);
  const Directives& others = directives_of(theirs);
  // A compress whose summary is already here was decided by an earlier merge.
  const bool is_news = others.compressed_by && !index_.find(*others.compressed_by);
  // If only one side compressed the entry, that is its change, even if it also has edits.
  const bool ours_alone = mine.compressed_by && !others.compressed_by;
  const bool theirs_alone = is_news && !mine.compressed_by;
  const bool one_compressed = ours_alone || theirs_alone;
  const auto our_change = ours_alone ? mine.compressed_by : last_unknown(mine.edits, others.edits);
  const auto their_change =
      theirs_alone ? others.compressed_by : last_unknown(others.edits, mine.edits);
  if (!our_change && !their_change) {
    return adopt_settled(other, Conflict::Kind::edit, ours.commit);
  }
  if (!their_change) return;
  if (!our_change) {
    take_content(ours, theirs);
    return adopt_conflict(other, Conflict::Kind::edit, ours.commit);
  }
  settle(Conflict::Kind::edit, ours.commit);
  if (!one_compressed && same_content(ours, theirs)) return;
  conflicts_.push_back({{Conflict::Kind::edit, ours.commit, *our_change, *their_change}});
}

void State::join_priority(Entry& ours, const Entry& theirs, const State& other) {
  const Directives& mine = directives_of(ours);
  const Directives& others = directives_of(theirs);
  const auto our_change = last_unknown(mine.annotations, others.annotations);
  const auto their_change = last_unknown(others.annotations, mine.annotations);
  if (!our_change && !their_change) {
    return adopt_settled(other, Conflict::Kind::priority, ours.commit);
  }
  if (!their_change) return;
  if (!our_change) {
    ours.priority = theirs.priority;
    ours.is_explicit = true;
    return adopt_conflict(other, Conflict::Kind::priority, ours.commit);
  }
  settle(Conflict::Kind::priority, ours.commit);
  if (ours.priority == theirs.priority) return;
  ours.priority = std::max(ours.priority, theirs.priority);  // PINNED > NORMAL > SKIP
  conflicts_.push_back({{Conflict::Kind::priority, ours.commit, *our_change, *their_change}});
}

void State::join_settings(const State& theirs) {
  for (const auto& [key, setting] : theirs.settings_) {
    if (!setters_.contains(setting.by))
      settings_[key] = setting;  // Theirs is later in chain order.
  }
}

// Joins their shared entries into ours. Returns their summaries that now replace some of our
// entries.
std::unordered_set<Oid> State::join_shared(const State& theirs, bool ignores) {
  std::unordered_set<Oid> arrived;
  for (std::uint32_t i = theirs.first_; i != kEnd; i = theirs.entries_[i].next) {
    const Entry& other = theirs.entries_[i];
    const auto shared = index_.find(other.commit);
    if (!shared || !other.directives) continue;
    Entry& ours = entries_[*shared];
    if (ours.directives == other.directives) continue;  // Identical: nothing to join.
    if (!ignores) {
      join_content(ours, other, theirs);
      join_priority(ours, other, theirs);
    }
    // Add their directives even if they had no effect.
    change_directives(ours, [&](Directives& d) {
      const Directives& others = *other.directives;
      for (const std::size_t n : news_in(others.edits, d.edits)) {
        d.edits.push_back(others.edits[n]);
      }
      for (const std::size_t n : news_in(others.annotations, d.annotations)) {
        d.annotations.push_back(others.annotations[n]);
        d.priorities.push_back(others.priorities[n]);
      }
      const bool is_news = others.compressed_by && !index_.find(*others.compressed_by);
      if (!ignores && !d.compressed_by && is_news) {
        d.compressed_by = others.compressed_by;
        // The summary may have been compressed into a later one, which is then inserted here.
        for (auto summary = others.compressed_by; summary && arrived.insert(*summary).second;) {
          const Entry* entry = theirs.find(*summary);
          summary = entry != nullptr ? directives_of(*entry).compressed_by : std::nullopt;
        }
      }
    });
  }
  return arrived;
}

Result<void> State::merge(const State& theirs, const Oid& by, store::Mode mode,
                          const std::vector<Oid>& picked, std::optional<Entry> digest) {
  const bool ignores = mode == store::Mode::ours;
  const std::unordered_set<Oid> wanted(picked.begin(), picked.end());
  const auto arrived = join_shared(theirs, ignores);
  const std::size_t shared_end = entries_.size();
  const auto find_shared = [&](std::uint32_t i) -> std::optional<std::uint32_t> {
    const auto found = index_.find(theirs.entries_[i].commit);
    if (!found || *found >= shared_end) return std::nullopt;
    return *found;
  };
  // A summary that replaces shared entries is inserted at the same position as on their side:
  // before the next shared entry.
  std::vector<std::optional<std::uint32_t>> next_shared;
  if (!arrived.empty()) {
    next_shared.resize(theirs.entries_.size());
    std::optional<std::uint32_t> below;
    for (std::uint32_t i = theirs.last_; i != kEnd; i = theirs.entries_[i].prev) {
      next_shared[i] = below;
      if (const auto here = find_shared(i)) below = here;
    }
  }

  for (std::uint32_t i = theirs.first_; i != kEnd; i = theirs.entries_[i].next) {
    if (find_shared(i)) continue;
    Entry copy = theirs.entries_[i];
    const bool is_skipped = mode == store::Mode::digest || ignores ||
                            (mode == store::Mode::pick && !wanted.contains(copy.commit));
    if (is_skipped) {
      copy.priority = Priority::skip;
      copy.is_explicit = true;
      change_directives(copy, [&](Directives& d) {
        d.annotations.push_back(by);
        d.priorities.push_back(Priority::skip);
      });
    }
    if (!ignores) {
      adopt_conflict(theirs, Conflict::Kind::edit, copy.commit);
      adopt_conflict(theirs, Conflict::Kind::priority, copy.commit);
    }
    const auto place = arrived.contains(copy.commit) ? next_shared[i] : std::nullopt;
    if (place) {
      insert_before(*place, std::move(copy));
    } else {
      append(std::move(copy));
    }
  }

  if (!ignores) join_settings(theirs);
  setters_.insert(theirs.setters_.begin(), theirs.setters_.end());
  if (digest) append(std::move(*digest));
  return {};
}

}  // namespace spoor::compile
