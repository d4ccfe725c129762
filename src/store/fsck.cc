#include "store/fsck.h"

#include <numeric>
#include <set>

#include <fmt/format.h>

#include "store/check/findings.h"
#include "store/check/log_check.h"
#include "store/check/object_graph.h"
#include "store/erased.h"
#include "store/own_tombstones.h"
#include "store/reader.h"

namespace spoor::store {
namespace {

constexpr std::array<std::string_view, kRuleCount> kRuleNames = {
    "engine",    "name",       "shape",     "missing",   "kind",      "chunks",
    "depth",     "gen",        "skip",      "targets",   "ancestor",  "op_name",
    "op_shape",  "op_number",  "op_prev",   "op_time",   "op_before", "op_undo",
    "op_commit", "ref_commit", "ref_table", "signature", "derived",   "checkpoint"};

constexpr std::uint64_t kObjectsPerReport = 1'024;
constexpr std::size_t kOperationsPerRead = 1'000;
constexpr std::size_t kReaderCache = 8U << 20U;
constexpr int kAttempts = 100;

class Fsck {
 public:
  Fsck(const Store& store, const FsckOptions& options)
      : store_(store), options_(options), reader_(store, kReaderCache) {}

  Result<FsckReport> run() {
    TRY(ask_engine());
    // Read the log before the objects: the objects it names are stored by then, even if others
    // write meanwhile.
    TRY(read_log());
    TRY(read_objects());
    graph_.check_references();
    graph_.check_chunks();
    graph_.check_commits(reader_);
    for (const Ref& ref : refs_) graph_.check_ref(ref);
    graph_.check_logged();
    add_engine_findings();
    graph_.summarize(refs_, report_);
    add_remarks();
    report_.operations = log_.count();
    report_.newest_operation = log_.newest();
    report_.refs = refs_.size();
    return std::move(report_);
  }

 private:
  Result<void> ask_engine();
  void add_engine_findings();
  Result<void> read_log();
  Result<bool> read_operations();
  template <class T>
  Result<std::optional<T>> as_found(Rule rule, Result<T> result);
  void check_refs(const std::vector<Ref>& refs);
  Result<void> read_objects();
  void add_remarks();

