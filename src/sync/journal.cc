#include "sync/journal.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "store/lines.h"
#include "store/operation_walk.h"

namespace spoor::sync {
namespace {

constexpr std::size_t kMaxOperations = 10'000;
constexpr std::string_view kRefs = "refs/";

Error malformed_refs() { return corrupt("the other store's list of refs is malformed"); }

// Adds the moves after `since`; false if that cannot be found.
Result<bool> add_moves(const store::Store& store, const Oid& since, RefNews& news) {
  std::size_t seen = 0;
  bool is_found = false;
  TRY(store::walk_operations(store, [&](const store::LoggedOperation& logged) -> Result<bool> {
    const store::Operation operation = TRY(store::parse_operation(logged.body));
    const Oid name = store::chain_name(operation, logged.name);
    if (!news.operation) news.operation = name;
    is_found = name == since;
    if (is_found || operation.folded || ++seen > kMaxOperations) return false;
    for (const store::RefMove& move : operation.refs) {
      if (is_shared(move.name)) news.values.emplace(move.name, move.after);
    }
    return true;
  }));
  return is_found;
}

Result<bool> has_operation(const store::Store& store, const Oid& name) {
  constexpr std::size_t kAtOnce = 1'000;
  constexpr std::size_t kNear = 1'000;
  std::size_t seen = 0;
  bool is_near = false;
  TRY(store::walk_operations(store, [&](const store::LoggedOperation& logged) -> Result<bool> {
    is_near = store::chain_name(TRY(store::parse_operation(logged.body)), logged.name) == name;
    return !is_near && ++seen < kNear;
  }));
  if (is_near) return true;
  const auto folded = TRY(store.folded_names()).names;
  if (std::ranges::find(folded, name) != folded.end()) return true;
  for (std::uint64_t after = 0;;) {
    const auto some = TRY(store.operations(after, kAtOnce));
    for (const store::LoggedOperation& each : some) {
      if (store::chain_name(TRY(store::parse_operation(each.body)), each.name) == name) return true;
    }
    if (some.size() < kAtOnce) return false;
    after = some.back().number;
  }
}

}  // namespace

bool is_shared(std::string_view ref) {
  constexpr std::array<std::string_view, 11> kShared = {
      kHeads,         kTags,           "refs/captures/", "refs/datasets/",
      "refs/events/", "refs/imports/", "refs/memory/",   "refs/notes/",
      "refs/runs/",   "refs/sources/", "refs/trees/"};
  return std::ranges::any_of(kShared, [&](std::string_view folder) {
    return ref.starts_with(folder) && ref.size() > folder.size();
  });
}

Result<RefNews> refs_since(const store::Store& store, const std::optional<Oid>& since,
                           const std::optional<Oid>& pushed) {
  RefNews news;
  const bool lost_push = pushed && !TRY(has_operation(store, *pushed));
  if (since && !lost_push && TRY(add_moves(store, *since, news))) return news;
  // The refs are read after the operation: if they are newer, the next call repeats some moves.
  news = {.is_full = true};
  if (const auto newest = TRY(store.newest_operation())) {
    news.operation = store::chain_name(TRY(store::parse_operation(newest->body)), newest->name);
  }
  news.is_rewound = lost_push || (since && !TRY(has_operation(store, *since)));
  for (const store::Ref& ref : TRY(store.refs(kRefs))) {
    if (is_shared(ref.name)) news.values.emplace(ref.name, ref.target);
  }
  return news;
}

std::string write_news(const RefNews& news) {
  std::string text;
  if (news.operation) store::append_line(text, "operation", *news.operation);
  store::append_line(text, "refs", news.is_rewound ? "rewound" : news.is_full ? "all" : "moved");
  for (const auto& [name, target] : news.values) {
    store::append_line(text, "ref", name + " " + (target ? target->hex() : "-"));
  }
  return text;
}

Result<RefNews> take_news(store::LineReader& lines) {
  RefNews news;
  if (const auto name = lines.take("operation")) {
    news.operation = Oid::from_hex(*name);
    if (!news.operation) return malformed_refs();
  }
  const auto kind = lines.take("refs");
  if (kind != "all" && kind != "moved" && kind != "rewound") return malformed_refs();
  news.is_full = kind != "moved";
  news.is_rewound = kind == "rewound";
  while (const auto ref = lines.take("ref")) {
    const std::size_t space = ref->rfind(' ');
    if (space == std::string_view::npos) return malformed_refs();
    std::string name(ref->substr(0, space));
    const auto target = Oid::from_hex(ref->substr(space + 1));
    const bool is_removed = ref->substr(space + 1) == "-" && !news.is_full;
    if ((!target && !is_removed) || !store::ref_name_problem(name).empty()) return malformed_refs();
    // A later version may share more.
    if (is_shared(name)) news.values.insert_or_assign(std::move(name), target);
  }
  if (!lines.finished()) return malformed_refs();
  return news;
}

std::string tracking_ref(std::string_view remote, std::string_view ref) {
  if (ref.starts_with(kHeads)) {
    return fmt::format("refs/remotes/{}/{}", remote, ref.substr(kHeads.size()));
  }
  return fmt::format("refs/mirrors/{}/{}", remote, ref.substr(kRefs.size()));
}

Result<RefValues> tracked_refs(const store::Store& store, std::string_view remote) {
  RefValues values;
  for (const std::string_view full : {kHeads, kRefs}) {
    const std::string prefix = tracking_ref(remote, full);
    for (const store::Ref& ref : TRY(store.refs(prefix))) {
      values.emplace(std::string(full) + ref.name.substr(prefix.size()), ref.target);
    }
  }
  return values;
}

}  // namespace spoor::sync
