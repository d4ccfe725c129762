#include "store/reader.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "store/tag.h"

namespace spoor::store {
namespace {

constexpr std::size_t kContentsAtOnce = 8'192;  // All are in memory afterwards.
constexpr std::size_t kReadAtOnce = 256;  // Objects of at most a megabyte each, except chunk lists.

constexpr std::size_t kCommitCost = 640;  // Approximate size of a parsed commit.

constexpr std::uint64_t kLongWalk = 50'000;  // About the number of commits that fit in the cache.

Error missing(const Oid& oid) {
  return not_found(fmt::format("object {} is not stored", oid.hex(12)), "run 'spoor store fsck'");
}

Error unlike_its_name(Kind kind, const Oid& oid) {
  return corrupt(
      fmt::format("the stored bytes of {} {} do not match their name", name_of(kind), oid.hex(12)),
      "run 'spoor store fsck'");
}

// Returns a visitor of commits for the store, which verifies and parses each and passes it on to
// `visit`. It stops with a `problem`.
template <class Visit>
Store::RunVisitor verifying(std::optional<Error>& problem, const Visit& visit) {
  return [&problem, &visit](const Store::RunStep& step) {
    if (object_name(Kind::commit, step.body) != step.oid) {
      problem = unlike_its_name(Kind::commit, step.oid);
      return false;
    }
    auto parsed = parse_commit(step.body);
    if (!parsed) {
      problem = std::move(parsed).error();
      return false;
    }
    return visit({step.oid, std::make_shared<const Commit>(std::move(parsed).value())}, step);
  };
}

// Runs Store::run and verifies and parses each commit. Returns the number visited; fewer than
// `count` if the visitor stopped, at a root, or if the next is not stored.
template <class Visit>
Result<std::size_t> verified_run(const Store& store, const Oid& from, std::size_t count,
                                 std::size_t contents, const Visit& visit) {
  std::optional<Error> problem;
  std::size_t seen = 0;
  const auto counted = [&](const NamedCommit& named, const Store::RunStep& step) {
    ++seen;
    return visit(named, step);
  };
  TRY(store.run(from, count, contents, verifying(problem, counted)));
  if (problem) return *problem;
  return seen;
}

}  // namespace

Result<void> verify(const Oid& oid, const Object& object) {
  if (object_name(object.kind, object.body) == oid) return {};
  return unlike_its_name(object.kind, oid);
}

Reader::Keep Reader::keep_for(std::uint64_t commits) {
  return commits > kLongWalk ? Keep::nothing : Keep::newest;
}

Reader::Reader(const Store& store, std::size_t cache_bytes, std::function<bool()> is_cancelled,
               ReadLimits limits)
    : store_(store),
      erased_(store),
      is_cancelled_(std::move(is_cancelled)),
      limits_(limits),
      commits_(cache_bytes / 2),
      contents_(cache_bytes / 2) {}

Result<void> Reader::check_cancelled() const {
  if (is_cancelled_ && is_cancelled_()) return interrupted("interrupted");
  return {};
}

Result<Object> Reader::object(const Oid& oid) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = staged_.find(oid); found != staged_.end()) {
      const NewObject& staged = *found->second.objects.front();
      return Object{staged.kind, staged.body};
    }
  }
  auto found = TRY(store_.get(std::array{oid}));
  if (!found[0]) return missing(oid);
  TRY(verify(oid, *found[0]));
  return std::move(*found[0]);
}

// Returns a commit that is cached or staged; null if it must be read.
std::shared_ptr<const Commit> Reader::known(const Oid& oid) const {
  const std::lock_guard lock(mutex_);
  if (auto cached = commits_.get(oid)) return cached;
  const auto staged = staged_.find(oid);
  return staged == staged_.end() ? nullptr : staged->second.commit;
}

Result<std::shared_ptr<const Commit>> Reader::commit(const Oid& oid) const {
  TRY(check_cancelled());
  if (auto commit = known(oid)) return commit;
  return parse(oid, TRY(object(oid)));
}

Result<std::shared_ptr<const Commit>> Reader::commit_toward(const Oid& oid,
                                                            std::uint64_t steps) const {
  TRY(check_cancelled());
  std::shared_ptr<const Commit> first = known(oid);
  if (first || steps == 0) return first ? first : commit(oid);
  std::optional<Error> problem;
  const auto take = [&](const NamedCommit& named, const Store::RunStep&) {
    const bool was_known = known(named.oid) != nullptr;  // As is the way from there.
    if (!first) first = named.commit;
    remember(named.oid, named.commit);
    return !was_known;
  };
  TRY(store_.follow(oid, steps, verifying(problem, take)));
  if (problem) return *problem;
  return first ? first : commit(oid);  // It is staged, or why it cannot be read is said there.
}

