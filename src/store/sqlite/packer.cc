#include "store/sqlite/packer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/sqlite/codec.h"
#include "store/sqlite/erasures.h"
#include "store/sqlite/local_facts.h"

namespace spoor::store::sqlite {
namespace {

constexpr std::size_t kBatchBytes = 256U << 10U;

// A dictionary has an eighth of the size of its training data. It is compressed itself and takes a
// third of that in the file. With half the size, real sessions were a twentieth larger.
constexpr std::uint64_t kShare = 8;
constexpr std::uint64_t kLeastDictionary = 2U << 10U;

// Training data: samples of at most kMostSample bytes, and kSampledForEach bytes for each byte of
// the dictionary.
constexpr std::size_t kMostSample = 32U << 10U;
constexpr std::uint64_t kSampledForEach = 20;

// The local fact with the last handle processed. Only for objects: commits are small, and their
// places are not in order of time.
constexpr std::string_view kMark = "packing.objects";

Query row_query(PackedTable table) {
  return table == PackedTable::commits ? Query::commit_at : Query::object_at;
}

// Returns the position of `codec` in that query's columns; `size` and `body` follow.
int codec_column(PackedTable table) { return table == PackedTable::commits ? 1 : 2; }

bool is_framed(std::int64_t codec) { return (codec & kFramed) != 0; }

// Returns the row's bytes without their frame, if any. Nullopt if damaged.
std::optional<std::string> unframed(Connection& connection, const Statement& row, int codec) {
  const std::int64_t size = row.integer(codec + 1);
  if (!is_known_codec(row.integer(codec)) || size < 0) return std::nullopt;
  if (!is_framed(row.integer(codec))) return std::string(row.bytes(codec + 2));
  return connection.decompress(row.bytes(codec + 2), static_cast<std::size_t>(size));
}

std::uint64_t capacity_for(std::uint64_t total) {
  const std::uint64_t capacity = std::min<std::uint64_t>(total / kShare, kMostDictionary);
  return capacity < kLeastDictionary ? 0 : capacity;
}

}  // namespace

Result<Packer> Packer::begin(Connection& connection, PackedTable table) {
  const ReadTransaction reading = TRY(ReadTransaction::begin(connection));
  Packer packer(table);
  packer.erasures_ = TRY(erasures(connection));
  packer.known_ = TRY(dictionaries(connection, table));
  const bool is_marked = table == PackedTable::objects;
  const auto mark =
      static_cast<Handle>(is_marked ? TRY(local_number(connection, kMark)) : std::uint64_t{0});
  Statement rows = TRY(
      connection.use(table == PackedTable::commits ? Query::commit_sizes : Query::object_sizes));
  while (TRY(connection.next(rows))) {
    const std::int64_t size = rows.integer(2);
    if (size < 0) continue;  // fsck reports it.
    packer.total_ += static_cast<std::uint64_t>(size);
    if (is_framed(rows.integer(1)) || static_cast<std::uint64_t>(size) > kMostCompressed) continue;
    const bool is_known = is_marked && rows.integer(0) <= mark;
    (is_known ? packer.tried_ : packer.keys_).push_back(rows.integer(0));
  }
  return packer;
}

Result<std::optional<NewDictionary>> Packer::train(Connection& connection) {
  const std::uint64_t capacity = capacity_for(total_);
  const bool is_due = known_.newest.empty() || total_ / 2 >= known_.learned;
  if (capacity == 0 || !is_due || known_.last_number >= kLastNumber) {
    return std::optional<NewDictionary>();
  }
  std::vector<std::string> samples;
  const std::uint64_t every = total_ / (capacity * kSampledForEach) + 1;
  {
    const ReadTransaction reading = TRY(ReadTransaction::begin(connection));
    Statement keys = TRY(
        connection.use(table_ == PackedTable::commits ? Query::commit_sizes : Query::object_sizes));
    for (std::uint64_t i = 0; TRY(connection.next(keys)); ++i) {
      if (i % every != 0) continue;
      Statement row = TRY(connection.use(row_query(table_)));
      if (!TRY(connection.next(row.bind(1, keys.integer(0))))) continue;
      if (auto body = unframed(connection, row, codec_column(table_))) {
        body->resize(std::min(body->size(), kMostSample));
        samples.push_back(std::move(*body));
      }
    }
  }
  auto trained = train_dictionary(known_.last_number + 1, samples, capacity);
  if (!trained) return std::optional<NewDictionary>();
  known_.newest = *trained;
  keys_.insert(keys_.begin(), tried_.begin(), tried_.end());  // They may become smaller now.
  return std::optional(NewDictionary{known_.last_number + 1, total_, std::move(*trained)});
}

Result<std::vector<PackedRow>> Packer::next(Connection& connection) {
  if (compressor_ == nullptr) compressor_ = std::make_unique<Compressor>(known_.newest);
  const ReadTransaction reading = TRY(ReadTransaction::begin(connection));
  std::vector<PackedRow> packed;
  std::size_t bytes = 0;
  while (!is_done() && bytes < kBatchBytes) {
    const Handle key = keys_[at_++];
    Statement row = TRY(connection.use(row_query(table_)));
    if (!TRY(connection.next(row.bind(1, key)))) continue;
    const int codec = codec_column(table_);
    const auto oid = Oid::from_bytes(row.bytes(0));
    if (!oid || !is_known_codec(row.integer(codec)) || is_framed(row.integer(codec))) continue;
    const std::string_view body = row.bytes(codec + 2);
    bytes += body.size();
    if (const auto frame = compressor_->compress(body)) {
      packed.push_back({key, *oid, row.integer(codec) | kFramed, std::string(*frame), body.size()});
    }
  }
  return packed;
}

Result<bool> Packer::is_current(Connection& connection) const {
  return TRY(erasures(connection)) == erasures_;
}

Result<void> Packer::mark(Connection& connection) const {
  const auto before = static_cast<Handle>(TRY(local_number(connection, kMark)));
  return set_local_fact(connection, kMark, std::to_string(std::max(before, keys_[at_ - 1])));
}

Result<void> forget_marks(Connection& connection) {
  return set_local_fact(connection, kMark, std::nullopt);
}

Result<bool> write_row(Connection& connection, PackedTable table, const PackedRow& row) {
  Statement update = TRY(
      connection.use(table == PackedTable::commits ? Query::repack_commit : Query::repack_object));
  update.bind(1, row.key).bind_blob(2, row.oid.view());
  update.bind(3, row.codec ^ kFramed).bind(4, row.codec).bind_blob(5, row.bytes);
  TRY(connection.run(update));
  return connection.changes() > 0;
}

Result<std::vector<PackedRow>> next_unpacked(Connection& connection, PackedTable table,
                                             Handle& after) {
  std::vector<PackedRow> unpacked;
  std::size_t bytes = 0;
  Statement keys = TRY(connection.use(table == PackedTable::commits ? Query::framed_commits
                                                                    : Query::framed_objects));
  keys.bind(1, after);
  while (bytes < kBatchBytes && TRY(connection.next(keys))) {
    after = keys.integer(0);
    Statement row = TRY(connection.use(row_query(table)));
    if (!TRY(connection.next(row.bind(1, after)))) continue;
    const int codec = codec_column(table);
    const auto oid = Oid::from_bytes(row.bytes(0));
    auto body = unframed(connection, row, codec);
    if (auto failed = connection.take_decompress_error()) return *failed;
    if (!oid || !body) continue;  // fsck reports it.
    bytes += body->size();
    unpacked.push_back({after, *oid, row.integer(codec) ^ kFramed, std::move(*body), 0});
  }
  return unpacked;
}

}  // namespace spoor::store::sqlite
