#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace spoor::store {

/// Where the rows of a table lie in a file of SQLite's (https://www.sqlite.org/fileformat.html),
/// for tests that change single bytes of it. Of tables with a number as their key, in a file whose
/// log is empty.
class RowBytes {
 public:
  /// The places in the file of a column's bytes.
  struct Column {
    std::vector<std::size_t> type;   ///< what the row's header says of it
    std::vector<std::size_t> value;  ///< none where the header says all: NULL, 0, 1
  };
  struct Row {
    std::uint64_t key = 0;
    std::vector<std::size_t> header_size;
    std::vector<Column> columns;  ///< as the table declares them, its key among them
  };

  /// `root`: the table's first page, as sqlite_schema has it.
  static std::vector<Row> of_table(const std::string& file, std::size_t root) {
    RowBytes walk(file);
    walk.walk_page(root);
    return std::move(walk.rows_);
  }

  /// The bytes at these places.
  static std::string bytes_at(const std::string& file, const std::vector<std::size_t>& places) {
    std::string bytes;
    for (const std::size_t place : places) bytes.push_back(file.at(place));
    return bytes;
  }

 private:
  static constexpr std::size_t kPage = 4096;

  explicit RowBytes(const std::string& file) : file_(file) {}

  std::size_t number(std::size_t at, std::size_t size) const {
    std::size_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      value = value << 8U | static_cast<unsigned char>(file_.at(at + i));
    }
    return value;
  }

  // A number of SQLite's: seven bits a byte, and its last byte is below 128. None here has nine.
  struct Varint {
    std::uint64_t value = 0;
    std::vector<std::size_t> places;
  };
  Varint varint(const std::vector<std::size_t>& places, std::size_t from) const {
    Varint read;
    for (std::size_t i = from;; ++i) {
      const auto byte = static_cast<unsigned char>(file_.at(places.at(i)));
      read.value = read.value << 7U | (byte & 127U);
      read.places.push_back(places[i]);
      if (byte < 128) return read;
    }
  }

  static void append_run(std::vector<std::size_t>& places, std::size_t at, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) places.push_back(at + i);
  }

  void walk_page(std::size_t page) {
    const std::size_t begin = (page - 1) * kPage;
    const std::size_t head = page == 1 ? begin + 100 : begin;
    const bool is_leaf = file_.at(head) == 13;
    if (!is_leaf && file_.at(head) != 5) throw std::logic_error("no page of a table");
    const std::size_t cells = number(head + 3, 2);
    for (std::size_t i = 0; i < cells; ++i) {
      const std::size_t cell = begin + number(head + (is_leaf ? 8 : 12) + 2 * i, 2);
      if (is_leaf) read_row(cell);
      if (!is_leaf) walk_page(number(cell, 4));
    }
    if (!is_leaf) walk_page(number(head + 8, 4));
  }

  void read_row(std::size_t cell) {
    constexpr std::size_t kMostLocal = kPage - 35;
    constexpr std::size_t kLeastLocal = (kPage - 12) * 32 / 255 - 23;
    std::vector<std::size_t> start;
    append_run(start, cell, 20);
    const Varint size = varint(start, 0);
    const Varint key = varint(start, size.places.size());
    const std::size_t at = cell + size.places.size() + key.places.size();
    std::size_t local = size.value;
    if (local > kMostLocal) {
      local = kLeastLocal + (size.value - kLeastLocal) % (kPage - 4);
      if (local > kMostLocal) local = kLeastLocal;
    }
    std::vector<std::size_t> payload;
    append_run(payload, at, local);
    std::size_t next = local < size.value ? number(at + local, 4) : 0;
    while (payload.size() < size.value) {
      const std::size_t page = (next - 1) * kPage;
      append_run(payload, page + 4, std::min(kPage - 4, size.value - payload.size()));
      next = number(page, 4);
    }
    add_row(key.value, payload);
  }

  void add_row(std::uint64_t key, const std::vector<std::size_t>& payload) {
    const Varint header = varint(payload, 0);
    Row row{key, header.places, {}};
    std::size_t value = header.value;
    for (std::size_t at = header.places.size(); at < header.value;) {
      const Varint type = varint(payload, at);
      at += type.places.size();
      Column column{type.places, {}};
      for (std::size_t i = size_of(type.value); i > 0; --i) {
        column.value.push_back(payload.at(value++));
      }
      row.columns.push_back(std::move(column));
    }
    rows_.push_back(std::move(row));
  }

  static std::size_t size_of(std::uint64_t type) {
    if (type >= 12) return static_cast<std::size_t>(type - 12) / 2;
    if (type == 5) return 6;
    if (type == 6 || type == 7) return 8;
    return type < 5 ? static_cast<std::size_t>(type) : 0;
  }

  const std::string& file_;
  std::vector<Row> rows_;
};

}  // namespace spoor::store