Result<std::vector<std::shared_ptr<const Commit>>> Reader::commits(
    std::span<const Oid> oids) const {
  TRY(check_cancelled());
  std::vector<std::shared_ptr<const Commit>> all(oids.size());
  std::vector<std::size_t> places;  // Those to read from the store.
  std::vector<Oid> wanted;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < oids.size(); ++i) {
      if ((all[i] = commits_.get(oids[i])) || staged_.contains(oids[i])) continue;
      places.push_back(i);
      wanted.push_back(oids[i]);
    }
  }
  for (std::size_t done = 0; done < wanted.size(); done += kReadAtOnce) {
    const auto some = std::span(wanted).subspan(done, std::min(kReadAtOnce, wanted.size() - done));
    const auto found = TRY(store_.get(some));
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (!found[i]) return missing(some[i]);
      TRY(verify(some[i], *found[i]));
      all[places[done + i]] = TRY(parse(some[i], *found[i]));
    }
  }
  for (std::size_t i = 0; i < oids.size(); ++i) {
    if (!all[i]) all[i] = TRY(commit(oids[i]));
  }
  return all;
}

// Parses a commit and caches it, unless it is staged.
Result<std::shared_ptr<const Commit>> Reader::parse(const Oid& oid, const Object& found) const {
  if (found.kind != Kind::commit) {
    return invalid(fmt::format("object {} is a {}, not a commit", oid.hex(12), name_of(found.kind)),
                   "find commits with 'spoor log --all'");
  }
  auto commit = std::make_shared<const Commit>(TRY(parse_commit(found.body)));
  const std::lock_guard lock(mutex_);
  if (!staged_.contains(oid)) commits_.put(oid, commit, kCommitCost + commit->meta.size());
  return commit;
}

Result<Oid> Reader::peel(const Oid& oid, std::uint64_t steps) const {
  const auto commit =
      commit_toward(oid, steps);  // Nearly always a commit; the read is then cached.
  if (commit) return oid;
  if (commit.error().code != Error::Code::invalid) return commit.error();
  const auto tag = TRY(this->tag(oid));
  return tag ? tag->target : oid;
}

Result<std::optional<Tag>> Reader::tag(const Oid& oid) const {
  const Object found = TRY(object(oid));
  if (found.kind != Kind::tag) return std::optional<Tag>();
  return std::optional(TRY(parse_tag(found.body)));
}

Result<Bundle> Reader::bundle(const Oid& oid) const {
  const Object found = TRY(object(oid));
  if (found.kind != Kind::bundle) {
    return invalid(fmt::format("object {} is a {}, not a bundle", oid.hex(12), name_of(found.kind)),
                   "run 'spoor store fsck'");
  }
  return parse_bundle(found.body);
}

// Returns the replacement text of a content that is not stored because it was erased.
Result<std::shared_ptr<const std::string>> Reader::absent(const Oid& oid) const {
  const auto reason = TRY(erased_.reason_of(oid));
  if (!reason) return missing(oid);
  return std::make_shared<const std::string>(erasure_text(*reason));
}

Result<std::shared_ptr<const std::string>> Reader::decode(const Oid& oid, Object found) const {
  if (found.kind == Kind::blob) {
    const std::size_t before = found.body.size() - TRY(blob_content(found.body)).size();
    found.body.erase(0, before);
    return std::make_shared<const std::string>(std::move(found.body));
  }
  if (found.kind == Kind::rope) {
    const auto pieces = TRY(leaves_of(oid, TRY(parse_rope(found.body))));
    std::vector<Oid> names;
    names.reserve(pieces.size());
    for (const RopePiece& piece : pieces) names.push_back(piece.oid);
    std::string text;
    for (const auto& part : TRY(contents(names))) text += *part;
    return std::make_shared<const std::string>(std::move(text));
  }
  if (found.kind != Kind::chunks) {
    return invalid(
        fmt::format("object {} is a {}, not a content", oid.hex(12), name_of(found.kind)),
        "run 'spoor store fsck'");
  }
  return join(oid, TRY(parse_chunks(found.body)));
}

