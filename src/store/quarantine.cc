#include "store/quarantine.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/os/descriptors.h"
#include "store/erased.h"
#include "store/oid_prefix.h"
#include "store/reader.h"

namespace spoor::store {
namespace {

constexpr std::size_t kPartBytes = 4U << 20U;
constexpr std::size_t kPartObjects = 20'000;

Error failed(std::string_view what) {
  return io_error(
      fmt::format("cannot {} the temporary file of an import: {}", what, std::strerror(errno)),
      "check the free space and the permissions of the store's folder");
}

Error refused() { return invalid("nothing is removed from a store in quarantine"); }

Result<void> write_at(int file, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failed("write");
    bytes.remove_prefix(static_cast<std::size_t>(count));
    at += static_cast<std::uint64_t>(count);
  }
  return {};
}

Result<void> read_at(int file, std::string& bytes, std::uint64_t at) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        ::pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failed("read");
    done += static_cast<std::size_t>(count);
  }
  return {};
}

// Leaves something to those who write the store meanwhile.
Result<void> check_space(int file) {
  constexpr std::uint64_t kReserve = 32U << 20U;
  struct statvfs disk {};
  if (::fstatvfs(file, &disk) != 0 || disk.f_bavail * disk.f_frsize >= kReserve) return {};
  return io_error("what is received would fill the disk",
                  "make space in the store's folder, or receive fewer commits at once");
}

}  // namespace

Result<std::unique_ptr<Quarantine>> Quarantine::open(Store& behind, const std::string& folder) {
  const int file = os::open_unnamed(folder.empty() ? "." : folder);
  if (file < 0) return failed("make");
  return std::unique_ptr<Quarantine>(new Quarantine(behind, file));
}

Quarantine::~Quarantine() { ::close(file_); }

Result<void> Quarantine::hold(std::span<const NewObject> objects) {
  TRY(check_space(file_));
  std::string bytes;
  std::vector<std::pair<Oid, StoredRange>> held;
  for (const NewObject& each : objects) {
    if (places_.contains(each.oid)) continue;
    held.emplace_back(each.oid, StoredRange{end_ + bytes.size(), each.body.size(), each.kind});
    bytes += each.body;
  }
  TRY(write_at(file_, bytes, end_));
  end_ += bytes.size();
  for (const auto& [oid, place] : held) {
    if (places_.emplace(oid, place).second) order_.push_back(oid);
  }
  return {};
}

Result<Object> Quarantine::read(const StoredRange& place) const {
  Object object{place.kind, std::string(place.size, '\0')};
  TRY(read_at(file_, object.body, place.at));
  return object;
}

Result<std::vector<std::optional<Object>>> Quarantine::get(std::span<const Oid> oids) const {
  std::vector<std::optional<Object>> found(oids.size());
  std::vector<std::size_t> open;
  std::vector<Oid> wanted;
  {
    const std::scoped_lock hold(mutex_);
    for (std::size_t i = 0; i < oids.size(); ++i) {
      const auto at = places_.find(oids[i]);
      if (at != places_.end()) {
        found[i] = TRY(read(at->second));
      } else {
        open.push_back(i);
        wanted.push_back(oids[i]);
      }
    }
  }
  if (wanted.empty()) return found;
  auto behind = TRY(behind_.get(wanted));
  const std::scoped_lock hold(mutex_);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (behind[i]) borrowed_.insert(wanted[i]);
    found[open[i]] = std::move(behind[i]);
  }
  return found;
}

Result<std::vector<bool>> Quarantine::has(std::span<const Oid> oids) const {
  std::vector<bool> found = TRY(behind_.has(oids));
  const std::scoped_lock hold(mutex_);
  for (std::size_t i = 0; i < oids.size(); ++i) {
    if (places_.contains(oids[i])) {
      found[i] = true;
    } else if (found[i]) {
      borrowed_.insert(oids[i]);
    }
  }
  return found;
}

