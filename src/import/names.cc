#include "import/names.h"

#include <algorithm>

#include <fmt/format.h>

#include "store/sha256.h"

namespace spoor::import {

bool is_one_of(std::string_view word, std::string_view words) {
  const auto is_end = [&](std::size_t at) {
    return at >= words.size() || words[at] == ' ' || words[at] == '\n';
  };
  for (std::size_t at = words.find(word); !word.empty() && at != std::string_view::npos;
       at = words.find(word, at + 1)) {
    if ((at == 0 || is_end(at - 1)) && is_end(at + word.size())) {
      return word.find_first_of(" \n") == std::string_view::npos;
    }
  }
  return false;
}

std::string plain_word(std::string_view text) {
  std::string word(text.substr(0, 64));
  for (char& c : word) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    if (!plain) c = '-';
  }
  return word;
}

std::string ref_word(std::string_view text) {
  std::string word = plain_word(text);
  std::replace(word.begin(), word.end(), '.', '-');
  return word;
}

std::string label_of(std::string_view type, std::string_view subtype) {
  std::string label = type.empty() ? "(no type)" : plain_word(type);
  if (!subtype.empty()) label += "/" + plain_word(subtype);
  return label;
}

RecordKey RecordKey::of(std::string_view text) {
  const store::Oid hash = store::sha256(text);
  RecordKey key;
  std::memcpy(key.bytes.data(), hash.bytes.data(), key.bytes.size());
  return key;
}

std::string RecordKey::hex(std::size_t digits) const {
  return fmt::format("{:02x}", fmt::join(bytes, "")).substr(0, digits);
}

void RecentNames::set(std::string_view name, std::uint32_t number) {
  const RecordKey key = RecordKey::of(name);
  if (!numbers_.insert_or_assign(key, number).second) return;
  order_.push_back(key);
  if (order_.size() <= kMost) return;
  numbers_.erase(order_.front());
  order_.pop_front();
}

std::optional<std::uint32_t> RecentNames::find(std::string_view name) const {
  const auto found = numbers_.find(RecordKey::of(name));
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

}  // namespace spoor::import