Result<std::vector<RopePiece>> Reader::leaves(const Oid& oid) const {
  auto found = object(oid);
  if (!found && found.error().code == Error::Code::not_found) return std::vector<RopePiece>();
  const Object rope = TRY(std::move(found));
  if (rope.kind != Kind::rope) return std::vector<RopePiece>();
  return leaves_of(oid, TRY(parse_rope(rope.body)));
}

// Reads the ropes in a rope, without recursion. Every rope has at least two pieces and none is
// empty, so there are fewer ropes than bytes.
Result<std::vector<RopePiece>> Reader::leaves_of(const Oid& oid, Rope rope) const {
  if (rope.size() > limits_.text) {
    return over_limit(fmt::format("text {}", oid.hex(12)), rope.size(), limits_);
  }
  std::vector<RopePiece> leaves;
  std::vector<RopePiece> open(rope.pieces.rbegin(), rope.pieces.rend());
  while (!open.empty()) {
    TRY(check_cancelled());
    const RopePiece next = open.back();
    open.pop_back();
    if (!next.is_rope) {
      leaves.push_back(next);
      continue;
    }
    auto found = object(next.oid);
    if (!found && found.error().code == Error::Code::not_found) {
      leaves.push_back(next);  // Reading it says whether it was erased.
      continue;
    }
    const Object inner = TRY(std::move(found));
    if (inner.kind != Kind::rope) {
      return corrupt(fmt::format("a piece of rope {} is a {}", oid.hex(12), name_of(inner.kind)),
                     "run 'spoor store fsck'");
    }
    const Rope pieces = TRY(parse_rope(inner.body));
    if (pieces.size() != next.size) {
      return corrupt(fmt::format("rope {} names a piece of another size", oid.hex(12)),
                     "run 'spoor store fsck'");
    }
    open.insert(open.end(), pieces.pieces.rbegin(), pieces.pieces.rend());
  }
  return leaves;
}

Result<std::shared_ptr<const std::string>> Reader::join(const Oid& oid,
                                                        const ChunkList& list) const {
  if (list.size > limits_.text) {
    return over_limit(fmt::format("text {}", oid.hex(12)), list.size, limits_);
  }
  auto joined = std::make_shared<std::string>();
  joined->reserve(list.size);
  std::unordered_map<Oid, std::pair<std::size_t, std::size_t>> known;  // Position and length.
  for (const Oid& part : list.parts) {
    if (const auto at = known.find(part); at != known.end()) {
      joined->append(*joined, at->second.first, at->second.second);
      continue;
    }
    const auto read = object(part);
    if (!read && read.error().code == Error::Code::not_found) return absent(part);
    const Object blob = TRY(read);
    if (blob.kind != Kind::blob) {
      return corrupt("a part of a chunk list is not a blob", "run 'spoor store fsck'");
    }
    const std::string_view bytes = TRY(blob_content(blob.body));
    known.emplace(part, std::pair(joined->size(), bytes.size()));
    joined->append(bytes);
    if (joined->size() > list.size) break;
  }
  if (joined->size() != list.size) {
    return corrupt(fmt::format("chunk list {} names parts of another size", oid.hex(12)),
                   "run 'spoor store fsck'");
  }
  return std::shared_ptr<const std::string>(std::move(joined));
}

Result<std::shared_ptr<const std::string>> Reader::content(const Oid& oid) const {
  return std::move(TRY(contents(std::array{oid}))[0]);
}

Result<std::shared_ptr<const std::string>> Reader::read(const Oid& oid,
                                                        std::optional<Object> stored,
                                                        Keep keeps) const {
  if (!stored) return absent(oid);
  TRY(verify(oid, *stored));
  auto text = TRY(decode(oid, std::move(*stored)));
  if (keeps == Keep::nothing) return text;
  const std::lock_guard lock(mutex_);
  contents_.put(oid, text, text->size() + 64);
  return text;
}

Result<std::vector<std::shared_ptr<const std::string>>> Reader::stored_contents(
    std::span<const Oid> oids, Keep keeps) const {
  auto all = contents(oids, keeps);
  if (all || all.error().code != Error::Code::not_found) return all;
  std::vector<std::shared_ptr<const std::string>> texts;
  texts.reserve(oids.size());
  for (const Oid& oid : oids) {
    auto text = content(oid);
    if (!text && text.error().code != Error::Code::not_found) return text.error();
    texts.push_back(text ? std::move(text).value() : nullptr);
  }
  return texts;
}