  const Store& store_;
  const FsckOptions& options_;
  const Reader reader_;
  FsckReport report_;
  check::Findings findings_{report_};
  check::ObjectGraph graph_{findings_};
  check::LogCheck log_{findings_, graph_, store_.has_lanes()};
  std::vector<Ref> refs_;  // As replayed from the log.
  std::vector<Store::Finding> engine_;
};

Result<void> Fsck::ask_engine() {
  auto found = store_.check();
  if (!found && found.error().code != Error::Code::corrupt) return found.error();
  if (found) {
    for (Store::Finding& each : *found) {
      if (each.is_remark) {
        report_.remarks.push_back({std::move(each.subject), std::move(each.problem)});
      } else {
        engine_.push_back(std::move(each));
      }
    }
  } else {
    engine_.push_back({"store", found.error().message});
  }
  for (const Store::Finding& each : engine_) {
    const auto oid = Oid::from_hex(each.subject);
    // A lost object is reported as missing, with the objects that name it.
    if (oid && !each.is_lost) graph_.expect_damaged(*oid);
  }
  return {};
}

// Adds the engine's findings, except those that fsck found too: its own are more detailed.
void Fsck::add_engine_findings() {
  std::set<std::string, std::less<>> known;
  for (const FsckReport::Problem& each : report_.problems) known.insert(each.subject);
  for (const Store::Finding& each : engine_) {
    // The engine's index has only the first digits of a name.
    const auto same = known.lower_bound(each.subject);
    const bool is_name = each.subject.find_first_not_of("0123456789abcdef") == std::string::npos;
    const bool is_known =
        same != known.end() && (is_name ? same->starts_with(each.subject) : *same == each.subject);
    if (!is_known) findings_.add(Rule::engine, each.subject, each.problem);
  }
}

// Reads and checks the operations. True if all were read.
Result<bool> Fsck::read_operations() {
  while (true) {
    const auto some = TRY(store_.operations(log_.number(), kOperationsPerRead));
    for (const LoggedOperation& each : some) log_.take(each);
    if (some.size() < kOperationsPerRead) return true;
  }
}

// Turns an error about damage into nullopt and a finding. Adds no finding if the engine reported
// more, or an unreadable operation explains it.
template <class T>
Result<std::optional<T>> Fsck::as_found(Rule rule, Result<T> result) {
  if (result) return std::optional<T>(std::move(result).value());
  if (result.error().code != Error::Code::corrupt) return std::move(result).error();
  if (log_.is_whole() && engine_.empty())
    findings_.add(rule, "operation log", result.error().message);
  return std::optional<T>();
}

// Reads the log and the refs as of the same moment.
Result<void> Fsck::read_log() {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto read = TRY(as_found(Rule::op_shape, read_operations()));
    const auto refs = read ? TRY(as_found(Rule::ref_table, store_.refs(""))) : std::nullopt;
    const auto newest =
        refs ? TRY(as_found(Rule::op_shape, store_.newest_operation())) : std::nullopt;
    if (newest && log_.is_whole()) {  // Otherwise, the damage is reported already.
      const std::uint64_t number = *newest ? (*newest)->number : 0;
      if (number != log_.number()) continue;  // A writer interfered.
      check_refs(*refs);
    }
    for (const auto& [name, target] : log_.refs()) refs_.push_back({name, target});
    return {};
  }
  return unavailable("other programs keep writing to the store",
                     "run fsck again when they are done");
}

// Compares the store's refs with those of the log.
void Fsck::check_refs(const std::vector<Ref>& refs) {
  const auto differs = [this](const std::string& name, std::string message) {
    findings_.add(Rule::ref_table, name, std::move(message));
  };
  RefMap expected = log_.refs();
  for (const Ref& ref : refs) {
    const auto found = expected.find(ref.name);
    if (found == expected.end()) {
      differs(ref.name, "is not a ref in the operation log");
      continue;
    }
    if (found->second != ref.target) {
      differs(ref.name, fmt::format("is at {}, but the operation log has {}", ref.target.hex(12),
                                    found->second.hex(12)));
    }
    expected.erase(found);
  }
  for (const auto& [name, target] : expected) {
    differs(name, fmt::format("is missing, but the operation log has {}", target.hex(12)));
  }
}

void Fsck::add_remarks() {
  // The engine reports unreadable local facts; continue without them.
  const auto own = own_tombstones(store_);
  graph_.remark_foreign_tombstones(own ? own.value() : std::vector<Oid>(), report_);
  const auto unfinished = store_.property(kUnfinishedErasure);
  if (unfinished && unfinished.value()) {
    report_.remarks.push_back({"store",
                               "an erasure is not finished: erased bytes may remain in free pages "
                               "and in the log until 'spoor store gc --vacuum'"});
  }
}

Result<void> Fsck::read_objects() {
  std::uint64_t count = 0;
  bool is_cancelled = false;
  const auto scanned = store_.scan([&](const StoredObject& stored) {
    ++report_.objects.at(static_cast<std::size_t>(stored.object.kind));
    report_.bytes += stored.object.body.size();
    graph_.take(stored);
    if (++count % kObjectsPerReport == 0) {
      if (options_.progress) options_.progress(count);
      is_cancelled = options_.is_cancelled && options_.is_cancelled();
    }
    return !is_cancelled;
  });
  if (is_cancelled) return interrupted("fsck was stopped", "run it again to see the rest");
  if (options_.progress) options_.progress(count);
  if (scanned) return {};
  if (scanned.error().code != Error::Code::corrupt) return scanned.error();
  // check() has reported the rows; if it found none, report the error itself.
  if (engine_.empty()) engine_.push_back({"store", scanned.error().message});
  return {};
}

}  // namespace

std::string_view name_of(Rule rule) { return kRuleNames.at(static_cast<std::size_t>(rule)); }

std::uint64_t FsckReport::object_count() const {
  return std::accumulate(objects.begin(), objects.end(), std::uint64_t{0});
}

Result<FsckReport> fsck(const Store& store, const FsckOptions& options) {
  return Fsck(store, options).run();
}

}  // namespace spoor::store
