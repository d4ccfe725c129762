#include "store/postgres/statement.h"

#include <array>
#include <utility>

namespace spoor::store::postgres {
namespace {

// Numbers of PostgreSQL's types (src/include/catalog/pg_type.dat), which are the same everywhere.
constexpr unsigned kBytea = 17;
constexpr unsigned kInt8 = 20;
constexpr unsigned kByteaArray = 1001;
constexpr unsigned kInt8Array = 1016;

template <class Number>
void append_number(std::string& out, Number number) {
  for (int shift = 8 * (static_cast<int>(sizeof number) - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> shift));
  }
}

// An array of one dimension: its head, then each element with its length; -1 is NULL.
class Array {
 public:
  Array(unsigned type, std::size_t size) {
    const bool is_empty = size == 0;
    append_number<std::int32_t>(bytes_, is_empty ? 0 : 1);
    append_number<std::int32_t>(bytes_, 1);  // It may have NULLs.
    append_number<std::uint32_t>(bytes_, type);
    if (is_empty) return;
    append_number<std::uint32_t>(bytes_, static_cast<std::uint32_t>(size));
    append_number<std::int32_t>(bytes_, 1);  // Its first index.
  }

  void add(std::string_view element) {
    append_number<std::uint32_t>(bytes_, static_cast<std::uint32_t>(element.size()));
    bytes_ += element;
  }
  void add_null() { append_number<std::int32_t>(bytes_, -1); }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace

Statement& Statement::add(std::int64_t number) {
  std::string bytes;
  append_number(bytes, number);
  parameters_.push_back({kInt8, std::move(bytes)});
  return *this;
}

Statement& Statement::add(const std::optional<std::uint64_t>& number) {
  if (number) return add(static_cast<std::int64_t>(*number));
  parameters_.push_back({kInt8, std::nullopt});
  return *this;
}

Statement& Statement::add(std::string_view bytes) {
  parameters_.push_back({kBytea, std::string(bytes)});
  return *this;
}

Statement& Statement::add(const std::optional<Oid>& oid) {
  if (oid) return add(oid->view());
  parameters_.push_back({kBytea, std::nullopt});
  return *this;
}

Statement& Statement::add(std::span<const Oid> oids) {
  Array array(kBytea, oids.size());
  for (const Oid& oid : oids) array.add(oid.view());
  parameters_.push_back({kByteaArray, array.take()});
  return *this;
}

Statement& Statement::add(const std::vector<std::string_view>& texts) {
  Array array(kBytea, texts.size());
  for (const std::string_view text : texts) array.add(text);
  parameters_.push_back({kByteaArray, array.take()});
  return *this;
}

Statement& Statement::add(const std::vector<std::optional<Oid>>& oids) {
  Array array(kBytea, oids.size());
  for (const auto& oid : oids) oid ? array.add(oid->view()) : array.add_null();
  parameters_.push_back({kByteaArray, array.take()});
  return *this;
}

Statement& Statement::add(const std::vector<std::int64_t>& numbers) {
  Array array(kInt8, numbers.size());
  for (const std::int64_t number : numbers) {
    std::string bytes;
    append_number(bytes, number);
    array.add(bytes);
  }
  parameters_.push_back({kInt8Array, array.take()});
  return *this;
}

}  // namespace spoor::store::postgres