Result<std::vector<std::shared_ptr<const std::string>>> Reader::contents(std::span<const Oid> oids,
                                                                         Keep keeps) const {
  TRY(check_cancelled());
  std::vector<std::shared_ptr<const std::string>> all(oids.size());
  std::unordered_map<Oid, std::size_t> first;  // Where each text to read is asked for first.
  std::vector<std::size_t> wanted;             // Of these, those to read from the store.
  std::vector<std::size_t> staged;
  std::vector<std::pair<std::size_t, std::size_t>> again;  // Places of the same text.
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < oids.size(); ++i) {
      if ((all[i] = contents_.get(oids[i]))) continue;
      const auto [at, is_new] = first.emplace(oids[i], i);
      if (!is_new) {
        again.emplace_back(i, at->second);
      } else {
        (staged_.contains(oids[i]) ? staged : wanted).push_back(i);
      }
    }
  }
  std::uint64_t size = 0;
  const auto keep = [&](std::size_t at, std::shared_ptr<const std::string> text) -> Result<void> {
    size += text->size();
    all[at] = std::move(text);
    if (size <= limits_.text) return {};
    return over_limit(fmt::format("the sum of the texts up to {}", oids[at].hex(12)), size,
                      limits_);
  };
  for (const std::size_t at : staged) {
    TRY(keep(at, TRY(decode(oids[at], TRY(object(oids[at]))))));
  }
  std::vector<Oid> some;
  for (std::size_t done = 0; done < wanted.size(); done += some.size()) {
    some.clear();
    for (std::size_t i = done; i < std::min(done + kContentsAtOnce, wanted.size()); ++i) {
      some.push_back(oids[wanted[i]]);
    }
    auto found = TRY(store_.get(some));
    for (std::size_t i = 0; i < some.size(); ++i) {
      TRY(keep(wanted[done + i], TRY(read(some[i], std::move(found[i]), keeps))));
    }
  }
  for (const auto& [place, same] : again) all[place] = all[same];
  return all;
}

// Caches a content that was read with its commit. If it is damaged, who needs it will learn it.
void Reader::keep(const Oid& oid, const Object* object) const {
  if (object != nullptr && object->kind == Kind::blob) (void)read(oid, *object, Keep::newest);
}

Result<void> Reader::run(const Oid& from, std::size_t count, const Visitor& visit, Keep keeps,
                         std::size_t contents) const {
  // Visits staged and cached commits one by one, then lets the store's run continue.
  std::optional<Oid> next = from;
  while (next && count > 0) {
    TRY(check_cancelled());
    if (const auto commit = known(*next)) {
      --count;
      if (!visit({*next, commit})) return {};
      if (commit->parents.empty()) return {};
      next = commit->parents[0];
      continue;
    }

    std::optional<Error> problem;
    bool stopped = false;
    const Oid start = *next;
    next.reset();
    const auto visit_one = [&](const NamedCommit& named, const Store::RunStep& step) {
      if (const auto going_on = check_cancelled(); !going_on) {
        problem = going_on.error();
        return false;
      }
      next.reset();
      if (!named.commit->parents.empty()) next = named.commit->parents[0];
      if (keeps == Keep::newest) remember(named.oid, named.commit);
      if (named.commit->content) keep(named.commit->content->oid, step.content);
      if (named.commit->fields) keep(*named.commit->fields, step.fields);
      stopped = !visit(named);
      return !stopped;
    };
    const std::size_t seen = TRY(verified_run(store_, start, count, contents, visit_one));
    if (problem) return *problem;
    if (stopped) return {};
    if (seen == 0) return missing(start);
    count -= seen;
  }
  return {};
}

void Reader::stage(const NewObject& object, std::shared_ptr<const Commit> commit) const {
  const std::lock_guard lock(mutex_);
  Staged& staged = staged_[object.oid];
  staged.objects.push_back(&object);
  if (commit) staged.commit = std::move(commit);
}

void Reader::remember(const Oid& oid, std::shared_ptr<const Commit> commit) const {
  const std::size_t cost = kCommitCost + commit->meta.size();
  const std::lock_guard lock(mutex_);
  commits_.put(oid, std::move(commit), cost);
}

void Reader::unstage(const NewObject& object) const {
  const std::lock_guard lock(mutex_);
  const auto found = staged_.find(object.oid);
  if (found == staged_.end()) return;
  auto& objects = found->second.objects;
  const auto last = std::find(objects.rbegin(), objects.rend(), &object);
  if (last != objects.rend()) objects.erase(std::next(last).base());
  if (objects.empty()) staged_.erase(found);
}

void Reader::drop_caches() const {
  const std::lock_guard lock(mutex_);
  commits_.clear();
  contents_.clear();
}

}  // namespace spoor::store
