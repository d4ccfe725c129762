#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "llm/money.h"
#include "store/oid.h"
#include "store/timestamp.h"

/// Values as bytes and back: numbers of seven bits a byte, texts and lists behind their length. A
/// struct says once what it is made of, in a function `visit_parts(pack, value)` that calls `pack`
/// with all its members, and both ways follow. For caches: no byte of it leaves the machine.
namespace spoor::agent::debrief {

/// Writes. The bytes are the same for the same values.
class Packer {
 public:
  template <class... T>
  void operator()(T&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void put_number(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(0x80 | (number & 0x7f));
    bytes_ += static_cast<char>(number);
  }
  void put(bool value) { put_number(value ? 1 : 0); }
  void put(std::uint64_t value) { put_number(value); }
  void put(std::int64_t value) { put_number(std::bit_cast<std::uint64_t>(value)); }
  void put(double value) { put_number(std::bit_cast<std::uint64_t>(value)); }
  void put(std::string& text) {
    put_number(text.size());
    bytes_ += text;
  }
  void put(store::Oid& oid) {
    bytes_.append(reinterpret_cast<const char*>(oid.bytes.data()), oid.bytes.size());
  }
  void put(store::Timestamp& time) { put(time.micros); }
  void put(llm::Money& money) { put(money.nano_dollars); }

  template <class T>
  void put(std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class List>
  void put_list(List& list) {
    put_number(list.size());
    for (auto& element : list) put(element);
  }
  template <class T>
  void put(std::vector<T>& list) {
    put_list(list);
  }
  template <class T>
  void put(std::deque<T>& list) {
    put_list(list);
  }
  template <class Key, class T>
  void put(std::map<Key, T>& map) {
    put_number(map.size());
    for (auto& [key, value] : map) {
      Key copy = key;
      put(copy);
      put(value);
    }
  }
  template <class T>
  requires std::is_class_v<T>
  void put(T& value) { visit_parts(*this, value); }

  std::string bytes_;
};

/// Reads what Packer wrote. Of any other bytes it makes some value, in bounded time and memory, and
/// is_sound() says no.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }

  /// For a rule that a value must keep.
  void require(bool holds) { is_sound_ = is_sound_ && holds; }

  /// Was all of it read, and nothing else?
  bool is_sound() const { return is_sound_ && rest_.empty(); }

 private:
  std::uint64_t number() {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
    is_sound_ = false;
    return 0;
  }
  // Of elements that take a byte at least: no list is longer than what is left.
  std::size_t size() {
    const std::uint64_t size = number();
    require(size <= rest_.size());
    return is_sound_ ? static_cast<std::size_t>(size) : 0;
  }

  void get(bool& value) { value = number() != 0; }
  void get(std::uint64_t& value) { value = number(); }
  void get(std::int64_t& value) { value = std::bit_cast<std::int64_t>(number()); }
  void get(double& value) { value = std::bit_cast<double>(number()); }
  void get(std::string& text) {
    const std::size_t count = size();
    text = rest_.substr(0, count);
    rest_.remove_prefix(count);
  }
  void get(store::Oid& oid) {
    require(rest_.size() >= oid.bytes.size());
    if (!is_sound_) return;
    for (auto& byte : oid.bytes) {
      byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
    }
  }
  void get(store::Timestamp& time) { get(time.micros); }
  void get(llm::Money& money) { get(money.nano_dollars); }

  template <class T>
  void get(std::optional<T>& value) {
    bool is_there = false;
    get(is_there);
    if (is_there) {
      get(value.emplace());
    } else {
      value.reset();
    }
  }
  template <class List>
  void get_list(List& list) {
    list.clear();
    for (std::size_t left = size(); left > 0 && is_sound_; --left) get(list.emplace_back());
  }
  template <class T>
  void get(std::vector<T>& list) {
    get_list(list);
  }
  template <class T>
  void get(std::deque<T>& list) {
    get_list(list);
  }
  template <class Key, class T>
  void get(std::map<Key, T>& map) {
    map.clear();
    for (std::size_t left = size(); left > 0 && is_sound_; --left) {
      Key key{};
      get(key);
      get(map[std::move(key)]);
    }
  }
  template <class T>
  requires std::is_class_v<T>
  void get(T& value) { visit_parts(*this, value); }

  std::string_view rest_;
  bool is_sound_ = true;
};

}  // namespace spoor::agent::debrief