Result<std::vector<Oid>> Quarantine::find(std::string_view prefix, Kind kind,
                                          std::size_t limit) const {
  std::vector<Oid> found = TRY(behind_.find(prefix, kind, limit));
  if (!lowest_oid_with(prefix)) return found;
  const std::scoped_lock hold(mutex_);
  for (const auto& [oid, place] : places_) {
    if (place.kind == kind && has_prefix(oid, prefix)) found.push_back(oid);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (found.size() > limit) found.resize(limit);
  return found;
}

Result<void> Quarantine::scan(const ScanVisitor& visit) const {
  std::vector<Oid> aside;
  {
    const std::scoped_lock hold(mutex_);
    aside = order_;
  }
  const std::unordered_set<Oid> names(aside.begin(), aside.end());
  bool goes_on = true;
  TRY(behind_.scan([&](const StoredObject& each) {
    return names.contains(each.oid) || (goes_on = visit(each));
  }));
  for (const Oid& oid : aside) {
    if (!goes_on) break;
    goes_on = visit({oid, *TRY(get(std::array{oid}))[0]});
  }
  return {};
}

// Returns the next held objects, starting with index `done`; none at the end.
Result<std::vector<NewObject>> Quarantine::next_part(std::size_t& done) const {
  std::vector<NewObject> part;
  const std::scoped_lock hold(mutex_);
  if (done == order_.size()) return part;
  // They are in the file in this order, one behind the other.
  const std::uint64_t begin = places_.at(order_[done]).at;
  std::uint64_t end = begin;
  const std::size_t first = done;
  while (done < order_.size() && done - first < kPartObjects && end - begin < kPartBytes) {
    const StoredRange& place = places_.at(order_[done++]);
    end = place.at + place.size;
  }
  std::string bytes(end - begin, '\0');
  TRY(read_at(file_, bytes, begin));
  for (std::size_t i = first; i < done; ++i) {
    const StoredRange& place = places_.at(order_[i]);
    Object object{place.kind, bytes.substr(place.at - begin, place.size)};
    TRY(verify(order_[i], object));
    part.push_back({order_[i], object.kind, std::move(object.body)});
  }
  return part;
}

std::vector<Oid> Quarantine::held_tombstones() const {
  const std::scoped_lock hold(mutex_);
  std::vector<Oid> stones;
  for (const auto& [oid, place] : places_) {
    if (place.kind == Kind::tombstone) stones.push_back(oid);
  }
  std::sort(stones.begin(), stones.end());
  return stones;
}

Result<Receipt> Quarantine::pass_on(Transaction change) {
  const std::vector<Oid> stones = held_tombstones();
  {
    const std::scoped_lock hold(mutex_);
    change.required.assign(borrowed_.begin(), borrowed_.end());
  }
  const auto epoch = change.epoch;
  while (true) {
    if (!stones.empty()) {
      TRY(list_tombstones(behind_, stones, change));
      if (epoch) change.epoch = std::min(*change.epoch, *epoch);
    }
    std::size_t done = 0;
    change.more = [this, &done]() { return next_part(done); };
    const Receipt receipt = TRY(behind_.commit(change));
    if (!receipt.is_stale || epoch) return receipt;  // A caller with an epoch reads again himself.
  }
}

Result<void> Quarantine::admit() {
  TRY(pass_on({}));
  return {};
}

Result<Receipt> Quarantine::commit(const Transaction& transaction) {
  if (!transaction.erase.empty()) return refused();
  if (!transaction.refs.empty()) return pass_on(transaction);
  const std::scoped_lock hold(mutex_);
  TRY(this->hold(transaction.objects));
  for (const auto& [key, value] : transaction.properties) {
    properties_.insert_or_assign(key, value);
  }
  return Receipt();
}

Result<Properties> Quarantine::properties(std::span<const std::string_view> keys) const {
  Properties found = TRY(behind_.properties(keys));
  const std::scoped_lock hold(mutex_);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (const auto at = properties_.find(keys[i]); at != properties_.end()) {
      found.values[i] = at->second;
    }
  }
  return found;
}

Result<std::optional<std::string>> Quarantine::local(std::string_view key) const {
  {
    const std::scoped_lock hold(mutex_);
    if (const auto at = local_.find(key); at != local_.end()) return at->second;
  }
  return behind_.local(key);
}

Result<void> Quarantine::set_local(std::string_view key, const std::optional<std::string>& value) {
  const std::scoped_lock hold(mutex_);
  local_.insert_or_assign(std::string(key), value);
  return {};
}

Result<std::optional<std::string>> Quarantine::cached(std::string_view) const {
  return std::optional<std::string>();
}

Result<void> Quarantine::put_cached(std::string_view, std::string_view) { return {}; }
Result<void> Quarantine::sweep(const Sweep&) { return refused(); }
Result<void> Quarantine::compact() { return refused(); }
Result<void> Quarantine::rebuild() { return refused(); }

// The refs and the log are the target's.
Result<std::vector<Oid>> Quarantine::loose(std::uint64_t since) const {
  return behind_.loose(since);
}
Result<std::vector<Ref>> Quarantine::refs(std::string_view prefix) const {
  return behind_.refs(prefix);
}
Result<std::optional<Oid>> Quarantine::ref(std::string_view name) const {
  return behind_.ref(name);
}
Result<void> Quarantine::exclusive(const std::function<Result<void>()>& body) {
  return behind_.exclusive(body);
}
Result<std::vector<LoggedOperation>> Quarantine::operations(std::uint64_t after,
                                                            std::size_t limit) const {
  return behind_.operations(after, limit);
}
Result<std::optional<LoggedOperation>> Quarantine::newest_operation() const {
  return behind_.newest_operation();
}
Result<std::optional<LoggedOperation>> Quarantine::operation_at(std::string_view ref,
                                                                Timestamp time) const {
  return behind_.operation_at(ref, time);
}
Result<std::vector<Store::Finding>> Quarantine::check() const { return behind_.check(); }

}  // namespace spoor::store
