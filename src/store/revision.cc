#include "store/revision.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "base/when.h"
#include "store/ancestry.h"
#include "store/operation_walk.h"

namespace spoor::store {
namespace {

constexpr std::size_t kMinPrefix = 4;
constexpr std::size_t kCandidatesShown = 8;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Error unknown(std::string_view name) {
  return not_found(fmt::format("no branch, tag or commit named '{}'", name),
                   "list sessions with 'spoor sessions', branches with 'spoor branch', commits "
                   "with 'spoor log --all'");
}

Error no_such_object(const Oid& oid) {
  return not_found(fmt::format("no object {} is stored here", oid.hex(12)),
                   "check the digits; list commits with 'spoor log --all'");
}

// Returns a hint that lists the candidates with type and time. Their texts ("alice: 3f2a91c4 user
// 2026-…") would require reading contents.
std::string candidates(const Reader& reader, const std::vector<Oid>& oids) {
  std::string hint = "it could be";
  for (const Oid& oid : oids) {
    const auto commit = reader.commit(oid);
    if (!commit) continue;
    const auto& c = **commit;
    hint += fmt::format("\n  {} {}{}{}", oid.hex(12), name_of(c.op),
                        c.type ? fmt::format(" {}", name_of(*c.type)) : "",
                        c.time ? " " + c.time->text() : "");
  }
  return hint;
}

Result<Oid> resolve_prefix(const Reader& reader, std::string_view prefix) {
  if (const auto whole = Oid::from_hex(prefix)) {  // No search is needed.
    auto peeled = reader.peel(*whole);
    if (!peeled && peeled.error().code == Error::Code::not_found) return no_such_object(*whole);
    return peeled;
  }
  std::vector<Oid> found = TRY(reader.store().find(prefix, Kind::commit, kCandidatesShown));
  if (found.empty()) found = TRY(reader.store().find(prefix, Kind::tag, kCandidatesShown));
  if (found.empty()) return unknown(prefix);
  if (found.size() == 1) return found[0];
  return ambiguous(fmt::format("'{}' matches {}{} commits", prefix, found.size(),
                               found.size() == kCandidatesShown ? " or more" : ""),
                   candidates(reader, found));
}

// Returns the full ref names to try for `name`, in order.
std::vector<std::string> ref_names(std::string_view name) {
  std::vector<std::string> names;
  if (name.starts_with("refs/")) names.emplace_back(name);
  names.push_back(branch_ref(name));
  names.push_back(tag_ref(name));
  names.push_back("refs/remotes/" + std::string(name));
  return names;
}

// Returns the value of the ref that `name` means, if there is one.
Result<std::optional<Oid>> find_ref(const Store& store, std::string_view name) {
  for (const std::string& full : ref_names(name)) {
    if (const auto target = TRY(store.ref(full))) return target;
  }
  return std::optional<Oid>();
}

// Returns an operation's move of a ref, if any.
const RefMove* move_of(const Operation& operation, std::string_view ref) {
  const auto move = std::find_if(operation.refs.begin(), operation.refs.end(),
                                 [&](const RefMove& m) { return m.name == ref; });
  return move == operation.refs.end() ? nullptr : &*move;
}

// A ref whose past is read: its name as the user gave it, for errors, and its full name.
struct RefInThePast {
  std::string_view name;
  std::string full;
};

Result<std::optional<Oid>> ref_at_time(const Store& store, const std::string& full,
                                       Timestamp time) {
  const auto entry = TRY(store.operation_at(full, time));
  if (!entry) return std::optional<Oid>();
  const Operation operation = TRY(parse_operation(entry->body));
  const RefMove* move = move_of(operation, full);
  return move == nullptr ? std::optional<Oid>() : move->after;
}

// Reads the log backwards, some operations at a time: recent moves are the ones usually requested.
Result<Oid> ref_before_moves(const Store& store, const RefInThePast& ref, std::uint64_t moves) {
  constexpr std::uint64_t kStride = 256;
  const auto newest = TRY(store.newest_operation());
  std::uint64_t end = newest ? newest->number : 0;
  std::uint64_t seen = 0;
  std::optional<Oid> before;  // `before` of the oldest move seen.
  while (end > 0) {
    const std::uint64_t begin = end > kStride ? end - kStride : 0;
    const auto logged =
        TRY(verified_operations(store, begin, static_cast<std::size_t>(end - begin)));
    for (auto entry = logged.rbegin(); entry != logged.rend(); ++entry) {
      if (entry->number > end) continue;  // Seen: folding the log leaves gaps in the numbers.
      const Operation operation = TRY(parse_operation(entry->body));
      const RefMove* move = move_of(operation, ref.full);
      if (move == nullptr) continue;
      if (seen++ == moves) {
        if (move->after) return *move->after;
        return not_found(fmt::format("'{}' was deleted in that move", ref.name),
                         fmt::format("one move earlier is {}@{{{}}}", ref.name, moves + 1));
      }
      before = move->before;
    }
    end = begin;
  }
  if (seen == moves && before) return *before;  // The ref's value before its first logged move.
  return not_found(
      fmt::format("'{}' has moved only {} time{}", ref.name, seen, seen == 1 ? "" : "s"),
      seen == 0 ? std::string("list branches with 'spoor branch'")
                : fmt::format("the oldest is {}@{{{}}}", ref.name, seen - 1));
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_any(const Commit& /*commit*/) { return true; }

// Edits, annotations and the like may have been made long after the conversation.
bool is_message(const Commit& commit) {
  return commit.op == Op::append && commit.type && *commit.type != Type::note;
}

// Returns the newest commit of a chain that counts and whose own time fits, if there is one.
Result<std::optional<Oid>> newest_in_chain(const Reader& reader, const Oid& tip,
                                           bool (*counts)(const Commit&),
                                           const std::function<bool(Timestamp)>& fits) {
  std::optional<Oid> found;
  TRY(reader.run(
      tip, std::numeric_limits<std::size_t>::max(),
      [&](const NamedCommit& named) {
        const auto& time = named.commit->time;
        if (time && counts(*named.commit) && fits(*time)) found = named.oid;
        return !found;
      },
      Reader::Keep::nothing));
  return found;
}

// Returns the last time at or before `end` with this time of day, in UTC.
Timestamp last_time_of_day(std::int64_t seconds, Timestamp end) {
  constexpr std::int64_t kDay = 86'400'000'000;
  const std::int64_t time = end.micros - end.micros % kDay + seconds * 1'000'000;
  return {time <= end.micros ? time : time - kDay};
}

// Resolves `name@{when}` by the times of the turns: the newest that is not later. A time of day is
// the last such time before the newest turn, if anything is that old.
Result<std::optional<Oid>> turn_at(const Reader& reader, const Oid& tip, const Revision& revision,
                                   const RevisionContext& context) {
  const auto newest_until = [&](Timestamp time) {
    return newest_in_chain(reader, tip, is_any, [time](Timestamp own) { return own <= time; });
  };
  const auto seconds = parse_time_of_day(*revision.at);
  if (!seconds) return newest_until(TRY(parse_when(*revision.at, context.now)));
  Timestamp end;
  const auto newest = TRY(newest_in_chain(reader, tip, is_message, [&end](Timestamp own) {
    end = own;
    return true;
  }));
  if (!newest) return newest;
  const auto found = TRY(newest_until(last_time_of_day(*seconds, end)));
  return found ? found : newest;  // It began later that day: the time is after its end.
}

// Resolves `name@{when}`.
Result<Oid> resolve_at(const Reader& reader, const Revision& revision,
                       const RevisionContext& context) {
  const Store& store = reader.store();
  std::vector<std::string> names = ref_names(revision.name);
  if (revision.name == "HEAD" || revision.name == "@") {
    if (context.head_ref.empty()) {
      return invalid("HEAD is not on a branch, so its earlier places are not recorded",
                     fmt::format("name a branch: main@{{{}}}", *revision.at));
    }
    names = {context.head_ref};
  }
  if (is_number(*revision.at)) {
    std::uint64_t moves = 0;
    const char* end = revision.at->data() + revision.at->size();
    if (std::from_chars(revision.at->data(), end, moves).ec != std::errc()) {
      return invalid(fmt::format("'{}' is too many moves", *revision.at),
                     fmt::format("the newest is {}@{{0}}", revision.name));
    }
    for (const std::string& full : names) {
      const bool is_last = &full == &names.back();
      auto found = ref_before_moves(store, {revision.name, full}, moves);
      // Use the first full name that exists or ever existed; else try the next.
      const bool never_was = !found && found.error().code == Error::Code::not_found &&
                             !TRY(store.operation_at(full, Timestamp{kLastMicro}));
      if (is_last || !never_was) return found;
    }
  }
  if (!context.is_session && !parse_time_of_day(*revision.at)) {
    const Timestamp time = TRY(parse_when(*revision.at, context.now));
    for (const std::string& full : names) {
      if (const auto target = TRY(ref_at_time(store, full, time))) return *target;
    }
    return not_found(fmt::format("'{}' did not exist at {}", revision.name, *revision.at),
                     "list earlier commits with 'spoor log'");
  }
  bool is_known = false;
  for (const std::string& full : names) {
    const auto tip = TRY(store.ref(full));
    if (!tip) continue;
    is_known = true;
    if (const auto turn = TRY(turn_at(reader, TRY(reader.peel(*tip)), revision, context))) {
      return *turn;
    }
  }
  if (!is_known) return unknown(revision.name);
  return not_found(fmt::format("'{}' has nothing from {} or before", revision.name, *revision.at),
                   "list earlier commits with 'spoor log'");
}

Error looks_inside(std::string_view what) {
  return invalid(fmt::format("'{}' searches turns, which is not possible here", what),
                 "name a commit, a branch or a tag");
}

bool looks_inside_by_name(std::string_view name) {
  return name.starts_with(":/") || name.starts_with("type:") || name.starts_with("tag:");
}

Result<Oid> find_inside(const Reader& reader, const std::string& name,
                        const RevisionContext& context) {
  constexpr std::string_view kTag = "tag:";
  if (name.starts_with(kTag)) {
    if (const auto target = TRY(reader.store().ref(tag_ref(name.substr(kTag.size()))))) {
      return *target;
    }
  }
  return context.find ? context.find(name) : looks_inside(name);
}

Result<Oid> resolve_name(const Reader& reader, const Revision& revision,
                         const RevisionContext& context) {
  const std::string& name = revision.name;
  if (revision.at) return resolve_at(reader, revision, context);
  if (looks_inside_by_name(name)) return find_inside(reader, name, context);
  if (name == "HEAD" || name == "@") {
    if (context.head) return *context.head;
    return not_found("HEAD names no commit yet", "write a first turn, or 'spoor import' a session");
  }
  if (const auto target = TRY(find_ref(reader.store(), name))) return *target;
  if (name.size() < kMinPrefix || name.size() > 64 || !is_hex(name)) return unknown(name);
  return resolve_prefix(reader, name);
}

// Returns how many first parents back a step goes.
std::uint64_t steps_back(const RevisionStep& step) {
  return step.kind == RevisionStep::Kind::first_parent ? step.count : 0;
}

Result<Oid> take_step(const Reader& reader, const Oid& from, const RevisionStep& step,
                      const RevisionContext& context) {
  const auto commit = TRY(reader.commit_toward(from, steps_back(step)));
  if (step.kind == RevisionStep::Kind::inside) {
    if (step.word.empty() || step.word == "commit") return from;
    return context.inside ? context.inside(from, step.word)
                          : looks_inside(fmt::format("^{{{}}}", step.word));
  }
  if (step.kind == RevisionStep::Kind::first_parent) {
    if (step.count > commit->depth) {
      return not_found(fmt::format("{} has only {} ancestor{}", from.hex(12), commit->depth,
                                   commit->depth == 1 ? "" : "s"),
                       fmt::format("the root of its line is {}~{}", from.hex(12), commit->depth));
    }
    return ancestor_at(reader, from, commit->depth - step.count);
  }
  if (step.count == 0) return from;
  if (step.count > commit->parents.size()) {
    return not_found(fmt::format("{} has no parent number {}", from.hex(12), step.count),
                     "only a merge has two; ^0 is the commit itself");
  }
  return commit->parents[step.count - 1];
}

// Returns the merge base of `A...B`.
Result<Oid> common_base(const Reader& reader, const RevisionRange& range,
                        const RevisionContext& context) {
  const auto side = [&](const std::string& name) {
    return resolve(reader, name.empty() ? "HEAD" : name, context);
  };
  const Oid from = TRY(side(range.from));
  const Oid to = TRY(side(range.to));
  const std::vector<Oid> bases = TRY(merge_bases(reader, from, to));
  if (bases.size() == 1) return bases.front();
  const std::string what = fmt::format("{} and {}", from.hex(12), to.hex(12));
  if (bases.empty()) {
    return not_found(what + " have nothing in common", "compare them with 'spoor diff A B'");
  }
  return ambiguous(what + " have several bases in common", candidates(reader, bases));
}

}  // namespace

Result<Revision> parse_revision(std::string_view text) {
  const auto bad = [text](std::string_view why) {
    return invalid(fmt::format("'{}' is not a revision: {}", text, why),
                   "see 'spoor help revisions'");
  };
  Revision revision;
  if (text.starts_with(":/")) {  // The rest is the text to search for.
    if (text.size() == 2) return bad("':/' is followed by no text");
    revision.name = text;
    return revision;
  }
  const std::size_t at = text.find("@{");
  const std::size_t name_end = std::min(text.find_first_of("~^"), at);
  revision.name = text.substr(0, name_end);
  if (revision.name.empty() && text.starts_with("@{")) revision.name = "@";
  if (revision.name.empty()) return bad("it names nothing");
  std::string_view rest = text.substr(std::min(name_end, text.size()));

  if (rest.starts_with("@{")) {
    const std::size_t close = rest.find('}');
    if (close == std::string_view::npos) return bad("'@{' is not closed");
    revision.at = rest.substr(2, close - 2);
    rest.remove_prefix(close + 1);
  }
  while (!rest.empty()) {
    RevisionStep step;
    if (rest[0] != '~' && rest[0] != '^') return bad("only ~ and ^ may follow a name");
    if (rest[0] == '^') step.kind = RevisionStep::Kind::nth_parent;
    rest.remove_prefix(1);
    if (step.kind == RevisionStep::Kind::nth_parent && rest.starts_with('{')) {
      const std::size_t close = rest.find('}');
      if (close == std::string_view::npos) return bad("'^{' is not closed");
      step.kind = RevisionStep::Kind::inside;
      step.word = rest.substr(1, close - 1);
      rest.remove_prefix(close + 1);
      revision.steps.push_back(std::move(step));
      continue;
    }
    const char* end = rest.data() + rest.size();
    const auto [stop, error] = std::from_chars(rest.data(), end, step.count);
    if (error == std::errc::result_out_of_range) return bad("the number is too large");
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    revision.steps.push_back(step);
  }
  return revision;
}

Result<Oid> resolve(const Reader& reader, std::string_view text, const RevisionContext& context) {
  if (const auto range = split_range(text)) {
    if (!range->is_symmetric) {
      return invalid(fmt::format("'{}' is a range, not one commit", text),
                     "name its end alone, or 'A...B' for the common base");
    }
    return common_base(reader, *range, context);
  }
  const Revision revision = TRY(parse_revision(text));
  const Oid named = TRY(resolve_name(reader, revision, context));
  // A tag object is replaced by the commit that it names.
  Oid oid = TRY(reader.peel(named, revision.steps.empty() ? 0 : steps_back(revision.steps[0])));
  for (const RevisionStep& step : revision.steps) oid = TRY(take_step(reader, oid, step, context));
  TRY(reader.commit(oid));  // Fails unless it is a stored, valid commit.
  return oid;
}

std::optional<RevisionRange> split_range(std::string_view text) {
  if (text.starts_with(":/")) return std::nullopt;
  std::size_t dots = std::string_view::npos;
  bool in_braces = false;
  for (std::size_t i = 0; i + 1 < text.size() && dots == std::string_view::npos; ++i) {
    if (text[i] == '{') in_braces = true;
    if (text[i] == '}') in_braces = false;
    if (!in_braces && text[i] == '.' && text[i + 1] == '.') dots = i;
  }
  if (dots == std::string_view::npos) return std::nullopt;
  const bool is_symmetric = text.substr(dots).starts_with("...");
  return RevisionRange{std::string(text.substr(0, dots)),
                       std::string(text.substr(dots + (is_symmetric ? 3 : 2))), is_symmetric};
}

Result<std::string> abbreviate(const Store& store, const Oid& oid, std::size_t at_least) {
  const std::string hex = oid.hex();
  for (std::size_t digits = at_least; digits < hex.size(); ++digits) {
    const std::string_view prefix = std::string_view(hex).substr(0, digits);
    if (TRY(store.find(prefix, Kind::commit, 2)).size() <= 1) return std::string(prefix);
  }
  return hex;
}

}  // namespace spoor::store
