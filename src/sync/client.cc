#include "sync/client.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "store/ancestry.h"
#include "store/archive.h"
#include "store/erased.h"
#include "store/lines.h"
#include "store/own_tombstones.h"
#include "sync/negotiate.h"
#include "sync/ref_names.h"
#include "sync/remote_log.h"
#include "sync/requests.h"

namespace spoor::sync {
namespace {

constexpr std::size_t kMostHaves = 256;
constexpr std::size_t kMostTips = 16;

struct News {
  std::string head;
  LogNews log;
  RefNews refs;
};

Result<News> ask_refs(Link& link, const KnownRemote& remote, bool accepts_rewind) {
  const RefsRequest request{remote.seen.operation, remote.seen.pushed, remembered_size(remote)};
  const Answer answer = TRY(ask(link, {"refs", write(request)}));
  store::LineReader lines(answer.message.text);
  News news;
  if (const auto head = lines.take("head")) news.head = *head;
  news.log = TRY(take_log_news(lines));
  news.refs = TRY(take_news(lines));
  if (std::string unsigned_log = signature_problem(remote, news.log); !unsigned_log.empty()) {
    return denied(
        fmt::format("'{}' is not what its key says: {}", remote.name, unsigned_log),
        fmt::format("ask its owner; if the key has changed: spoor remote remove {}, and add "
                    "it again",
                    remote.name));
  }
  if (accepts_rewind) return news;
  std::string problem = contradiction(remote, news.log);
  if (problem.empty() && news.refs.is_rewound) {
    const auto& lost = remote.seen.pushed ? remote.seen.pushed : remote.seen.operation;
    problem = fmt::format("it no longer has the operation {}, its newest when it was last seen",
                          lost ? lost->hex(12) : "that it had");
  }
  if (problem.empty()) return news;
  return conflict(fmt::format("'{}' is not as it was: {}", remote.name, problem),
                  fmt::format("ask its owner; to take it as it is now: spoor fetch {} "
                              "--accept-rewind",
                              remote.name));
}

// Returns which of the objects that both may have the request builds on. `near`: those that the
// other side has for sure and that are closest; `all`: further ones.
Result<std::vector<Oid>> choose_haves(const store::Store& store, Link& link, std::set<Oid> near,
                                      const RefValues& all) {
  const auto drop_absent = [&]() -> Result<void> {
    const std::vector<Oid> names(near.begin(), near.end());
    const auto has = TRY(store.has(names));
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!has[i]) near.erase(names[i]);
    }
    return {};
  };
  TRY(drop_absent());
  if (near.empty()) {
    for (const auto& [name, target] : all) {
      if (target && near.size() < kMostHaves) near.insert(*target);
    }
    TRY(drop_absent());
  }
  if (near.empty()) {
    std::vector<Oid> tips;
    for (const store::Ref& ref : TRY(store.refs(kHeads))) {
      if (tips.size() < kMostTips) tips.push_back(ref.target);
    }
    const auto which = [&](std::span<const Oid> names) -> Result<std::vector<bool>> {
      const std::vector<Oid> asked(names.begin(), names.end());
      const Answer answer = TRY(ask(link, {"known", write_names("name", asked)}));
      const auto known = TRY(parse_names("name", answer.message.text));
      const std::set<Oid> has(known.begin(), known.end());
      std::vector<bool> found;
      for (const Oid& name : names) found.push_back(has.contains(name));
      return found;
    };
    if (!tips.empty()) {
      for (const Oid& each : TRY(find_common(store, tips, which))) near.insert(each);
    }
  }
  return std::vector<Oid>(near.begin(), near.end());
}

// Adds the tombstones that are here, so that they are not sent again.
Result<void> add_tombstones(const store::Store& store, std::vector<Oid>& haves) {
  const auto list = TRY(store.property(store::kTombstones));
  auto stones = store::parse_tombstone_list(list.value_or(""));
  if (stones.size() > kMostHaves) stones.resize(kMostHaves);
  haves.insert(haves.end(), stones.begin(), stones.end());
  std::sort(haves.begin(), haves.end());
  haves.erase(std::unique(haves.begin(), haves.end()), haves.end());
  return {};
}

// Chooses the moves that make the other store's refs known here.
class Following {
 public:
  Following(const store::Store& with, const KnownRemote& remote) : with_(with), remote_(remote) {}

  Result<std::vector<store::RefMove>> moves(const RefValues& values, Fetched& fetched) {
    const store::Reader reader(with_);
    for (const auto& [name, target] : values) {
      TRY(add(tracking_ref(remote_.name, name), target));
      if (!target || name.starts_with(kHeads)) continue;
      const auto here = TRY(with_.ref(name));
      if (!here) {
        std::string objection = TRY(name_objection(with_, name));
        if (objection.empty()) {
          TRY(add(name, target));
        } else {
          fetched.not_named.emplace_back(name, std::move(objection));
        }
      } else if (*here != *target && !name.starts_with(kTags)) {
        const bool is_forward = TRY(goes_forward(reader, *here, *target));
        const bool is_behind = !is_forward && TRY(goes_forward(reader, *target, *here));
        if (is_forward) TRY(add(name, target));
        if (!is_forward && !is_behind) fetched.not_forward.push_back(name);
      }
    }
    return std::move(moves_);
  }

