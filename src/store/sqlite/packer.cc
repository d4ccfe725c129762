#include "store/sqlite/packer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "store/sqlite/codec.h"

namespace spoor::store::sqlite {
namespace {

constexpr std::size_t kBatchBytes = 256U << 10U;

// A dictionary is worth a twentieth of what it was learned from: with half or twice of that, real
// sessions were a few hundredths larger.
constexpr std::uint64_t kShare = 20;
constexpr std::uint64_t kLeastDictionary = 2U << 10U;
constexpr std::uint64_t kMostDictionary = 112U << 10U;

// What one is learned from: samples of at most this size, and so many bytes for each of its own.
constexpr std::size_t kMostSample = 32U << 10U;
constexpr std::uint64_t kSampledForEach = 60;

constexpr Handle kBeforeAll = std::numeric_limits<Handle>::min();

Query row_query(PackedTable table) {
  return table == PackedTable::commits ? Query::commit_at : Query::object_at;
}

// Where `codec` is among the columns of that query; `size` and `body` are behind it.
int codec_column(PackedTable table) { return table == PackedTable::commits ? 1 : 2; }

bool is_framed(std::int64_t codec) { return (codec & kFramed) != 0; }

std::uint64_t capacity_for(std::uint64_t total) {
  const std::uint64_t capacity = std::min(total / kShare, kMostDictionary);
  return capacity < kLeastDictionary ? 0 : capacity;
}

}  // namespace

Result<Packer> Packer::begin(Connection& connection, PackedTable table) {
  const ReadTransaction reading = TRY(ReadTransaction::begin(connection));
  Packer packer(table);
  Statement rows = TRY(
      connection.use(table == PackedTable::commits ? Query::commit_sizes : Query::object_sizes));
  while (TRY(connection.next(rows))) {
    const std::int64_t size = rows.integer(2);
    if (size < 0) continue;  // fsck says so.
    packer.total_ += static_cast<std::uint64_t>(size);
    const bool is_small = static_cast<std::uint64_t>(size) <= kMostCompressed;
    if (!is_framed(rows.integer(1)) && is_small) packer.keys_.push_back(rows.integer(0));
  }
  const Dictionaries known = TRY(dictionaries(connection, table));
  packer.last_number_ = known.last_number;
  packer.dictionary_ = known.newest;
  return packer;
}

Result<std::optional<NewDictionary>> Packer::train(Connection& connection) {
  const std::uint64_t capacity = capacity_for(total_);
  if (capacity == 0 || capacity < 2 * dictionary_.size()) return std::optional<NewDictionary>();

  const ReadTransaction reading = TRY(ReadTransaction::begin(connection));
  std::vector<std::string> samples;
  const std::uint64_t wanted = capacity * kSampledForEach;
  const std::size_t every = static_cast<std::size_t>(total_ / wanted) + 1;
  for (std::size_t i = 0; i < keys_.size(); i += every) {
    Statement row = TRY(connection.use(row_query(table_)));
    if (!TRY(connection.next(row.bind(1, keys_[i])))) continue;
    const int codec = codec_column(table_);
    if (is_framed(row.integer(codec))) continue;
    samples.emplace_back(row.bytes(codec + 2).substr(0, kMostSample));
  }
  const DictionaryNumber number = last_number_ + 1;
  auto trained = train_dictionary(number, samples, capacity);
  if (!trained) return std::optional<NewDictionary>();
  dictionary_ = *trained;
  return std::optional(NewDictionary{number, std::move(*trained)});
}

Result<std::vector<PackedRow>> Packer::next(Connection& connection) {
  if (compressor_ == nullptr) compressor_ = std::make_unique<Compressor>(dictionary_);
  const ReadTransaction reading = TRY(ReadTransaction::begin(connection));
  std::vector<PackedRow> packed;
  std::size_t bytes = 0;
  while (at_ < keys_.size() && bytes < kBatchBytes) {
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
  if (packed.empty() && at_ < keys_.size()) return next(connection);  // Nothing here got smaller.
  return packed;
}

Result<void> write_rows(Connection& connection, PackedTable table,
                        const std::vector<PackedRow>& rows) {
  Statement update = TRY(
      connection.use(table == PackedTable::commits ? Query::repack_commit : Query::repack_object));
  for (const PackedRow& row : rows) {
    update.bind(1, row.key).bind_blob(2, row.oid.view());
    update.bind(3, row.codec ^ kFramed).bind(4, row.codec).bind_blob(5, row.bytes);
    TRY(connection.run(update));
  }
  return {};
}

Result<std::vector<PackedRow>> next_unpacked(Connection& connection, PackedTable table,
                                             Handle& after) {
  const ReadTransaction reading = TRY(ReadTransaction::begin(connection));
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
    auto body = connection.decompress(row.bytes(codec + 2),
                                      static_cast<std::size_t>(row.integer(codec + 1)));
    if (!oid || !body) {
      return corrupt(fmt::format("a compressed row of '{}' cannot be read", name_of(table)),
                     "run 'spoor fsck'");
    }
    bytes += body->size();
    unpacked.push_back({after, *oid, row.integer(codec) ^ kFramed, std::move(*body), 0});
  }
  return unpacked;
}

}  // namespace spoor::store::sqlite
