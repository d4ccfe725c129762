#include "graph/draft.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/json/writer.h"
#include "compile/known_keys.h"
#include "graph/directives.h"
#include "graph/range.h"
#include "store/ancestry.h"
#include "store/own_tombstones.h"
#include "store/tag.h"
#include "store/tombstone.h"

namespace spoor::graph {

using compile::Fields;
using compile::holds_known_key_in_pieces;
using compile::is_reasoning_format;
using compile::Item;
using compile::kKeyMark;
using compile::name_of;
using compile::take_out_known_keys;
using compile::write_extra;
using compile::write_facts;
using compile::write_fields;

namespace {

Result<void> check_ref_name(const std::string& ref) {
  if (!ref.starts_with("refs/")) {
    return invalid(fmt::format("'{}' is not a full ref name", ref),
                   "a branch is 'refs/heads/NAME', a tag 'refs/tags/NAME'");
  }
  std::string_view name = ref;  // The part after the folder is checked by itself.
  for (const std::string_view folder : {"refs/heads/", "refs/tags/"}) {
    if (ref.starts_with(folder)) name.remove_prefix(folder.size());
  }
  if (const std::string problem = store::ref_name_problem(name); !problem.empty()) {
    return invalid(fmt::format("'{}' is not a ref name: {}", ref, problem),
                   "choose another name; '/' may separate its words");
  }
  return {};
}

// Splits a name at '/': the scrubber ignores some paths, so each part is checked as a word.
std::string words_of(std::string name) {
  std::replace(name.begin(), name.end(), '/', ' ');
  return name;
}

bool holds_known_key(std::string name) { return take_out_known_keys(name); }

Result<void> check_turn(const Turn& turn) {
  if (turn.type == Type::reasoning && !is_reasoning_format(turn.fields.format)) {
    return invalid(fmt::format("'{}' is not a reasoning format", turn.fields.format),
                   "a format is a word of 1 to 64 printable ASCII characters, such as raw");
  }
  const bool has_calls = turn.fields.tool_calls && !turn.fields.tool_calls->empty();
  if (has_calls && turn.type != Type::assistant && turn.type != Type::decision) {
    return invalid("only an answer of the assistant can call tools",
                   "put the calls on a turn of type assistant");
  }
  if (!turn.author.empty()) TRY(check_author(turn.author));
  return {};
}

}  // namespace

Result<void> check_author(std::string_view author) {
  if (store::is_author(author)) return {};
  return invalid("an author is 1 to 128 bytes of UTF-8 without control characters or outer spaces",
                 "give another name");
}

Draft::Draft(const DraftPorts& ports, std::string actor, bool may_assume)
    : ports_(ports), actor_(std::move(actor)), may_assume_(may_assume) {}

Draft::~Draft() { release(); }

void Draft::release() {
  // Newest first: the reader searches equal objects from that end.
  for (auto at = objects_.rbegin(); at != objects_.rend(); ++at) ports_.reader.unstage(*at);
}

Draft::Op::Op(Draft& draft)
    : draft_(draft),
      objects_(draft.objects_.size()),
      commits_(draft.commits_.size()),
      copies_(draft.map_.size()) {}

Draft::Op::~Op() {
  if (is_finished_) return;
  for (; draft_.objects_.size() > objects_; draft_.objects_.pop_back()) {
    draft_.ports_.reader.unstage(draft_.objects_.back());
    draft_.bytes_ -= draft_.objects_.back().body.size();
  }
  draft_.commits_.resize(commits_);
  draft_.map_.resize(copies_);
}

void Draft::add(store::NewObject object, std::shared_ptr<const Commit> commit) {
  bytes_ += object.body.size();
  objects_.push_back(std::move(object));
  ports_.reader.stage(objects_.back(), std::move(commit));
}

// Returns the bytes that may be stored: known keys are taken out, then the scrubber is applied. All
// texts pass through here.
Result<std::string> Draft::storable(Slot slot, std::string bytes, bool* held_key) const {
  bool holds = take_out_known_keys(bytes);
  if (slot == Slot::attachment && holds_known_key_in_pieces(bytes)) {
    bytes = kKeyMark;  // Do not keep anything that shows where the pieces are.
    holds = true;
  }
  const bool is_canonical = slot == Slot::fields || slot == Slot::extra || slot == Slot::facts;
  if (holds && is_canonical) bytes = TRY(json::canonical(bytes));  // A member's name may differ.
  if (held_key != nullptr) *held_key = *held_key || holds;
  return scrubber().scrub(slot, std::move(bytes));
}

// Turns bytes into objects. All contents pass through here.
Result<Oid> Draft::put(Slot slot, std::string bytes, bool* held_key) {
  return put_scrubbed(TRY(storable(slot, std::move(bytes), held_key)));
}

Oid Draft::put_scrubbed(std::string_view bytes) {
  for (store::NewObject& object : store::encode_content(bytes, ports_.salter)) {
    add(std::move(object));
  }
  return objects_.back().oid;
}

Result<Oid> Draft::put_tag(std::string_view name, const Oid& target, std::string note,
                           const Signed& by) {
  Op op(*this);
  store::Tag tag{.target = target, .name = std::string(name)};
  tag.author = by.author.empty() ? actor_ : by.author;
  TRY(check_author(tag.author));
  tag.author = TRY(storable(Slot::name, std::move(tag.author)));
  tag.time = by.time.value_or(ports_.clock.now());
  if (!note.empty()) tag.note = TRY(put(Slot::text, std::move(note)));
  store::NewObject object = store::new_object(store::Kind::tag, TRY(store::serialize(tag)));
  const Oid oid = object.oid;
  add(std::move(object));
  op.finish();
  return oid;
}

Result<Oid> Draft::put_bundle(store::Bundle bundle, std::string_view body, bool keep) {
  using Digest = store::Bundle::Digest;
  Op op(*this);
  const auto keyed = TRY(scrubber().digest_of(body));
  bundle.digest = keyed || ports_.salter.is_private() ? Digest::hmac : Digest::sha256;
  bundle.sent = keyed ? *keyed : ports_.salter.digest_of(body);
  bundle.bytes = body.size();
  take_out_known_keys(bundle.model);
  if (keep) bundle.stored = TRY(put(Slot::raw, std::string(body)));
  store::NewObject object = store::new_object(store::Kind::bundle, TRY(store::serialize(bundle)));
  const Oid oid = object.oid;
  add(std::move(object));
  op.finish();
  return oid;
}

Result<Oid> Draft::erase(std::vector<Oid> objects, std::string reason, const Signed& by) {
  if (reason.size() > kMaxReason) {
    return invalid(fmt::format("a reason cannot be longer than {} bytes", kMaxReason),
                   "use fewer words");
  }
  Op op(*this);
  std::sort(objects.begin(), objects.end());
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  store::Tombstone stone;
  stone.erased = objects;
  stone.author = by.author.empty() ? actor_ : by.author;
  TRY(check_author(stone.author));
  stone.author = TRY(storable(Slot::name, std::move(stone.author)));
  stone.time = by.time.value_or(ports_.clock.now());
  if (!reason.empty()) {
    stone.reason = TRY(put(Slot::text, std::move(reason)));
    const bool is_taken = std::binary_search(objects.begin(), objects.end(), *stone.reason);
    const bool was_taken = TRY(store::own_erasure_of(ports_.store, *stone.reason)) &&
                           !TRY(ports_.store.has(std::array{*stone.reason}))[0];
    if (is_taken || was_taken) {
      return invalid(is_taken ? "the reason is itself a text to be erased"
                              : "the reason is itself a text that was erased here",
                     "use other words");
    }
  }
  store::NewObject object = store::new_object(store::Kind::tombstone, TRY(store::serialize(stone)));
  const Oid oid = object.oid;
  add(std::move(object));
  erase_.insert(erase_.end(), objects.begin(), objects.end());
  tombstones_.push_back(oid);
  op.finish();
  return oid;
}

Oid Draft::put_attest(const store::Attest& attest) {
  store::NewObject object = store::new_object(store::Kind::attest, store::serialize(attest));
  const Oid oid = object.oid;
  add(std::move(object));
  return oid;
}

Result<Oid> Draft::put_content(Slot slot, std::string bytes) { return put(slot, std::move(bytes)); }

Result<Oid> Draft::put_rope(Slot slot, std::string text, const Cutter& cut) {
  text = TRY(storable(slot, std::move(text)));
  for (store::NewObject& object : store::encode_rope(text, cut(text), ports_.salter)) {
    add(std::move(object));
  }
  return objects_.back().oid;
}

Result<std::optional<Oid>> Draft::put_json(Slot slot, std::string json) {
  if (json.empty()) return std::optional<Oid>();
  return std::optional<Oid>(TRY(put(slot, std::move(json))));
}

// A name must be stored as given, so one that contains a secret is refused.
Result<void> Draft::check_tells_nothing(const std::string& ref) const {
  if (holds_known_key(ref)) {
    return denied("the ref's name contains a key of this process", "choose another name");
  }
  const std::string words = words_of(ref);
  if (TRY(storable(Slot::name, words)) == words) return {};
  return denied("the ref's name contains a secret, or what looks like one",
                "choose another name; the store's capture mode does not allow secrets");
}

Result<Draft::Move*> Draft::move_of(const std::string& ref) {
  auto found = moves_.find(ref);
  if (found == moves_.end()) {
    TRY(check_ref_name(ref));
    const auto target = TRY(ports_.store.ref(ref));
    if (!target) TRY(check_tells_nothing(ref));
    found = moves_.emplace(ref, Move{ref, target, target}).first;
  }
  return &found->second;
}

Result<std::optional<Oid>> Draft::tip(const std::string& ref) {
  const Move* move = TRY(move_of(ref));
  return move->after;
}

Result<std::optional<Oid>> Draft::ref(const std::string& name) const {
  const auto moved = moves_.find(name);
  if (moved != moves_.end()) return moved->second.after;
  return ports_.store.ref(name);
}

Result<std::vector<store::Ref>> Draft::refs(const std::string& prefix) const {
  std::map<std::string, Oid> all;
  for (store::Ref& ref : TRY(ports_.store.refs(prefix))) all.emplace(ref.name, ref.target);
  for (auto at = moves_.lower_bound(prefix); at != moves_.end(); ++at) {
    const auto& [name, move] = *at;
    if (!name.starts_with(prefix)) break;
    if (move.after) {
      all.insert_or_assign(name, *move.after);
    } else {
      all.erase(name);
    }
  }
  std::vector<store::Ref> found;
  found.reserve(all.size());
  for (const auto& [name, target] : all) found.push_back({name, target});
  return found;
}

void Draft::assume(const std::string& ref, const Oid& target) {
  if (may_assume_ && check_ref_name(ref)) moves_.try_emplace(ref, Move{ref, target, target});
}

Result<void> Draft::fork(const std::string& ref, const std::string& as,
                         const std::optional<Oid>& base) {
  TRY(check_ref_name(as));
  TRY(check_tells_nothing(as));
  if (base) TRY(check_target_of_ref(as, *base));
  if (!moves_.try_emplace(ref, Move{as, std::nullopt, base}).second) {
    throw std::logic_error("a ref must be forked before any other change to it");
  }
  return {};
}

Result<Oid> Draft::tip_of(const std::string& ref) {
  if (const auto oid = TRY(tip(ref))) return *oid;
  return not_found(fmt::format("'{}' has no commit yet", ref),
                   "write a first turn there, or list branches with 'spoor branch'");
}

Result<void> Draft::check_target_of_ref(const std::string& ref, const Oid& to) const {
  const Oid commit = ref.starts_with("refs/tags/") ? TRY(ports_.reader.peel(to)) : to;
  TRY(ports_.reader.commit(commit));
  return {};
}

Result<void> Draft::move(const std::string& ref, const std::optional<Oid>& to) {
  Move* move = TRY(move_of(ref));
  if (to) TRY(check_target_of_ref(ref, *to));
  move->after = to;
  return {};
}

std::vector<store::RefMove> Draft::moves() const {
  std::vector<store::RefMove> all;
  for (const auto& [name, move] : moves_) {
    if (move.before != move.after) all.push_back({move.ref, move.before, move.after});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

Result<Oid> Draft::add_commit(Commit commit, const std::vector<Oid>& parents) {
  if (!commit.author.empty()) {
    commit.author = TRY(storable(Slot::name, std::move(commit.author)));
  }
  commit.parents = parents;
  commit.depth = 0;
  commit.gen = 0;
  for (const Oid& parent : parents) {
    const auto read = TRY(ports_.reader.commit(parent));
    if (parent == parents.front()) commit.depth = read->depth + 1;
    commit.gen = std::max(commit.gen, read->gen + 1);
  }
  if (!parents.empty()) {
    commit.skip = TRY(store::skip_of_child(ports_.reader, parents[0], commit.depth));
  }
  store::NewObject object = store::new_object(store::Kind::commit, TRY(store::serialize(commit)));
  const Oid oid = object.oid;
  auto shared = std::make_shared<const Commit>(std::move(commit));
  commits_.push_back({oid, shared});
  add(std::move(object), std::move(shared));
  return oid;
}

Result<Oid> Draft::on_branch(const std::string& ref, Commit commit) {
  std::vector<Oid> parents;
  if (const auto parent = TRY(tip(ref))) parents.push_back(*parent);
  const Oid oid = TRY(add_commit(std::move(commit), parents));
  TRY(move(ref, oid));
  return oid;
}

// Adds to `facts` the capture mode unless it is full, and the scrubber's differences from it.
Facts Draft::marked(Facts facts) const {
  const Capture capture = scrubber().capture();
  if (capture != Capture::full) facts.set(fact::capture, name_of(capture));
  const std::string differences = scrubber().differences();
  if (!differences.empty()) facts.set(fact::capture_fields, differences);
  return facts;
}

Result<void> Draft::capture_at_least(Capture least) {
  own_scrubber_ = TRY(ports_.scrubber.at_least(least));
  return {};
}

// A media type is free text from the caller, so it may contain a secret.
Result<std::string> Draft::media_type_of(std::string media_type) const {
  const std::string words = words_of(media_type);
  if (!holds_known_key(media_type) && TRY(storable(Slot::name, words)) == words) return media_type;
  return std::string("application/octet-stream");
}

Result<void> Draft::fill(const Turn& turn, Commit& commit) {
  TRY(check_turn(turn));
  const Oid content = TRY(put(Slot::text, turn.text));
  commit.content = store::Content{content, TRY(media_type_of(turn.media_type))};
  Fields fields = turn.fields;
  if (fields.tool_calls && fields.tool_calls->empty()) fields.tool_calls.reset();  // Same as none.
  commit.fields = TRY(put_json(Slot::fields, TRY(write_fields(fields))));
  bool has_altered = false;
  for (const Item& item : turn.raw) {
    const Oid raw = TRY(put(Slot::raw, item.bytes, &has_altered));
    commit.raw.push_back({raw, TRY(media_type_of(item.media_type))});
  }
  Facts facts = marked(turn.facts);
  if (has_altered) facts.set(fact::raw_altered, true);
  commit.meta = TRY(storable(Slot::facts, TRY(write_facts(facts))));
  commit.extra = TRY(put_json(Slot::extra, TRY(write_extra(turn.extra))));
  for (const Item& item : turn.attach) {
    const Oid attached = TRY(put(Slot::attachment, item.bytes));
    commit.attach.push_back({attached, TRY(media_type_of(item.media_type))});
  }
  commit.prompt = turn.prompt;
  commit.about = turn.about;
  commit.author = turn.author;
  commit.time = turn.time;
  return {};
}

Result<void> Draft::sign(const Signed& by, Commit& commit) {
  if (const auto extra = TRY(put_json(Slot::extra, TRY(write_extra(by.extra))))) {
    commit.extra = extra;
  }
  if (commit.meta.empty()) commit.meta = TRY(write_facts(marked({})));
  if (!by.author.empty()) commit.author = by.author;
  if (commit.author.empty()) commit.author = actor_;
  if (by.time) commit.time = by.time;
  if (!commit.time) commit.time = ports_.clock.now();
  return {};
}

Result<void> Draft::set_targets(const std::vector<Oid>& targets, Commit& commit) {
  if (targets.size() <= store::kMaxTargetLines) {
    commit.target = targets;
    return {};
  }
  std::string list;
  for (const Oid& target : targets) list += target.view();
  commit.targets = put_scrubbed(list);  // Names only: nothing to scrub.
  return {};
}

Result<Oid> Draft::append(const std::string& ref, const Turn& turn) {
  Op op(*this);
  TRY(tip(ref));  // Read the tip first: a write by another after this is a race.
  Commit commit{.op = store::Op::append, .type = turn.type};
  TRY(fill(turn, commit));
  const Oid oid = TRY(on_branch(ref, std::move(commit)));
  op.finish();
  return oid;
}

Result<Oid> Draft::append_to(const std::optional<Oid>& parent, const Turn& turn) {
  Op op(*this);
  Commit commit{.op = store::Op::append, .type = turn.type};
  TRY(fill(turn, commit));
  std::vector<Oid> parents;
  if (parent) parents.push_back(*parent);
  const Oid oid = TRY(add_commit(std::move(commit), parents));
  op.finish();
  return oid;
}

Result<Entry> Draft::entry_of(const Oid& tip, const Oid& target) {
  const auto state = TRY(ports_.folder.at(tip));
  return *TRY(find_entry(ports_.reader, *state, tip, target));
}

// Checks the targets of a pick and returns them without duplicates, in the prompt order of
// `source`, so that equal choices get equal names.
Result<std::vector<Oid>> Draft::check_picked(const Oid& source, std::vector<Oid> picked) {
  const auto state = TRY(ports_.folder.at(source));
  for (const Oid& target : picked) TRY(find_entry(ports_.reader, *state, source, target));
  const auto positions = state->positions();
  const auto position = [&](const Oid& oid) {
    return positions[static_cast<std::size_t>(state->find(oid) - state->entries().data())];
  };
  std::sort(picked.begin(), picked.end(),
            [&](const Oid& a, const Oid& b) { return position(a) < position(b); });
  picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
  return picked;
}

Result<Oid> Draft::edit(const std::string& ref, const Oid& target, const Edit& edit,
                        const Signed& by) {
  Op op(*this);
  if (!edit.text && !edit.tool_calls) {
    return invalid("an edit needs a text or tool calls",
                   "give one of them, or skip the turn with 'spoor skip'");
  }
  const Entry entry = TRY(entry_of(TRY(tip_of(ref)), target));
  if (edit.tool_calls && !edit.tool_calls->empty() && entry.type != Type::assistant) {
    return invalid("only an answer of the assistant can call tools",
                   "put the calls on a turn of type assistant");
  }
  Commit commit{.op = store::Op::edit};
  if (edit.text) commit.content = store::Content{TRY(put(Slot::text, *edit.text)), "text/plain"};
  if (edit.tool_calls) {
    Fields fields;
    fields.tool_calls = edit.tool_calls;
    commit.fields = TRY(put_json(Slot::fields, TRY(write_fields(fields))));
  }
  commit.target = {target};
  TRY(sign(by, commit));
  const Oid oid = TRY(on_branch(ref, std::move(commit)));
  op.finish();
  return oid;
}

Result<Oid> Draft::annotate(const std::string& ref, const Oid& target, Priority priority,
                            std::string_view reason, const Signed& by) {
  Op op(*this);
  TRY(entry_of(TRY(tip_of(ref)), target));
  Commit commit{.op = store::Op::annotate};
  if (!reason.empty()) {
    commit.content = store::Content{TRY(put(Slot::text, std::string(reason))), "text/plain"};
  }
  commit.target = {target};
  commit.priority = priority;
  TRY(sign(by, commit));
  const Oid oid = TRY(on_branch(ref, std::move(commit)));
  op.finish();
  return oid;
}

Result<Compressed> Draft::compress(const std::string& ref, const CompressRange& range,
                                   const Turn& summary, const Signed& by) {
  Op op(*this);
  const Oid tip = TRY(tip_of(ref));
  for (const auto& end : {range.from, range.to}) {
    if (end) TRY(entry_of(tip, *end));
  }
  const Chosen chosen = TRY(choose(*TRY(ports_.folder.at(tip)), range));
  Commit commit{.op = store::Op::compress};
  TRY(fill(summary, commit));
  TRY(set_targets(chosen.targets, commit));
  TRY(sign(by, commit));
  const Oid oid = TRY(on_branch(ref, std::move(commit)));
  op.finish();
  return Compressed{oid, chosen.sources, chosen.kept};
}

Result<Oid> Draft::compress_to(const Oid& parent, const std::vector<Oid>& targets,
                               const Turn& summary) {
  Op op(*this);
  for (const Oid& target : targets) TRY(check_entry(ports_.reader, parent, target));
  Commit commit{.op = store::Op::compress};
  TRY(fill(summary, commit));
  TRY(set_targets(targets, commit));
  const Oid oid = TRY(add_commit(std::move(commit), {parent}));
  op.finish();
  return oid;
}

Result<Oid> Draft::annotate_to(const Oid& parent, const std::vector<Oid>& targets,
                               Priority priority, const Facts& facts) {
  Op op(*this);
  for (const Oid& target : targets) TRY(check_entry(ports_.reader, parent, target));
  Commit commit{.op = store::Op::annotate};
  TRY(set_targets(targets, commit));
  commit.meta = TRY(storable(Slot::facts, TRY(write_facts(marked(facts)))));
  commit.priority = priority;
  const Oid oid = TRY(add_commit(std::move(commit), {parent}));
  op.finish();
  return oid;
}

Result<Oid> Draft::edit_to(const Oid& parent, const Oid& target, std::string text,
                           const std::optional<Timestamp>& time, const Facts& facts) {
  Op op(*this);
  TRY(check_entry(ports_.reader, parent, target));
  Commit commit{.op = store::Op::edit};
  commit.content = store::Content{TRY(put(Slot::text, std::move(text))), "text/plain"};
  commit.meta = TRY(storable(Slot::facts, TRY(write_facts(marked(facts)))));
  commit.target = {target};
  commit.time = time;
  const Oid oid = TRY(add_commit(std::move(commit), {parent}));
  op.finish();
  return oid;
}

Result<Oid> Draft::merge(const std::string& ref, const Oid& source, store::Mode mode,
                         const std::vector<Oid>& targets, const Turn* digest, const Signed& by) {
  Op op(*this);
  const Oid tip = TRY(tip_of(ref));
  if (TRY(store::is_ancestor(ports_.reader, source, tip))) {
    return invalid(fmt::format("{} is already part of this history", source.hex(12)),
                   "compare the two with 'spoor log --graph --all'");
  }
  if ((mode == store::Mode::digest) != (digest != nullptr)) {
    return invalid("a digest merge needs a summary, and no other merge has one",
                   "give a summary with mode digest, and none with another");
  }
  if ((mode == store::Mode::pick) != !targets.empty()) {
    return invalid("a pick merge needs targets, and no other merge has any",
                   "name targets with mode pick, and none with another");
  }
  Commit commit{.op = store::Op::merge, .mode = mode};
  if (digest != nullptr) TRY(fill(*digest, commit));
  TRY(set_targets(TRY(check_picked(source, targets)), commit));
  TRY(sign(by, commit));
  const Oid oid = TRY(add_commit(std::move(commit), {tip, source}));
  TRY(move(ref, oid));
  op.finish();
  return oid;
}

Result<Oid> Draft::copy(const Oid& original, Commit commit, const std::vector<Oid>& parents,
                        const std::vector<Oid>& targets) {
  Op op(*this);
  if (commit.change.empty()) commit.change = original.hex(32);
  commit.skip.reset();
  commit.target.clear();
  commit.targets.reset();
  TRY(set_targets(targets, commit));
  const Oid oid = TRY(add_commit(std::move(commit), parents));
  map_.emplace_back(original, oid);
  op.finish();
  return oid;
}

Result<void> Draft::set_text(std::string text, Commit& commit) {
  const std::string media_type = commit.content ? commit.content->media_type : "text/plain";
  commit.content = store::Content{TRY(put(Slot::text, std::move(text))), media_type};
  return {};
}

Result<void> Draft::set_extra(const Extra& extra, Commit& commit) {
  commit.extra = TRY(put_json(Slot::extra, TRY(write_extra(extra))));
  return {};
}

// Returns the objects that this draft names but does not add, except the current targets of the
// refs that it moves. gc may have removed them since they were read. If one is stored, so is
// everything reachable from it.
Result<std::vector<Oid>> Draft::needs(const std::vector<store::RefMove>& moves) const {
  std::unordered_set<Oid> known;
  for (const store::NewObject& object : objects_) known.insert(object.oid);
  for (const store::RefMove& move : moves) {
    if (move.before) known.insert(*move.before);
  }
  std::vector<Oid> needed;
  const auto need = [&](const Oid& oid) {
    if (known.insert(oid).second) needed.push_back(oid);
  };
  for (const store::NamedCommit& made : commits_) {
    for (const Oid& parent : made.commit->parents) need(parent);
    for (const Oid& commit : made.commit->about) need(commit);
    if (made.commit->prompt) need(*made.commit->prompt);
  }
  for (const auto& [original, copy] : map_) need(original);  // The copy shows its texts.
  for (const store::NewObject& object : objects_) {
    if (object.kind == store::Kind::tag) need(TRY(store::parse_tag(object.body)).target);
    if (object.kind == store::Kind::bundle) need(TRY(store::parse_bundle(object.body)).commit);
  }
  for (const store::RefMove& move : moves) {
    if (move.after) need(*move.after);
  }
  return needed;
}

// An erasure after this ends the epoch, and the store refuses the change.
Result<void> Draft::keep_erased(std::vector<store::NewObject>& objects) {
  const store::ErasedNames& erased = ports_.reader.erased();
  std::vector<store::NewObject> kept;
  kept.reserve(objects.size());
  for (store::NewObject& object : objects) {
    const bool is_named = TRY(erased.reason_of(object.oid)).has_value();
    const auto reason = is_named ? TRY(store::own_erasure_of(ports_.store, object.oid))
                                 : std::optional<std::string>();
    if (!reason || TRY(ports_.store.has(std::array{object.oid}))[0]) {
      kept.push_back(std::move(object));
      continue;
    }
    if (!leaves_out_erased_) {
      return denied(fmt::format("the same text was erased from this store{}",
                                reason->empty() ? std::string() : fmt::format(" ('{}')", *reason)),
                    "erased texts are not stored again; use other words, or another store");
    }
    ++left_out_;
  }
  objects = std::move(kept);
  return {};
}

// Makes one call of the store, and further ones only if the epoch has ended.
Result<store::Receipt> Draft::send(store::Transaction& transaction,
                                   const WriteConditions* checked) {
  WriteConditions now = checked ? *checked : TRY(ports_.conditions.get());
  while (true) {
    if (now.has_tombstones) TRY(keep_erased(transaction.objects));
    transaction.epoch = now.epoch;
    if (!tombstones_.empty()) {
      TRY(store::list_own_tombstones(ports_.store, tombstones_, transaction));
      transaction.epoch = std::min(*transaction.epoch, now.epoch);
    }
    auto receipt = TRY(ports_.store.commit(transaction));
    if (!receipt.is_stale) return receipt;
    now = TRY(ports_.conditions.refresh());
    if (checked && !now.asks_the_same(*checked)) return receipt;
  }
}

Result<store::Receipt> Draft::write(std::string_view command, const WriteConditions* checked) {
  if (const auto refusal = TRY(ports_.conditions.get()).refusal) return *refusal;
  store::Transaction transaction;
  transaction.required = TRY(needs(moves()));
  std::string actor = TRY(storable(Slot::name, actor_));
  release();
  transaction.objects.assign(std::make_move_iterator(objects_.begin()),
                             std::make_move_iterator(objects_.end()));
  transaction.refs = moves();
  transaction.actor = std::move(actor);
  transaction.command = command;
  transaction.time = ports_.clock.now();
  transaction.undo = std::exchange(undo_, std::nullopt);
  transaction.map = std::exchange(map_, {});
  transaction.erase = std::exchange(erase_, {});
  objects_.clear();
  moves_.clear();
  bytes_ = 0;
  const auto commits = std::exchange(commits_, {});

  const bool is_empty = transaction.refs.empty() && transaction.objects.empty();
  if (is_empty && transaction.required.empty()) return store::Receipt();
  for (const store::NewObject& object : transaction.objects) {
    if (std::ranges::find(transaction.erase, object.oid) != transaction.erase.end()) {
      return invalid("the reason, or a text written with it, is to be erased", "use other words");
    }
  }
  auto receipt = send(transaction, checked);
  tombstones_.clear();
  if (!receipt) {
    if (receipt.error().code == Error::Code::not_found) {  // The caches date from before a gc.
      ports_.reader.drop_caches();
      ports_.folder.drop();
    }
    return receipt;
  }
  if (transaction.refs.empty() || receipt->is_stale) return receipt;
  for (const store::NamedCommit& named : commits) ports_.reader.remember(named.oid, named.commit);
  return receipt;
}

}  // namespace spoor::graph