 private:
  Result<void> add(std::string name, const std::optional<Oid>& after) {
    const auto before = TRY(with_.ref(name));
    if (before != after) moves_.push_back({std::move(name), before, after});
    return {};
  }

  const store::Store& with_;
  const KnownRemote& remote_;
  std::vector<store::RefMove> moves_;
};

// Returns the refs whose objects are not here.
Result<std::vector<store::Ref>> absent_refs(const store::Store& store, const RefValues& values) {
  std::vector<store::Ref> refs;
  std::vector<Oid> targets;
  for (const auto& [name, target] : values) {
    if (!target) continue;
    refs.push_back({name, *target});
    targets.push_back(*target);
  }
  const auto has = TRY(store.has(targets));
  std::vector<store::Ref> absent;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (!has[i]) absent.push_back(std::move(refs[i]));
  }
  return absent;
}

// Gets the wants of a request, and makes the moves for `values`.
Result<void> fetch_wants(store::Store& store, Link& link, const KnownRemote& remote,
                         const Intake& intake, Timestamp time, FetchRequest request,
                         const RefValues& values, Fetched& fetched) {
  const auto choose = [&](const store::Store& with,
                          const store::ArchiveHead& head) -> Result<std::vector<store::RefMove>> {
    if (head.refs != request.wants)
      return invalid("the archive has other refs than were asked for");
    fetched.not_forward.clear();
    fetched.not_named.clear();
    fetched.moves = TRY(Following(with, remote).moves(values, fetched));
    return fetched.moves;
  };
  Spool spool = TRY(Spool::open(intake.file, transfer_name(request)));
  request.from = spool.chain();
  const Answer answer = TRY(ask(link, {"fetch", write(request)}));
  const bool goes_on = !TRY(parse_names("from", answer.message.text)).empty();
  TRY(spool.begin(*answer.body, goes_on, intake.most_bytes));
  const auto received = TRY(take_in(store, intake, spool, choose, "fetch", time));
  fetched.count.commits += received.count.commits;
  fetched.count.objects += received.count.objects;
  fetched.count.bytes += received.count.bytes;
  fetched.left_out += received.left_out;
  return {};
}

// Ends a fetch that was cut, although the other store has moved on since: what is here of it would
// be sent again otherwise.
Result<void> end_begun_fetches(store::Store& store, Link& link, const KnownRemote& remote,
                               const Intake& intake, Timestamp time, const RefValues& there,
                               Fetched& fetched) {
  for (FetchRequest& begun : begun_fetches(intake.file)) {
    RefValues values;
    bool is_theirs = true;
    for (const store::Ref& want : begun.wants) {
      const auto now = there.find(want.name);
      is_theirs = is_theirs && now != there.end() && now->second;
      values.emplace(want.name, want.target);
    }
    if (!is_theirs) continue;
    auto ended = fetch_wants(store, link, remote, intake, time, std::move(begun), values, fetched);
    // It may be another store's, or its refs were rewritten.
    if (!ended && ended.error().code != Error::Code::conflict) return ended;
  }
  return {};
}

}  // namespace

Result<Fetched> fetch(store::Store& store, Link& link, const KnownRemote& remote,
                      const Intake& intake, Timestamp time, bool accepts_rewind) {
  News news = TRY(ask_refs(link, remote, accepts_rewind));
  RefValues tracked = TRY(tracked_refs(store, remote.name));
  if (news.refs.is_full) {
    for (const auto& [name, target] : tracked) news.refs.values.emplace(name, std::nullopt);
  }
  Fetched fetched{.head = news.head, .seen = {news.refs.operation, {}, news.log.checkpoint}};
  RefValues there = news.refs.is_full ? RefValues() : tracked;
  for (const auto& [name, target] : news.refs.values) there.insert_or_assign(name, target);
  TRY(end_begun_fetches(store, link, remote, intake, time, there, fetched));
  const std::vector<store::RefMove> before = std::move(fetched.moves);
  if (!before.empty()) tracked = TRY(tracked_refs(store, remote.name));
  FetchRequest request;
  request.wants = TRY(absent_refs(store, news.refs.values));
  const auto with_earlier_moves = [&]() -> Result<Fetched> {
    for (store::RefMove& move : fetched.moves) {
      const auto at = std::ranges::find(before, move.name, &store::RefMove::name);
      if (at != before.end()) move.before = at->before;
    }
    for (const store::RefMove& move : before) {
      const auto at = std::ranges::find(fetched.moves, move.name, &store::RefMove::name);
      if (at == fetched.moves.end()) fetched.moves.push_back(move);
    }
    return std::move(fetched);
  };
  if (request.wants.empty()) {
    fetched.moves = TRY(Following(store, remote).moves(news.refs.values, fetched));
    TRY(move_refs(store, intake, fetched.moves, "fetch", time));
    return with_earlier_moves();
  }
  std::set<Oid> near;
  for (const store::Ref& want : request.wants) {
    if (const auto at = tracked.find(want.name); at != tracked.end()) near.insert(*at->second);
  }
  // A ref that is new there most likely begins where others are.
  const bool has_new_ref = near.size() < request.wants.size();
  for (auto at = tracked.begin(); has_new_ref && at != tracked.end(); ++at) {
    if (near.size() < kMostHaves) near.insert(*at->second);
  }
  request.haves = TRY(choose_haves(store, link, std::move(near), tracked));
  TRY(add_tombstones(store, request.haves));
  TRY(fetch_wants(store, link, remote, intake, time, std::move(request), news.refs.values,
                  fetched));
  return with_earlier_moves();
}

