#include "sync/intake.h"

#include <filesystem>
#include <utility>

namespace spoor::sync {
namespace {

store::Transaction change_of(const Intake& intake, std::vector<store::RefMove> moves,
                             std::string_view command, Timestamp time) {
  store::Transaction change;
  std::erase_if(moves, [](const store::RefMove& each) { return each.before == each.after; });
  std::sort(moves.begin(), moves.end(),
            [](const auto& one, const auto& other) { return one.name < other.name; });
  change.refs = std::move(moves);
  change.actor = intake.actor;
  change.command = command;
  change.time = time;
  return change;
}

// Returns nullopt if texts were erased meanwhile: it has to be verified again.
Result<std::optional<store::Received>> try_to_take_in(store::Store& store, const Intake& intake,
                                                      Spool& spool, const ChooseMoves& choose,
                                                      std::string_view command, Timestamp time) {
  constexpr std::array<std::string_view, 1> kPrivate = {"private"};
  const store::Properties properties = TRY(store.properties(kPrivate));
  const std::string folder = std::filesystem::path(intake.file).parent_path().string();
  auto aside = TRY(store::Quarantine::open(store, folder));
  const store::ReceiveOptions options{.is_private = properties.values[0].has_value(),
                                      .most_tombstones = intake.most_tombstones,
                                      .most_objects = intake.most_objects,
                                      .most_bytes = intake.most_bytes,
                                      .admits = intake.admits};
  const ByteSource archive = spool.read();
  store::Received received = TRY(store::receive_archive(*aside, options, archive));
  auto change = change_of(intake, TRY(choose(*aside, received.head)), command, time);
  if (change.refs.empty()) {
    TRY(aside->admit());
    return std::optional(std::move(received));
  }
  for (const store::RefMove& each : change.refs) {
    if (intake.admits_ref) TRY(intake.admits_ref(each.name));
  }
  // Also the objects that were here before must be there when the refs move.
  std::vector<Oid> targets;
  for (const store::RefMove& each : change.refs) {
    if (each.after) targets.push_back(*each.after);
  }
  const auto is_here = TRY(aside->has(targets));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!is_here[i]) return store::not_stored(targets[i]);
  }
  if (intake.settle) {
    TRY(intake.settle(std::move(aside), change));
    return std::optional(std::move(received));
  }
  change.epoch = properties.epoch;
  if (TRY(aside->commit(change)).is_stale) return std::optional<store::Received>();
  return std::optional(std::move(received));
}

}  // namespace

Result<store::Received> take_in(store::Store& store, const Intake& intake, Spool& spool,
                                const ChooseMoves& choose, std::string_view command,
                                Timestamp time) {
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    auto received = try_to_take_in(store, intake, spool, choose, command, time);
    if (!received) {
      const Error::Code code = received.error().code;
      const bool may_succeed_later = code == Error::Code::io || code == Error::Code::unavailable ||
                                     code == Error::Code::interrupted;
      if (!may_succeed_later) spool.discard();
      return received.error();
    }
    if (!*received) continue;
    spool.discard();
    return std::move(**received);
  }
  return unavailable("the store's settings kept changing", "try again");
}

Result<void> move_refs(store::Store& store, const Intake& intake, std::vector<store::RefMove> moves,
                       std::string_view command, Timestamp time) {
  auto change = change_of(intake, std::move(moves), command, time);
  if (change.refs.empty()) return {};
  for (const store::RefMove& each : change.refs) {
    if (each.after) change.required.push_back(*each.after);
  }
  TRY(store.commit(change));
  return {};
}

Result<store::ArchiveCount> send_archive(const store::Store& store, const store::ArchiveHead& head,
                                         const std::optional<Oid>& from,
                                         const std::function<Result<void>(bool goes_on)>& begin,
                                         const ByteSink& sink) {
  const auto send = [&](bool goes_on, bool& is_found) {
    Oid chain;
    return store::write_archive(store, head, [&](std::string_view piece) -> Result<void> {
      const bool is_head = chain == Oid();
      const bool is_skipped = goes_on && !is_found && !is_head;
      chain = is_head ? store::chain_of_head(piece) : store::chain_after(chain, piece);
      if (is_head) is_found = !goes_on;
      if (goes_on && !is_found && chain == *from) {
        is_found = true;
        TRY(begin(true));
        return sink(archive_head_text(head));
      }
      if (is_head && is_found) TRY(begin(false));
      return is_skipped || !is_found ? Result<void>() : sink(piece);
    });
  };
  bool is_found = false;
  if (from) {
    const auto count = TRY(send(true, is_found));
    if (is_found) return count;
  }
  return send(false, is_found);
}

}  // namespace spoor::sync