Result<Pushed> push(store::Store& store, Link& link, const KnownRemote& remote,
                    std::vector<Pushing> refs, const Intake& intake, Timestamp time) {
  const News news = TRY(ask_refs(link, remote, false));
  const RefValues tracked = TRY(tracked_refs(store, remote.name));
  RefValues now = news.refs.is_full ? RefValues() : tracked;
  for (const auto& [name, target] : news.refs.values) now.insert_or_assign(name, target);
  const auto value_in = [](const RefValues& values, const std::string& name) {
    const auto at = values.find(name);
    return at == values.end() ? std::nullopt : at->second;
  };

  const store::Reader reader(store);
  PushRequest request;
  std::set<Oid> near;
  std::sort(refs.begin(), refs.end(),
            [](const Pushing& one, const Pushing& other) { return one.ref < other.ref; });
  for (const Pushing& each : refs) {
    const auto before = value_in(now, each.ref);
    if (before == each.after) continue;
    if (each.is_leased && before != value_in(tracked, each.ref)) {
      return conflict(fmt::format("'{}' has moved there since it was last fetched", each.ref),
                      fmt::format("look at it first: spoor fetch {}", remote.name));
    }
    const bool is_forward =
        !before || (each.after && TRY(goes_forward(reader, *before, *each.after)));
    if (!is_forward && !each.is_leased) {
      return conflict(fmt::format("'{}' would not go forward there", each.ref),
                      fmt::format("merge first: spoor pull {}; to replace what it has: "
                                  "--force-with-lease",
                                  remote.name));
    }
    request.moves.push_back({{each.ref, before, each.after}, !is_forward});
    for (const auto& known : {before, value_in(tracked, each.ref)}) {
      if (known) near.insert(*known);
    }
  }
  Pushed pushed{.seen = remote.seen};
  if (request.moves.empty()) return pushed;

  std::vector<store::RefMove> here;
  for (const PushRequest::Move& move : request.moves) {
    pushed.moves.push_back(move);
    const std::string name = tracking_ref(remote.name, move.name);
    here.push_back({name, TRY(store.ref(name)), move.after});
  }
  const bool has_archive = !request.refs().empty();
  if (has_archive) {
    request.haves = TRY(choose_haves(store, link, std::move(near), now));
    const Answer begun = TRY(ask(link, {"begin", write(request)}));
    const auto from = TRY(parse_names("from", begun.message.text));
    if (!from.empty()) request.from = from[0];
  }
  store::ArchiveHead head{.haves = request.haves, .refs = request.refs()};
  head.is_private = TRY(store.property("private")).has_value();
  // The message must say whether the beginning is left out, which is known when that was found.
  const auto from = request.from;
  const auto written = TRY(link.ask([&](const ByteSink& sink) -> Result<void> {
    const auto begin = [&](bool goes_on) {
      request.from = goes_on ? from : std::nullopt;
      return write_message(sink, {"push", write(request)});
    };
    if (!has_archive) return begin(false);
    pushed.count = TRY(send_archive(store, head, from, begin, sink));
    return {};
  }));
  LineInput body(written);
  const Message answer = TRY(read_message(body));
  if (answer.word != "ok") return error_of(answer);
  store::LineReader lines(answer.text);
  if (const auto erased = lines.take("erased")) {
    pushed.left_out = store::parse_integer(*erased).value_or(0);
  }
  // Others may have changed refs before it, so it is not what has been seen of its log.
  if (const auto operation = lines.take("operation")) {
    pushed.seen.pushed = Oid::from_hex(*operation);
  }
  TRY(move_refs(store, intake, std::move(here), "push", time));
  return pushed;
}

}  // namespace spoor::sync
